#include "sim/worst/objective.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/models/spmd/spmd_model.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/models/tiles/tile_model.hpp"
#include "sim/process/process_pool.hpp"
#include "sim/results/record.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport::worst {
namespace {

/// Returns the lower bound in seconds on the makespan of any schedule; NaN if there is none.
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

}  // namespace

std::string Contest::opponent() const {
  if (rivals.empty()) return "the lower bound for any schedule";
  std::string names = rivals.size() == 1 ? "" : "the best of ";
  for (const NamedAlgorithm& rival : rivals)
    names += (&rival == &rivals[0] ? "" : ", ") + rival.name;
  return names;
}

Evaluate make_objective(const Contest& contest, const Model& model, const RunOptions& options) {
  return [contest, &model, options](std::span<const Case> instances) {
    std::vector<RunInput> inputs;
    std::vector<double> opponents_s;
    for (const Case& instance : instances) {
      inputs.push_back({instance, options.noise});
      opponents_s.push_back(contest.rivals.empty() ? makespan_bound_s(model, instance)
                                                   : std::numeric_limits<double>::infinity());
    }
    for (const NamedAlgorithm& rival : contest.rivals) {
      const std::vector<Record> records = model.run_batch(rival, inputs, options);
      for (std::size_t i = 0; i < records.size(); ++i) {
        if (records[i].status == Status::ok)
          opponents_s[i] = std::min(opponents_s[i], records[i].figures.real(kMakespan));
      }
    }
    const std::vector<Record> records = model.run_batch(contest.tested, inputs, options);
    std::vector<Loss> losses(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      losses[i].failure = records[i].error;
      if (records[i].status == Status::ok)
        losses[i].ratio = records[i].figures.real(kMakespan) / opponents_s[i];
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
        .run = [&](std::int64_t group) { return to_json_line(search.advance(group, evaluate)); },
        .on_finished =
            [&](std::int64_t group, std::string_view state) {
              states[static_cast<std::size_t>(group)] = nlohmann::json::parse(state);
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

}  // namespace starport::worst
