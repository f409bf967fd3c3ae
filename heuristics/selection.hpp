// The orders of steps among which Het chooses (PPoPP'08 section 5, "Incremental resource
// selection").
#pragma once

#include "heuristics/planning.hpp"

#include <array>
#include <span>
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
  bool alike_but_for_c(const Selection& other) const {
    return local == other.local && look_ahead == other.look_ahead;
  }
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

/// The order of each selection: steps chosen until the panels completed count s columns, less those
/// of panels not completed. The selections are alike but for C. By a scan where workers are few,
/// else by groups.
std::vector<StepOrder> select_steps(std::span<const Selection> selections, const Platform& platform,
                                    const Problem& problem, const MemoryLayout& layout);

/// The same, with the cost of every worker, or of every pair with look-ahead, at each step.
std::vector<StepOrder> select_by_scan(std::span<const Selection> selections,
                                      const Platform& platform, const Problem& problem,
                                      const MemoryLayout& layout);

/// The same. Per step, O(g + log p), where g is the number of different sides mu_i; with
/// look-ahead, O(g^2) for bounds on all pairs of sides, and O(g log p) for each search in the few
/// sides that may hold the best pair, plus the busy workers that become ready within that pair.
std::vector<StepOrder> select_by_groups(std::span<const Selection> selections,
                                        const Platform& platform, const Problem& problem,
                                        const MemoryLayout& layout);

}  // namespace starport
