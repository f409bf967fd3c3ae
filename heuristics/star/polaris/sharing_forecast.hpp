// When all workers would end if they shared out what is left: a forecast of Polaris[adapt=yes].
#pragma once

#include "heuristics/star/polaris/worker_execution.hpp"

#include <vector>

namespace starport::polaris {

/// Forecast, at one date of a run, of when all workers can end, the port included, if they share
/// out, at any granularity, the block updates that no worker is assigned and those that late
/// workers have not begun, those first that cost the port least. Dates are in seconds since the
/// start of the run. Holds copies of the workers' forecasts; the workers are identified by their
/// addresses.
class SharingForecast {
 public:
  /// Makes a forecast at the date `now_s` for `unassigned` block updates that no worker is
  /// assigned. Workers take parts of `rest`, a rectangle of C, for which they may have to load A
  /// (or B). O(p log p) for p workers.
  SharingForecast(const std::vector<WorkerExecution>& workers, double unassigned,
                  const Rectangle& rest, double now_s);

  /// Returns the date of the forecast.
  double now_s() const { return now_s_; }
  /// Returns the date at which the port has carried all transfers of what workers are assigned.
  double port_end_s() const { return now_s_ + port_s_; }
  /// Returns true if all workers but `without` (none if it is nullptr) can end by `end_s`. O(p).
  bool can_end_by(double end_s, const WorkerExecution* without = nullptr) const;
  /// Returns the earliest date of can_end_by(), at most `resolution_s` seconds, or a relative 1e-9,
  /// too late; kUnknown if no worker is usable.
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
