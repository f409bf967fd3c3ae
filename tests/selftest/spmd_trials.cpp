// Random cases and checks of distributed products.
#include "sim/models/spmd/spmd_model.hpp"
#include "sim/platform/noise/noise.hpp"
#include "sim/platform/random.hpp"
#include "sim/platform/ties.hpp"
#include "tests/random_noise.hpp"
#include "tests/selftest/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starport::spmd {
namespace {

PlatformFile::Entry draw_node(Random& random) {
  PlatformFile::Physical worker{.bandwidth_bytes_per_s = random.real(1e7, 1e8),
                                .speed_flops = 0,
                                .memory_bytes = 1e12,
                                .latency_s = random.real(0, 1e-5)};
  PlatformFile::Entry entry{.worker = {}, .count = random.integer(1, 2), .pointer = ""};
  for (std::int64_t j = random.integer(0, 3); j > 0; --j) {
    Device device{.name = "device", .speed_flops = random.real(1e8, 1e9)};
    device.start_up_s = random.real(0, 1e-5);
    if (random.integer(0, 2) == 0) device.bus_bytes_per_s = random.real(1e8, 1e9);
    worker.speed_flops += *device.speed_flops;
    entry.devices.push_back(device);
  }
  if (entry.devices.empty()) worker.speed_flops = random.real(1e8, 1e9);
  entry.worker = worker;
  return entry;
}

double speed_flops(const PlatformFile& file) {
  double sum = 0;
  for (const PlatformFile::Entry& entry : file.entries) {
    sum += std::get<PlatformFile::Physical>(entry.worker).speed_flops *
           static_cast<double>(entry.count);
  }
  return sum;
}

/// Returns a message unless the parts lie in C and their areas add up to it, else an empty string.
std::string find_gap(const Division& division) {
  double area = 0;
  for (const Division::Part& part : division.parts) {
    if (part.left < 0 || part.right > 1 || part.top < 0 || part.bottom > 1) {
      return fmt::format("worker {} has a part beyond C", part.worker + 1);
    }
    area += (part.right - part.left) * (part.bottom - part.top);
  }
  return nearly_equal(area, 1) ? "" : fmt::format("the parts cover {} of C", area);
}

class SpmdModelTrials final : public Trials {
 public:
  explicit SpmdModelTrials(const SpmdModel& model) : model_(model) {}
  Trial draw(Random& random) const override;
  std::string find_fault(const NamedAlgorithm& algorithm, const Case& instance,
                         const RunOptions& options, const Record& record) const override;

 private:
  const SpmdModel& model_;
};

Trial SpmdModelTrials::draw(Random& random) const {
  Trial trial;
  trial.block_size = random.integer(4, 40);
  trial.file.name = "cluster";
  if (random.integer(0, 3) == 0) trial.file.port.kind = starport::Port::Kind::multi;
  const bool pair = random.integer(0, 1) == 0;  // half of the algorithms need two processors
  for (std::int64_t nodes = pair ? 2 : random.integer(1, 5); nodes > 0; --nodes) {
    trial.file.entries.push_back(draw_node(random));
    if (pair) trial.file.entries.back().count = 1;
  }
  const std::int64_t side = random.integer(2, 14) * trial.block_size;
  trial.problem = fmt::format("{}", side);
  if (random.integer(0, 2) == 0) {
    trial.noise = random_noise(static_cast<std::uint64_t>(random.integer(1, 1'000'000)),
                               static_cast<std::size_t>(trial.file.size()), 1);
    const double makespan_s = 3 * std::pow(static_cast<double>(side), 3) / speed_flops(trial.file);
    for (SlowDown& change : trial.noise.slow_downs) {
      change.from_s = random.real(0, 1) * makespan_s;
    }
    for (Stop& stop : trial.noise.stops) stop.at_s = random.real(0, 2) * makespan_s;
  }
  return trial;
}

std::string SpmdModelTrials::find_fault(const NamedAlgorithm& algorithm, const Case& instance,
                                        const RunOptions& options, const Record& record) const {
  double bound = model_.bounds(instance, options.noise).real(kBalancedSpeed);  // NaN under noise
  // Algorithms for two processors have a single step, without the start-up time of iterations.
  const bool in_one_piece = std::isnan(record.figures.real(kPasses));
  if (in_one_piece) bound = std::max(bound, speed_flops(instance.file) / 1e12);
  const double speed = record.figures.real(kSpeed);
  if (clearly_less(bound, speed)) {
    return fmt::format("{} Tflop/s, more than the sum of the speeds, {}", speed, bound);
  }
  return find_gap(model_.presentation().divide(algorithm, instance));
}

}  // namespace
}  // namespace starport::spmd

namespace starport {

std::unique_ptr<Trials> make_trials(const spmd::SpmdModel& model) {
  return std::make_unique<spmd::SpmdModelTrials>(model);
}

}  // namespace starport
