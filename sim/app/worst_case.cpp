#include "sim/app/worst_case.hpp"

#include "sim/app/model_registry.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/process/machine.hpp"
#include "sim/star/heuristic.hpp"
#include "sim/tiles/tile_algorithm.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace starport {
namespace {

/// Share of the ratio that the simplified instance keeps.
constexpr double kKeptShare = 0.95;

std::vector<NamedAlgorithm> read_heuristics(const std::string& list, const std::string& place) {
  auto heuristics = model_registry().read_algorithms(list, place);
  for (NamedAlgorithm& heuristic : heuristics) heuristic.named = false;
  return heuristics;
}

const Model& model_of(const worst::Contest& contest) {
  return model_of(*contest.tested.algorithm, model_registry().models);
}

/// Returns whether a heuristic of the contest is not one of this program, so that it may crash or
/// never end.
bool has_external(const worst::Contest& contest) {
  const auto is_external = [](const NamedAlgorithm& named) {
    const auto* heuristic = dynamic_cast<const Heuristic*>(named.algorithm.get());
    const auto* strategy = dynamic_cast<const tiles::TileAlgorithm*>(named.algorithm.get());
    return (heuristic != nullptr && heuristic->origin() == Origin::external) ||
           (strategy != nullptr && strategy->is_external());
  };
  return is_external(contest.tested) || std::ranges::any_of(contest.rivals, is_external);
}

/// Draws instances until one counts, i.e. has a finite loss above 0, so that a search that cannot
/// succeed is refused before it starts. Throws InputError if the model cannot run on the space, or
/// if none counts in 200 draws or, checked after each draw, within 20 s, at which a run is ended.
void check_space(const worst::Contest& contest, const WorstCaseOptions& options, RunOptions runs) {
  constexpr std::uint64_t draws = 200;
  constexpr double patience_s = 20;
  double& limit_s = runs.limits.time_limit_s;
  limit_s = limit_s > 0 ? std::min(limit_s, patience_s) : patience_s;
  const worst::Evaluate evaluate = worst::make_objective(contest, model_of(contest), runs);
  const Stopwatch watch;
  std::string reason = contest.opponent() + " has no makespan";
  std::uint64_t tried = 0;
  for (; tried < draws && watch.elapsed_s() < patience_s; ++tried) {
    Random random(tried);
    const Case instance = options.space.to_case(options.space.draw(random));
    const auto obstacle = model_of(contest).find_obstacle(instance, options.runs);
    if (obstacle) throw InputError(*obstacle).in_file(options.space.name);
    const worst::Loss loss = evaluate({&instance, 1}).front();
    if (loss.ratio > 0 && std::isfinite(loss.ratio)) return;
    if (!loss.failure.empty()) reason = contest.tested.name + ": " + loss.failure;
  }
  throw InputError("--within",
                   fmt::format("an instance within '{}' on which {} can be compared with {}",
                               options.space.name, contest.tested.name, contest.opponent()),
                   fmt::format("none in {} draws ({})", tried, reason));
}

nlohmann::ordered_json to_json(Case instance, const std::string& name,
                               const std::string& provenance) {
  instance.file.name = name;
  instance.file.provenance = provenance;
  return {{"problem", problem_text(instance.problem)},
          {"platform", nlohmann::ordered_json::parse(to_json(instance.file))}};
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
  const std::string_view model = contest.tested.algorithm->model();
  for (const NamedAlgorithm& rival : contest.rivals) {
    if (rival.algorithm->model() == model) continue;
    throw InputError(
        opponents_place,
        fmt::format("algorithms of the model '{}', as {} is", model, contest.tested.name),
        fmt::format("{} ({})", rival.name, rival.algorithm->model()));
  }
  if (!contest.rivals.empty()) return contest;
  throw InputError(opponents_place, "a heuristic other than " + contest.tested.name + ", or bound",
                   "'" + opponents + "'");
}

std::optional<WorstCase> find_worst_case(const worst::Contest& contest,
                                         const WorstCaseOptions& options) {
  RunOptions runs = options.runs;
  runs.isolated = has_external(contest);
  check_space(contest, options, runs);
  const worst::Evaluate evaluate = worst::make_objective(contest, model_of(contest), runs);
  worst::Search search(options.space, options.evaluations, options.seed);
  if (options.resumes) {
    with_file_in_errors(options.saved.value(),
                        [&] { return search.load(load_json(*options.saved)); });
  }
  // A state that was read may be replaced by its continuation.
  const char* option = options.resumes ? "" : "--save";
  if (options.saved) const OutputFile writable(*options.saved, option);
  const auto on_round = [&](const worst::Search& state) {
    if (options.saved) {
      OutputFile file(*options.saved, option);
      file.write(to_json_line(state.save()) + "\n");
      file.commit();
    }
    options.on_round(state);
  };
  WorstCase result;
  result.is_complete =
      worst::run_search(search, evaluate, options.jobs, options.should_continue, on_round);
  const auto best = search.best();
  if (!best) return std::nullopt;
  const worst::Found simple = worst::simplify(*best, options.space, kKeptShare, options.evaluations,
                                              evaluate, options.should_continue);
  result.instance = options.space.to_case(simple.instance);
  result.ratio = simple.ratio;
  result.ratio_found = best->ratio;
  result.evaluations = search.evaluations();
  result.failures = search.failures();
  result.failure = search.first_failure().reason;
  if (!result.failure.empty())
    result.failing_instance = options.space.to_case(search.first_failure().instance);
  return result;
}

std::string problem_text(const Problem& problem) {
  return fmt::format("{}x{}x{}", problem.r * problem.block_size, problem.t * problem.block_size,
                     problem.s * problem.block_size);
}

nlohmann::ordered_json to_json(const worst::Contest& contest, const WorstCase& result,
                               const WorstCaseOptions& options) {
  const std::string title =
      fmt::format("worst case of {} against {}", contest.tested.name, contest.opponent());
  nlohmann::ordered_json json{{"heuristic", contest.tested.name},
                              {"against", contest.against()},
                              {"ratio", result.ratio},
                              {"ratio_before_simplification", result.ratio_found},
                              {"within", options.space.name},
                              {"seed", options.seed},
                              {"evaluations", result.evaluations}};
  json.update(to_json(result.instance, title,
                      fmt::format("starport worst: ratio {:.4g} with --problem {}", result.ratio,
                                  problem_text(result.instance.problem))));
  json["failures"] = result.failures;
  if (result.failing_instance) {
    json["failure"] = {{"reason", result.failure}};
    json["failure"].update(
        to_json(*result.failing_instance, contest.tested.name + " fails", result.failure));
  }
  return json;
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
  Comparison comparison = compare(algorithms, result.instance, model_registry().models, runs);
  runs.on_timeline = {};
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    if (comparison.records[i].status == Status::not_applicable) continue;
    if (comparison.records[i].status == Status::error)
      throw SimulationError(algorithms[i].name + ": " + comparison.records[i].error);
    const std::string difference = model_of(contest).find_difference(algorithms[i], result.instance,
                                                                     runs, EngineKind::simgrid);
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
