// An algorithm for tile tasks: an allocation, if it has one, who takes which task, and the rules of
// the run-time system that it runs on.
#pragma once

#include "heuristics/tiles/allocate.hpp"
#include "sim/study/model.hpp"
#include "sim/tiles/runtime.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace starport::tiles {

class TileAlgorithm : public Algorithm {
 public:
  TileAlgorithm(StrategyMaker strategy, const Rules& rules,
                std::optional<AllocationRule> allocation = std::nullopt)
      : strategy_(std::move(strategy)), rules_(rules), allocation_(std::move(allocation)) {}

  std::string_view model() const override { return "tiles"; }
  const StrategyMaker& strategy() const { return strategy_; }
  const Rules& rules() const { return rules_; }
  /// None where tasks belong to no node beforehand.
  const std::optional<AllocationRule>& allocation() const { return allocation_; }

 private:
  StrategyMaker strategy_;
  Rules rules_;
  std::optional<AllocationRule> allocation_;
};

}  // namespace starport::tiles
