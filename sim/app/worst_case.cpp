#include "sim/app/worst_case.hpp"

#include "sim/app/model_registry.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace starport {
namespace {

/// Share of the ratio that the simplified instance keeps.
constexpr double kKeptShare = 0.95;
/// Largest number of evaluations to simplify an instance.
constexpr std::int64_t kSimplifications = 2000;

std::vector<NamedAlgorithm> read_heuristics(const std::string& list, const std::string& place) {
  auto heuristics = model_registry().read_algorithms(list, place);
  for (NamedAlgorithm& heuristic : heuristics) {
    if (heuristic.algorithm->model() != "star")
      throw InputError(place, "heuristics for stars", heuristic.name);
    heuristic.named = false;
  }
  return heuristics;
}

}  // namespace

worst::Contest read_contest(const std::string& tested, const std::string& tested_place,
                            const std::string& opponents, const std::string& opponents_place) {
  const auto heuristics = read_heuristics(tested, tested_place);
  if (heuristics.size() > 1) throw InputError(tested_place, "one heuristic", "'" + tested + "'");
  worst::Contest contest{.tested = heuristics.front()};
  if (opponents == "bound") return contest;
  contest.rivals = read_heuristics(opponents, opponents_place);
  std::erase_if(contest.rivals,
                [&](const NamedAlgorithm& rival) { return rival.name == contest.tested.name; });
  if (!contest.rivals.empty()) return contest;
  throw InputError(opponents_place, "a heuristic other than " + contest.tested.name + ", or bound",
                   "'" + opponents + "'");
}

std::optional<WorstCase> find_worst_case(const worst::Contest& contest,
                                         const WorstCaseOptions& options) {
  if (options.space.port.kind == Port::Kind::multi) {
    throw InputError("/port", "one-port or two-port, which the analytic engine simulates",
                     "multi-port")
        .in_file(options.space.name);
  }
  const worst::Evaluate evaluate =
      worst::make_objective(contest, model_registry().models, options.runs);
  worst::Search search(options.space, options.evaluations, options.seed);
  if (options.resumes) {
    with_file_in_errors(options.saved.value(), [&] {
      search.load(load_json(*options.saved));
      return 0;
    });
  } else {
    worst::check_feasible(contest, options.space, evaluate, "--within");
  }
  const auto on_round = [&](const worst::Search& state) {
    if (options.saved) {
      OutputFile file(*options.saved, "--save");
      file.write(state.save().dump() + "\n");
      file.commit();
    }
    options.on_round(state);
  };
  WorstCase result;
  result.is_complete =
      worst::run_search(search, evaluate, options.jobs, options.should_continue, on_round);
  const auto best = search.best();
  if (!best) return std::nullopt;
  result.found = *best;
  result.simple = worst::simplify(*best, options.space, kKeptShare, kSimplifications, evaluate);
  result.evaluations = search.evaluations();
  result.failures = search.failures();
  result.first_failure = search.first_failure().second;
  return result;
}

std::string problem_text(const WorstCase& result) {
  const Problem& problem = result.simple.instance.problem;
  return fmt::format("{}x{}x{}", problem.r * problem.block_size, problem.t * problem.block_size,
                     problem.s * problem.block_size);
}

std::string platform_text(const worst::Contest& contest, const WorstCase& result) {
  PlatformFile file = result.simple.instance.file;
  file.name = fmt::format("worst case of {} against {}", contest.tested.name, contest.opponent());
  file.provenance = fmt::format("starport worst: ratio {:.4g} with --problem {}",
                                result.simple.ratio, problem_text(result));
  return to_json(file);
}

nlohmann::ordered_json to_json(const worst::Contest& contest, const WorstCase& result,
                               const WorstCaseOptions& options) {
  return {{"heuristic", contest.tested.name},
          {"against", contest.rivals.empty() ? "bound" : contest.opponent()},
          {"ratio", result.simple.ratio},
          {"ratio_before_simplification", result.found.ratio},
          {"within", options.space.name},
          {"seed", options.seed},
          {"evaluations", result.evaluations},
          {"failures", result.failures},
          {"first_failure", result.first_failure},
          {"problem", problem_text(result)},
          {"platform", nlohmann::ordered_json::parse(platform_text(contest, result))}};
}

std::pair<Comparison, std::vector<Timeline>> check_worst_case(const worst::Contest& contest,
                                                              const WorstCase& result,
                                                              const WorstCaseOptions& options) {
  std::vector<NamedAlgorithm> algorithms{contest.tested};
  algorithms.insert(algorithms.end(), contest.rivals.begin(), contest.rivals.end());
  std::vector<Timeline> timelines;
  RunOptions runs = options.runs;
  runs.isolated = true;
  runs.on_timeline = [&](const Timeline& timeline) { timelines.push_back(timeline); };
  const Case& instance = result.simple.instance;
  Comparison comparison = compare(algorithms, instance, model_registry().models, runs);
  runs.on_timeline = {};
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    if (comparison.records[i].status == Status::not_applicable) continue;
    if (comparison.records[i].status == Status::error)
      throw SimulationError(algorithms[i].name + ": " + comparison.records[i].error);
    const std::string difference =
        star_model().find_difference(algorithms[i], instance, runs, EngineKind::simgrid);
    if (!difference.empty())
      throw SimulationError(algorithms[i].name + ": SimGrid gives other dates: " + difference);
  }
  if (timelines.size() > 2) {
    std::ranges::stable_sort(timelines.begin() + 1, timelines.end(), {}, &Timeline::makespan_s);
    timelines.resize(2);
  }
  return {std::move(comparison), std::move(timelines)};
}

}  // namespace starport
