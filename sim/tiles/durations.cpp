#include "sim/tiles/durations.hpp"

#include "sim/platform/noise/pace.hpp"

#include <algorithm>
#include <limits>

namespace starport::tiles {
namespace {

/// One worker for each of the file's; what lasts least counts as a transfer of one block.
std::unique_ptr<const starport::Platform> star_of(const Platform& platform) {
  auto star = std::make_unique<starport::Platform>();
  for (const Worker& worker : platform.workers) {
    const auto number = static_cast<std::size_t>(worker.number);
    if (star->workers.size() <= number) star->workers.resize(number + 1);
  }
  double least_s = std::numeric_limits<double>::infinity();
  for (const Worker& worker : platform.workers) least_s = std::min(least_s, worker.update_s);
  for (const Link& link : platform.links) least_s = std::min({least_s, link.in_s, link.out_s});
  for (starport::Worker& worker : star->workers) worker = {.c_s = least_s, .w_s = least_s};
  return star;
}

std::int64_t number_of(std::int32_t high, std::int32_t low) {
  return std::int64_t{high} << 32 | std::int64_t{low};
}

}  // namespace

ActivityDurations::ActivityDurations(const Platform& platform, const TaskGraph& graph, const Noise& noise)
    : platform_(platform), graph_(graph) {
  if (noise.none()) return;
  star_ = star_of(platform);
  noise_.emplace(noise, *star_);
}

double ActivityDurations::noisy_end_s(const Worker& worker, const Task& task, double start_s,
                              double length) const {
  constexpr auto update = starport::Activity::update;
  const double factor = noise_->factor(update, 0, number_of(task.target, task.k));
  return paced_end_s(start_s, length * factor, noise_->pace(update, worker.number));
}

/// The factor applies to latency and tile, a slow-down to the tile; of two GPUs the slower has its
/// way.
double ActivityDurations::noisy_end_s(const Transfer& transfer, double start_s) const {
  constexpr auto move = starport::Activity::transfer;
  const auto [tile, from, to] = transfer;
  const double factor = noise_->factor(move, 0, number_of(tile, from * platform_.nodes() + to));
  const double latency = transfer_latency_s(platform_, from, to);
  const double length = transfer_time_s(platform_, from, to) - latency;
  double end_s = 0;
  for (const Worker& worker : platform_.workers) {
    if (worker.node == kHub || (worker.node != from && worker.node != to)) continue;
    end_s = std::max(end_s, paced_end_s(start_s + latency * factor, length * factor,
                                        noise_->pace(move, worker.number)));
  }
  return end_s;
}

double ActivityDurations::stop_s(int worker) const {
  return noise_ ? noise_->stop_s(platform_.worker(worker).number)
                : std::numeric_limits<double>::infinity();
}

std::vector<int> ActivityDurations::stopped_at_start() const {
  std::vector<int> stopped;
  for (std::size_t w = 0; w < platform_.workers.size(); ++w) {
    const auto worker = static_cast<int>(w);
    if (stop_s(worker) < platform_.start_up_s) stopped.push_back(worker);
  }
  return stopped;
}

}  // namespace starport::tiles
