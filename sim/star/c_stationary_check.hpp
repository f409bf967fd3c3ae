// Check that a schedule is C-stationary, which the C-stationary bound requires.
#pragma once

#include "sim/platform/per_worker.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/trace.hpp"

#include <cstddef>
#include <cstdint>

namespace starport {

/// Checks transfer by transfer whether a schedule is C-stationary: each worker keeps one rectangle
/// of C at a time, all its updates are done there with blocks of A and B that arrive after it, and
/// it returns to the master before the next one arrives. The C-stationary bound on the makespan
/// holds for such schedules (bounds/makespan_bounds.md). The schedule must obey the model, which is
/// not checked.
class CStationaryCheck {
 public:
  /// Starts with an empty schedule. Copies `problem`.
  CStationaryCheck(std::size_t workers, const Problem& problem)
      : problem_(problem), rectangles_(workers) {}
  /// Adds the next transfer of the schedule, in the order of decisions. Its worker must be an index
  /// from 0 below `workers` of the constructor (not checked: undefined behaviour).
  void add(const Transfer& transfer);
  /// Returns whether the schedule is C-stationary. To be called once all transfers have been added:
  /// false while a rectangle has not been returned; true without transfers.
  bool holds() const;

 private:
  /// The rectangle of C on one worker.
  struct WorkerRectangle {
    Rectangle blocks;
    std::int64_t returned_blocks = 0;
    std::int64_t a_blocks = 0;  ///< received since the rectangle
    std::int64_t b_blocks = 0;  ///< received since the rectangle
    std::int64_t block_updates = 0;
  };

  bool receive(const Transfer& transfer, WorkerRectangle& rectangle) const;
  bool send_back(const Transfer& transfer, WorkerRectangle& rectangle) const;

  Problem problem_;
  PerWorker<WorkerRectangle> rectangles_;
  bool valid_so_far_ = true;
};

/// Returns true if the schedule of `trace` is C-stationary: each worker keeps one rectangle of C at
/// a time, from its arrival to its return, and receives the blocks of A and B for its updates in
/// between. Dates do not count. The trace must obey the model (not checked); worker indices must
/// not be negative.
bool is_c_stationary(const Trace& trace, const Problem& problem);

}  // namespace starport
