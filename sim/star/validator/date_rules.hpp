// The rules about dates: the port, causality, durations.
#pragma once

#include "sim/platform/noise.hpp"
#include "sim/star/trace.hpp"
#include "sim/star/update_ends.hpp"
#include "sim/star/validator/port_rules.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace starport {

/// Follows a trace transfer by transfer. The workers that it names must exist.
class DateRules {
 public:
  /// `noise` may be null.
  DateRules(const Platform& platform, const Problem& problem, const DrawnNoise* noise,
            Timing timing)
      : platform_(platform),
        problem_(problem),
        noise_(noise),
        timing_(timing),
        port_(platform),
        workers_(platform.workers.size()) {}

  /// Throws BrokenRule.
  void check(const TracedTransfer& event);
  /// What only the whole trace can tell.
  std::optional<Violation> finish() const { return port_.finish(); }

  /// The last update that the worker's transfers have waited for.
  std::int64_t known_complete(int worker) const { return workers_[worker].known_complete; }

 private:
  struct WorkerDates {
    std::vector<double> update_end_s;  ///< in growing order; infinite for those lost
    std::int64_t known_complete = 0;
    std::int64_t transfers = 0;
  };

  /// The master may leave its port idle, but it only decides again when an update ends somewhere,
  /// or a transfer, or a worker stops.
  bool something_ends(double date_s) const;
  double stop_s(const Transfer& transfer) const {
    return noise_ == nullptr ? kUnknown : noise_->stop_s(transfer.worker);
  }
  void check_start(const TracedTransfer& event, const WorkerDates& state) const;
  void check_end(const TracedTransfer& event, const WorkerDates& state) const;
  void check_update(const TracedTransfer& event, WorkerDates& state);

  const Platform& platform_;
  const Problem& problem_;
  const DrawnNoise* noise_;
  Timing timing_;
  PortRules port_;
  PerWorker<WorkerDates> workers_;
};

}  // namespace starport
