#include "sim/study/override.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/noise_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace starport {
namespace {

struct FieldName {
  PlatformField field;
  const char* name;
  const char* set_column;
  std::optional<Dimension> dimension;  ///< of a worker's figure
};
constexpr std::array<FieldName, 5> kFields{{
    {PlatformField::bandwidth, "bandwidth", "bandwidth_bytes_per_s", Dimension::bandwidth},
    {PlatformField::speed, "speed", "speed_flops", Dimension::speed},
    {PlatformField::memory, "memory", "memory_bytes", Dimension::memory},
    {PlatformField::latency, "latency", "latency_s", Dimension::time},
    {PlatformField::port, "port", "port", std::nullopt},
}};

constexpr std::array<const char*, 3> kNoiseFields{"cv", "transfer_cv", "update_cv"};

const FieldName& read_field(const JsonNode& node) {
  const std::string name = node.text();
  std::vector<std::string> names;
  for (const FieldName& field : kFields) {
    if (name == field.name) return field;
    names.emplace_back(field.name);
  }
  names.insert(names.end(), kNoiseFields.begin(), kNoiseFields.end());
  throw node.fault("bandwidth, speed, memory, latency, port, cv, transfer_cv or update_cv",
                   did_you_mean(name, names));
}

/// Columns are names that R and SQL take without quotes.
std::string read_column(const JsonNode& node) {
  std::string name = node.text();
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const bool good = !name.empty() && letter(name.front()) &&
                    std::all_of(name.begin(), name.end(),
                                [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
  if (!good) throw node.fault("a column name of letters, digits and _");
  return name;
}

double& value_of(PlatformFile::Physical& worker, PlatformField field) {
  switch (field) {
    case PlatformField::bandwidth:
      return worker.bandwidth_bytes_per_s;
    case PlatformField::speed:
      return worker.speed_flops;
    case PlatformField::memory:
      return worker.memory_bytes;
    case PlatformField::latency:
    case PlatformField::port:
      break;
  }
  return worker.latency_s;
}

void multiply(PlatformFile::Raw& worker, PlatformField field, double factor) {
  switch (field) {
    case PlatformField::bandwidth:
      worker.c_s /= factor;
      break;
    case PlatformField::speed:
      worker.w_s /= factor;
      break;
    case PlatformField::memory:
      worker.m_blocks = static_cast<std::int64_t>(
          std::min(std::floor(static_cast<double>(worker.m_blocks) * factor),
                   static_cast<double>(kMostBlocks)));
      break;
    case PlatformField::latency:
      worker.latency_s *= factor;
      break;
    case PlatformField::port:
      break;
  }
}

/// A coefficient of variation of the noise, as an axis.
Override read_noise_axis(const JsonNode& node) {
  node.allow_only({"name", "field", "set"});
  Override result;
  result.noise_field = node.at("field").text();
  result.multiply = false;
  result.pointer = node.pointer();
  for (const JsonNode& element : node.at("set").elements()) {
    const Override::Value cv = read_cv(element);
    if (std::find(result.values.begin(), result.values.end(), cv) != result.values.end()) {
      throw element.fault("each value once");
    }
    result.values.push_back(cv);
  }
  if (result.values.empty()) throw node.at("set").fault("at least one value");
  const auto name = node.find("name");
  result.column = name ? read_column(*name) : result.noise_field;
  return result;
}

}  // namespace

Override Override::read(const JsonNode& node) {
  node.allow_only({"name", "field", "multiply", "set", "workers"});
  const JsonNode what = node.at("field");
  if (what.is_text() &&
      std::find(kNoiseFields.begin(), kNoiseFields.end(), what.text()) != kNoiseFields.end()) {
    return read_noise_axis(node);
  }
  Override result;
  const FieldName& field = read_field(node.at("field"));
  result.field = field.field;
  result.multiply = node.has("multiply");
  result.pointer = node.pointer();
  if (result.multiply == node.has("set")) {
    throw InputError(node.pointer(), "either multiply or set",
                     result.multiply ? "both" : "neither");
  }
  if (result.field == PlatformField::port) {
    for (const char* key : {"multiply", "workers"}) {
      if (node.has(key)) {
        throw InputError(node.pointer() + "/" + key, "set: the port is the master's", key);
      }
    }
  }
  const JsonNode values = node.at(result.multiply ? "multiply" : "set");
  const auto read_value = [&](const JsonNode& element) -> Value {
    if (result.field == PlatformField::port) return read_port(element);
    return result.multiply ? element.positive_number() : read_quantity(element, *field.dimension);
  };
  for (const JsonNode& element : values.elements()) {
    const Value value = read_value(element);
    if (std::find(result.values.begin(), result.values.end(), value) != result.values.end()) {
      throw element.fault("each value once");
    }
    result.values.push_back(value);
  }
  if (result.values.empty()) throw values.fault("at least one value");
  result.column = result.multiply ? std::string(field.name) + "_factor" : field.set_column;
  if (const auto name = node.find("name")) result.column = read_column(*name);
  if (const auto workers = node.find("workers")) {
    for (const JsonNode& element : workers->elements()) {
      result.workers.push_back(element.integer(1, kMostWorkers) - 1);
    }
    if (result.workers.empty()) throw workers->fault("at least one worker, numbered from 1");
  }
  return result;
}

std::string Override::text(std::size_t index) const {
  const Value& value = values.at(index);
  const auto* port = std::get_if<PortFile>(&value);
  return port != nullptr ? port->text() : fmt::format("{}", std::get<double>(value));
}

void Override::apply(Noise& noise, std::size_t index) const {
  if (noise_field.empty()) return;
  const double cv = std::get<double>(values.at(index));
  if (noise_field != "update_cv") noise.transfers.cv = cv;
  if (noise_field != "transfer_cv") noise.updates.cv = cv;
}

PlatformFile Override::applied(const PlatformFile& file, std::size_t index) const {
  if (!noise_field.empty()) return file;
  PlatformFile changed = file;
  if (const auto* port = std::get_if<PortFile>(&values.at(index))) {
    if (port->c_s && !file.block_size) {
      throw InputError(pointer + "/set",
                       "bandwidth, for workers given as bandwidth, speed and memory",
                       "c_s, on platform '" + file.name + "'");
    }
    changed.port = *port;
    return changed;
  }
  const double value = std::get<double>(values[index]);
  const auto change = [&](PlatformFile::Entry& entry) {
    if (auto* physical = std::get_if<PlatformFile::Physical>(&entry.worker)) {
      double& figure = value_of(*physical, field);
      figure = multiply ? figure * value : value;
      auto& back = physical->return_bandwidth_bytes_per_s;
      if (back && field == PlatformField::bandwidth) back = multiply ? *back * value : value;
    } else if (auto* sharing = std::get_if<PlatformFile::Sharing>(&entry.worker)) {
      if (field != PlatformField::speed) return;  // no link, no memory of its own
      sharing->speed_flops = multiply ? sharing->speed_flops * value : value;
    } else if (multiply) {
      starport::multiply(std::get<PlatformFile::Raw>(entry.worker), field, value);
    } else {
      throw InputError(pointer + "/set", "multiply, for workers given as c_s, w_s and m_blocks",
                       "set, on platform '" + file.name + "'");
    }
  };
  if (workers.empty()) {
    for (PlatformFile::Entry& entry : changed.entries) change(entry);
    return changed;
  }
  changed.entries.clear();
  for (const PlatformFile::Entry& entry : file.entries) {
    PlatformFile::Entry one = entry;
    one.count = 1;
    changed.entries.insert(changed.entries.end(), static_cast<std::size_t>(entry.count), one);
  }
  for (const std::int64_t worker : workers) {
    if (worker >= static_cast<std::int64_t>(changed.entries.size())) {
      throw InputError(pointer + "/workers",
                       fmt::format("workers from 1 to {}, those of platform '{}'",
                                   changed.entries.size(), file.name),
                       fmt::format("{}", worker + 1));
    }
    change(changed.entries[static_cast<std::size_t>(worker)]);
  }
  return changed;
}

}  // namespace starport
