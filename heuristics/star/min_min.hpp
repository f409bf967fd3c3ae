// OMMOML: Overlapped Min-Min, Optimized Memory Layout (PPoPP'08, section 6.2).
#pragma once

#include "heuristics/star/planning.hpp"

#include <vector>

namespace starport {

/// Options of the heuristic OMMOML (min-min: each step goes to the worker that ends it first):
/// whether planning counts the sending of a chunk of C to a worker that has none, by default not;
/// returns of C never count. A plain value.
struct MinMinParameters {
  /// True if planning also counts the transfer of a chunk of C (mu_i x mu_i blocks, c_i seconds
  /// each) to a worker i that has none: the blocks of A and B of its step are then received at
  /// max(T, ready_i) + mu_i^2 c_i + 2 mu_i c_i, plus the latencies, where T is the end of the last
  /// communication and ready_i the end of the worker's work; returns of C do not count. Two of
  /// several identical workers can then take turns while the others stay idle, as IPDPS'07, section
  /// 5, reports. False to ignore C, as PPoPP'08 does.
  bool counts_c = false;
};

/// Returns the order of steps (messages with blocks of A and B for one update) of OMMOML: each step
/// goes to the worker whose update for it would end first by the simplified dates of the papers (no
/// step is received before the worker's previous update ends), counting transfers of C if
/// `parameters` say so; of equal dates (within a relative 1e-9), to the first in `costs`. The order
/// holds worker indices of the platform (StepCosts::worker) and covers all of C; it is empty if
/// `costs` is. A worker without a panel (block columns of C) is a candidate only while columns of C
/// are left to assign. O(p) per step for p workers.
StepOrder min_min_order(const std::vector<StepCosts>& costs, const Problem& problem,
                        const MinMinParameters& parameters = {});

}  // namespace starport
