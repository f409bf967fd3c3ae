// Het: the heterogeneous algorithm with incremental resource selection (PPoPP'08 section 5).
#pragma once

#include "heuristics/heuristic.hpp"

#include <array>
#include <string>
#include <vector>

namespace starport {

/// How the next worker is chosen: one of the paper's eight variants.
struct Selection {
  bool local = false;       ///< ratio over the last communication, else over the whole run
  bool look_ahead = false;  ///< by the best pair of choices, else by the next one only
  bool count_c = false;     ///< the first step of a worker also moves its chunk of C

  /// "global/look-ahead/C ignored"
  std::string name() const;
  bool operator==(const Selection&) const = default;
};

/// In the order that decides ties.
inline constexpr std::array<Selection, 8> kSelections{{{false, false, false},
                                                       {false, false, true},
                                                       {false, true, false},
                                                       {false, true, true},
                                                       {true, false, false},
                                                       {true, false, true},
                                                       {true, true, false},
                                                       {true, true, true}}};

/// Plans an order with each of the eight selections, simulates each by the exact recurrence and
/// runs the best. Per selection and step, O(g + log p), where g is the number of different sides
/// mu_i; with look-ahead, O(g^2) for bounds on all pairs of sides, and O(g log p) for each search
/// in the few sides that may hold the best pair, plus the busy workers that become ready within
/// that pair.
class Heterogeneous final : public Heuristic {
 public:
  /// Tries these selections, at least one, in their order.
  explicit Heterogeneous(std::vector<Selection> selections) : selections_(std::move(selections)) {}

  Plan plan(const Platform& platform, const Problem& problem) const override;
  const MemoryLayout& layout() const override { return kOptimizedOverlapped; }

 private:
  std::vector<Selection> selections_;
};

}  // namespace starport
