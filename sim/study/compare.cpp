#include "sim/study/compare.hpp"

#include "sim/platform/noise_text.hpp"
#include "sim/process/progress.hpp"
#include "sim/study/common_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport {

void check(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
           const Models& models, const RunOptions& options) {
  for (const Model* model : models_of(algorithms, models)) {
    std::vector<NamedAlgorithm> own;
    std::copy_if(
        algorithms.begin(), algorithms.end(), std::back_inserter(own),
        [&](const NamedAlgorithm& named) { return named.algorithm->model() == model->name(); });
    model->check(own, instance, options.limits);
    model->check_engine(options.engine, instance);
  }
}

Comparison comparison_of(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
                         const Models& models, EngineKind engine, const Noise& noise) {
  Comparison comparison{.instance = instance,
                        .engine = engine,
                        .noise = to_text(noise),
                        .models = models_of(algorithms, models)};
  for (const Model* model : comparison.models) {
    comparison.bounds.push_back(model->bounds(instance, noise));
  }
  return comparison;
}

Record run_repeatedly(const std::function<Record(const RunOptions&)>& run,
                      const RunOptions& options, std::int64_t repetitions) {
  std::vector<Record> records;
  std::vector<double> makespans_s;
  RunOptions one = options;
  for (one.noise.repetition = 1; one.noise.repetition <= repetitions; ++one.noise.repetition) {
    Record& record = records.emplace_back(run(one));
    one.take_timeline = nullptr;  // the first one's only
    if (record.status == Status::error && repetitions > 1) {
      record.error = fmt::format("repetition {}: {}", one.noise.repetition, record.error);
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
  record.repetitions = repetitions_of(std::move(makespans_s));
  record.figures.set(kMakespan, record.repetitions->mean_s);
  return record;
}

Comparison compare(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
                   const Models& models, const Repeated& repeated) {
  const RunOptions& options = repeated.options;
  Comparison comparison =
      comparison_of(algorithms, instance, models, options.engine, options.noise);
  const Progress progress;
  for (const NamedAlgorithm& named : algorithms) {
    progress.show(
        fmt::format("[{}/{}] {}", comparison.records.size() + 1, algorithms.size(), named.name));
    const Model& model = model_of(*named.algorithm, models);
    RunOptions own = options;
    if (repeated.take_timeline) {
      own.take_timeline = [&](const Timeline& timeline) {
        repeated.take_timeline(named.name, timeline);
      };
    }
    comparison.records.push_back(
        run_repeatedly([&](const RunOptions& one) { return model.run(named, instance, one); }, own,
                       repeated.repetitions));
  }
  relate(comparison);
  return comparison;
}

}  // namespace starport
