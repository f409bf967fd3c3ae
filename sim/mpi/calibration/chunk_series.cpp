#include "sim/mpi/calibration/chunk_series.hpp"

#include "sim/files/numbers.hpp"
#include "sim/kernel/sample_statistics.hpp"

#include <algorithm>
#include <utility>

namespace starport::mpi {
namespace {

std::int64_t largest_blocks(const std::vector<UpdateSample>& updates) {
  std::int64_t largest = 0;
  for (const UpdateSample& sample : updates) largest = std::max(largest, sample.blocks());
  return largest;
}

}  // namespace

std::vector<bool> find_steady_spans(const std::vector<double>& medians) {
  constexpr double tolerance = 1.1;
  std::vector<double> sorted = medians;
  std::ranges::sort(sorted);
  std::ptrdiff_t best = 0;
  double lowest = 0;
  for (auto first = sorted.begin(); first != sorted.end(); ++first) {
    const auto count = std::upper_bound(first, sorted.end(), tolerance * *first) - first;
    if (count <= best) continue;
    best = count;
    lowest = *first;
  }
  std::vector<bool> steady;
  for (const double median : medians)
    steady.push_back(median >= lowest && median <= tolerance * lowest);
  return steady;
}

double LinkMeasures::steady_share() const {
  double sum = 0;
  for (const Steadiness& worker : steadiness) {
    sum += static_cast<double>(worker.steady_spans) / static_cast<double>(worker.spans);
  }
  return sum / static_cast<double>(steadiness.size());
}

void ChunkSeries::start_span() { spans_.emplace_back().resize(is_first_update_.size()); }

void ChunkSeries::add(const Trace& trace, const std::vector<PortTime>& times,
                      const std::vector<double>& update_times_s, bool counts) {
  const auto ends_of = [&](const Transfer& transfer) -> std::vector<double>& {
    return update_ends_s_[static_cast<std::size_t>(transfer.worker)];
  };
  for (const auto& [transfer, dates] : trace) {
    if (!transfer.update.empty()) ends_of(transfer).push_back(dates.update_end_s);
  }
  if (!counts) return;
  // The first update of each chunk counts in one round of several, as often as in a large product.
  // Not in the first of these rounds, since a short probe has no others.
  constexpr std::int64_t period = kTypicalUpdatesPerChunk / kUpdatesPerChunk;
  const bool first_counts = rounds_++ % period == period / 2;
  double port_free_s = times.front().start_s;
  for (std::size_t n = 0; n < trace.size(); ++n) {
    const Transfer& transfer = trace[n].transfer;
    DirectionTimes& times_s =
        spans_.back()[transfer.worker].messages[{transfer.blocks(), transfer.c.empty()}];
    // In the model, a transfer starts when the port is free and the update that it depends on has
    // ended.
    const auto after = static_cast<std::size_t>(transfer.after_update);
    const double awaited_s = after == 0 ? 0 : ends_of(transfer)[after - 1];
    const double start_s = std::max(port_free_s, awaited_s);
    port_free_s = times[n].end_s();
    (transfer.direction == Direction::to_master ? times_s.to_master_s : times_s.to_worker_s)
        .push_back(port_free_s - start_s);
    add_update(transfer, update_times_s[n], first_counts);
  }
}

void ChunkSeries::add_update(const Transfer& transfer, double update_time_s, bool first_counts) {
  if (transfer.update.empty()) {
    is_first_update_[transfer.worker] = 1;
    return;
  }
  if (std::exchange(is_first_update_[transfer.worker], 0) != 0 && !first_counts) return;
  UpdateSample sample{.rows = transfer.update.rows.size(),
                      .columns = transfer.update.columns.size(),
                      .seconds = update_time_s};
  sample.seconds /= static_cast<double>(sample.blocks());
  spans_.back()[transfer.worker].updates.push_back(sample);
}

LinkMeasures ChunkSeries::measures(std::int64_t block_bytes) const {
  LinkMeasures measures;
  for (std::int64_t i = 0; i < std::ssize(is_first_update_); ++i) {
    std::int64_t largest = 0;
    for (const auto& span : spans_) largest = std::max(largest, largest_blocks(span[i].updates));
    std::vector<const Span*> measured;
    std::vector<double> medians;
    for (const auto& span : spans_) {
      std::vector<double> seconds;
      for (const UpdateSample& sample : span[i].updates) {
        if (sample.blocks() == largest) seconds.push_back(sample.seconds);
      }
      if (seconds.empty()) continue;
      measured.push_back(&span[i]);
      medians.push_back(median_of(seconds));
    }
    const std::vector<bool> steady = find_steady_spans(medians);
    std::vector<const Span*> counted;
    std::vector<UpdateSample>& updates = measures.updates.emplace_back();
    for (std::size_t n = 0; n < measured.size(); ++n) {
      if (!steady[n]) continue;
      counted.push_back(measured[n]);
      updates.insert(updates.end(), measured[n]->updates.begin(), measured[n]->updates.end());
    }
    add_links(i, counted, block_bytes, measures.links);
    const auto [low_s, high_s] = std::ranges::minmax(medians);
    measures.steadiness.push_back({.low_s = low_s,
                                   .high_s = high_s,
                                   .spans = std::ssize(medians),
                                   .steady_spans = std::ssize(counted)});
  }
  return measures;
}

void ChunkSeries::add_links(std::int64_t worker, const std::vector<const Span*>& spans,
                            std::int64_t block_bytes, std::vector<Calibration::Link>& links) const {
  std::map<std::pair<std::int64_t, bool>, DirectionTimes> messages;
  const auto append = [](const std::vector<double>& from, std::vector<double>& to) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const Span* span : spans) {
    for (const auto& [key, times_s] : span->messages) {
      append(times_s.to_worker_s, messages[key].to_worker_s);
      append(times_s.to_master_s, messages[key].to_master_s);
    }
  }
  for (const auto& [key, times_s] : messages) {
    links.push_back({.worker = worker + 1,
                     .bytes = block_bytes * key.first,
                     .to_worker_s = batch_means(times_s.to_worker_s, kMaxSamples),
                     .to_master_s = batch_means(times_s.to_master_s, kMaxSamples)});
  }
}

}  // namespace starport::mpi
