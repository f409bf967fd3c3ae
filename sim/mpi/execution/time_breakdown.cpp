#include "sim/mpi/execution/time_breakdown.hpp"

namespace starport::mpi {
namespace {

/// Splits the predicted durations of transfers into latency and link.
std::vector<PortTime> predicted_port_times(const Platform& platform, const Trace& trace) {
  std::vector<PortTime> times;
  for (const auto& [transfer, dates] : trace) {
    const double latency_s = platform.workers[transfer.worker].latency_s;
    times.push_back({.start_s = dates.start_s,
                     .packing_s = 0,
                     .latency_s = latency_s,
                     .link_s = dates.end_s - dates.start_s - latency_s});
  }
  return times;
}

/// Adds the parts of a trace, times `sign`, to the sums of the workers.
void add(PerWorker<TimeDifference>& sums, double sign, const Trace& trace,
         const std::vector<PortTime>& port_times) {
  double port_free_s = 0;
  PerWorker<double> last_s;
  last_s.assign(sums.size(), 0.0);
  for (std::size_t n = 0; n < trace.size(); ++n) {
    const auto& [transfer, dates] = trace[n];
    const PortTime& time = port_times[n];
    TimeDifference& mine = sums[transfer.worker];
    mine.link_s += sign * time.link_s;
    mine.latency_s += sign * time.latency_s;
    mine.packing_s += sign * time.packing_s;
    mine.idle_s += sign * (time.start_s - port_free_s);
    port_free_s = time.end_s();
    if (transfer.update.empty()) continue;
    mine.computing_s += sign * (dates.update_end_s - dates.update_start_s);
    mine.gaps_s += sign * (dates.update_start_s - last_s[transfer.worker]);
    last_s[transfer.worker] = dates.update_end_s;
  }
}

}  // namespace

PerWorker<TimeDifference> explain_differences(const Platform& platform, const Trace& predicted,
                                              const Trace& real,
                                              const std::vector<PortTime>& port_times) {
  PerWorker<TimeDifference> differences;
  differences.resize(platform.workers.size());
  add(differences, 1, real, port_times);
  add(differences, -1, predicted, predicted_port_times(platform, predicted));
  return differences;
}

TimeDifference sum_differences(const PerWorker<TimeDifference>& differences) {
  TimeDifference sum;
  for (const TimeDifference& one : differences) {
    for (double TimeDifference::*part :
         {&TimeDifference::link_s, &TimeDifference::latency_s, &TimeDifference::packing_s,
          &TimeDifference::idle_s, &TimeDifference::computing_s, &TimeDifference::gaps_s}) {
      sum.*part += one.*part;
    }
  }
  return sum;
}

}  // namespace starport::mpi
