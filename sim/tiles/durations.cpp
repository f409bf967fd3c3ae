#include "sim/tiles/durations.hpp"

#include "sim/platform/noise/noise.hpp"

#include <algorithm>
#include <limits>

namespace starport::tiles {
namespace {

/// Returns a star platform with the workers of the platform file, for which noise can be drawn. The
/// shortest duration of the machine is its time for a block transfer and a block update.
std::unique_ptr<const starport::Platform> make_noise_platform(const Platform& platform) {
  auto star = std::make_unique<starport::Platform>();
  for (const Worker& worker : platform.workers) {
    const auto number = static_cast<std::size_t>(worker.number);
    if (star->workers.size() <= number) star->workers.resize(number + 1);
  }
  double shortest_s = std::numeric_limits<double>::infinity();
  for (const Worker& worker : platform.workers) shortest_s = std::min(shortest_s, worker.update_s);
  for (const Link& link : platform.links)
    shortest_s = std::min({shortest_s, link.in_s, link.out_s});
  for (starport::Worker& worker : star->workers) worker = {.c_s = shortest_s, .w_s = shortest_s};
  return star;
}

std::int64_t combine(std::int64_t high, std::int64_t low) { return (high << 32) + low; }

}  // namespace

ActivityDurations::ActivityDurations(const Platform& platform, const TaskGraph& graph,
                                     const Noise& noise)
    : platform_(platform), graph_(graph) {
  if (noise.is_none()) return;
  star_ = make_noise_platform(platform);
  Noise drawn = noise;
  if (noise.updates.measured) {
    drawn.updates.measured = false;
    for (const Worker& worker : platform.workers) {
      Noise own{.seed = noise.seed, .repetition = noise.repetition};
      own.updates.cv = worker.update_cv.value_or(0);
      measured_noise_.emplace_back(own, *star_);
    }
  }
  noise_.emplace(drawn, *star_);
}

double ActivityDurations::drawn_factor(int worker, const Task& task) const {
  const DrawnNoise& noise =
      measured_noise_.empty() ? *noise_ : measured_noise_[static_cast<std::size_t>(worker)];
  return noise.factor(starport::Activity::update, 0, combine(task.target, task.k));
}

double ActivityDurations::noisy_end_s(int worker, const Task& task, double start_s,
                                      double nominal_s) const {
  const int number = platform_.worker(worker).number;
  return slowed_end_s(start_s, nominal_s * drawn_factor(worker, task),
                      noise_->slowdown_profile(starport::Activity::update, number));
}

double ActivityDurations::drawn_factor(const Transfer& transfer) const {
  const auto [tile, from, to] = transfer;
  return noise_->factor(starport::Activity::transfer, 0,
                        combine(tile, std::int64_t{from} * platform_.nodes() + to));
}

/// Applies the noise factor to the whole transfer, and the slow-downs of the GPUs involved to the
/// part after the latency. The slower of two GPUs determines the end.
double ActivityDurations::noisy_end_s(const Transfer& transfer, double start_s) const {
  constexpr auto move = starport::Activity::transfer;
  const auto [tile, from, to] = transfer;
  const double factor = drawn_factor(transfer);
  const double latency = transfer_latency_s(platform_, from, to);
  const double nominal_s = transfer_time_s(platform_, from, to) - latency;
  double end_s = 0;
  for (const int gpu : {from, to}) {
    if (gpu == kHub) continue;
    bool has_worker = false;
    for (const Worker& worker : platform_.workers) {
      if (worker.node != gpu) continue;
      has_worker = true;
      end_s = std::max(end_s, slowed_end_s(start_s + latency * factor, nominal_s * factor,
                                           noise_->slowdown_profile(move, worker.number)));
    }
    if (!has_worker) end_s = std::max(end_s, start_s + (latency + nominal_s) * factor);
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
    if (stop_s(worker) <= platform_.start_up_s) stopped.push_back(worker);
  }
  return stopped;
}

}  // namespace starport::tiles
