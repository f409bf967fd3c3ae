// The decisions of a heuristic while its schedule runs.
#pragma once

#include "sim/model/schedule.hpp"
#include "sim/model/star.hpp"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace starport {

/// Nothing now: ask again when an update has ended. Unless dates change, that is of no use before
/// until_s, when it is known.
struct Wait {
  double until_s = kUnknown;
};
struct Done {};  ///< the schedule is over
using Decision = std::variant<Transfer, Wait, Done>;

/// Asked for the next transfer each time the master's port is free. A static heuristic's
/// dispatcher walks its list; a demand-driven one decides on the spot.
class Dispatcher {
 public:
  virtual ~Dispatcher() = default;
  /// `star` tells what the master knows at that date. A transfer whose update is not complete yet
  /// holds the port until it is.
  virtual Decision next(const Star& star) = 0;
};

struct Plan {
  std::unique_ptr<Dispatcher> dispatcher;
  /// What the heuristic decided, for the report: {"selection", "global/look-ahead/C ignored"}.
  std::vector<std::pair<std::string, std::string>> details;
};

/// Replays a ready-made list.
class ListDispatcher final : public Dispatcher {
 public:
  explicit ListDispatcher(std::vector<Transfer> transfers) : transfers_(std::move(transfers)) {}

  Decision next(const Star&) override {
    if (next_ == transfers_.size()) return Done{};
    return transfers_[next_++];
  }

 private:
  std::vector<Transfer> transfers_;
  std::size_t next_ = 0;
};

inline Plan list_plan(std::vector<Transfer> transfers) {
  return {.dispatcher = std::make_unique<ListDispatcher>(std::move(transfers)), .details = {}};
}

}  // namespace starport
