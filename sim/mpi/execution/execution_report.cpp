#include "sim/mpi/execution/execution_report.hpp"

#include "sim/files/json.hpp"
#include "sim/files/text.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/mpi/execution/time_breakdown.hpp"
#include "sim/process/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace starport::mpi {
namespace {

/// Returns the end of the last transfer of each worker, in seconds; 0 without a transfer.
std::vector<double> last_transfer_ends(std::size_t workers, const Trace& trace) {
  std::vector<double> dates(workers);
  for (const TracedTransfer& event : trace) {
    dates[event.transfer.worker] = event.dates.end_s;
  }
  return dates;
}

std::string workers_table(const Platform& platform, const Execution& execution) {
  const Metrics predicted = compute_metrics(platform, execution.predicted);
  const Metrics real = compute_metrics(platform, execution.real);
  const auto predicted_end = last_transfer_ends(platform.workers.size(), execution.predicted);
  const auto real_end = last_transfer_ends(platform.workers.size(), execution.real);
  std::vector<std::vector<std::string>> rows{{"worker", "updates", "real", "link (s)", "real", "",
                                              "computing (s)", "real", "", "end (s)", "real", "",
                                              "held", "of m_i"}};
  for (std::size_t i = 0; i < platform.workers.size(); ++i) {
    const WorkerMetrics& p = predicted.workers[i];
    const WorkerMetrics& r = real.workers[i];
    rows.push_back(
        {platform.names[i], fmt::format("{}", p.block_updates), fmt::format("{}", r.block_updates),
         fmt::format("{:.4g}", p.link_busy_s), fmt::format("{:.4g}", r.link_busy_s),
         difference_text(p.link_busy_s, r.link_busy_s), fmt::format("{:.4g}", p.compute_busy_s),
         fmt::format("{:.4g}", r.compute_busy_s),
         difference_text(p.compute_busy_s, r.compute_busy_s),
         fmt::format("{:.4g}", predicted_end[i]), fmt::format("{:.4g}", real_end[i]),
         difference_text(predicted_end[i], real_end[i]),
         fmt::format("{}", execution.peak_blocks[i]),
         fmt::format("{}", platform.workers[i].m_blocks)});
  }
  return align(rows, 2);
}

constexpr struct {
  const char* name;
  const char* key;
  double TimeDifference::*part;
} kParts[] = {{"link rate", "link_s", &TimeDifference::link_s},
              {"latency", "latency_s", &TimeDifference::latency_s},
              {"packing", "packing_s", &TimeDifference::packing_s},
              {"port idle", "port_idle_s", &TimeDifference::idle_s},
              {"computing", "computing_s", &TimeDifference::computing_s},
              {"gaps", "gaps_s", &TimeDifference::gaps_s}};

PerWorker<TimeDifference> differences_of(const Platform& platform, const Execution& execution) {
  return explain_differences(apply_changes(platform, execution.changes), execution.predicted,
                             execution.real, execution.port_times);
}

std::string difference_table(const Platform& platform, const Execution& execution) {
  const PerWorker<TimeDifference> differences = differences_of(platform, execution);
  std::vector<std::vector<std::string>> rows{{"worker"}};
  for (const auto& part : kParts) rows.front().push_back(part.name);
  const auto add = [&](const std::string& name, const TimeDifference& difference) {
    rows.push_back({name});
    for (const auto& part : kParts) {
      rows.back().push_back(fmt::format("{:+.4f}", difference.*part.part));
    }
  };
  for (std::size_t i = 0; i < differences.size(); ++i) {
    add(platform.names[i], differences[static_cast<std::int64_t>(i)]);
  }
  add("all", sum_differences(differences));
  return align(rows, 2);
}

nlohmann::ordered_json difference_json(const Platform& platform, const Execution& execution) {
  nlohmann::ordered_json workers = nlohmann::ordered_json::array();
  for (const TimeDifference& difference : differences_of(platform, execution)) {
    nlohmann::ordered_json parts;
    for (const auto& part : kParts) parts[part.key] = difference.*part.part;
    workers.push_back(std::move(parts));
  }
  return workers;
}

nlohmann::ordered_json changes_json(const PerWorker<SpeedChange>& changes) {
  nlohmann::ordered_json workers = nlohmann::ordered_json::array();
  for (const auto& [updates, transfers] : changes) {
    workers.push_back({{"transfers", transfers}, {"updates", updates}});
  }
  return workers;
}

/// Returns the makespans predicted without the probes; empty if there were none.
std::string file_predictions_text(const std::vector<Execution>& executions) {
  std::vector<std::string> makespans;
  for (const Execution& execution : executions) {
    if (execution.changes.empty()) continue;
    makespans.push_back(
        fmt::format("{} {:.6g} s", execution.heuristic, execution.file_prediction_s));
  }
  if (makespans.empty()) return "";
  return fmt::format(
      "The predictions use the speed of the workers just before each run. From the platform file "
      "alone{}: {}.\n",
      makespans.size() > 1 ? ", which decides the predicted ranks" : "",
      fmt::join(makespans, ", "));
}

std::string interval_text(const std::optional<MedianInterval>& interval_s) {
  return interval_s ? fmt::format("{:.4g} to {:.4g}", interval_s->low, interval_s->high) : "-";
}

nlohmann::ordered_json metrics_json(const Platform& platform, const Trace& trace) {
  const Metrics metrics = compute_metrics(platform, trace);
  const auto ends = last_transfer_ends(platform.workers.size(), trace);
  nlohmann::ordered_json workers = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < metrics.workers.size(); ++i) {
    const WorkerMetrics& worker = metrics.workers[i];
    workers.push_back({{"blocks_moved", worker.blocks_moved},
                       {"block_updates", worker.block_updates},
                       {"link_busy_s", worker.link_busy_s},
                       {"compute_busy_s", worker.compute_busy_s},
                       {"end_s", ends[i]}});
  }
  return {{"makespan_s", metrics.makespan_s},
          {"enrolled_workers", metrics.enrolled_workers},
          {"blocks_moved", metrics.blocks_moved},
          {"port_utilisation", metrics.port_utilisation},
          {"workers", std::move(workers)}};
}

}  // namespace

std::string difference_text(double predicted, double real) {
  return predicted > 0 ? fmt::format("{:+.1f}%", 100 * (real / predicted - 1)) : "-";
}

std::vector<std::string> speed_column_headings(const ExecutionContext& context) {
  std::vector<std::string> heads{"Gflop/s"};
  if (context.peak_flops) heads.emplace_back("of peak");
  return heads;
}

std::vector<std::string> speed_column_values(const ExecutionContext& context, double real_s) {
  const double speed_flops = context.flops / real_s;
  std::vector<std::string> cells{fmt::format("{:.4g}", speed_flops / 1e9)};
  if (context.peak_flops) {
    cells.push_back(fmt::format("{:.0f}%", 100 * speed_flops / *context.peak_flops));
  }
  return cells;
}

std::string wall_time_text(const ExecutionContext& context,
                           const std::vector<std::pair<std::string, double>>& runs) {
  std::vector<std::string> texts;
  for (const auto& [name, wall_s] : runs) texts.push_back(fmt::format("{} {:.4g} s", name, wall_s));
  return fmt::format(
      "Wall time: {:.4g} s to prepare the matrices and the check of C; of each run, with the "
      "check and storing C: {}.\n",
      context.preparation_s, fmt::join(texts, ", "));
}

std::vector<std::size_t> rank_makespans(const std::vector<double>& makespans) {
  std::vector<std::size_t> ranks;
  for (const double makespan_s : makespans) {
    ranks.push_back(1 + std::ranges::count_if(makespans, [&](double other_s) {
                      return other_s < makespan_s * (1 - 5e-3);
                    }));
  }
  return ranks;
}

std::string emulation_text(const ExecutionContext& context) {
  return fmt::format("emulated, {:g} times the platform's durations", context.time_scale);
}

std::string report_json(const ExecutionContext& context, nlohmann::ordered_json platform,
                        nlohmann::ordered_json results) {
  using nlohmann::ordered_json;
  if (context.peak_flops) platform["peak_flops"] = *context.peak_flops;
  ordered_json json{{"schema_version", 1},
                    {"platform", std::move(platform)},
                    {"problem", to_json(context.problem)},
                    {"emulated", context.emulated},
                    {"time_scale", context.time_scale},
                    {"preparation_s", context.preparation_s},
                    {"results", std::move(results)},
                    {"provenance",
                     {{"starport", kVersion},
                      {"commit", kCommit},
                      {"platform_file", context.platform_file},
                      {"command", context.command}}}};
  if (!context.warning.empty()) json["warning"] = context.warning;
  return to_indented_json(json);
}

std::string execution_text(const ExecutionContext& context,
                           const std::vector<Execution>& executions) {
  const Platform& platform = context.platform;
  const Problem& problem = context.problem;
  std::string text = context.warning.empty() ? "" : context.warning + ".\n\n";
  text += platform_table(platform, problem);
  text += fmt::format("C += A.B with r={}, s={}, t={}: {} block updates{}\n\n", problem.r,
                      problem.s, problem.t, problem.updates(),
                      context.emulated ? "; " + emulation_text(context) : "");
  std::vector<double> predicted;
  std::vector<double> ranked;  // all from the file alone, so that they are comparable
  std::vector<double> real;
  for (const Execution& execution : executions) {
    predicted.push_back(compute_metrics(platform, execution.predicted).makespan_s);
    ranked.push_back(execution.changes.empty() ? predicted.back() : execution.file_prediction_s);
    real.push_back(compute_metrics(platform, execution.real).makespan_s);
  }
  const auto predicted_ranks = rank_makespans(ranked);
  const auto real_ranks = rank_makespans(real);
  const bool has_intervals = std::ranges::any_of(
      executions, [](const Execution& execution) { return execution.interval_s.has_value(); });
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::vector<std::string> times, const std::string& interval,
                       const std::vector<std::string>& speed,
                       const std::vector<std::string>& standing) {
    if (has_intervals) times.insert(times.begin() + 2, interval);
    times.insert(times.end(), speed.begin(), speed.end());
    if (executions.size() > 1) times.insert(times.end(), standing.begin(), standing.end());
    rows.push_back(std::move(times));
  };
  add({"heuristic", "predicted (s)", "real (s)", "difference"}, "95%",
      speed_column_headings(context), {"rank", "real"});
  std::vector<std::pair<std::string, double>> walls;
  for (std::size_t i = 0; i < executions.size(); ++i) {
    const Execution& execution = executions[i];
    add({execution.heuristic, fmt::format("{:.6g}", predicted[i]), fmt::format("{:.6g}", real[i]),
         difference_text(predicted[i], real[i])},
        interval_text(execution.interval_s), speed_column_values(context, real[i]),
        {fmt::format("{}", predicted_ranks[i]), fmt::format("{}", real_ranks[i])});
    walls.emplace_back(execution.heuristic, execution.wall_s);
  }
  text += align(rows) + file_predictions_text(executions) + wall_time_text(context, walls);
  for (const Execution& execution : executions) {
    text += fmt::format("\n{}, predicted and real:\n", execution.heuristic) +
            workers_table(platform, execution);
    if (context.emulated) continue;
    text += fmt::format(
        "\n{}, real minus predicted in seconds (link rate to port idle add up to the makespans' "
        "difference):\n{}",
        execution.heuristic, difference_table(platform, execution));
  }
  return text + fmt::format(
                    "\nC is right, checked {}. The trace{} of the real run{} the model, except for "
                    "durations.\n",
                    executions.front().check, executions.size() > 1 ? "s" : "",
                    executions.size() > 1 ? "s obey" : " obeys");
}

std::string execution_json(const ExecutionContext& context,
                           const std::vector<Execution>& executions) {
  using nlohmann::ordered_json;
  ordered_json workers = ordered_json::array();
  for (const Worker& worker : context.platform.workers) {
    workers.push_back({{"c_s", worker.c_s},
                       {"w_s", worker.w_s},
                       {"m_blocks", worker.m_blocks},
                       {"latency_s", worker.latency_s}});
  }
  ordered_json results = ordered_json::array();
  for (const Execution& execution : executions) {
    ordered_json details = ordered_json::object();
    for (const auto& [key, value] : execution.details) details[key] = value;
    results.push_back({{"heuristic", execution.heuristic},
                       {"predicted", metrics_json(context.platform, execution.predicted)},
                       {"real", metrics_json(context.platform, execution.real)},
                       {"difference", difference_json(context.platform, execution)},
                       {"peak_blocks", execution.peak_blocks},
                       {"check", execution.check},
                       {"wall_s", execution.wall_s},
                       {"details", std::move(details)}});
    auto& predicted = results.back()["predicted"];
    if (const auto& interval = execution.interval_s) {
      predicted["interval_s"] = {interval->low, interval->high};
    }
    if (execution.changes.empty()) continue;
    predicted["file_prediction_s"] = execution.file_prediction_s;
    predicted["speed_changes"] = changes_json(execution.changes);
  }
  return report_json(context, {{"name", context.platform.name}, {"workers", std::move(workers)}},
                     std::move(results));
}

}  // namespace starport::mpi
