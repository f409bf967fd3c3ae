// Planning an order of steps before execution, and running it (PPoPP'08 section 5, "Incremental
// resource selection", in two phases). Used by OMMOML and Het.
#pragma once

#include "heuristics/heuristic.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace starport {

/// The papers' coarse clock. One step is one SendAB of a full mu_i x mu_i chunk: 2 mu_i blocks,
/// mu_i^2 updates; it is received no earlier than the end of the worker's previous update.
class PlanningClock {
 public:
  PlanningClock(const Platform& platform, const Problem& problem, const MemoryLayout& layout);

  std::size_t workers() const { return sides_.size(); }
  bool usable(std::size_t i) const { return sides_[i] > 0; }
  double side(std::size_t i) const { return static_cast<double>(sides_[i]); }
  /// Updates of one step of worker i: mu_i^2.
  double work(std::size_t i) const { return side(i) * side(i); }
  /// Steps in a panel of worker i: t ceil(r / mu_i).
  std::int64_t panel_steps(std::size_t i) const;
  std::int64_t panel_columns(std::size_t i) const { return sides_[i]; }
  /// Never chosen so far.
  bool fresh(std::size_t i) const { return fresh_[i] != 0; }

  /// The end of the last planned communication (T), and of all work planned on i (ready_i).
  double communication_end_s() const { return communication_end_s_; }
  double ready_s(std::size_t i) const { return ready_s_[i]; }

  /// The time the port needs for a step of worker i: 2 mu_i c_i; with the chunk of C first,
  /// mu_i^2 c_i more.
  double communication_s(std::size_t i, bool with_c) const;
  double computation_s(std::size_t i) const { return work(i) * platform_->workers[i].w_s; }

  /// Plans one step on worker i.
  void choose(std::size_t i, bool with_c);

 private:
  const Platform* platform_;
  const Problem* problem_;
  std::vector<std::int64_t> sides_;
  double communication_end_s_ = 0;
  std::vector<double> ready_s_;
  std::vector<char> fresh_;
};

/// An order of steps: the worker of each.
using StepOrder = std::vector<std::int32_t>;

/// Each step is the worker's next SendAB; RecvC and SendC come when its chunk is over or it has
/// none, a step that finds no column left is skipped, and the chunks still out at the end are
/// received by end of last update.
std::unique_ptr<Dispatcher> run_order(StepOrder order, const Platform& platform,
                                      const Problem& problem, const MemoryLayout& layout);

/// The exact makespan of what a dispatcher emits, by the recurrence of star.hpp. Many ports, for
/// which there is none, count as two.
double makespan_s(Dispatcher& dispatcher, const Platform& platform, const Problem& problem);

}  // namespace starport
