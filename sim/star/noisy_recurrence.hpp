// The recurrence of the dates under noise.
#pragma once

#include "sim/platform/per_worker.hpp"
#include "sim/star/master_view.hpp"
#include "sim/star/message.hpp"

#include <cstdint>

namespace starport {

/// As NominalRecurrence; what the stop of a worker prevents is lost. The noise must outlive it.
class NoisyRecurrence {
 public:
  explicit NoisyRecurrence(const DrawnNoise& noise) : noise_(&noise) {}

  Dates advance(MasterView& master, const Message& message, double start_s);
  Dates record(MasterView& master, const Message& message, double start_s, double end_s) const;

  void observe_stops(MasterView& master) const {
    master.observe_stops(noise_->stopped_by(master.now_s()));
  }
  double next_stop_s(const MasterView& master) const { return noise_->next_stop_s(master.now_s()); }

 private:
  const DrawnNoise* noise_;
  PerWorker<std::int64_t> transfers_;  ///< so far
};

/// A transfer that a stop of its worker cuts off; start_s may be the date of the stop.
Dates record_lost(MasterView& master, const Message& message, double start_s, double stop_s);

}  // namespace starport
