#include "sim/explore/sweep.hpp"

#include "sim/app/model_registry.hpp"
#include "sim/files/error.hpp"
#include "sim/results/comparison.hpp"
#include "sim/results/figure.hpp"
#include "sim/sweep/override.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <variant>

namespace starport {
namespace {

using nlohmann::ordered_json;

constexpr int kPoints = 33;
constexpr double kLargestFactor = 10;

/// Returns the value of the field in SI units; nullopt if the entry gives c, w and m
/// instead or shares the master's memory.
std::optional<double> value_of(const PlatformFile::Entry& entry, const std::string& field) {
  if (const auto* physical = std::get_if<PlatformFile::Physical>(&entry.worker)) {
    if (field == "bandwidth") return physical->bandwidth_bytes_per_s;
    if (field == "speed") return physical->speed_flops;
    return field == "memory" ? physical->memory_bytes : physical->latency_s;
  }
  return std::nullopt;
}

/// Runs algorithms on variants of one platform.
class Variants {
 public:
  Variants(const Case& instance, std::vector<std::int64_t> workers, std::string field,
           RunOptions options)
      : instance_(instance), options_(std::move(options)) {
    axis_.field = std::move(field);
    axis_.multiply = true;
    axis_.workers = std::move(workers);
    options_.isolated = false;
    options_.worker_figures = false;
  }

  /// Returns the makespan in seconds with the field multiplied by `factor`; infinity if the run
  /// fails.
  double makespan_s(const NamedAlgorithm& algorithm, double factor) {
    Override axis = axis_;
    axis.values = {factor};
    try {
      const Case changed{axis.apply_to(instance_.file, 0), instance_.problem};
      NamedAlgorithm unnamed = algorithm;
      unnamed.named = false;
      const Record record = run(unnamed, changed, model_registry().models, options_);
      if (record.status == Status::ok) return record.figures.real(kMakespan);
    } catch (const InputError&) {  // too little memory, for instance: a gap in the curve
    }
    return std::numeric_limits<double>::infinity();
  }
  /// Throws InputError if no worker has the field, or if it is 0 for all.
  void check() const {
    Override axis = axis_;
    axis.values = {1.0, kLargestFactor};
    if (to_json(axis.apply_to(instance_.file, 0)) != to_json(axis.apply_to(instance_.file, 1))) {
      return;
    }
    throw InputError::with_problem(
        "sweep", fmt::format("the {0} of these workers is 0, as are its multiples", axis.field),
        fmt::format("Give one of them a {}", axis.field));
  }

 private:
  const Case& instance_;
  RunOptions options_;
  Override axis_;
};

/// Returns the index of the smallest number; nullopt if all are infinite.
std::optional<std::size_t> fastest(const std::vector<std::vector<double>>& makespans_s,
                                   std::size_t point) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < makespans_s.size(); ++i) {
    const double own_s = makespans_s[i][point];
    if (std::isfinite(own_s) && (!best || own_s < makespans_s[*best][point])) best = i;
  }
  return best;
}

}  // namespace

ordered_json sweep_json(const JsonNode& sweep, const Case& instance,
                        const std::vector<NamedAlgorithm>& algorithms, RunOptions options) {
  const auto& entries = instance.file.entries;
  const std::string field = sweep.at("field").text();
  const bool known =
      std::ranges::count(std::vector<std::string>{"bandwidth", "speed", "memory", "latency"},
                         field) > 0;
  if (!known) throw sweep.at("field").fault("bandwidth, speed, memory or latency");
  std::vector<std::int64_t> workers;  // none: all
  std::optional<double> value;        // of the entry; none: the x axis shows factors
  std::string label = field + " of all workers, times";
  if (const JsonNode entry = sweep.at("entry"); !entry.value().is_null()) {
    const auto index = static_cast<std::size_t>(entry.integer(0, std::ssize(entries) - 1));
    std::int64_t first = 0;
    for (std::size_t i = 0; i < index; ++i) first += entries[i].count;
    for (std::int64_t i = 0; i < entries[index].count; ++i) workers.push_back(first + i);
    value = value_of(entries[index], field);
    label = fmt::format(
        "{} of {}", field,
        instance.file.names.format_range(static_cast<std::size_t>(first),
                                         static_cast<std::size_t>(first + entries[index].count)));
  }
  Variants variants(instance, workers, field, std::move(options));
  variants.check();
  std::vector<double> factors;
  for (int point = 0; point < kPoints; ++point) {
    factors.push_back(std::pow(kLargestFactor, 2.0 * point / (kPoints - 1) - 1));
  }
  std::vector<std::vector<double>> makespans_s;
  ordered_json json{{"label", label}, {"field", value ? field : "factor"}};
  const double unit = value.value_or(1);
  for (const double factor : factors) json["x"].push_back(factor * unit);
  json["makespans_s"] = ordered_json::object();
  for (const NamedAlgorithm& algorithm : algorithms) {
    auto& own_s = makespans_s.emplace_back();
    for (const double factor : factors) own_s.push_back(variants.makespan_s(algorithm, factor));
    json["makespans_s"][algorithm.name] = own_s;  // infinity becomes null
  }
  json["crossings"] = ordered_json::array();
  for (std::size_t point = 1; point < factors.size(); ++point) {
    const auto before = fastest(makespans_s, point - 1);
    const auto after = fastest(makespans_s, point);
    if (!before || !after || before == after) continue;
    double low = factors[point - 1];
    double high = factors[point];
    while (high / low > 1.001) {
      const double middle = std::sqrt(low * high);
      const double rest_s = variants.makespan_s(algorithms[*before], middle);
      (rest_s <= variants.makespan_s(algorithms[*after], middle) ? low : high) = middle;
    }
    json["crossings"].push_back({{"below", low * unit},
                                 {"x", high * unit},
                                 {"from", algorithms[*before].name},
                                 {"to", algorithms[*after].name}});
  }
  return json;
}

}  // namespace starport
