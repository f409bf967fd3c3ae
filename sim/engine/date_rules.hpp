// The rules about dates: the one port, causality, durations.
#pragma once

#include "sim/model/trace.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// Whether durations and starts must be those of the model, or may be what a real run took.
enum class Timing { model, observed };

/// Follows a trace transfer by transfer. The workers that it names must exist.
class DateRules {
 public:
  DateRules(const Platform& platform, const Problem& problem, Timing timing = Timing::model)
      : platform_(platform),
        problem_(problem),
        timing_(timing),
        workers_(platform.workers.size()) {}

  /// Throws BrokenRule.
  void check(const TracedTransfer& event);

  /// The last update that the worker's transfers have waited for.
  std::int64_t known_complete(int worker) const {
    return workers_[static_cast<std::size_t>(worker)].known_complete;
  }

 private:
  struct WorkerDates {
    std::vector<double> update_end_s;  ///< in growing order
    std::int64_t known_complete = 0;
  };

  /// The master may leave its port idle, but it only decides again when an update ends somewhere.
  bool an_update_ends(double date_s) const;
  void check_update(const TracedTransfer& event, const Worker& worker, WorkerDates& state);

  const Platform& platform_;
  const Problem& problem_;
  Timing timing_;
  std::vector<WorkerDates> workers_;
  double port_free_s_ = 0;
};

}  // namespace starport
