// starport_own_claims: searches for instances that contradict what this project claims of itself,
// by the search of `starport worst` with other objectives. Run by hand: it takes minutes.
#include "sim/app/algorithms.hpp"
#include "sim/app/command_line.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/app/program.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/process/progress.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/bounds/makespan_bounds.hpp"
#include "sim/star/validator/validator.hpp"
#include "sim/worst/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

namespace starport {
namespace {

using worst::Evaluate;
using worst::Loss;
using worst::SearchSpace;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// A claim: what contradicts it, and how the search measures how close an instance comes.
struct Claim {
  std::string name;
  std::string about;  ///< the claim, and the ratio above which it does not hold
  double limit;       ///< a ratio above it contradicts the claim
  std::function<double(const Case& instance)> ratio;
};

double makespan_s(const NamedAlgorithm& algorithm, const Case& instance, EngineKind engine) {
  const RunOptions options{.engine = engine, .isolated = false};
  const Record record = star_model().run(algorithm, instance, options);
  return record.status == Status::ok ? record.figures.real(kMakespan) : kNone;
}

NamedAlgorithm find_algorithm(const char* name) {
  NamedAlgorithm algorithm = read_algorithms(name, "HEURISTIC").front();
  algorithm.named = false;
  return algorithm;
}

/// Ratio above which Polaris is slower than it should be. Not 1, because of rounding errors.
constexpr double kSubsetsLimit = 1 + 1e-9;

/// Returns Polaris' makespan over the least one of the seven and of Polaris, with little effort, on
/// each set of workers but all, unless a lower bound, for the set or for more workers, tells that
/// it cannot be faster. (What the seven need on such a set, Polaris needs at most, since they are
/// its rivals there.)
double ratio_to_subsets(const Case& instance) {
  static const auto seven = read_algorithms("all", "HEURISTIC");
  static const NamedAlgorithm quick = find_algorithm("Polaris[effort=low]");
  double least_s = std::numeric_limits<double>::infinity();
  for (NamedAlgorithm heuristic : seven) {
    heuristic.named = false;
    least_s = std::fmin(least_s, makespan_s(heuristic, instance, EngineKind::analytic));
  }
  const double polaris_s = makespan_s(find_algorithm("Polaris"), instance, EngineKind::analytic);
  const std::size_t workers = instance.file.entries.size();
  std::vector<std::size_t> hopeless;
  for (std::size_t subset = (std::size_t{1} << workers) - 2; subset > 0; --subset) {
    const auto includes_it = [&](std::size_t set) { return (subset & ~set) == 0; };
    if (std::ranges::any_of(hopeless, includes_it)) continue;
    Case part = instance;
    part.file.entries.clear();
    for (std::size_t i = 0; i < workers; ++i) {
      if ((subset >> i & 1) != 0) part.file.entries.push_back(instance.file.entries[i]);
    }
    const auto bound_s = any_schedule_bound_s(make_star(part), part.problem);
    if (!bound_s || *bound_s >= std::fmin(least_s, polaris_s)) {
      hopeless.push_back(subset);
    } else {
      least_s = std::fmin(least_s, makespan_s(quick, part, EngineKind::analytic));
    }
  }
  return polaris_s / least_s;
}

/// Returns 1 + the relative difference between the makespans of the two engines, times 1e9.
double difference_of_engines(const Case& instance) {
  static const NamedAlgorithm algorithms[] = {find_algorithm("ODDOML"), find_algorithm("Polaris")};
  double ratio = kNone;
  for (const NamedAlgorithm& algorithm : algorithms) {
    const double analytic_s = makespan_s(algorithm, instance, EngineKind::analytic);
    const double simgrid_s = makespan_s(algorithm, instance, EngineKind::simgrid);
    if (std::isnan(analytic_s) && std::isnan(simgrid_s)) continue;
    if (std::isnan(analytic_s) || std::isnan(simgrid_s)) return 1e9;  // one of them failed
    ratio = std::fmax(ratio, 1 + std::abs(simgrid_s / analytic_s - 1) * 1e9);
  }
  return ratio;
}

/// Plants faults in a trace of ODDOML, one after the other, and returns 2 if the validator misses
/// one, else less than 2: more, the closer a fault is to the validator's tolerance.
double missed_faults(const Case& instance) {
  const Platform platform = make_star(instance);
  Trace trace;
  try {
    const NamedAlgorithm algorithm = find_algorithm("ODDOML");
    const Plan plan = make_planner(algorithm, platform, instance.problem)();
    trace = run_to_trace(*plan.dispatcher, platform, instance.problem);
  } catch (const std::exception&) {
    return kNone;
  }
  if (find_violation(platform, instance.problem, trace)) return 3;  // a right trace is refused
  double end_s = 0;
  for (const TracedTransfer& traced : trace) end_s = std::max(end_s, traced.dates.end_s);
  double smallest = 1;
  for (std::size_t k = 0; k < trace.size(); k += std::max<std::size_t>(1, trace.size() / 20)) {
    const Dates& right = trace[k].dates;
    const auto is_missed = [&](Dates faulty) {
      Trace mutant = trace;
      mutant[k].dates = faulty;
      return !find_violation(platform, instance.problem, mutant);
    };
    // Earlier or shorter by a thousandth of the transfer, if that is a difference at all.
    const double duration_s = right.end_s - right.start_s;
    const double shift_s = duration_s / 1000;
    smallest = std::min(smallest, shift_s / end_s);
    if (shift_s < 1e-7 * end_s) continue;
    Dates earlier = right;
    earlier.end_s -= shift_s;
    Dates delayed = right;
    delayed.start_s += shift_s;
    delayed.end_s += shift_s;
    if (is_missed(earlier) || is_missed(delayed)) return 2;
  }
  return 2 - std::min(1.0, smallest);
}

/// Returns the processor time, in seconds, that Polaris takes to plan an instance and run the plan.
double processor_time_s(const Case& instance) {
  const std::clock_t begin = std::clock();
  const double end_s = makespan_s(find_algorithm("Polaris"), instance, EngineKind::analytic);
  return std::isnan(end_s) ? kNone : static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// Returns how many times as long Polaris decides as for the same product on as many workers that
/// all equal the first one, of which there are 8 sets instead of 254. Differs a little from run to
/// run.
double decision_time_ratio(const Case& instance) {
  constexpr double shortest_s = 0.001;  // what is shorter does not matter
  Case equal = instance;
  std::ranges::fill(equal.file.entries, equal.file.entries.front());
  return processor_time_s(instance) / std::max(shortest_s, processor_time_s(equal));
}

const std::vector<Claim>& claims() {
  static const std::vector<Claim> all{
      {"subsets", "no heuristic is faster than Polaris, on all workers or on some of them",
       kSubsetsLimit, ratio_to_subsets},
      {"engines", "both engines give the same makespan within 1e-9", 2, difference_of_engines},
      {"validator", "the validator finds a transfer that ends or starts a thousandth too early",
       1.999999, missed_faults},
      {"decision", "Polaris decides in 50 times the time that it takes on equal workers", 50,
       decision_time_ratio}};
  return all;
}

int own_claims(const std::vector<std::string>& arguments) {
  CommandLine line(
      "", {"CLAIM"},
      "Searches for the instance that comes closest to contradicting a claim: subsets, "
      "engines,\nvalidator or decision.",
      "starport_own_claims subsets --within anything --evaluations 2000");
  line.add("within", "SPACE", "typical, anything, or a JSON file", "anything")
      .add("evaluations", "N", "number of instances to try", "2000")
      .add("seed", "N", "seed of the search", "1");
  line.add_jobs("groups of chains");
  if (!line.parse(arguments)) return kSuccess;
  const auto claim = std::ranges::find(claims(), line.text("CLAIM"), &Claim::name);
  if (claim == claims().end())
    throw InputError("CLAIM", "subsets, engines, validator or decision", line.text("CLAIM"));
  SearchSpace space = worst::find_search_space(line.text("within"), "star");
  if (claim->name == "subsets") {  // 254 subsets at most
    for (double* end : {&space.linked.count.low, &space.linked.count.high})
      *end = std::clamp(*end, 2.0, 8.0);
  }
  if (claim->name == "validator") space.max_updates = 1e4;
  const Evaluate evaluate = [&](std::span<const Case> instances) {
    std::vector<Loss> losses;
    for (const Case& instance : instances) losses.push_back({.ratio = claim->ratio(instance)});
    return losses;
  };
  worst::Search search(space, *line.integer("evaluations", 1, 1'000'000'000),
                       static_cast<std::uint64_t>(*line.integer("seed", 0, 1'000'000'000)));
  const ProgressLine progress;
  stop_on_signals();
  const auto should_continue = [] { return stop_signal() == 0; };
  worst::run_search(search, evaluate, line.jobs(), should_continue,
                    [&](const worst::Search& state) {
                      progress.show(fmt::format("{} evaluations, ratio {:.6g}", state.evaluations(),
                                                state.best() ? state.best()->ratio : kNone));
                    });
  const auto best = search.best();
  if (!best) throw SimulationError("no instance has a ratio");
  const worst::Found found = worst::simplify(*best, space, claim->limit < 10 ? 0.9999 : 0.95, 300,
                                             evaluate, should_continue);
  const Case instance = space.to_case(found.instance);
  const bool holds = found.ratio <= claim->limit;
  print(fmt::format("{}: {} after {} evaluations; ratio {:.9g}, limit {}\n--problem {}x{}x{}\n{}\n",
                    claim->about, holds ? "not contradicted" : "CONTRADICTED", search.evaluations(),
                    found.ratio, claim->limit, instance.problem.r * instance.problem.block_size,
                    instance.problem.t * instance.problem.block_size,
                    instance.problem.s * instance.problem.block_size, to_json(instance.file)));
  return holds ? kSuccess : kFailedSimulation;
}

}  // namespace
}  // namespace starport

int main(int argc, char** argv) { return starport::run_program(argc, argv, starport::own_claims); }
