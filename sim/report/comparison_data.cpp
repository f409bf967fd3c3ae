// Comparisons for programs: JSON and CSV.
#include "sim/files/text.hpp"
#include "sim/platform/port_json.hpp"
#include "sim/process/version.hpp"
#include "sim/star/layout.hpp"
#include "sim/study/comparison.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

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
  return {{"name", platform.name}, {"port", to_json(platform.port)}, {"workers", workers}};
}

ordered_json result_json(const Result& result) {
  ordered_json json{{"heuristic", result.heuristic}, {"status", to_string(result.status)}};
  if (result.status != Status::ok) {
    json["error"] = result.error;
    return json;
  }
  const Metrics& metrics = result.metrics;
  json["makespan_s"] = metrics.makespan_s;
  if (const auto& repetitions = result.repetitions) {
    json["repetitions"] = repetitions->makespans_s.size();
    json["makespan_median_s"] = repetitions->median_s;
    json["makespan_low_s"] = repetitions->interval_s.low;
    json["makespan_high_s"] = repetitions->interval_s.high;
    json["above_best_low"] = repetitions->above_best.low;
    json["above_best_high"] = repetitions->above_best.high;
    json["within_noise_of_best"] = repetitions->within_noise;
    json["makespans_s"] = repetitions->makespans_s;
  }
  json["decision_s"] = result.decision_s;
  json["simulation_s"] = result.simulation_s;
  json["enrolled_workers"] = metrics.enrolled_workers;
  json["blocks_moved"] = metrics.blocks_moved;
  json["block_updates"] = metrics.block_updates;
  json["ccr"] = metrics.ccr;
  json["port_utilisation"] = metrics.port_utilisation;
  json["send_utilisation"] = metrics.send_utilisation;
  json["receive_utilisation"] = metrics.receive_utilisation;
  json["relative_cost"] = result.relative_cost;
  json["relative_work"] = result.relative_work;
  if (result.bound_ratio > 0) json["bound_ratio"] = result.bound_ratio;
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

bool repeated(const Comparison& comparison) {
  return std::any_of(comparison.results.begin(), comparison.results.end(),
                     [](const Result& result) { return result.repetitions.has_value(); });
}

/// Empty where the bound does not hold.
std::string ratio_csv(double ratio) { return ratio > 0 ? fmt::format("{}", ratio) : ""; }

std::string repetitions_csv(const Repetitions& repetitions) {
  return fmt::format(",{},{},{},{},{},{},{}", repetitions.makespans_s.size(), repetitions.median_s,
                     repetitions.interval_s.low, repetitions.interval_s.high,
                     repetitions.above_best.low, repetitions.above_best.high,
                     repetitions.within_noise ? 1 : 0);
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
  if (!comparison.noise.empty()) json["noise"] = comparison.noise;
  json["bound"] = ordered_json::object();
  if (const double rho = comparison.bound.throughput_updates_per_s; rho > 0) {
    json["bound"]["steady_state_updates_per_s"] = rho;
  }
  json["bounds"] = to_json(comparison.bounds);
  json["results"] = ordered_json::array();
  for (const Result& result : comparison.results) json["results"].push_back(result_json(result));
  if (repeated(comparison)) json["within_noise"] = pairs_within_noise(comparison);
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
      "enrolled_workers,blocks_moved,block_updates,ccr,port_utilisation,"
      "send_utilisation,receive_utilisation,relative_cost,"
      "relative_work,bound_ratio,times_bound,details";
  const bool repetitions = repeated(comparison);
  if (!comparison.noise.empty()) text += ",noise";
  if (repetitions) {
    text +=
        ",repetitions,makespan_median_s,makespan_low_s,makespan_high_s,above_best_low,"
        "above_best_high,within_noise_of_best";
  }
  text += "\r\n";
  const std::string noise = comparison.noise.empty() ? "" : "," + csv_field(comparison.noise);
  const Problem& problem = comparison.problem;
  for (const Result& result : comparison.results) {
    const Metrics& metrics = result.metrics;
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},", csv_field(comparison.platform.name), problem.r,
                    problem.s, problem.t, problem.block_size, comparison.engine,
                    csv_field(result.heuristic), to_string(result.status), csv_field(result.error));
    if (result.status != Status::ok) {
      text += ",,,,,,,,,,,,,," + noise + (repetitions ? ",,,,,,," : "") + "\r\n";
      continue;
    }
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}{}{}\r\n", metrics.makespan_s,
                    result.decision_s, result.simulation_s, metrics.enrolled_workers,
                    metrics.blocks_moved, metrics.block_updates, metrics.ccr,
                    metrics.port_utilisation, metrics.send_utilisation, metrics.receive_utilisation,
                    result.relative_cost, result.relative_work, ratio_csv(result.bound_ratio),
                    ratio_csv(result.times_bound), csv_field(details_text(result.details)), noise,
                    repetitions ? repetitions_csv(*result.repetitions) : "");
  }
  return text;
}

}  // namespace starport
