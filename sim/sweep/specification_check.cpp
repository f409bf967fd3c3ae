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

/// What instances have of an experiment's axes.
struct Variant {
  PlatformFile file;
  Noise noise;
  std::string name;
};

/// Visits the platform with the first value of each axis, then with each other one of one axis.
template <class Visit>
void for_each_variant(const Experiment& experiment, const PlatformFile& file,
                      const std::string& name, Visit&& visit) {
  const auto visit_with = [&](const Override* axis, std::size_t value, const std::string& own) {
    Variant variant{file, experiment.noise, own};
    for (const Override& other : experiment.overrides) {
      const std::size_t index = &other == axis ? value : 0;
      variant.file = other.applied(variant.file, index);
      other.apply(variant.noise, index);
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

PlatformFile first_of(const PlatformSource& platform) {
  if (const auto* file = std::get_if<PlatformFile>(&platform.source)) return *file;
  const auto& drawn = std::get<PlatformSource::Generated>(platform.source);
  return drawn.generator.draw(drawn.workers, 0);
}

/// Why no algorithm of the models can run on such a platform; none when one can.
std::optional<InputError> find_obstacle(const Models& models, const Case& instance, const Noise& noise) {
  std::optional<InputError> why;
  for (const Model* model : models) {
    for (const EngineKind engine : {EngineKind::analytic, EngineKind::simgrid}) {
      why = model->find_obstacle(instance, {.engine = engine, .noise = noise});
      if (!why) return std::nullopt;
    }
  }
  return why;
}

}  // namespace

/// Where one model can run, the rows of the others say that they do not apply.
void try_out(const Experiment& experiment, const Models& known, const JsonNode& node) {
  check_noise_axes(experiment);
  const Models models = models_of(*experiment.algorithms, known);
  for (const PlatformSource& platform : experiment.platforms) {
    check_workers(experiment.noise, platform.workers(), platform.name(), node.pointer() + "/noise");
    const bool drawn = !std::holds_alternative<PlatformFile>(platform.source);
    const auto check = [&](const Case& instance, const Variant& variant) {
      std::optional<InputError> why = find_obstacle(models, instance, {});
      const bool for_noise = !why;
      if (for_noise) why = find_obstacle(models, instance, variant.noise);
      if (!why || (drawn && !for_noise)) return;  // the next one drawn may do
      throw InputError(for_noise ? place_of_noise(experiment, node.pointer()) : why->place,
                       why->expected, why->found + ", " + variant.name, why->hint);
    };
    // Each problem with the first variant, and each variant with the first problem: all of both
    // would be the campaign itself.
    std::size_t problems = experiment.problems.size();
    for_each_variant(experiment, first_of(platform), platform.name(), [&](const Variant& variant) {
      for (const auto& asked : experiment.block_sizes) {
        const std::int64_t q = platform.block_size(asked);
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
