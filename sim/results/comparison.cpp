#include "sim/results/comparison.hpp"

#include "sim/files/numbers.hpp"
#include "sim/platform/noise/noise_text.hpp"
#include "sim/process/progress.hpp"
#include "sim/results/common_figures.hpp"
#include "sim/results/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace starport {
namespace {

/// Computes intervals of the records with repetitions, and of their differences from the record
/// with the smallest mean.
void relate_repetitions(Comparison& comparison) {
  const Record* best = nullptr;
  for (const Record& record : comparison.records) {
    if (record.makespans_s.empty()) continue;
    if (best == nullptr || record.figures.real(kMakespan) < best->figures.real(kMakespan)) {
      best = &record;
    }
  }
  if (best == nullptr) return;
  const double best_s = best->figures.real(kMakespan);
  for (Record& record : comparison.records) {
    if (record.makespans_s.empty()) continue;
    const Interval interval_s = interval_of(record.makespans_s);
    const Interval apart_s = paired_interval(record.makespans_s, best->makespans_s);
    Figures& figures = record.figures;
    figures.set(kRepetitionCount, std::ssize(record.makespans_s));
    figures.set(kMedianMakespan, median_of(record.makespans_s));
    figures.set(kLowMakespan, interval_s.low);
    figures.set(kHighMakespan, interval_s.high);
    figures.set(kLowAboveBest, apart_s.low / best_s);
    figures.set(kHighAboveBest, apart_s.high / best_s);
    figures.set(kWithinNoise, std::int64_t{apart_s.has(0)});
  }
}

}  // namespace

const Figures& Comparison::bounds_of(const Model* model) const {
  static const Figures none;
  const auto found = std::ranges::find(models, model);
  const auto place = static_cast<std::size_t>(found - models.begin());
  return place < bounds.size() ? bounds[place] : none;
}

bool Comparison::has_repetitions() const {
  return std::ranges::any_of(records,
                             [](const Record& record) { return !record.makespans_s.empty(); });
}

double RecordContext::operator[](const Figure& figure) const {
  return figure.scope == Scope::run ? record.figures.real(figure)
                                    : comparison.bounds_of(record.model).real(figure);
}

double RecordContext::minimum(const std::function<double(const RecordContext&)>& value) const {
  double minimum = std::numeric_limits<double>::infinity();
  for (const Record& other : comparison.records) {
    if (other.status == Status::ok) minimum = std::min(minimum, value({comparison, other}));
  }
  return minimum;
}

void compute_relative_figures(Comparison& comparison) {
  relate_repetitions(comparison);
  for (Record& record : comparison.records) {
    if (record.status != Status::ok) continue;
    for (const Figure* figure : record.model->figures()) {
      if (figure->compute == nullptr) continue;
      record.figures.set(*figure, figure->compute({comparison, record}));
    }
  }
}

std::vector<std::pair<std::string, std::string>> pairs_within_noise(const Comparison& comparison) {
  std::vector<const Record*> rows;
  for (const Record& record : comparison.records) {
    if (!record.makespans_s.empty()) rows.push_back(&record);
  }
  std::vector<std::pair<std::string, std::string>> pairs;
  for (auto x = rows.begin(); x != rows.end(); ++x) {
    for (auto y = x + 1; y != rows.end(); ++y) {
      const Interval apart = paired_interval((*x)->makespans_s, (*y)->makespans_s);
      if (apart.has(0)) pairs.emplace_back((*x)->algorithm, (*y)->algorithm);
    }
  }
  return pairs;
}

void check(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
           const Models& models, const RunOptions& options) {
  std::optional<InputError> first_obstacle;
  bool any_fits = false;
  for (const Model* model : models_of(algorithms, models)) {
    std::vector<NamedAlgorithm> own;
    std::ranges::copy_if(algorithms, std::back_inserter(own), [&](const NamedAlgorithm& named) {
      return named.algorithm->model() == model->name();
    });
    auto obstacle = model->find_obstacle(instance, options, own);
    if (!obstacle) any_fits = true;
    if (obstacle && !first_obstacle) first_obstacle = std::move(obstacle);
  }
  if (!any_fits && first_obstacle) throw InputError(*first_obstacle);
}

Comparison make_comparison(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
                           const Models& models, const RunOptions& options) {
  Comparison comparison{.instance = instance,
                        .engine = options.engine,
                        .noise = to_text(options.noise),
                        .models = models_of(algorithms, models)};
  for (const Model* model : comparison.models) {
    comparison.bounds.push_back(model->find_obstacle(instance, options)
                                    ? Figures{}
                                    : model->bounds(instance, options.noise));
  }
  return comparison;
}

NamedAlgorithm adapt_to_models(const NamedAlgorithm& algorithm, const Models& models) {
  NamedAlgorithm adapted = algorithm;
  adapted.named = algorithm.named && models.size() == 1;
  return adapted;
}

Record run(const NamedAlgorithm& algorithm, const Case& instance, const Models& models,
           const RunOptions& options) {
  const Model& model = model_of(*algorithm.algorithm, models);
  const auto obstacle = model.find_obstacle(instance, options);
  if (!obstacle) return model.run(algorithm, instance, options);
  return Record::failed(algorithm.name, &model, Status::not_applicable, obstacle->what());
}

std::vector<Record> run_batch(const NamedAlgorithm& algorithm,
                              std::span<const Case* const> instances, const Models& models,
                              const RunOptions& options) {
  const Model& model = model_of(*algorithm.algorithm, models);
  const bool all_fit = std::ranges::none_of(instances, [&](const Case* instance) {
    return model.find_obstacle(*instance, options).has_value();
  });
  if (all_fit) {
    std::vector<RunInput> runs;
    for (const Case* instance : instances) runs.push_back({*instance, options.noise});
    return model.run_batch(algorithm, runs, options);
  }
  std::vector<Record> records;
  for (const Case* instance : instances) {
    records.push_back(run(algorithm, *instance, models, options));
  }
  return records;
}

Record run_repeatedly(const std::function<Record(const RunOptions&)>& run,
                      const RunOptions& options, std::int64_t repetitions) {
  std::vector<Record> records;
  std::vector<double> makespans_s;
  RunOptions run_options = options;
  for (run_options.noise.repetition = 1; run_options.noise.repetition <= repetitions;
       ++run_options.noise.repetition) {
    Record& record = records.emplace_back(run(run_options));
    run_options.on_timeline = nullptr;  // of the first repetition only
    if (record.status == Status::error && repetitions > 1) {
      record.error = fmt::format("repetition {}: {}", run_options.noise.repetition, record.error);
    }
    if (record.status != Status::ok) return record;
    makespans_s.push_back(record.figures.real(kMakespan));
  }
  if (records.size() == 1) return records.front();
  const auto median = records.begin() + static_cast<std::ptrdiff_t>((records.size() - 1) / 2);
  std::nth_element(records.begin(), median, records.end(), [](const Record& x, const Record& y) {
    return x.figures.real(kMakespan) < y.figures.real(kMakespan);
  });
  Record record = std::move(*median);
  record.figures.set(kMakespan, mean_of(makespans_s));
  record.makespans_s = std::move(makespans_s);
  return record;
}

Comparison compare(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
                   const Models& models, const RunOptions& options, std::int64_t repetitions) {
  Comparison comparison = make_comparison(algorithms, instance, models, options);
  const ProgressLine progress;
  for (const NamedAlgorithm& named : algorithms) {
    progress.show(
        fmt::format("[{}/{}] {}", comparison.records.size() + 1, algorithms.size(), named.name));
    const NamedAlgorithm algorithm = adapt_to_models(named, comparison.models);
    const auto run_once = [&](const RunOptions& run_options) {
      return run(algorithm, instance, models, run_options);
    };
    comparison.records.push_back(run_repeatedly(run_once, options, repetitions));
  }
  compute_relative_figures(comparison);
  return comparison;
}

}  // namespace starport
