#include "sim/sweep/override.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/platform/ties.hpp"
#include "sim/results/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace starport {
namespace {

using Physical = PlatformFile::Physical;

struct WorkerField {
  const char* name;
  const char* column;  ///< of the results, for values that are set
  Dimension dimension;
  double Physical::*value;
};
constexpr std::array<WorkerField, 4> kWorkerFields{{
    {"bandwidth", "bandwidth_bytes_per_s", Dimension::bandwidth, &Physical::bandwidth_bytes_per_s},
    {"speed", "speed_flops", Dimension::speed, &Physical::speed_flops},
    {"memory", "memory_bytes", Dimension::memory, &Physical::memory_bytes},
    {"latency", "latency_s", Dimension::time, &Physical::latency_s},
}};

const WorkerField& worker_field(const std::string& name) {
  return *std::ranges::find_if(kWorkerFields,
                               [&](const auto& field) { return field.name == name; });
}

std::string read_field(const JsonNode& node) {
  constexpr std::array names{"bandwidth", "speed", "memory",      "latency",
                             "port",      "cv",    "transfer_cv", "update_cv"};
  std::string name = node.text();
  if (std::ranges::find(names, name) != names.end()) return name;
  throw node.fault("bandwidth, speed, memory, latency, port, cv, transfer_cv or update_cv",
                   did_you_mean(name, names));
}

std::string read_column(const JsonNode& node) {
  std::string name = node.text();
  check_column_name(name, node.pointer());
  return name;
}

void multiply_raw(PlatformFile::Raw& worker, const std::string& field, double factor) {
  if (field == "bandwidth") worker.c_s /= factor;
  if (field == "speed") worker.w_s /= factor;
  if (field == "latency") worker.latency_s *= factor;
  if (field == "memory") {
    // 100 * 0.29 is slightly less than 29.
    const double blocks = tolerant_floor(static_cast<double>(worker.m_blocks) * factor);
    worker.m_blocks = static_cast<std::int64_t>(std::min(blocks, static_cast<double>(kMaxBlocks)));
  }
}

}  // namespace

Override Override::read(const JsonNode& node) {
  node.allow_only_keys({"name", "field", "multiply", "divide", "set", "repeat", "of", "workers"});
  Override result;
  result.pointer = node.pointer();
  result.field = read_field(node.at("field"));
  result.divide = node.has("divide");
  result.multiply = node.has("multiply") || result.divide;
  const bool of_port = result.field == "port";
  if (result.is_noise()) {
    node.allow_only_keys({"name", "field", "set"});
  } else if (node.has("multiply") + node.has("divide") + node.has("set") + node.has("repeat") !=
             1) {
    throw InputError(node.pointer(), "either multiply, divide, set or repeat",
                     result.multiply || node.has("set") ? "several" : "none of them");
  }
  for (const char* key : {"multiply", "divide", "repeat", "workers"}) {
    if (of_port && node.has(key)) {
      throw InputError(node.pointer() + "/" + key, "set: the port is the master's", key);
    }
  }
  if (node.has("repeat") || node.has("of")) {
    node.at("repeat");
    if (result.field != "bandwidth" && result.field != "speed") {
      throw node.at("field").fault("bandwidth or speed: what is done several times");
    }
    result.single_rate = read_quantity(node.at("of"), worker_field(result.field).dimension);
  }
  const char* how = result.single_rate ? "repeat"
                    : result.divide    ? "divide"
                    : result.multiply  ? "multiply"
                                       : "set";
  result.values = node.at(how).distinct_elements([&](const JsonNode& element) -> Value {
    if (result.is_noise()) return read_cv(element);
    if (of_port) return read_port(element);
    if (result.multiply) return element.positive_number();
    if (result.single_rate) {
      const double share = element.positive_number();
      if (share > 1) throw element.fault("a share of the first time, at most 1");
      return share;
    }
    return read_quantity(element, worker_field(result.field).dimension);
  });
  result.column = result.is_noise() || of_port ? result.field
                  : result.divide              ? result.field + "_divisor"
                  : result.multiply            ? result.field + "_factor"
                  : result.single_rate         ? result.field + "_repetition_share"
                                               : worker_field(result.field).column;
  if (const auto name = node.find("name")) result.column = read_column(*name);
  if (const auto workers = node.find("workers")) {
    for (const JsonNode& element : workers->elements()) {
      result.workers.push_back(element.integer(1, kMaxWorkers) - 1);
    }
    if (result.workers.empty()) throw workers->fault("at least one worker, numbered from 1");
  }
  return result;
}

std::string Override::value_text(std::size_t index) const {
  const Value& value = values.at(index);
  const auto* port = std::get_if<PortFile>(&value);
  return port != nullptr ? port->text() : fmt::format("{}", std::get<double>(value));
}

void Override::apply_to(Noise& noise, std::size_t index) const {
  if (!is_noise()) return;
  const double cv = std::get<double>(values.at(index));
  if (field != "update_cv") noise.transfers.cv = cv;
  if (field == "transfer_cv") return;
  noise.updates.cv = cv;
  noise.updates.measured = false;
}

double Override::new_figure(double figure, double value) const {
  if (divide) return figure / value;
  if (multiply) return figure * value;
  if (!single_rate) return value;
  const double times = *single_rate / figure;
  return *single_rate / (1 + (times - 1) * value);
}

PlatformFile Override::apply_to(const PlatformFile& file, std::size_t index) const {
  if (is_noise()) return file;
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
  bool changes = false;
  const auto change = [&](PlatformFile::Entry& entry) {
    const bool shares = std::holds_alternative<PlatformFile::MemorySharing>(entry.worker);
    if (shares && field != "speed") return false;  // no link, no memory of its own
    changes = true;
    double times = 1;
    const auto change_figure = [&](double& figure) {
      const double before = std::exchange(figure, new_figure(figure, value));
      times = figure / before;
    };
    if (auto* physical = std::get_if<Physical>(&entry.worker)) {
      auto& back = physical->return_bandwidth_bytes_per_s;
      if (back && field == "bandwidth") back = new_figure(*back, value);
      change_figure(physical->*worker_field(field).value);
    } else if (auto* sharing = std::get_if<PlatformFile::MemorySharing>(&entry.worker)) {
      change_figure(sharing->speed_flops);
    } else if (multiply) {
      times = divide ? 1 / value : value;
      multiply_raw(std::get<PlatformFile::Raw>(entry.worker), field, times);
    } else {
      const std::string how = single_rate ? "repeat" : "set";
      throw InputError(pointer + "/" + how, "multiply, for workers given as c_s, w_s and m_blocks",
                       how + ", on platform '" + file.name + "'");
    }
    if (field == "speed") {
      for (SpeedSample& sample : entry.speed_function) sample = sample.scaled_by(times);
    }
    return true;
  };
  const auto refuse = [&](const char* found) -> InputError {
    return {pointer, "workers with a " + field + " of their own, on platform '" + file.name + "'",
            found};
  };
  if (workers.empty()) {
    for (PlatformFile::Entry& entry : changed.entries) change(entry);
    if (!changes) throw refuse("none");
    return changed;
  }
  changed.entries.clear();
  for (const PlatformFile::Entry& entry : file.entries) {
    PlatformFile::Entry single = entry;
    single.count = 1;
    changed.entries.insert(changed.entries.end(), static_cast<std::size_t>(entry.count), single);
  }
  for (const std::int64_t worker : workers) {
    if (worker >= static_cast<std::int64_t>(changed.entries.size())) {
      throw InputError(pointer + "/workers",
                       fmt::format("workers from 1 to {}, those of platform '{}'",
                                   changed.entries.size(), file.name),
                       fmt::format("{}", worker + 1));
    }
    if (!change(changed.entries[static_cast<std::size_t>(worker)])) {
      throw refuse("one that shares the master's memory");
    }
  }
  return changed;
}

}  // namespace starport
