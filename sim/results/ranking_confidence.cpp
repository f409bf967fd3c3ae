#include "sim/results/ranking_confidence.hpp"

#include "sim/platform/ties.hpp"
#include "sim/platform/uncertainty.hpp"
#include "sim/process/progress.hpp"
#include "sim/results/common_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace starport {
namespace {

constexpr std::size_t kMaxCompared = 4;

struct DrawnRuns {
  std::string algorithm;
  std::vector<double> makespans_s;  ///< one for each draw
};

std::vector<const Record*> fastest_first(const Comparison& comparison) {
  std::vector<const Record*> ranked;
  for (const Record& record : comparison.records) {
    if (record.status == Status::ok) ranked.push_back(&record);
  }
  std::ranges::stable_sort(ranked, {},
                           [](const Record* record) { return record->figures.real(kMakespan); });
  return ranked;
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
