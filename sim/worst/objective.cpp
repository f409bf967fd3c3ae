#include "sim/worst/objective.hpp"

#include "sim/files/error.hpp"
#include "sim/models/spmd/spmd_model.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/models/tiles/tile_model.hpp"
#include "sim/process/machine.hpp"
#include "sim/process/process_pool.hpp"
#include "sim/results/record.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport::worst {
namespace {

/// Returns the denominators of the losses: the least makespan of the rivals, or the lower bound, in
/// seconds; infinity or NaN for an instance without one.
std::vector<double> opponents_s(const Contest& contest, std::span<const Case> instances,
                                std::span<const RunInput> inputs, const Model& model,
                                const RunOptions& options) {
  std::vector<double> opponents(instances.size(), std::numeric_limits<double>::infinity());
  for (const NamedAlgorithm& rival : contest.rivals) {
    const std::vector<Record> records = model.run_batch(rival, inputs, options);
    for (std::size_t i = 0; i < instances.size(); ++i) {
      if (records[i].status == Status::ok)
        opponents[i] = std::min(opponents[i], records[i].figures.real(kMakespan));
    }
  }
  if (contest.rivals.empty()) {
    for (std::size_t i = 0; i < instances.size(); ++i)
      opponents[i] = makespan_bound_s(model, instances[i]);
  }
  return opponents;
}

}  // namespace

std::string Contest::opponent() const {
  if (rivals.empty()) return "the lower bound for any schedule";
  if (rivals.size() == 1) return rivals.front().name;
  std::string names;
  for (const NamedAlgorithm& rival : rivals) names += (names.empty() ? "" : ", ") + rival.name;
  return "the best of " + names;
}

double makespan_bound_s(const Model& model, const Case& instance) {
  const Figures bounds = model.bounds(instance, {});
  for (const Figure* bound : {&kAnyScheduleBound, &tiles::kAnyRunBound}) {
    if (!is_none(bounds[*bound])) return bounds.real(*bound);
  }
  if (is_none(bounds[spmd::kBalancedSpeed])) return std::numeric_limits<double>::quiet_NaN();
  const Problem& problem = instance.problem;
  const double flops = 2 * static_cast<double>(problem.updates()) *
                       std::pow(static_cast<double>(problem.block_size), 3);
  return flops / (bounds.real(spmd::kBalancedSpeed) * spmd::kTera);
}

Evaluate make_objective(const Contest& contest, const Model& model, const RunOptions& options) {
  return [contest, &model, options](std::span<const Case> instances) {
    const Noise none;
    std::vector<RunInput> inputs;
    for (const Case& instance : instances) inputs.push_back({instance, none});
    const std::vector<Record> records = model.run_batch(contest.tested, inputs, options);
    const std::vector<double> opponents = opponents_s(contest, instances, inputs, model, options);
    std::vector<Loss> losses;
    for (std::size_t i = 0; i < instances.size(); ++i) {
      const Record& record = records[i];
      if (record.status == Status::ok) {
        losses.push_back({.ratio = record.figures.real(kMakespan) / opponents[i]});
      } else {
        losses.push_back(
            {.ratio = std::numeric_limits<double>::quiet_NaN(), .failure = record.error});
      }
    }
    return losses;
  };
}

bool run_search(Search& search, const Evaluate& evaluate, int processes,
                const std::function<bool()>& should_continue,
                const std::function<void(const Search&)>& on_round) {
  while (!search.is_complete()) {
    std::vector<nlohmann::json> states(Search::kGroups);
    std::string fault;
    const PoolTasks tasks{
        .run =
            [&](std::int64_t group) {
              try {
                return search.advance(group, evaluate).dump();
              } catch (const std::exception& error) {
                return nlohmann::json{{"error", error.what()}}.dump(
                    -1, ' ', false, nlohmann::json::error_handler_t::replace);
              }
            },
        .on_finished =
            [&](std::int64_t group, std::string_view result) {
              states[static_cast<std::size_t>(group)] = nlohmann::json::parse(result);
              const auto& state = states[static_cast<std::size_t>(group)];
              if (state.contains("error")) fault = state["error"];
            },
        .on_lost = [&](std::int64_t, const std::string& reason, FailureCause) { fault = reason; },
        .should_continue = should_continue};
    if (!run_in_processes(Search::kGroups, processes, tasks)) return false;
    if (!fault.empty()) throw SimulationError("the search ended early: " + fault);
    search.finish_round(states);
    on_round(search);
  }
  return true;
}

void check_feasible(const Contest& contest, const SearchSpace& space, const Evaluate& evaluate,
                    const std::string& place) {
  constexpr int draws = 200;
  constexpr double patience_s = 20;
  const Stopwatch watch;
  std::string failure;
  int tried = 0;
  for (; tried < draws && watch.elapsed_s() < patience_s; ++tried) {
    Random random(static_cast<std::uint64_t>(tried));
    const Case instance = space.to_case(space.draw(random));
    const Loss loss = evaluate({&instance, 1}).front();
    if (loss.ratio > 0 && loss.ratio < std::numeric_limits<double>::infinity()) return;
    if (!loss.failure.empty()) failure = loss.failure;
  }
  const std::string why = failure.empty() ? contest.opponent() + " has no makespan"
                                          : contest.tested.name + ": " + failure;
  throw InputError(place,
                   fmt::format("an instance within '{}' on which {} can be compared with {}",
                               space.name, contest.tested.name, contest.opponent()),
                   fmt::format("none in {} draws ({})", tried, why));
}

}  // namespace starport::worst
