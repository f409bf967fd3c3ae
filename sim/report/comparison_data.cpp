// Comparisons for programs: JSON and CSV.
#include "sim/model/layout.hpp"
#include "sim/report/comparison.hpp"
#include "sim/report/text.hpp"
#include "sim/report/version.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace starport {
namespace {

using nlohmann::ordered_json;

ordered_json platform_json(const Platform& platform) {
  ordered_json workers = ordered_json::array();
  for (const Worker& worker : platform.workers) {
    workers.push_back({{"c_s", worker.c_s},
                       {"w_s", worker.w_s},
                       {"m_blocks", worker.m_blocks},
                       {"latency_s", worker.latency_s},
                       {"mu_blocks", kOptimizedOverlapped.side(worker.m_blocks)}});
  }
  return {{"name", platform.name}, {"workers", workers}};
}

ordered_json bounds_json(const MakespanBounds& bounds) {
  ordered_json json = ordered_json::object();
  if (bounds.steady_state_s) json["steady_state_s"] = *bounds.steady_state_s;
  if (bounds.c_stationary_s) json["c_stationary_s"] = *bounds.c_stationary_s;
  if (bounds.any_schedule_s) json["any_schedule_s"] = *bounds.any_schedule_s;
  return json;
}

ordered_json result_json(const Result& result) {
  ordered_json json{{"heuristic", result.heuristic}, {"status", to_string(result.status)}};
  if (result.status != Status::ok) {
    json["error"] = result.error;
    return json;
  }
  const Metrics& metrics = result.metrics;
  json["makespan_s"] = metrics.makespan_s;
  json["decision_s"] = result.decision_s;
  json["simulation_s"] = result.simulation_s;
  json["enrolled_workers"] = metrics.enrolled_workers;
  json["blocks_moved"] = metrics.blocks_moved;
  json["block_updates"] = metrics.block_updates;
  json["ccr"] = metrics.ccr;
  json["port_utilisation"] = metrics.port_utilisation;
  json["relative_cost"] = result.relative_cost;
  json["relative_work"] = result.relative_work;
  json["bound_ratio"] = result.bound_ratio;
  if (result.times_bound > 0) json["times_bound"] = result.times_bound;
  json["details"] = ordered_json::object();
  for (const auto& [key, value] : result.details) json["details"][key] = value;
  json["workers"] = ordered_json::array();
  for (const WorkerMetrics& worker : metrics.workers) {
    json["workers"].push_back({{"blocks_moved", worker.blocks_moved},
                               {"block_updates", worker.block_updates},
                               {"link_busy_s", worker.link_busy_s},
                               {"compute_busy_s", worker.compute_busy_s}});
  }
  return json;
}

}  // namespace

std::string to_json(const Comparison& comparison) {
  const Problem& problem = comparison.problem;
  ordered_json json;
  json["schema_version"] = 1;
  json["platform"] = platform_json(comparison.platform);
  json["problem"] = {
      {"r", problem.r}, {"s", problem.s}, {"t", problem.t}, {"block_size", problem.block_size}};
  json["engine"] = comparison.engine;
  json["bound"] = {{"steady_state_updates_per_s", comparison.bound.throughput_updates_per_s}};
  json["bounds"] = bounds_json(comparison.bounds);
  json["results"] = ordered_json::array();
  for (const Result& result : comparison.results) json["results"].push_back(result_json(result));
  json["provenance"] = {{"starport", kVersion},
                        {"commit", kCommit},
                        {"simgrid", comparison.provenance.simgrid_version},
                        {"platform_file", comparison.provenance.platform_file},
                        {"command", comparison.provenance.command}};
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string details_text(const Details& details) {
  std::string text;
  for (const auto& [key, value] : details) text += (text.empty() ? "" : "; ") + key + "=" + value;
  return text;
}

std::string to_csv(const Comparison& comparison) {
  std::string text =
      "platform,r,s,t,block_size,engine,heuristic,status,error,makespan_s,decision_s,simulation_s,"
      "enrolled_workers,blocks_moved,block_updates,ccr,port_utilisation,relative_cost,"
      "relative_work,bound_ratio,times_bound,details\r\n";
  const Problem& problem = comparison.problem;
  for (const Result& result : comparison.results) {
    const Metrics& metrics = result.metrics;
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},", csv_field(comparison.platform.name), problem.r,
                    problem.s, problem.t, problem.block_size, comparison.engine,
                    csv_field(result.heuristic), to_string(result.status), csv_field(result.error));
    if (result.status != Status::ok) {
      text += ",,,,,,,,,,,,\r\n";
      continue;
    }
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", metrics.makespan_s, result.decision_s,
        result.simulation_s, metrics.enrolled_workers, metrics.blocks_moved, metrics.block_updates,
        metrics.ccr, metrics.port_utilisation, result.relative_cost, result.relative_work,
        result.bound_ratio, result.times_bound > 0 ? fmt::format("{}", result.times_bound) : "",
        csv_field(details_text(result.details)));
  }
  return text;
}

}  // namespace starport
