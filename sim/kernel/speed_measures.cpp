#include "sim/kernel/speed_measures.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/kernel/sample_statistics.hpp"
#include "sim/platform/speed_function.hpp"
#include "sim/process/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace starport {
namespace {

using Curve = std::map<std::int64_t, SpeedSample>;  // by side

double updates_per_s(const SpeedSample& sample) {
  return static_cast<double>(sample.blocks()) / sample.seconds;
}

/// Returns whether linear interpolation between two sizes misses the speed of the middle one by
/// more than 5%.
bool is_nonlinear(const SpeedSample& left, const SpeedSample& middle, const SpeedSample& right) {
  constexpr double tolerance = 0.05;
  const SpeedFunction line({{.size = 0, .speed = updates_per_s(left)},
                            {.size = static_cast<double>(right.blocks() - left.blocks()),
                             .speed = updates_per_s(right)}});
  const double expected = line.speed(static_cast<double>(middle.blocks() - left.blocks()));
  return std::abs(updates_per_s(middle) - expected) > tolerance * updates_per_s(middle);
}

/// Measures the curves of all workers, refining them where they are not linear.
class Refinement {
 public:
  explicit Refinement(const MeasureSide& measure) : measure_(measure) {}

  void measure_side(std::int64_t side) {
    const auto samples = measure_(side);
    curves_.resize(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (samples[i]) curves_[i].emplace(side, *samples[i]);
    }
  }

  void refine(std::int64_t left, std::int64_t right) {
    if (right <= left + 1) return;
    const std::int64_t middle = (left + right) / 2;
    measure_side(middle);
    const bool needed = std::any_of(curves_.begin(), curves_.end(), [&](const Curve& curve) {
      return curve.contains(right) &&
             is_nonlinear(curve.at(left), curve.at(middle), curve.at(right));
    });
    if (!needed) return;
    refine(left, middle);
    refine(middle, right);
  }

  PerWorker<Curve> curves() { return std::move(curves_); }

 private:
  const MeasureSide& measure_;
  PerWorker<Curve> curves_;
};

/// Returns the samples of a curve whose time increases with the size (SpeedFunction::add).
std::vector<SpeedSample> select_increasing(const Curve& curve) {
  SpeedFunction kept;
  for (const auto& [side, sample] : curve) {
    kept.add(static_cast<double>(sample.blocks()), updates_per_s(sample));
  }
  std::vector<SpeedSample> samples;
  for (const auto& [side, sample] : curve) {
    const auto& points = kept.points();
    const auto size = static_cast<double>(sample.blocks());
    if (std::any_of(points.begin(), points.end(),
                    [&](const auto& point) { return point.size == size; })) {
      samples.push_back(sample);
    }
  }
  return samples;
}

}  // namespace

SpeedMeter::SpeedMeter(std::int64_t block_size, const Emulation& emulation, double max_bytes)
    : block_size_(block_size), emulation_(emulation), max_bytes_(max_bytes) {}

void SpeedMeter::make_room(std::int64_t side) {
  const auto elements = static_cast<std::size_t>(side * side * block_size_ * block_size_);
  for (auto* matrix : {&a_, &b_, &c_}) {
    if (matrix->size() < elements) matrix->resize(elements, 1e-3);
  }
}

std::optional<SpeedSample> SpeedMeter::measure(std::int64_t side) {
  constexpr double min_total_s = 0.1;
  constexpr double max_total_s = 2;  // then min_repetitions are enough
  constexpr std::size_t min_repetitions = 3;
  if (held_bytes(side * side, block_size_) > max_bytes_) return std::nullopt;
  make_room(side);
  const PanelKernel kernel(block_size_, emulation_);
  const std::int64_t panel = side * block_size_ * block_size_;
  std::int64_t pivot = 0;
  const auto update = [&] {
    kernel.update(&a_[pivot * panel], &b_[pivot * panel], c_.data(), side, side);
    pivot = (pivot + 1) % side;
  };
  update();  // warm-up of the library
  std::vector<double> seconds;
  const double begin_s = monotonic_time_s();
  for (double now_s = begin_s; seconds.size() < min_repetitions || now_s < begin_s + min_total_s ||
                               (seconds.size() < kRepetitions && now_s < begin_s + max_total_s);) {
    update();
    const double end_s = monotonic_time_s();
    seconds.push_back(end_s - now_s);
    now_s = end_s;
  }
  return SpeedSample{.rows = side,
                     .columns = side,
                     .inner = 1,
                     .block_size = block_size_,
                     .seconds = median_of(seconds),
                     .interval_s = median_interval(seconds)};
}

std::int64_t largest_side(double memory_bytes, std::int64_t block_size, std::int64_t max_side) {
  const double side = std::floor(std::sqrt(memory_bytes / held_bytes(1, block_size)));
  if (side < 2) {
    throw InputError(
        "--speed-function",
        "memory for three matrices of 2 x 2 blocks, " + format_bytes(held_bytes(4, block_size)),
        format_bytes(memory_bytes));
  }
  return static_cast<std::int64_t>(std::min(side, static_cast<double>(max_side)));
}

PerWorker<std::vector<SpeedSample>> measure_speed_functions(std::int64_t max_side,
                                                            const MeasureSide& measure) {
  std::vector<std::int64_t> sides;
  for (std::int64_t side = 1; side < max_side; side *= 2) sides.push_back(side);
  sides.push_back(max_side);
  Refinement refinement(measure);
  for (const std::int64_t side : sides) refinement.measure_side(side);
  for (std::size_t i = 0; i + 1 < sides.size(); ++i) refinement.refine(sides[i], sides[i + 1]);
  PerWorker<std::vector<SpeedSample>> samples;
  for (const Curve& curve : refinement.curves()) samples.push_back(select_increasing(curve));
  return samples;
}

std::string speed_table(const std::vector<SpeedSample>& samples) {
  std::vector<std::vector<std::string>> rows{{"blocks", "update", "95%", "", "Gflop/s"}};
  for (const SpeedSample& sample : samples) {
    const auto q = static_cast<double>(sample.block_size);
    const double flop = 2 * static_cast<double>(sample.blocks()) * q * q * q;
    const auto bound = [&](double MedianInterval::*end) {
      return sample.interval_s ? format_seconds(*sample.interval_s.*end) : "";
    };
    rows.push_back({fmt::format("{} x {}", sample.rows, sample.columns),
                    format_seconds(sample.seconds), bound(&MedianInterval::low),
                    bound(&MedianInterval::high),
                    fmt::format("{:.4g}", flop / sample.seconds / 1e9)});
  }
  return align(rows, 2);
}

}  // namespace starport
