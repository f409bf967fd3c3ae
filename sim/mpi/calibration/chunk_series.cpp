#include "sim/mpi/calibration/chunk_series.hpp"

#include "sim/kernel/sample_statistics.hpp"
#include "sim/platform/time_variation.hpp"

#include <algorithm>
#include <utility>

namespace starport::mpi {

void ChunkSeries::add(const Trace& trace, const std::vector<PortTime>& times,
                      const std::vector<double>& update_times_s, bool counts) {
  for (const auto& [transfer, dates] : trace) {
    if (!transfer.update.empty()) {
      workers_[transfer.worker].update_ends_s.push_back(dates.update_end_s);
    }
  }
  if (!counts) return;
  // The first update of each chunk, on blocks that have just arrived, takes up to 15 % longer. It
  // counts in one round of several, as often as in a large product. Not in the first of these
  // rounds, since a short probe has no others.
  constexpr std::int64_t period = kTypicalUpdatesPerChunk / kUpdatesPerChunk;
  const bool first_counts = rounds_++ % period == period / 2;
  double port_free_s = times.front().start_s;
  std::vector<double> compute_free_s(static_cast<std::size_t>(std::ssize(workers_)));
  for (std::size_t n = 0; n < trace.size(); ++n) {
    const auto& [transfer, dates] = trace[n];
    WorkerSeries& worker = workers_[transfer.worker];
    // In the model, a transfer starts when the port is free and the update that it depends on has
    // ended.
    const auto after = static_cast<std::size_t>(transfer.after_update);
    const double awaited_s = after == 0 ? 0 : worker.update_ends_s[after - 1];
    const double start_s = std::max(port_free_s, awaited_s);
    port_free_s = times[n].end_s();
    // The operands of several steps come alone, not during an update.
    if (transfer.update.inner.size() <= 1) {
      DirectionTimes& times_s = worker.messages[{transfer.blocks(), transfer.c.empty()}];
      (transfer.direction == Direction::to_master ? times_s.to_master_s : times_s.to_worker_s)
          .push_back(port_free_s - start_s);
    }
    // An update starts when its blocks have arrived and the update before it has ended.
    double& free_s = compute_free_s[static_cast<std::size_t>(transfer.worker)];
    const double delay_s = std::max(0.0, dates.update_start_s - std::max(dates.end_s, free_s));
    if (!transfer.update.empty()) free_s = dates.update_end_s;
    add_update(worker, transfer, delay_s + update_times_s[n], first_counts);
  }
}

void ChunkSeries::add_update(WorkerSeries& worker, const Transfer& transfer, double update_time_s,
                             bool first_counts) {
  if (transfer.update.empty()) {
    worker.next_update_is_first = true;
    return;
  }
  if (std::exchange(worker.next_update_is_first, false) && !first_counts) return;
  UpdateSample sample{.rows = transfer.update.rows.size(),
                      .columns = transfer.update.columns.size(),
                      .seconds = update_time_s,
                      .inner = transfer.update.inner.size()};
  if (keeps_a(sample.rows, sample.columns) && !transfer.a.empty()) return;
  sample.seconds /= static_cast<double>(sample.blocks() * sample.inner);
  worker.updates.push_back(sample);
}

LinkMeasures ChunkSeries::measures(std::int64_t block_bytes) const {
  LinkMeasures measures;
  for (std::int64_t i = 0; i < std::ssize(workers_); ++i) {
    measures.updates.push_back(workers_[i].updates);
    for (const auto& [key, times_s] : workers_[i].messages) {
      measures.links.push_back({.worker = i + 1,
                                .bytes = block_bytes * key.first,
                                .to_worker_s = batch_means(times_s.to_worker_s, kMaxSamples),
                                .to_master_s = batch_means(times_s.to_master_s, kMaxSamples)});
    }
  }
  return measures;
}

}  // namespace starport::mpi
