#include "sim/results/comparison.hpp"

#include "sim/files/numbers.hpp"
#include "sim/files/output.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/platform/ties.hpp"
#include "sim/platform/uncertainty.hpp"
#include "sim/process/progress.hpp"
#include "sim/results/figure.hpp"
#include "sim/results/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

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

constexpr std::size_t kMaxCompared = 4;

struct DrawnRuns {
  std::string algorithm;
  std::vector<double> makespans_s;  ///< one for each draw
};

/// Returns the index of a model in `models`, or their number if it is not among them.
std::size_t place_of(const Model* model, const Models& models) {
  return static_cast<std::size_t>(std::ranges::find(models, model) - models.begin());
}

/// Returns the makespans of one algorithm under each of the draws, or an empty list when one of
/// its runs fails.
std::vector<double> makespans_of(const NamedAlgorithm& algorithm, const Model& model,
                                 const Case& instance, const RunOptions& options,
                                 const std::vector<Noise>& draws) {
  std::vector<RunInput> runs;
  for (const Noise& noise : draws) runs.push_back({instance, noise});
  std::vector<double> makespans_s;
  for (const Record& record : model.run_batch(algorithm, runs, options)) {
    if (record.status != Status::ok) return {};
    makespans_s.push_back(record.figures.real(kMakespan));
  }
  return makespans_s;
}

/// Simulates the fastest algorithms under all draws; skips those that cannot be.
std::vector<DrawnRuns> simulate_draws(const Comparison& comparison,
                                      const std::vector<NamedAlgorithm>& algorithms,
                                      const RunOptions& options, const std::vector<Noise>& draws) {
  const ProgressLine progress;
  std::vector<DrawnRuns> runs;
  RunOptions first_draw = options;
  first_draw.noise = draws.front();
  for (const Record* record : fastest_first(comparison)) {
    if (runs.size() == kMaxCompared) break;
    const auto named = std::ranges::find(algorithms, record->algorithm, &NamedAlgorithm::name);
    const Model& model = *record->model;
    if (named == algorithms.end() || model.find_obstacle(comparison.instance, first_draw)) continue;
    progress.show(fmt::format("{} on {} drawn platforms", named->name, draws.size()));
    auto makespans_s = makespans_of(*named, model, comparison.instance, options, draws);
    if (!makespans_s.empty()) runs.push_back({named->name, std::move(makespans_s)});
  }
  return runs;
}

}  // namespace

std::vector<const Record*> fastest_first(const Comparison& comparison) {
  std::vector<const Record*> ranked;
  for (const Record& record : comparison.records) {
    if (record.status == Status::ok) ranked.push_back(&record);
  }
  std::ranges::stable_sort(ranked, {},
                           [](const Record* record) { return record->figures.real(kMakespan); });
  return ranked;
}

void add_bounds(Comparison& comparison, const Model& model, const RunOptions& options) {
  Figures& bounds = comparison.bounds.emplace_back();
  std::string& reason = comparison.bounds_errors.emplace_back();
  const auto leave_empty = [&](const char* why, const char* hint = "") {
    reason = why;
    print_notice(
        fmt::format("The bounds of the model {} cannot be computed: {}. Their columns stay empty{}",
                    model.name(), why, hint));
  };
  try {
    bounds = model.bounds_within(comparison.instance, options);
  } catch (const SimulationError& error) {
    const auto* failure = dynamic_cast<const MachineError*>(&error);
    const bool late = failure != nullptr && failure->cause() == FailureCause::time;
    leave_empty(error.what(), late ? "; --time-limit gives them more time" : "");
  } catch (const std::bad_alloc&) {  // in this process
    leave_empty("not enough memory");
  }
}

const Figures& Comparison::bounds_of(const Model* model) const {
  static const Figures none;
  const std::size_t place = place_of(model, models);
  return place < bounds.size() ? bounds[place] : none;
}

Details Comparison::details_of(const Record& record) const {
  Details details = record.details;
  const std::size_t place = place_of(record.model, models);
  if (place < bounds_errors.size() && !bounds_errors[place].empty()) {
    details.emplace_back("no_bounds", bounds_errors[place]);
  }
  return details;
}

bool Comparison::has_repetitions() const {
  return std::ranges::any_of(records,
                             [](const Record& record) { return !record.makespans_s.empty(); });
}

bool Comparison::has_attempts(const Model& model) const {
  return std::ranges::any_of(records, [&](const Record& record) {
    return record.model == &model && record.status != Status::not_applicable;
  });
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
    if (!model->find_obstacle(instance, options)) {
      add_bounds(comparison, *model, options);
    } else {
      comparison.bounds.emplace_back();
      comparison.bounds_errors.emplace_back();
    }
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

std::optional<RankingConfidence> estimate_ranking_confidence(
    const Comparison& comparison, const std::vector<NamedAlgorithm>& algorithms,
    const RunOptions& options, std::int64_t draws) {
  const Case& instance = comparison.instance;
  const auto uncertain = estimate_uncertainty(instance.file, instance.problem.block_size);
  if (uncertain.empty() || draws == 0) return std::nullopt;
  RunOptions drawn = options;
  drawn.engine = EngineKind::analytic;
  drawn.isolated = false;
  drawn.worker_figures = false;
  drawn.on_timeline = nullptr;
  std::vector<Noise> noises;
  for (std::int64_t draw = 1; draw <= draws; ++draw) {
    noises.push_back(with_drawn_platform(options.noise, uncertain, options.noise.seed, draw));
    noises.back().repetition = draw;
  }
  const std::vector<DrawnRuns> runs = simulate_draws(comparison, algorithms, drawn, noises);
  if (runs.size() < 2) return std::nullopt;

  RankingConfidence confidence{.draws = draws, .seed = options.noise.seed};
  for (const DrawnRuns& run : runs) {
    RankingConfidence::Share share{.algorithm = run.algorithm};
    for (std::size_t draw = 0; draw < noises.size(); ++draw) {
      double least_s = std::numeric_limits<double>::infinity();
      for (const DrawnRuns& other : runs) least_s = std::min(least_s, other.makespans_s[draw]);
      const double own_s = run.makespans_s[draw];
      if (!clearly_less(least_s, own_s)) share.fastest += 1;
      if (clearly_less(runs.front().makespans_s[draw], own_s)) share.beaten += 1;
    }
    share.fastest /= static_cast<double>(draws);
    share.beaten /= static_cast<double>(draws);
    confidence.shares.push_back(std::move(share));
  }
  return confidence;
}

}  // namespace starport
