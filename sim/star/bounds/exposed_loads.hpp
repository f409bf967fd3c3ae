// Lower bound on the loads of a worker with a small memory, by the time in which it computes
// nothing (makespan_bounds.md, step 5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport {

/// Lower bounds on the loads of one worker, in blocks, given the date at which it must have ended:
/// if its memory is small, few blocks can arrive while it computes. Each of several windows, i.e.
/// numbers of successive loads, gives one that is linear in the worker's block updates. For
/// schedules in which each block of C is sent to one worker, which does all its updates. A plain
/// value.
class ExposedLoads {
 public:
  /// Computes the windows for a worker with memory for `m_blocks` blocks, which needs `w_s` seconds
  /// (above 0) for a block update and `block_s` for a block on its way; each block of C has `t` (at
  /// least 1) updates. Nothing is checked. There are no windows, so that nothing is bounded, if the
  /// memory is above kMostBlocks or below 3 or if `block_s` is 0.
  ExposedLoads(std::int64_t m_blocks, double w_s, double block_s, std::int64_t t);

  /// Largest memory, in blocks, for which bounds are computed: beyond, they are hardly above those
  /// on all loads.
  static constexpr std::int64_t kMostBlocks = 100;

  /// Sets the date, in seconds since the start, by which the worker has returned all its blocks of
  /// C; 0 at first.
  void set_end_s(double end_s) { end_blocks_ = end_s / block_s_; }

  /// Index of a window, or kNone.
  using Window = std::size_t;
  /// Index of no window.
  static constexpr Window kNone = static_cast<Window>(-1);
  /// Returns the window whose bound on the loads for this number of block updates is largest; kNone
  /// if no bound is above 0.
  Window best(double updates) const;
  /// Returns the lower bound, which may be negative, on the loads for this number of block updates
  /// by `window`, a result of best().
  double loads(double updates, Window window) const {
    const Line& line = lines_[window];
    return (line.per_update * updates - line.offset - end_blocks_) / line.divisor;
  }
  /// Returns the largest number of block updates, at most `updates`, that the worker can do by the
  /// end that is set, as far as these bounds tell; 0 if it can do none.
  double max_updates(double updates) const;

 private:
  /// A window's bound: divisor Q >= per_update x - offset - end_blocks_ for Q loads and x updates.
  struct Line {
    double per_update;
    double offset;
    double divisor;  ///< may be 0
  };
  double block_s_;
  double c_per_update_;    ///< blocks of C per update, 1/t
  double end_blocks_ = 0;  ///< blocks that can be moved by the end
  std::vector<Line> lines_;
};

}  // namespace starport
