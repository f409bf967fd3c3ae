#include "sim/platform/device.hpp"

#include "sim/files/json.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/platform.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace starport {
namespace {

/// Largest share of a device's memory at which the speed may be given.
constexpr double kMaxMemoryShare = 1e6;

Device::Decline read_decline(const JsonNode& node) {
  const std::vector<JsonNode> pair = node.elements();
  if (pair.size() != 2) {
    throw InputError(node.pointer(), "a share of the memory and a factor, such as [1, 0.6]",
                     format_count(std::ssize(pair), "value"));
  }
  const Device::Decline point{.use = pair[0].positive_number(),
                              .factor = pair[1].positive_number()};
  if (point.use > kMaxMemoryShare) {
    throw pair[0].fault(fmt::format("a share of the memory of at most {}", kMaxMemoryShare));
  }
  if (point.factor > 1) throw pair[1].fault("a factor of at most 1");
  return point;
}

/// Reads the points of a decline. The speed may only fall, so that time increases with size.
std::vector<Device::Decline> read_declines(const JsonNode& node) {
  std::vector<Device::Decline> points;
  for (const JsonNode& entry : node.elements()) {
    const Device::Decline point = read_decline(entry);
    if (!points.empty() &&
        (point.use <= points.back().use || point.factor > points.back().factor)) {
      throw entry.fault("a larger share than before, and a factor that is no larger");
    }
    points.push_back(point);
  }
  if (points.empty()) throw node.fault("at least one point");
  return points;
}

bool measured_at(std::int64_t q, const Device& device) {
  return std::any_of(device.speed_function.begin(), device.speed_function.end(),
                     [&](const SpeedSample& sample) { return sample.has_update_shape(q); });
}

bool size_matters(std::int64_t q, const Device& device) {
  return measured_at(q, device) || device.start_up_s > 0 || device.bus_bytes_per_s ||
         !device.decline.empty();
}

/// Returns true if a time exceeds that of the last point by more than rounding errors.
bool is_later(double time_s, const std::vector<SpeedFunction::Point>& points) {
  constexpr double apart = 1 + 1e-9;
  return points.empty() || time_s > apart * points.back().time_s();
}

SpeedFunction sampled_speeds(const Device& device, std::int64_t q, std::int64_t max_blocks) {
  const auto b = static_cast<double>(q);
  std::vector<double> sizes;
  const double octaves = std::log2(static_cast<double>(std::max<std::int64_t>(max_blocks, 2)));
  for (int n = 0; n <= static_cast<int>(std::ceil(4 * octaves)); ++n) {
    sizes.push_back(std::exp2(0.25 * n));
  }
  const double memory_blocks = device.memory_bytes.value_or(0) / (8 * b * b);
  for (const Device::Decline& point : device.decline) sizes.push_back(point.use * memory_blocks);
  std::sort(sizes.begin(), sizes.end());
  const double full_speed_flops = device.full_speed_flops();
  std::vector<SpeedFunction::Point> points;
  for (const double a : sizes) {
    const double use = memory_blocks > 0 ? a / memory_blocks : 0;
    const double bus_s =
        device.bus_bytes_per_s ? 16 * b * b * std::sqrt(a) / *device.bus_bytes_per_s : 0;
    const double s =
        device.start_up_s + bus_s + 2 * a * b * b * b / (full_speed_flops * device.factor(use));
    if (is_later(s, points)) points.push_back({.size = a, .speed = a / s});
  }
  return SpeedFunction(std::move(points));
}

}  // namespace

double Device::factor(double use) const {
  const auto right = std::partition_point(decline.begin(), decline.end(),
                                          [&](const Decline& point) { return point.use <= use; });
  const Decline left = right == decline.begin() ? Decline{.use = 0, .factor = 1} : right[-1];
  if (right == decline.end()) return left.factor;
  return left.factor + (right->factor - left.factor) * ((use - left.use) / (right->use - left.use));
}

double Device::full_speed_flops() const {
  if (speed_flops) return *speed_flops;
  double highest = 0;
  for (const SpeedSample& sample : speed_function) {
    const auto q = static_cast<double>(sample.block_size);
    const auto updates = static_cast<double>(sample.rows) * static_cast<double>(sample.columns) *
                         static_cast<double>(sample.inner);
    highest = std::max(highest, 2 * updates * q * q * q / sample.seconds);
  }
  return highest;
}

Device Device::scaled_by(double factor) const {
  Device changed = *this;
  if (changed.speed_flops) *changed.speed_flops *= factor;
  for (SpeedSample& sample : changed.speed_function) sample = sample.scaled_by(factor);
  return changed;
}

std::optional<SpeedFunction> combine_device_speeds(const std::vector<Device>& devices,
                                                   std::int64_t q, std::int64_t max_blocks,
                                                   const std::string& pointer) {
  const auto matters = [&](const Device& device) { return size_matters(q, device); };
  if (!std::any_of(devices.begin(), devices.end(), matters)) return std::nullopt;
  std::vector<SpeedFunction> speeds;
  std::vector<double> ends_s;
  for (const Device& device : devices) {
    speeds.push_back(
        measured_at(q, device)
            ? measured_speeds(device.speed_function, q,
                              fmt::format("{}/devices/{}/speed_function", pointer, speeds.size()))
            : sampled_speeds(device, q, max_blocks));
    for (const SpeedFunction::Point& point : speeds.back().points()) {
      ends_s.push_back(point.time_s());
    }
  }
  std::sort(ends_s.begin(), ends_s.end());
  std::vector<SpeedFunction::Point> points;
  for (const double end_s : ends_s) {
    if (!is_later(end_s, points)) continue;  // one of an equal device
    double blocks = 0;
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      blocks += static_cast<double>(devices[i].count) * speeds[i].crossing(1 / end_s);
    }
    points.push_back({.size = blocks, .speed = blocks / end_s});
  }
  return SpeedFunction(std::move(points));
}

double total_speed_flops(const std::vector<Device>& devices) {
  double sum = 0;
  for (const Device& device : devices) {
    sum += static_cast<double>(device.count) * device.full_speed_flops();
  }
  return sum;
}

Device read_device(const JsonNode& node) {
  node.allow_only_keys({"name", "count", "speed", "start_up", "bus", "memory", "decline",
                        "speed_function", "comment"});
  if (const auto comment = node.find("comment")) comment->require_string();
  Device device;
  if (const auto name = node.find("name")) device.name = name->text();
  if (const auto count = node.find("count")) device.count = count->integer(1, kMaxWorkers);
  device.speed_flops = find_quantity(node, "speed", Dimension::speed);
  device.start_up_s = find_quantity(node, "start_up", Dimension::time).value_or(0);
  device.bus_bytes_per_s = find_quantity(node, "bus", Dimension::bandwidth);
  device.memory_bytes = find_quantity(node, "memory", Dimension::memory);
  if (const auto decline = node.find("decline")) {
    if (!device.memory_bytes) {
      throw InputError(decline->pointer(), "the key 'memory', of which the decline has shares",
                       "none");
    }
    device.decline = read_declines(*decline);
  }
  if (const auto samples = node.find("speed_function")) {
    device.speed_function = read_speed_function(*samples);
  }
  if (!device.speed_flops && device.speed_function.empty()) {
    throw InputError(node.pointer(), "the key 'speed' or 'speed_function'",
                     "a device without speed");
  }
  return device;
}

nlohmann::ordered_json to_json(const Device& device) {
  nlohmann::ordered_json json{{"count", device.count}};
  if (!device.name.empty()) json["name"] = device.name;
  if (device.speed_flops) json["speed"] = fmt::format("{}f", *device.speed_flops);
  if (device.start_up_s > 0) json["start_up"] = fmt::format("{}s", device.start_up_s);
  if (device.bus_bytes_per_s) json["bus"] = fmt::format("{}Bps", *device.bus_bytes_per_s);
  if (device.memory_bytes) json["memory"] = fmt::format("{}B", *device.memory_bytes);
  for (const Device::Decline& point : device.decline) {
    json["decline"].push_back({point.use, point.factor});
  }
  if (!device.speed_function.empty()) {
    json["speed_function"] = speed_function_json(device.speed_function);
  }
  return json;
}

}  // namespace starport
