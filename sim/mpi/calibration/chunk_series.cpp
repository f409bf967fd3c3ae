#include "sim/mpi/calibration/chunk_series.hpp"

#include "sim/files/numbers.hpp"
#include "sim/kernel/samples.hpp"

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

std::vector<bool> steady_spans(const std::vector<double>& medians) {
  constexpr double most = 1.1;
  std::vector<double> sorted = medians;
  std::ranges::sort(sorted);
  std::ptrdiff_t best = 0;
  double from = 0;
  for (auto first = sorted.begin(); first != sorted.end(); ++first) {
    const auto count = std::upper_bound(first, sorted.end(), most * *first) - first;
    if (count <= best) continue;
    best = count;
    from = *first;
  }
  std::vector<bool> steady;
  for (const double median : medians) steady.push_back(median >= from && median <= most * from);
  return steady;
}

double LinkMeasures::steady_share() const {
  double sum = 0;
  for (const Steadiness& mine : steadiness) {
    sum += static_cast<double>(mine.steady) / static_cast<double>(mine.spans);
  }
  return sum / static_cast<double>(steadiness.size());
}

void ChunkSeries::begin_span() { spans_.emplace_back().resize(fresh_.size()); }

void ChunkSeries::add(const Trace& trace, const std::vector<PortTime>& times,
                      const std::vector<double>& update_times_s, bool counts) {
  const auto ends_of = [&](const Transfer& transfer) -> std::vector<double>& {
    return update_ends_s_[static_cast<std::size_t>(transfer.worker)];
  };
  for (const auto& [transfer, dates] : trace) {
    if (!transfer.update.empty()) ends_of(transfer).push_back(dates.update_end_s);
  }
  if (!counts) return;
  // Not in the first rounds: a short look has no others.
  constexpr std::int64_t often = kUsualSteps / kSteps;
  const bool firsts_count = rounds_++ % often == often / 2;
  double port_free_s = times.front().start_s;
  for (std::size_t n = 0; n < trace.size(); ++n) {
    const Transfer& transfer = trace[n].transfer;
    const bool home = transfer.direction == Direction::to_master;
    Ways& ways = spans_.back()[transfer.worker].ways[{transfer.blocks(), transfer.c.empty()}];
    // From when on the model has the transfer: until the master knows of the update's end, too.
    const auto after = static_cast<std::size_t>(transfer.after_update);
    const double awaited_s = after == 0 ? 0 : ends_of(transfer)[after - 1];
    const double begin_s = std::max(port_free_s, awaited_s);
    port_free_s = times[n].end_s();
    (home ? ways.home : ways.there).push_back(port_free_s - begin_s);
    add_update(transfer, update_times_s[n], firsts_count);
  }
}

void ChunkSeries::add_update(const Transfer& transfer, double update_time_s, bool firsts_count) {
  if (transfer.update.empty()) {
    fresh_[transfer.worker] = 1;
    return;
  }
  if (std::exchange(fresh_[transfer.worker], 0) != 0 && !firsts_count) return;
  UpdateSample sample{.rows = transfer.update.rows.size(),
                      .columns = transfer.update.columns.size(),
                      .seconds = update_time_s};
  sample.seconds /= static_cast<double>(sample.blocks());
  spans_.back()[transfer.worker].updates.push_back(sample);
}

LinkMeasures ChunkSeries::measures(std::int64_t block_bytes) const {
  LinkMeasures measures;
  for (std::int64_t i = 0; i < std::ssize(fresh_); ++i) {
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
    const std::vector<bool> steady = steady_spans(medians);
    std::vector<const Span*> kept;
    std::vector<UpdateSample>& updates = measures.updates.emplace_back();
    for (std::size_t n = 0; n < measured.size(); ++n) {
      if (!steady[n]) continue;
      kept.push_back(measured[n]);
      updates.insert(updates.end(), measured[n]->updates.begin(), measured[n]->updates.end());
    }
    add_ways(i, kept, block_bytes, measures.links);
    const auto [low_s, high_s] = std::ranges::minmax(medians);
    measures.steadiness.push_back({.low_s = low_s,
                                   .high_s = high_s,
                                   .spans = std::ssize(medians),
                                   .steady = std::ssize(kept)});
  }
  return measures;
}

void ChunkSeries::add_ways(std::int64_t worker, const std::vector<const Span*>& spans,
                           std::int64_t block_bytes, std::vector<Calibration::Link>& links) const {
  std::map<std::pair<std::int64_t, bool>, Ways> all;
  const auto append = [](const std::vector<double>& from, std::vector<double>& to) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const Span* span : spans) {
    for (const auto& [key, ways] : span->ways) {
      append(ways.there, all[key].there);
      append(ways.home, all[key].home);
    }
  }
  for (const auto& [key, ways] : all) {
    links.push_back({.worker = worker + 1,
                     .bytes = block_bytes * key.first,
                     .to_worker_s = batch_means(ways.there, kMostSamples),
                     .to_master_s = batch_means(ways.home, kMostSamples)});
  }
}

}  // namespace starport::mpi
