#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"
#include "sim/study/specification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace starport {
namespace {

bool sets(const Override& axis, Activity activity) {
  return axis.field == "cv" ||
         axis.field == (activity == Activity::transfer ? "transfer_cv" : "update_cv");
}

/// An axis replaces a CV; it cannot replace measured durations, nor share a CV with another axis.
void check_noise_axes(const Experiment& experiment) {
  for (const auto& [activity, variation, what] :
       {std::tuple(Activity::transfer, &experiment.noise.transfers, "transfers"),
        std::tuple(Activity::update, &experiment.noise.updates, "updates")}) {
    const Override* before = nullptr;
    for (const Override& axis : experiment.overrides) {
      if (!sets(axis, activity)) continue;
      if (!variation->ratios.empty()) {
        throw InputError(axis.pointer, fmt::format("no CV of {}, whose factors are given", what),
                         "the axis " + axis.field);
      }
      if (before != nullptr) {
        throw InputError(axis.pointer, fmt::format("one axis for the CV of {}", what),
                         fmt::format("{} and {}", before->field, axis.field));
      }
      before = &axis;
    }
  }
}

/// Where the experiment gets its noise from; empty when it has none.
std::string place_of_noise(const Experiment& experiment, const std::string& place) {
  if (!experiment.noise.none()) return place + "/noise";
  const auto axis = std::ranges::find_if(
      experiment.overrides, [](const Override& candidate) { return candidate.of_noise(); });
  return axis == experiment.overrides.end() ? "" : axis->pointer;
}

/// On ports on which such noise is not modelled, nothing starts.
void check_ports(const Experiment& experiment, const std::string& place) {
  const std::string noise = place_of_noise(experiment, place);
  if (noise.empty()) return;
  Noise some = experiment.noise;
  if (some.none()) some.transfers.cv = 1;  // as an axis sets it
  const auto check = [&](const PortFile& port, const std::string& where) {
    if (const auto needed = port_needed(some, port.kind)) {
      throw InputError(noise, "platforms whose master has " + *needed,
                       std::string(to_string(port.kind)) + ", " + where);
    }
  };
  bool port_is_axis = false;
  for (const Override& axis : experiment.overrides) {
    for (const Override::Value& value : axis.values) {
      const auto* port = std::get_if<PortFile>(&value);
      if (port == nullptr) continue;
      port_is_axis = true;
      check(*port, "a value of " + axis.column);
    }
  }
  if (port_is_axis) return;
  for (const PlatformSource& platform : experiment.platforms) {
    check(platform.port(), "platform '" + platform.name() + "'");
  }
}

/// Otherwise rows of the star do not apply where a platform is none, or not one for such noise.
bool for_stars_alone(const Experiment& experiment) {
  return std::all_of(
      experiment.algorithms->begin(), experiment.algorithms->end(),
      [](const NamedAlgorithm& named) { return named.algorithm->model() == "star"; });
}

}  // namespace

void try_out(const Experiment& experiment, const JsonNode& node) {
  check_noise_axes(experiment);
  const bool stars = for_stars_alone(experiment);
  if (stars) check_ports(experiment, node.pointer());
  for (const PlatformSource& platform : experiment.platforms) {
    check_workers(experiment.noise, platform.workers(), platform.name(), node.pointer() + "/noise");
    const auto* file = std::get_if<PlatformFile>(&platform.source);
    for (const auto& asked : experiment.block_sizes) {
      const std::int64_t q = platform.block_size(asked);
      for (const std::string& problem : experiment.problems) {
        parse_problem(problem, q, node.at("problems").pointer());
      }
      if (file == nullptr) continue;
      if (stars) file->at_block_size(q);
      for (const Override& axis : experiment.overrides) {
        for (std::size_t i = 0; i < axis.values.size(); ++i) {
          const PlatformFile other = axis.applied(*file, i);
          if (stars) other.at_block_size(q);
        }
      }
    }
    if (file != nullptr) continue;
    const auto& drawn = std::get<PlatformSource::Generated>(platform.source);
    for (const Override& axis : experiment.overrides) {
      axis.applied(drawn.generator.draw(drawn.workers, 0), 0);  // has it those workers?
    }
  }
}

}  // namespace starport
