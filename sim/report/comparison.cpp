#include "sim/report/comparison.hpp"

#include "sim/model/layout.hpp"
#include "sim/model/units.hpp"
#include "sim/report/text.hpp"
#include "sim/report/version.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace starport {

const char* to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::error:
      return "error";
    case Status::not_applicable:
      return "not applicable";
  }
  return "";
}

void relate(Comparison& comparison) {
  double least_makespan = std::numeric_limits<double>::infinity();
  double least_work = std::numeric_limits<double>::infinity();
  const auto work = [](const Result& result) {
    return result.metrics.makespan_s * static_cast<double>(result.metrics.enrolled_workers);
  };
  for (const Result& result : comparison.results) {
    if (result.status != Status::ok) continue;
    least_makespan = std::min(least_makespan, result.metrics.makespan_s);
    least_work = std::min(least_work, work(result));
  }
  const auto updates = static_cast<double>(comparison.problem.updates());
  for (Result& result : comparison.results) {
    if (result.status != Status::ok) continue;
    result.relative_cost = result.metrics.makespan_s / least_makespan;
    result.relative_work = work(result) / least_work;
    result.bound_ratio =
        comparison.bound.throughput_updates_per_s * result.metrics.makespan_s / updates;
  }
}

std::string platform_table(const Platform& platform, const Problem& problem) {
  constexpr std::size_t most_rows = 16;
  std::string text =
      fmt::format("{}: {} worker{}, blocks of {} x {}\n", platform.name, platform.workers.size(),
                  platform.workers.size() > 1 ? "s" : "", problem.block_size, problem.block_size);
  const bool latency = std::any_of(platform.workers.begin(), platform.workers.end(),
                                   [](const Worker& worker) { return worker.latency_s > 0; });
  std::vector<std::vector<std::string>> rows{{"worker", "c_i", "w_i", "m_i", "mu_i"}};
  if (latency) rows.front().push_back("latency");
  std::size_t shown = 0;
  for (std::size_t i = 0; i < platform.workers.size() && rows.size() <= most_rows;) {
    const Worker& worker = platform.workers[i];
    std::size_t end = i + 1;
    while (end < platform.workers.size() && platform.workers[end] == worker) ++end;
    rows.push_back({end == i + 1 ? fmt::format("P{}", end) : fmt::format("P{}..P{}", i + 1, end),
                    format_seconds(worker.c_s), format_seconds(worker.w_s),
                    fmt::format("{}", worker.m_blocks),
                    fmt::format("{}", kOptimizedOverlapped.side(worker.m_blocks))});
    if (latency) rows.back().push_back(format_seconds(worker.latency_s));
    shown = i = end;
  }
  text += align(rows, 2);
  if (shown < platform.workers.size()) {
    text += fmt::format("  ... and {} more\n", platform.workers.size() - shown);
  }
  return text;
}

std::string to_table(const Comparison& comparison) {
  const Problem& problem = comparison.problem;
  std::string text = platform_table(comparison.platform, problem);
  text += fmt::format(
      "C += A.B with r={}, s={}, t={}: {:.4g} block updates; steady-state bound "
      "{:.4g} updates/s\n\n",
      problem.r, problem.s, problem.t, static_cast<double>(problem.updates()),
      comparison.bound.throughput_updates_per_s);

  std::vector<const Result*> ranked;
  for (const Result& result : comparison.results) ranked.push_back(&result);
  std::stable_sort(ranked.begin(), ranked.end(), [](const Result* x, const Result* y) {
    if (x->status != Status::ok || y->status != Status::ok) return x->status < y->status;
    return x->metrics.makespan_s < y->metrics.makespan_s;
  });
  std::vector<std::vector<std::string>> rows{{"heuristic", "makespan (s)", "rel. cost", "enrolled",
                                              "rel. work", "bound ratio", "port use", "CCR",
                                              "blocks moved", "decision"}};
  std::string remarks;
  for (const Result* result : ranked) {
    if (result->status != Status::ok) {
      remarks +=
          fmt::format("{}: {}: {}\n", result->heuristic, to_string(result->status), result->error);
      continue;
    }
    const Metrics& metrics = result->metrics;
    rows.push_back(
        {result->heuristic, fmt::format("{:.6g}", metrics.makespan_s),
         fmt::format("{:.3f}", result->relative_cost), fmt::format("{}", metrics.enrolled_workers),
         fmt::format("{:.3f}", result->relative_work), fmt::format("{:.3f}", result->bound_ratio),
         fmt::format("{:.1f}%", 100 * metrics.port_utilisation), fmt::format("{:.4f}", metrics.ccr),
         fmt::format("{}", metrics.blocks_moved),
         result->decision_s > 0 ? format_seconds(result->decision_s) : "-"});
    for (const auto& [key, value] : result->details) {
      std::string words = key;
      std::replace(words.begin(), words.end(), '_', ' ');
      remarks += fmt::format("{}: {} {}\n", result->heuristic, words, value);
    }
  }
  if (rows.size() > 1) text += align(rows);
  if (!remarks.empty()) text += "\n" + remarks;
  return text;
}

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
  json["results"] = ordered_json::array();
  for (const Result& result : comparison.results) json["results"].push_back(result_json(result));
  json["provenance"] = {{"starport", kVersion},
                        {"commit", kCommit},
                        {"simgrid", comparison.provenance.simgrid_version},
                        {"platform_file", comparison.provenance.platform_file},
                        {"command", comparison.provenance.command}};
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string to_csv(const Comparison& comparison) {
  std::string text =
      "platform,r,s,t,block_size,engine,heuristic,status,error,makespan_s,decision_s,simulation_s,"
      "enrolled_workers,blocks_moved,block_updates,ccr,port_utilisation,relative_cost,"
      "relative_work,bound_ratio,details\r\n";
  const Problem& problem = comparison.problem;
  for (const Result& result : comparison.results) {
    const Metrics& metrics = result.metrics;
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},", csv_field(comparison.platform.name), problem.r,
                    problem.s, problem.t, problem.block_size, comparison.engine,
                    csv_field(result.heuristic), to_string(result.status), csv_field(result.error));
    if (result.status != Status::ok) {
      text += ",,,,,,,,,,,\r\n";
      continue;
    }
    std::string details;
    for (const auto& [key, value] : result.details) {
      details += (details.empty() ? "" : "; ") + key + "=" + value;
    }
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\r\n", metrics.makespan_s,
                        result.decision_s, result.simulation_s, metrics.enrolled_workers,
                        metrics.blocks_moved, metrics.block_updates, metrics.ccr,
                        metrics.port_utilisation, result.relative_cost, result.relative_work,
                        result.bound_ratio, csv_field(details));
  }
  return text;
}

}  // namespace starport
