#include "sim/sweep/specification.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport {

const std::string& PlatformSource::name() const {
  const auto* file = std::get_if<PlatformFile>(&source);
  return file != nullptr ? file->name : std::get<Generated>(source).generator.name;
}

std::int64_t PlatformSource::workers() const {
  const auto* file = std::get_if<PlatformFile>(&source);
  return file != nullptr ? file->size() : std::get<Generated>(source).workers;
}

const std::vector<std::pair<std::string, std::string>>& PlatformSource::parameters() const {
  static const std::vector<std::pair<std::string, std::string>> none;
  const auto* generated = std::get_if<Generated>(&source);
  return generated != nullptr ? generated->parameters : none;
}

std::int64_t PlatformSource::block_size(const std::optional<std::int64_t>& requested) const {
  const auto* file = std::get_if<PlatformFile>(&source);
  const auto own = file != nullptr ? file->block_size : std::nullopt;
  return requested.value_or(own.value_or(kDefaultBlockSize));
}

std::int64_t Experiment::size() const {
  std::int64_t product = repetitions;
  const auto times = [&](std::size_t values) {
    if (__builtin_mul_overflow(product, static_cast<std::int64_t>(values), &product) ||
        product > kMaxInstances) {
      product = kMaxInstances + 1;
    }
  };
  times(platforms.size());
  times(problems.size());
  times(block_sizes.size());
  for (const Override& axis : overrides) times(axis.values.size());
  return product;
}

std::string SweepInstance::override_text(const std::string& column) const {
  for (const auto& [name, text] : parameters) {
    if (name == column) return text;
  }
  for (std::size_t i = 0; i < override_texts.size(); ++i) {
    if (experiment->overrides[i].column == column) return override_texts[i];
  }
  return "";
}

Case SweepInstance::in_blocks() const {
  return {file, parse_problem(problem_text, block_size, "/problems")};
}

std::int64_t Specification::size() const {
  std::int64_t total = 0;
  for (const Experiment& experiment : experiments) total += experiment.size();
  return total;
}

std::int64_t Specification::rows() const {
  std::int64_t total = 0;
  for (const Experiment& experiment : experiments) {
    total += experiment.size() * static_cast<std::int64_t>(experiment.algorithms->size());
  }
  return total;
}

SweepInstance Specification::instance(std::int64_t number) const {
  SweepInstance result;
  result.number = number;
  std::int64_t rest = number - 1;
  auto experiment = experiments.begin();
  while (rest >= experiment->size()) rest -= (experiment++)->size();
  result.experiment = &*experiment;
  const auto digit = [&](std::size_t values) {
    const auto base = static_cast<std::int64_t>(values);
    const auto value = static_cast<std::size_t>(rest % base);
    rest /= base;
    return value;
  };
  std::vector<std::size_t> choices(experiment->overrides.size());
  for (std::size_t i = choices.size(); i-- > 0;) {
    choices[i] = digit(experiment->overrides[i].values.size());
  }
  const auto requested = experiment->block_sizes[digit(experiment->block_sizes.size())];
  result.problem_text = experiment->problems[digit(experiment->problems.size())];
  result.repetition =
      static_cast<std::int64_t>(digit(static_cast<std::size_t>(experiment->repetitions))) + 1;
  const PlatformSource& platform = experiment->platforms[digit(experiment->platforms.size())];
  if (const auto* generated = std::get_if<PlatformSource::Generated>(&platform.source)) {
    // The seed does not depend on the problem, the block size, the overrides and the parameters, so
    // that these are compared on the same platform, or on the same draws of their distributions.
    result.seed = seed_from_identity(fmt::format("{}\n{}\n{}\n{}", seed, generated->generator.name,
                                                 generated->workers, result.repetition));
    result.file = generated->generator.draw(generated->workers, *result.seed);
  } else {
    result.file = std::get<PlatformFile>(platform.source);
  }
  result.parameters = platform.parameters();
  result.block_size = platform.block_size(requested);
  result.noise = experiment->noise;
  result.noise.repetition = result.repetition;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const Override& axis = experiment->overrides[i];
    axis.apply_to(result.noise, choices[i]);
    result.override_texts.push_back(axis.value_text(choices[i]));
    result.file = axis.apply_to(result.file, choices[i]);
  }
  return result;
}

void Specification::set_models(const Models& available) {
  models_.clear();
  for (const Model* model : available) {
    if (std::ranges::any_of(experiments, [&](const Experiment& experiment) {
          const Models own = models_of(*experiment.algorithms, available);
          return std::ranges::find(own, model) != own.end();
        })) {
      models_.push_back(model);
    }
  }
}

bool Specification::has_noise() const {
  return std::ranges::any_of(experiments, [](const Experiment& experiment) {
    return !experiment.noise.is_none() ||
           std::ranges::any_of(experiment.overrides,
                               [](const Override& axis) { return axis.is_noise(); });
  });
}

std::vector<std::string> Specification::override_columns() const {
  std::vector<std::string> columns;
  const auto add = [&](const std::string& column) {
    if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
  };
  for (const Experiment& experiment : experiments) {
    for (const PlatformSource& platform : experiment.platforms) {
      for (const auto& [parameter, text] : platform.parameters()) add(parameter);
    }
    for (const Override& axis : experiment.overrides) add(axis.column);
  }
  return columns;
}

}  // namespace starport
