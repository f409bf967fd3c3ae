#include "sim/results/certainty.hpp"

#include "sim/platform/ties.hpp"
#include "sim/platform/uncertainty.hpp"
#include "sim/process/progress.hpp"
#include "sim/results/common_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace starport {
namespace {

constexpr std::size_t kMostCompared = 4;

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

/// Those that can be run on all draws.
std::vector<DrawnRuns> drawn_runs(const Comparison& comparison,
                                  const std::vector<NamedAlgorithm>& algorithms,
                                  const RunOptions& options, const std::vector<Noise>& draws) {
  const Progress progress;
  std::vector<DrawnRuns> runs;
  for (const Record* record : fastest_first(comparison)) {
    if (runs.size() == kMostCompared) break;
    const auto named = std::ranges::find(algorithms, record->algorithm, &NamedAlgorithm::name);
    RunOptions one = options;
    one.noise = draws.front();
    if (named == algorithms.end() || record->model->misfit(comparison.instance, one)) continue;
    progress.show(fmt::format("{} on {} drawn platforms", named->name, draws.size()));
    runs.push_back(
        {named->name, record->model->makespans_s(*named, comparison.instance, options, draws)});
    if (runs.back().makespans_s.empty()) runs.pop_back();
  }
  return runs;
}

}  // namespace

std::optional<Certainty> certainty_of(const Comparison& comparison,
                                      const std::vector<NamedAlgorithm>& algorithms,
                                      const RunOptions& options, std::int64_t draws) {
  const Case& instance = comparison.instance;
  const auto uncertain = uncertainty_of(instance.file, instance.problem.block_size);
  if (uncertain.empty() || draws == 0) return std::nullopt;
  RunOptions drawn = options;
  drawn.engine = EngineKind::analytic;
  drawn.isolated = false;
  drawn.worker_figures = false;
  drawn.take_timeline = nullptr;
  std::vector<Noise> noises;
  for (std::int64_t draw = 1; draw <= draws; ++draw) {
    noises.push_back(on_drawn_platform(options.noise, uncertain, options.noise.seed, draw));
    noises.back().repetition = draw;
  }
  const std::vector<DrawnRuns> runs = drawn_runs(comparison, algorithms, drawn, noises);
  if (runs.size() < 2) return std::nullopt;

  Certainty certainty{.draws = draws, .seed = options.noise.seed};
  for (const DrawnRuns& one : runs) {
    Certainty::Share share{.algorithm = one.algorithm};
    for (std::size_t draw = 0; draw < noises.size(); ++draw) {
      double least_s = std::numeric_limits<double>::infinity();
      for (const DrawnRuns& other : runs) least_s = std::min(least_s, other.makespans_s[draw]);
      const double own_s = one.makespans_s[draw];
      if (!clearly_less(least_s, own_s)) share.fastest += 1;
      if (clearly_less(runs.front().makespans_s[draw], own_s)) share.beaten += 1;
    }
    share.fastest /= static_cast<double>(draws);
    share.beaten /= static_cast<double>(draws);
    certainty.shares.push_back(std::move(share));
  }
  return certainty;
}

}  // namespace starport
