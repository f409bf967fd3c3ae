#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"
#include "sim/sweep/specification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace starport {
namespace {

bool sets(const Override& axis, Activity activity) {
  return axis.field == "cv" ||
         axis.field == (activity == Activity::transfer ? "transfer_cv" : "update_cv");
}

/// Checks that each axis of the noise sets a coefficient of variation (CV) that no other axis sets
/// and that is not given as measured factors.
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

/// Returns the JSON pointer of what gives the experiment its noise; empty when it has none.
std::string place_of_noise(const Experiment& experiment, const std::string& place) {
  if (!experiment.noise.is_none()) return place + "/noise";
  const auto axis = std::ranges::find_if(
      experiment.overrides, [](const Override& candidate) { return candidate.is_noise(); });
  return axis == experiment.overrides.end() ? "" : axis->pointer;
}

/// The platform and the noise that result from one value of each axis, and a name for messages.
struct Variant {
  PlatformFile file;
  Noise noise;
  std::string name;
};

/// Calls `visit` for the first value of all axes, then for each other value of a single axis.
template <class Visit>
void for_each_variant(const Experiment& experiment, const PlatformFile& file,
                      const std::string& name, Visit&& visit) {
  const auto visit_with = [&](const Override* axis, std::size_t value, const std::string& own) {
    Variant variant{file, experiment.noise, own};
    for (const Override& other : experiment.overrides) {
      const std::size_t index = &other == axis ? value : 0;
      variant.file = other.apply_to(variant.file, index);
      other.apply_to(variant.noise, index);
    }
    visit(variant);
  };
  visit_with(nullptr, 0, fmt::format("platform '{}'", name));
  for (const Override& axis : experiment.overrides) {
    for (std::size_t i = 1; i < axis.values.size(); ++i) {
      visit_with(&axis, i, "a value of " + axis.column);
    }
  }
}

PlatformFile first_platform(const PlatformSource& platform) {
  if (const auto* file = std::get_if<PlatformFile>(&platform.source)) return *file;
  const auto& drawn = std::get<PlatformSource::Generated>(platform.source);
  return drawn.generator.draw(drawn.workers, 0);
}

/// Returns why none of the models can run on the platform under the noise, on any engine; nullopt
/// when one can.
std::optional<InputError> find_obstacle(const Models& models, const Case& instance,
                                        const Noise& noise) {
  std::optional<InputError> obstacle;
  for (const Model* model : models) {
    for (const EngineKind engine : {EngineKind::analytic, EngineKind::simgrid}) {
      obstacle = model->find_obstacle(instance, {.engine = engine, .noise = noise});
      if (!obstacle) return std::nullopt;
    }
  }
  return obstacle;
}

}  // namespace

void check_experiment(const Experiment& experiment, const Models& available, const JsonNode& node) {
  check_noise_axes(experiment);
  const Models models = models_of(*experiment.algorithms, available);
  for (const PlatformSource& platform : experiment.platforms) {
    check_workers(experiment.noise, platform.workers(), platform.name(), node.pointer() + "/noise");
    const bool drawn = !std::holds_alternative<PlatformFile>(platform.source);
    const auto check = [&](const Case& instance, const Variant& variant) {
      std::optional<InputError> obstacle = find_obstacle(models, instance, {});
      const bool due_to_noise = !obstacle;
      if (due_to_noise) obstacle = find_obstacle(models, instance, variant.noise);
      if (!obstacle || (drawn && !due_to_noise)) return;  // another draw may fit
      throw InputError(due_to_noise ? place_of_noise(experiment, node.pointer()) : obstacle->place,
                       obstacle->expected, obstacle->found + ", " + variant.name, obstacle->hint);
    };
    // Each problem with the first variant, and each variant with the first problem: all
    // combinations would take as long as the sweep.
    std::size_t problems = experiment.problems.size();
    for_each_variant(
        experiment, first_platform(platform), platform.name(), [&](const Variant& variant) {
          for (const auto& requested : experiment.block_sizes) {
            const std::int64_t q = platform.block_size(requested);
            for (std::size_t n = 0; n < problems; ++n) {
              check({variant.file,
                     parse_problem(experiment.problems[n], q, node.at("problems").pointer())},
                    variant);
            }
          }
          problems = 1;
        });
  }
}

}  // namespace starport
