// `starport bound`: prints bounds that no schedule can beat.
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/platform/port.hpp"
#include "sim/platform/ties.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/star/bounds/makespan_bounds.hpp"
#include "sim/star/bounds/steady_state.hpp"
#include "sim/star/heuristic.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace starport {
namespace {

constexpr const MemoryLayout* kLayouts[] = {&kMaximumReuse, &kOptimizedOverlapped, &kOptimized,
                                            &kToledo, &kToledoOverlapped};

/// Returns true if worker i computes in the steady state: more than 1e-9 of its rate with the port
/// to itself, to ignore rounding.
bool is_enrolled(const SteadyState& state, const Platform& platform, std::size_t i) {
  const Worker& worker = platform.workers[i];
  const auto mu = static_cast<double>(kOptimizedOverlapped.side(worker.m_blocks));
  return state.x_updates_per_s[i] > 1e-9 * std::min(1 / worker.w_s, mu / (2 * worker.c_s));
}

std::string steady_state_table(const Platform& platform, const SteadyState& state) {
  std::vector<std::vector<std::string>> rows{{"worker", "2c_i/mu_i", "x_i (updates/s)",
                                              "y_i (blocks/s)", "busy",
                                              platform.port.kind == Port::Kind::one   ? "port"
                                              : platform.port.kind == Port::Kind::two ? "send port"
                                                                                      : "link out",
                                              "enrolled"}};
  for (const std::size_t i : bandwidth_centric_order(platform)) {
    const Worker& worker = platform.workers[i];
    const auto mu = static_cast<double>(kOptimizedOverlapped.side(worker.m_blocks));
    rows.push_back({platform.names[i], format_seconds(2 * worker.c_s / mu),
                    fmt::format("{:.6g}", state.x_updates_per_s[i]),
                    fmt::format("{:.6g}", state.y_blocks_per_s[i]),
                    fmt::format("{:.1f}%", 100 * state.x_updates_per_s[i] * worker.w_s),
                    fmt::format("{:.1f}%", 100 * state.y_blocks_per_s[i] * worker.c_s),
                    is_enrolled(state, platform, i) ? "yes" : "no"});
  }
  return align(rows, 2);
}

std::string makespan_table(const MakespanBounds& bounds, const std::optional<double>& split_k_s,
                           Port::Kind port) {
  std::vector<std::vector<std::string>> rows{{"bound", "holds for", "makespan (s)"}};
  const auto add = [&](const char* name, const char* of, const std::optional<double>& bound_s) {
    if (bound_s) rows.push_back({name, of, fmt::format("{:.6g}", *bound_s)});
  };
  add("steady state",
      port == Port::Kind::one ? "chunks of side mu_i, C neglected"
                              : "chunks of side mu_i, C counted on its way home",
      bounds.steady_state_s);
  add("C-stationary", "a rectangle of C at a time", bounds.c_stationary_s);
  add("any schedule", "all that obeys the model, each block of C on one worker",
      bounds.any_schedule_s);
  add("split k", "workers share the updates of blocks of C, the master adds", split_k_s);
  return align(rows, 2);
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

/// Appends a row per range of consecutive workers with equal dual prices, such as "P1..P4".
void add_limits(const char* what, const std::vector<double>& prices, double rho,
                const WorkerNames& names, std::vector<std::vector<std::string>>& rows) {
  for (std::size_t i = 0; i < prices.size();) {
    std::size_t end = i + 1;
    while (end < prices.size() && nearly_equal(prices[end], prices[i])) ++end;
    if (prices[i] > 1e-9 * rho) {
      rows.push_back({fmt::format("{} of {}{}", what, names.format_range(i, end),
                                  end == i + 1 ? "" : ", each"),
                      "100.0%", fmt::format("{:.3f}%", prices[i] / rho)});
    }
    i = end;
  }
}

/// Formats the dual prices, at most 20 rows. Their sum is rho, so the percentages add up to 1 %.
std::string limits_table(const SteadyState& state, const WorkerNames& names) {
  const double rho = state.throughput_updates_per_s;
  std::vector<std::vector<std::string>> rows{{"limit", "in use", "1% more adds to rho"}};
  for (const Limit& limit : state.master) {
    rows.push_back({limit.name, fmt::format("{:.1f}%", 100 * limit.use),
                    fmt::format("{:.3f}%", limit.price_updates_per_s / rho)});
  }
  add_limits("computation", state.computation_price, rho, names, rows);
  add_limits("link out", state.send_link_price, rho, names, rows);
  add_limits("link back", state.receive_link_price, rho, names, rows);
  constexpr std::size_t most_rows = 20;
  const std::size_t hidden = rows.size() > most_rows ? rows.size() - most_rows : 0;
  rows.resize(rows.size() - hidden);
  return align(rows, 2) + (hidden > 0 ? fmt::format("  ... and {} more\n", hidden) : "");
}

const char* formula(Port::Kind kind) {
  if (kind == Port::Kind::one) {
    return "PPoPP'08, Table 1: chunks of side mu_i, the cost of C neglected";
  }
  return kind == Port::Kind::two
             ? "PPoPP'08, Table 1, for A and B on the way out, and C, t updates a block, on the "
               "way home"
             : "PPoPP'08, Table 1, for A and B on the way out, C on the way home, link by link";
}

std::string steady_state_text(const Platform& platform, const Problem& problem,
                              const SteadyState& state, const SteadyState& with_c) {
  const Port::Kind port = platform.port.kind;
  if (state.throughput_updates_per_s == 0) {
    return fmt::format(
        "Steady state: none; its chunks, of side 1 at least, take {} blocks of memory\n",
        kOptimizedOverlapped.blocks(1));
  }
  const auto makespan = [&](const SteadyState& bound) {
    return static_cast<double>(problem.updates()) / bound.throughput_updates_per_s;
  };
  return fmt::format(
      "Steady state, {}, workers in bandwidth-centric order:\n{}rho = {:.6g} block updates/s; at "
      "this rate the product takes {:.6g} s\n({})\n"
      "with C counted both ways: {:.6g} block updates/s, {:.6g} s\n\nWhat limits rho:\n{}",
      to_string(port), steady_state_table(platform, state), state.throughput_updates_per_s,
      makespan(state), formula(port), with_c.throughput_updates_per_s, makespan(with_c),
      limits_table(state, platform.names));
}

std::string makespan_text(const MakespanBounds& bounds, const std::optional<double>& split_k_s,
                          Port::Kind port) {
  if (!bounds.steady_state_s && !bounds.any_schedule_s) return "Bounds on the makespan: none\n";
  return "Bounds on the makespan (statements and proofs: sim/star/bounds/makespan_bounds.md):\n" +
         makespan_table(bounds, split_k_s, port);
}

nlohmann::ordered_json optimum_json(const Problem& problem, const SteadyState& state) {
  const double rho = state.throughput_updates_per_s;
  nlohmann::ordered_json json{{kSteadyStateRate.key, rho},
                              {kSteadyStateBound.key, static_cast<double>(problem.updates()) / rho},
                              {"limits", nlohmann::ordered_json::array()}};
  const auto add = [&](const std::string& name, double use, double price) {
    json["limits"].push_back({{"limit", name}, {"use", use}, {"price_updates_per_s", price}});
  };
  for (const Limit& limit : state.master) add(limit.name, limit.use, limit.price_updates_per_s);
  const auto add_workers = [&](const char* what, const std::vector<double>& prices) {
    for (std::size_t i = 0; i < prices.size(); ++i) {
      if (prices[i] > 0) add(fmt::format("{} of worker {}", what, i + 1), 1, prices[i]);
    }
  };
  add_workers("computation", state.computation_price);
  add_workers("link out", state.send_link_price);
  add_workers("link back", state.receive_link_price);
  return json;
}

nlohmann::ordered_json bound_json(const Platform& platform, const Problem& problem,
                                  const SteadyState& state, const SteadyState& with_c) {
  nlohmann::ordered_json json{
      {"schema_version", 1}, {"problem", to_json(problem)}, {"port", to_json(platform.port)}};
  if (state.throughput_updates_per_s > 0) {
    json.update(optimum_json(problem, state));
    json["with_c_counted"] = optimum_json(problem, with_c);
  }
  const MakespanBounds bounds =
      makespan_bounds(platform, problem, state.throughput_updates_per_s, kNominal);
  json["bounds"] = figures_json(star_figures(), figures_of(bounds), {Scope::instance});
  if (const auto split_k_s = split_k_bound_s(platform, problem))
    json["bounds"][kSplitKBound.key] = *split_k_s;
  json["bandwidth_centric_order"] = nlohmann::ordered_json::array();
  for (const std::size_t i : bandwidth_centric_order(platform)) {
    json["bandwidth_centric_order"].push_back(i + 1);
  }
  for (std::size_t i = 0; i < platform.workers.size(); ++i) {
    const std::int64_t m = platform.workers[i].m_blocks;
    nlohmann::ordered_json worker{{"worker", i + 1}};
    if (platform.names.has_given_names()) worker["name"] = platform.names[i];
    worker.update({{"m_blocks", m},
                   {"x_updates_per_s", state.x_updates_per_s[i]},
                   {"y_blocks_per_s", state.y_blocks_per_s[i]},
                   {"z_blocks_per_s", state.z_blocks_per_s[i]},
                   {"enrolled", is_enrolled(state, platform, i)}});
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
      "Computes bounds that no schedule can beat. Steady state: the linear program of PPoPP'08,\n"
      "Table 1, with what limits it and what 1 % more of each limit would gain (dual prices).\n"
      "Makespan: C-stationary schedules, any schedule, and those that split k. Communication: "
      "lower\n"
      "bounds beside what each memory layout achieves.",
      "starport bound platforms/ppopp08-memory.json --problem 8000x8000x64000");
  line.add_problem();
  line.add_flag("json", "print one JSON object");
  if (!line.parse(arguments)) return kSuccess;

  const Case instance = load_case(line);
  const Platform platform = make_star(instance);
  const Problem& problem = instance.problem;
  with_file_in_errors(instance.file.path, [&] {
    check_memory(memory_for(kMaximumReuse), platform, problem);  // what a block update takes
  });
  const SteadyState state = steady_state(platform, problem);
  constexpr bool count_c = true;
  const SteadyState with_c = steady_state(platform, problem, count_c);
  if (line.has("json")) {
    print(to_indented_json(bound_json(platform, problem, state, with_c)));
    return kSuccess;
  }
  const MakespanBounds bounds =
      makespan_bounds(platform, problem, state.throughput_updates_per_s, kNominal);
  print(platform_table(platform, problem) + "\n" +
        steady_state_text(platform, problem, state, with_c) + "\n" +
        makespan_text(bounds, split_k_bound_s(platform, problem), platform.port.kind) +
        fmt::format("\nCommunication, blocks moved per block update (t={}):\n{}", problem.t,
                    communication_table(platform, problem)));
  return kSuccess;
}

}  // namespace starport
