// When all workers would end if they shared out what is left: a forecast of Polaris[adapt=yes].
#pragma once

#include "heuristics/star/polaris/worker_execution.hpp"

#include <vector>

namespace starport::polaris {

/// Forecast, made at one date of a run, of when all workers and the port can end if the workers
/// share out again the block updates that no worker is assigned and those that late workers have
/// not begun. Updates count as divisible at will, and go first to the workers for which they take
/// the port the least time. Dates are in seconds since the start of the run. Keeps no reference to
/// the workers but their addresses, by which can_end_by() recognises one.
class SharingForecast {
 public:
  /// Makes a forecast at the date `now_s`, in seconds since the start of the run, for `unassigned`
  /// block updates (at least 0) that no worker is assigned. `rest` is the rectangle of C of which
  /// workers would take parts: before its part, a worker loads A or B for
  /// WorkerExecution::loading_s(rest) seconds of the port's time, 0 if it holds them.
  SharingForecast(const std::vector<WorkerExecution>& workers, double unassigned,
                  const Rectangle& rest, double now_s);

  /// Returns the date at which the forecast was made, in seconds since the start of the run.
  double now_s() const { return now_s_; }
  /// Returns a forecast of the date, in seconds since the start of the run, at which the port will
  /// have carried all transfers of the tasks that workers have.
  double port_end_s() const { return now_s_ + port_s_; }
  /// Returns true if, by the forecast, the port and all workers but `without` can end by `end_s`,
  /// in seconds since the start of the run, while no updates are taken from `without` or given to
  /// it; what it has begun must end by then, too. `without` is an element of the constructor's
  /// vector, or nullptr for none.
  bool can_end_by(double end_s, const WorkerExecution* without = nullptr) const;
  /// Returns the earliest date, in seconds since the start of the run, at which all workers and the
  /// port can end (can_end_by()), at most `resolution_s` seconds or a relative 1e-9, whichever is
  /// longer, too late; kUnknown (infinity) if no worker is usable.
  double end_s(double resolution_s) const;

 private:
  struct Share {
    const WorkerExecution* worker;
    double finish_s;
    double loading_s;
    double update_s;
    double port_s;
    double removable;  ///< block updates
  };

  double now_s_;
  double unassigned_;
  double least_end_s_;         ///< before which what has been begun does not end
  double port_s_ = 0;          ///< time on the port of all transfers of what is assigned
  std::vector<Share> shares_;  ///< of usable workers, those that cost the port least first
};

}  // namespace starport::polaris
