// Small platforms and runs on the star, random instances.
#pragma once

#include "heuristics/star/registry.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/platform/random.hpp"
#include "sim/star/engine/simgrid/simgrid_engine.hpp"
#include "sim/star/trace.hpp"
#include "tests/support.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace starport {

/// Of what the program knows.
inline Specification load_specification(const std::string& path) {
  return load_specification(path, model_registry());
}

}  // namespace starport

namespace starport::test {

/// A case without a file of its own.
Case case_of(const Platform& platform, const Problem& problem, const std::string& path = "");

/// Workers given as (c, w, m) or (c, w, m, latency).
Platform star(PerWorker<Worker> workers);

/// The trace of a heuristic on SimGrid. `name` as on the command line.
Trace simulate(const std::string& name, const Platform& platform, const Problem& problem);
/// Returns the run of a plan under the recurrence, as AnalyticEngine().run() but in this process:
/// for many runs, since a child takes longer than a short run. The planner's exceptions pass
/// through.
Run run_here(const Platform& platform, const Problem& problem, const Planner& planner,
             const Noise& noise = {});
/// Runs a plan under the recurrence (`run_here()`) and on SimGrid. Expects that both give the same
/// transfers, dates and details, which obey the model, or fail with the same message. Returns the
/// run under the recurrence; what that throws passes through.
Run run_on_both_engines(const Platform& platform, const Problem& problem, const Planner& planner,
                        const Noise& noise = {});
Run run_on_both_engines(const std::string& name, const Platform& platform, const Problem& problem,
                        const Noise& noise = {});
/// The noise that `text` describes, as --noise takes it.
Noise noise_of(const std::string& text);
/// Returns whether the schedule of `trace` is C-stationary (CStationaryCheck).
bool is_c_stationary(const Trace& trace, const Problem& problem);
/// The trace of a heuristic under the recurrence, without SimGrid.
Trace by_recurrence(const std::string& name, const Platform& platform, const Problem& problem);
/// Its makespan alone. Throws NotApplicable when the heuristic does.
double makespan_s(const Heuristic& heuristic, const Platform& platform, const Problem& problem);
/// A plan whose decisions are those of a function, for what no heuristic does.
using Choice = std::variant<Transfer, Wait, Done>;
Plan function_plan(std::function<Choice(const MasterView&)> next);
/// Two workers of which the second gets its block of C, at 13 s, only when the update of the first
/// is over: the dispatcher waits, where the transfer could have started at 3 s. It is no product.
struct HeldBack {
  Platform platform;
  Problem problem;
  Trace trace;
};
HeldBack held_back();
/// Every heuristic of the registry, for random instances: Polaris with its shortest search.
const std::vector<NamedHeuristic>& every_heuristic();
/// A third of every_heuristic(), for comparisons with SimGrid, which takes a hundred times as long
/// as the recurrence: another third for each dozen of seeds, so that each heuristic gets instances
/// of every kind.
const std::vector<NamedHeuristic>& every_third_heuristic(std::uint64_t seed);
/// Every heuristic of the registry: "Het, Hom, ...", as messages list them.
std::string heuristic_names();
/// A trace as --trace writes it to a CSV file.
std::string trace_csv(const std::string& heuristic, const Platform& platform,
                      const Problem& problem, const Trace& trace,
                      std::optional<double> bound_s = 12);
/// The end of the last return.
double makespan(const Trace& trace);

using starport::Random;

struct RandomInstance {
  Platform platform;
  Problem problem;
};
/// 1 to 6 workers, r, s, t up to 12, memories from 5 blocks. Every other instance has figures that
/// are small integers, so that many dates coincide. `scale_s` multiplies all times.
RandomInstance random_instance(std::uint64_t seed, double scale_s = 1);
/// The same with c and w spread, each worker on its own, over `decades` orders of magnitude.
RandomInstance uneven_instance(std::uint64_t seed, double decades);

}  // namespace starport::test
