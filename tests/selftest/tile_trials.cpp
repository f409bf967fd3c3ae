// Random cases and checks of tile tasks.
#include "sim/models/tiles/tile_model.hpp"
#include "sim/platform/noise/noise.hpp"
#include "sim/platform/random.hpp"
#include "sim/platform/ties.hpp"
#include "sim/results/figure.hpp"
#include "tests/random_noise.hpp"
#include "tests/selftest/trials.hpp"

#include <fmt/format.h>

#include <variant>

namespace starport::tiles {
namespace {

/// The durations of a worker per tile, from which its figures in the file are computed.
struct Seconds {
  double update_s;
  double reduction_s;
  double in_s;
  double out_s;
  double latency_s;
};

Seconds draw_seconds(Random& random) {
  const double update_s = random.real(1e-3, 3e-3);
  return {.update_s = update_s,
          .reduction_s = update_s / 10,
          .in_s = random.real(5e-4, 4e-3),
          .out_s = random.real(5e-4, 4e-3),
          .latency_s = static_cast<double>(random.integer(0, 1)) * random.real(0, 1e-4)};
}

/// Lets the links of the GPUs share two buses, one behind the other. Slow-downs of such links are
/// not modelled.
void add_buses(Random& random, double tile_bytes, Trial& trial) {
  const auto bandwidth = [&] { return tile_bytes / random.real(5e-4, 2e-3); };
  trial.file.buses = {{.name = "root", .total_bandwidth_bytes_per_s = bandwidth()},
                      {.name = "switch",
                       .parent = "root",
                       .bandwidth_bytes_per_s = bandwidth(),
                       .return_bandwidth_bytes_per_s = bandwidth()}};
  for (PlatformFile::Entry& entry : trial.file.entries) {
    if (std::holds_alternative<PlatformFile::MemorySharing>(entry.worker)) continue;
    entry.bus = random.integer(0, 1) == 0 ? "switch" : "root";
  }
  trial.file.entries.back().bus = "switch";
  trial.file.task_overhead_s = static_cast<double>(random.integer(0, 1)) * 1e-4;
  std::erase_if(trial.noise.slow_downs, [](const SlowDown& change) {
    return change.activity == starport::Activity::transfer;
  });
}

class TileModelTrials final : public Trials {
 public:
  explicit TileModelTrials(const TileModel& model) : model_(model) {}
  Trial draw(Random& random) const override;
  std::string find_fault(const NamedAlgorithm& algorithm, const Case& instance,
                         const RunOptions& options, const Record& record) const override;

 private:
  const TileModel& model_;
};

Trial TileModelTrials::draw(Random& random) const {
  constexpr double q = 100;
  constexpr double tile_bytes = 8 * q * q;
  constexpr double update_flops = 2 * q * q * q;
  const std::int64_t r = random.integer(1, 7);
  const std::int64_t t = random.integer(1, 7);
  const std::int64_t s = random.integer(1, 7);
  Trial trial{
      .file = {}, .problem = fmt::format("{}x{}x{}", r * 100, t * 100, s * 100), .block_size = 100};
  trial.file.name = "node";
  trial.file.start_up_s = random.integer(0, 1) == 0 ? 0 : 0.045;
  for (std::int64_t w = random.integer(0, 2); w > 0; --w) {
    const double update_s = random.real(2e-3, 9e-3);
    PlatformFile::Entry& entry = trial.file.entries.emplace_back();
    entry.worker = PlatformFile::MemorySharing{
        .speed_flops = update_flops / update_s,
        .memory_bandwidth_bytes_per_s = 3 * tile_bytes / (update_s / 8)};
    entry.count = 1;
  }
  const std::int64_t tiles = random.integer(3, t * (r + s) + 12);
  const bool all_alike = random.integer(0, 1) == 1;
  Seconds seconds = draw_seconds(random);
  for (std::int64_t g = random.integer(1, 4); g > 0; --g) {
    if (!all_alike) seconds = draw_seconds(random);
    PlatformFile::Entry& entry = trial.file.entries.emplace_back();
    entry.worker = PlatformFile::Physical{
        .bandwidth_bytes_per_s = tile_bytes / seconds.in_s,
        .speed_flops = update_flops / seconds.update_s,
        .memory_bytes = tile_bytes * static_cast<double>(tiles),
        .latency_s = seconds.latency_s,
        .return_bandwidth_bytes_per_s = tile_bytes / seconds.out_s,
        .memory_bandwidth_bytes_per_s = 3 * tile_bytes / seconds.reduction_s};
    entry.count = 1;
  }
  if (random.integer(0, 1) == 0) {
    trial.noise = random_noise(static_cast<std::uint64_t>(random.integer(1, 1'000'000)),
                               static_cast<std::size_t>(trial.file.size()), 1);
    // Scales the dates of the noise to the makespan.
    const double makespan_s = 2e-3 * static_cast<double>(r * s * t) + trial.file.start_up_s;
    for (SlowDown& change : trial.noise.slow_downs) {
      change.from_s = random.real(0, 1) * makespan_s;
    }
    for (Stop& stop : trial.noise.stops) stop.at_s = random.real(0, 1.2) * makespan_s;
  }
  if (random.integer(0, 2) == 0) add_buses(random, tile_bytes, trial);
  return trial;
}

std::string TileModelTrials::find_fault(const NamedAlgorithm&, const Case& instance,
                                        const RunOptions& options, const Record& record) const {
  if (!options.noise.is_none()) return "";
  const Figures limits = model_.bounds(instance, options.noise);
  const double makespan_s = record.figures.real(kMakespan);
  for (const Figure* bound : {&kAreaBound, &kAnyRunBound}) {
    if (clearly_less(makespan_s, limits.real(*bound))) {
      return fmt::format("it ends at {} s, before {}, {} s", makespan_s, bound->label,
                         limits.real(*bound));
    }
  }
  return "";
}

}  // namespace
}  // namespace starport::tiles

namespace starport {

std::unique_ptr<Trials> make_trials(const tiles::TileModel& model) {
  return std::make_unique<tiles::TileModelTrials>(model);
}

}  // namespace starport
