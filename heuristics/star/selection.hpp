// The orders of steps among which Het chooses (PPoPP'08 section 5, "Incremental resource
// selection").
#pragma once

#include "heuristics/star/planning.hpp"

#include <array>
#include <cstddef>
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
/// of panels not completed. Given up, and empty, once no run of it can end by limit_s. By a scan
/// where workers are few, else by groups.
std::vector<StepOrder> select_steps(std::span<const Selection> selections, const Platform& platform,
                                    const Problem& problem, const MemoryLayout& layout,
                                    double limit_s = kUnknown);

/// The same, with the cost of every worker, or of every pair with look-ahead, at each step.
std::vector<StepOrder> select_by_scan(std::span<const Selection> selections,
                                      const Platform& platform, const Problem& problem,
                                      const MemoryLayout& layout, double limit_s = kUnknown);

/// The same. Per step, O(g + log p), where g is the number of different sides mu_i; with
/// look-ahead, O(g^2) for bounds on all pairs of sides, and O(g log p) for each search in the few
/// sides that may hold the best pair, plus the busy workers that become ready within that pair.
std::vector<StepOrder> select_by_groups(std::span<const Selection> selections,
                                        const Platform& platform, const Problem& problem,
                                        const MemoryLayout& layout, double limit_s = kUnknown);

/// The orders that these selectors choose, step by step together: none waits for the numbers of
/// another, so that the processor works on several at once.
template <class Selector>
std::vector<StepOrder> select_together(std::vector<Selector> selectors, const Problem& problem,
                                       double limit_s) {
  std::vector<PanelOrder> orders;
  for (const Selector& selector : selectors) orders.emplace_back(selector.clock(), problem.s);
  for (bool complete = false; !complete;) {
    complete = true;
    for (std::size_t n = 0; n < selectors.size(); ++n) {
      if (orders[n].complete() || orders[n].least_makespan_s() > limit_s) continue;
      complete = false;
      orders[n].add(selectors[n].choose(), selectors[n].clock());
    }
  }
  std::vector<StepOrder> taken;
  for (PanelOrder& order : orders) {
    taken.push_back(order.least_makespan_s() > limit_s ? StepOrder{} : order.take());
  }
  return taken;
}

}  // namespace starport
