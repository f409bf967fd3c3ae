#include "sim/platform/calibration.hpp"

#include "sim/files/json.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace starport {
namespace {

std::vector<double> read_times(const JsonNode& node) {
  std::vector<double> times;
  for (const JsonNode& time : node.elements()) times.push_back(time.positive_number());
  if (times.empty()) throw node.fault("at least one time, in seconds");
  return times;
}

std::vector<double> find_times(const JsonNode& node, const char* key) {
  const auto times = node.find(key);
  return times ? read_times(*times) : std::vector<double>{};
}

/// Stores a series under `key` unless it is empty.
void add_times(nlohmann::ordered_json& json, const char* key, const std::vector<double>& times) {
  if (!times.empty()) json[key] = times;
}

/// Reads the confidence interval [low, high] around a median of `seconds`.
MedianInterval read_interval(const JsonNode& node, double seconds) {
  const std::vector<JsonNode> pair = node.elements();
  if (pair.size() != 2) throw node.fault("the ends of an interval in seconds, such as [0.9, 1.2]");
  const MedianInterval interval{.low = pair[0].positive_number(),
                                .high = pair[1].positive_number()};
  if (interval.low > seconds || interval.high < seconds) {
    throw node.fault(fmt::format("an interval around the {:g} s", seconds));
  }
  return interval;
}

}  // namespace

MedianInterval median_interval(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  // P(exactly k of n values lie below the median) = C(n, k) / 2^n; 2.5% may lie outside on each
  // side.
  const auto probability = [&](double k) {
    return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                    n * std::log(2));
  };
  std::size_t below = 0;
  double outside = probability(0);
  while (outside <= 0.025) outside += probability(static_cast<double>(++below));
  const std::size_t low = below == 0 ? 0 : below - 1;
  return {.low = values[low], .high = values[values.size() - 1 - low]};
}

SpeedSample SpeedSample::scaled_by(double factor) const {
  SpeedSample changed = *this;
  changed.seconds /= factor;
  if (interval_s) changed.interval_s = {interval_s->low / factor, interval_s->high / factor};
  if (deviation_s) changed.deviation_s = *deviation_s / factor;
  return changed;
}

Calibration read_calibration(const JsonNode& node) {
  node.allow_only_keys({"dgemm", "links", "lasted_s"});
  Calibration calibration;
  if (const auto lasted = node.find("lasted_s")) calibration.lasted_s = lasted->positive_number();
  if (const auto series = node.find("dgemm")) {
    for (const JsonNode& entry : series->elements()) {
      entry.allow_only_keys({"worker", "block_size", "warm_s", "cold_s", "update_s", "alone_s"});
      calibration.dgemm.push_back({.worker = entry.at("worker").integer(1, kMaxWorkers),
                                   .block_size = entry.at("block_size").integer(1, kMaxBlockSize),
                                   .warm_s = find_times(entry, "warm_s"),
                                   .cold_s = find_times(entry, "cold_s"),
                                   .update_s = read_times(entry.at("update_s")),
                                   .alone_s = find_times(entry, "alone_s")});
    }
  }
  if (const auto series = node.find("links")) {
    for (const JsonNode& entry : series->elements()) {
      entry.allow_only_keys({"worker", "bytes", "to_worker_s", "to_master_s"});
      calibration.links.push_back({.worker = entry.at("worker").integer(1, kMaxWorkers),
                                   .bytes = entry.at("bytes").integer(1, INT64_MAX),
                                   .to_worker_s = read_times(entry.at("to_worker_s")),
                                   .to_master_s = find_times(entry, "to_master_s")});
    }
  }
  return calibration;
}

std::vector<SpeedSample> read_speed_function(const JsonNode& node) {
  std::vector<SpeedSample> samples;
  for (const JsonNode& entry : node.elements()) {
    entry.allow_only_keys(
        {"rows", "columns", "inner", "block_size", "seconds", "interval_s", "deviation_s"});
    samples.push_back({.rows = entry.at("rows").integer(1, INT32_MAX),
                       .columns = entry.at("columns").integer(1, INT32_MAX),
                       .inner = entry.at("inner").integer(1, INT32_MAX),
                       .block_size = entry.at("block_size").integer(1, kMaxBlockSize),
                       .seconds = entry.at("seconds").positive_number()});
    if (const auto interval = entry.find("interval_s")) {
      samples.back().interval_s = read_interval(*interval, samples.back().seconds);
    }
    if (const auto deviation = entry.find("deviation_s")) {
      samples.back().deviation_s = deviation->non_negative_number();
    }
  }
  if (samples.empty()) throw node.fault("at least one sample");
  return samples;
}

SpeedFunction measured_speeds(const std::vector<SpeedSample>& samples, std::int64_t block_size,
                              const std::string& pointer) {
  std::vector<SpeedFunction::Point> points;
  for (const SpeedSample& sample : samples) {
    if (!sample.has_update_shape(block_size)) continue;
    const auto size = static_cast<double>(sample.blocks());
    points.push_back({.size = size, .speed = size / sample.seconds});
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.size < b.size; });
  if (points.size() < 2) {
    throw InputError(
        pointer, fmt::format("two sizes or more with inner = 1 and block_size = {}", block_size),
        points.empty() ? "none" : "one");
  }
  const auto twice = std::ranges::adjacent_find(points, {}, &SpeedFunction::Point::size);
  if (twice != points.end()) {
    throw InputError(pointer, "each size once", fmt::format("{:g} blocks twice", twice->size));
  }
  if (const auto fault = SpeedFunction::first_non_increasing(points)) {
    const auto& before = points[*fault - 1];
    const auto& after = points[*fault];
    throw InputError(
        pointer,
        fmt::format("more than {:g} s for more than {:g} blocks", before.time_s(), before.size),
        fmt::format("{:g} s for {:g}", after.time_s(), after.size), "time must increase with size");
  }
  return SpeedFunction(std::move(points));
}

nlohmann::ordered_json calibration_json(const Calibration& calibration) {
  using nlohmann::ordered_json;
  ordered_json dgemm = ordered_json::array();
  for (const auto& entry : calibration.dgemm) {
    ordered_json json{{"worker", entry.worker}, {"block_size", entry.block_size}};
    add_times(json, "warm_s", entry.warm_s);
    add_times(json, "cold_s", entry.cold_s);
    add_times(json, "update_s", entry.update_s);
    add_times(json, "alone_s", entry.alone_s);
    dgemm.push_back(std::move(json));
  }
  ordered_json links = ordered_json::array();
  for (const auto& entry : calibration.links) {
    links.push_back(
        {{"worker", entry.worker}, {"bytes", entry.bytes}, {"to_worker_s", entry.to_worker_s}});
    add_times(links.back(), "to_master_s", entry.to_master_s);
  }
  ordered_json json{{"dgemm", std::move(dgemm)}, {"links", std::move(links)}};
  if (calibration.lasted_s) json["lasted_s"] = *calibration.lasted_s;
  return json;
}

nlohmann::ordered_json speed_function_json(const std::vector<SpeedSample>& samples) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const SpeedSample& sample : samples) {
    json.push_back({{"rows", sample.rows},
                    {"columns", sample.columns},
                    {"inner", sample.inner},
                    {"block_size", sample.block_size},
                    {"seconds", sample.seconds}});
    if (const auto& interval = sample.interval_s) {
      json.back()["interval_s"] = {interval->low, interval->high};
    }
    if (sample.deviation_s) json.back()["deviation_s"] = *sample.deviation_s;
  }
  return json;
}

}  // namespace starport
