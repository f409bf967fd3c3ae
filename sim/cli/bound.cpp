// starport bound: what no schedule can beat.
#include "heuristics/chunks.hpp"
#include "sim/cli/command.hpp"
#include "sim/model/error.hpp"
#include "sim/model/units.hpp"
#include "sim/report/bounds.hpp"
#include "sim/report/comparison.hpp"
#include "sim/report/makespan_bounds.hpp"
#include "sim/report/output.hpp"
#include "sim/report/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace starport {
namespace {

constexpr const MemoryLayout* kLayouts[] = {&kMaximumReuse, &kOptimizedOverlapped, &kOptimized,
                                            &kToledo, &kToledoOverlapped};

/// A worker that computes at all, beyond the rounding of the LP solver: beside what it could do
/// with the port for itself.
bool enrolled(const SteadyState& state, const Platform& platform, std::size_t i) {
  const Worker& worker = platform.workers[i];
  const auto mu = static_cast<double>(kOptimizedOverlapped.side(worker.m_blocks));
  return state.x_updates_per_s[i] > 1e-9 * std::min(1 / worker.w_s, mu / (2 * worker.c_s));
}

std::string steady_state_table(const Platform& platform, const SteadyState& state) {
  std::vector<std::vector<std::string>> rows{
      {"worker", "2c_i/mu_i", "x_i (updates/s)", "y_i (blocks/s)", "busy", "port", "enrolled"}};
  for (const std::size_t i : bandwidth_centric_order(platform)) {
    const Worker& worker = platform.workers[i];
    const auto mu = static_cast<double>(kOptimizedOverlapped.side(worker.m_blocks));
    rows.push_back({fmt::format("P{}", i + 1), format_seconds(2 * worker.c_s / mu),
                    fmt::format("{:.6g}", state.x_updates_per_s[i]),
                    fmt::format("{:.6g}", state.y_blocks_per_s[i]),
                    fmt::format("{:.1f}%", 100 * state.x_updates_per_s[i] * worker.w_s),
                    fmt::format("{:.1f}%", 100 * state.y_blocks_per_s[i] * worker.c_s),
                    enrolled(state, platform, i) ? "yes" : "no"});
  }
  return align(rows, 2);
}

std::string makespan_table(const MakespanBounds& bounds) {
  return align(
      {{"bound", "holds for", "makespan (s)"},
       {"steady state", "chunks of side mu_i, C neglected",
        fmt::format("{:.6g}", *bounds.steady_state_s)},
       {"C-stationary", "a rectangle of C at a time",
        fmt::format("{:.6g}", *bounds.c_stationary_s)},
       {"any schedule", "all that obeys the model", fmt::format("{:.6g}", *bounds.any_schedule_s)}},
      2);
}

std::string communication_table(const Platform& platform, const Problem& problem) {
  std::map<std::int64_t, std::size_t, std::greater<>> memories;
  for (const Worker& worker : platform.workers) ++memories[worker.m_blocks];
  std::vector<std::vector<std::string>> rows{{"m_i"}, {"workers"}};
  for (const CommunicationBound& bound : communication_bounds(1))
    rows.push_back({fmt::format("lower bound, {}", bound.name)});
  for (const MemoryLayout* layout : kLayouts) {
    rows.push_back({fmt::format("achieved, {}", layout->name)});
  }
  for (const auto& [m, workers] : memories) {
    std::size_t row = 0;
    rows[row++].push_back(fmt::format("{}", m));
    rows[row++].push_back(fmt::format("{}", workers));
    for (const CommunicationBound& bound : communication_bounds(m)) {
      rows[row++].push_back(m > 0 ? fmt::format("{:.6f}", bound.blocks_per_update) : "-");
    }
    for (const MemoryLayout* layout : kLayouts) {
      const std::int64_t side = layout->side(m);
      rows[row++].push_back(side > 0 ? fmt::format("{:.6f}", achieved_ccr(*layout, m, problem.t))
                                     : "-");
    }
  }
  return align(rows, 2);
}

nlohmann::ordered_json to_json(const Platform& platform, const Problem& problem,
                               const SteadyState& state) {
  nlohmann::ordered_json json;
  json["schema_version"] = 1;
  json["problem"] = {
      {"r", problem.r}, {"s", problem.s}, {"t", problem.t}, {"block_size", problem.block_size}};
  json["steady_state_updates_per_s"] = state.throughput_updates_per_s;
  json["makespan_bound_s"] =
      static_cast<double>(problem.updates()) / state.throughput_updates_per_s;
  const MakespanBounds bounds = makespan_bounds(platform, problem, state.throughput_updates_per_s);
  json["bounds"] = {{"steady_state_s", *bounds.steady_state_s},
                    {"c_stationary_s", *bounds.c_stationary_s},
                    {"any_schedule_s", *bounds.any_schedule_s}};
  json["bandwidth_centric_order"] = nlohmann::ordered_json::array();
  for (const std::size_t i : bandwidth_centric_order(platform)) {
    json["bandwidth_centric_order"].push_back(i + 1);
  }
  json["workers"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < platform.workers.size(); ++i) {
    const std::int64_t m = platform.workers[i].m_blocks;
    nlohmann::ordered_json worker{{"worker", i + 1},
                                  {"m_blocks", m},
                                  {"x_updates_per_s", state.x_updates_per_s[i]},
                                  {"y_blocks_per_s", state.y_blocks_per_s[i]},
                                  {"enrolled", enrolled(state, platform, i)}};
    for (const CommunicationBound& bound : communication_bounds(m)) {
      worker["communication_bounds_ccr"][bound.name] = bound.blocks_per_update;
    }
    for (const MemoryLayout* layout : kLayouts) {
      worker["achieved_ccr"][layout->name] = achieved_ccr(*layout, m, problem.t);
    }
    json["workers"].push_back(worker);
  }
  return json;
}

}  // namespace

int bound_command(const std::vector<std::string>& arguments) {
  CommandLine line(
      "bound", {"PLATFORM"},
      "Solves the steady-state linear program (PPoPP'08, Table 1) and shows the bounds "
      "on communication beside what each memory layout achieves; then the bounds on the "
      "makespan that count memory: C-stationary, and any schedule.",
      "starport bound platforms/ppopp08-memory.json --problem 8000x8000x64000");
  line.add_problem();
  line.add()("json", "print one JSON object");
  if (!line.parse(arguments)) return kSuccess;

  const Instance instance = load_instance(line);
  const Platform& platform = instance.platform;
  const Problem& problem = instance.problem;
  try {
    chunk_sides(platform, problem, kOptimizedOverlapped);
  } catch (const InputError& error) {
    throw error.in_file(instance.platform_file);
  }
  const SteadyState state = steady_state(platform);
  if (line.has("json")) {
    print(to_json(platform, problem, state).dump(2) + "\n");
    return kSuccess;
  }
  print(platform_table(platform, problem) +
        fmt::format("\nSteady state, workers in bandwidth-centric order:\n{}",
                    steady_state_table(platform, state)) +
        fmt::format("rho = {:.6g} block updates/s; at this rate the product takes {:.6g} s\n"
                    "(PPoPP'08, Table 1: chunks of side mu_i, the cost of C neglected)\n",
                    state.throughput_updates_per_s,
                    static_cast<double>(problem.updates()) / state.throughput_updates_per_s) +
        "\nBounds on the makespan (statements and proofs: sim/report/makespan_bounds.md):\n" +
        makespan_table(makespan_bounds(platform, problem, state.throughput_updates_per_s)) +
        fmt::format("\nCommunication, blocks moved per block update (t={}):\n{}", problem.t,
                    communication_table(platform, problem)));
  return kSuccess;
}

}  // namespace starport
