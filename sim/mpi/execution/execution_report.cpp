#include "sim/mpi/execution/execution_report.hpp"

#include "sim/files/json_text.hpp"
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

/// When each worker has taken part in its last transfer.
std::vector<double> last_dates(std::size_t workers, const Trace& trace) {
  std::vector<double> dates(workers);
  for (const TracedTransfer& event : trace) {
    dates[event.transfer.worker] = event.dates.end_s;
  }
  return dates;
}

std::string workers_table(const Platform& platform, const Execution& execution) {
  const Metrics predicted = compute_metrics(platform, execution.predicted);
  const Metrics real = compute_metrics(platform, execution.real);
  const auto predicted_end = last_dates(platform.workers.size(), execution.predicted);
  const auto real_end = last_dates(platform.workers.size(), execution.real);
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
         difference_text(predicted_end[i], real_end[i]), fmt::format("{}", execution.peak_blocks[i]),
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
  return explain_differences(apply_changes(platform, execution.today), execution.predicted,
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
    nlohmann::ordered_json one;
    for (const auto& part : kParts) one[part.key] = difference.*part.part;
    workers.push_back(std::move(one));
  }
  return workers;
}

/// How many times as long as in the file.
nlohmann::ordered_json change_json(const SpeedChange& change) {
  return {{"times", change.times}, {"interval", {change.interval.low, change.interval.high}}};
}

nlohmann::ordered_json today_json(const PerWorker<WorkerChange>& today) {
  nlohmann::ordered_json workers = nlohmann::ordered_json::array();
  for (const WorkerChange& one : today) {
    workers.push_back(
        {{"transfers", change_json(one.transfers)}, {"updates", change_json(one.updates)}});
  }
  return workers;
}

/// Empty where nobody looked.
std::string by_file_text(const std::vector<Execution>& executions) {
  std::vector<std::string> makespans;
  for (const Execution& one : executions) {
    if (one.today.empty()) continue;
    makespans.push_back(fmt::format("{} {:.6g} s", one.heuristic, one.by_file_s));
  }
  if (makespans.empty()) return "";
  return fmt::format("Predicted by what the workers took just before; by the file alone{}: {}.\n",
                     makespans.size() > 1 ? ", as places are" : "", fmt::join(makespans, ", "));
}

std::string interval_text(const std::optional<MedianInterval>& interval_s) {
  return interval_s ? fmt::format("{:.4g} to {:.4g}", interval_s->low, interval_s->high) : "-";
}

double flops_of(const Problem& problem) {
  const auto q = static_cast<double>(problem.block_size);
  return 2 * q * q * q * static_cast<double>(problem.updates());
}

nlohmann::ordered_json metrics_json(const Platform& platform, const Trace& trace) {
  const Metrics metrics = compute_metrics(platform, trace);
  const auto ends = last_dates(platform.workers.size(), trace);
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

std::vector<std::string> speed_column_headings(const ExecutionContext& about) {
  std::vector<std::string> heads{"Gflop/s"};
  if (about.peak_flops) heads.emplace_back("of peak");
  return heads;
}

std::vector<std::string> speed_column_values(const ExecutionContext& about, double real_s) {
  const double speed_flops = flops_of(about.problem) / real_s;
  std::vector<std::string> cells{fmt::format("{:.4g}", speed_flops / 1e9)};
  if (about.peak_flops) {
    cells.push_back(fmt::format("{:.0f}%", 100 * speed_flops / *about.peak_flops));
  }
  return cells;
}

std::string wall_time_text(const ExecutionContext& about,
                      const std::vector<std::pair<std::string, double>>& runs) {
  std::vector<std::string> texts;
  for (const auto& [name, wall_s] : runs) texts.push_back(fmt::format("{} {:.4g} s", name, wall_s));
  return fmt::format(
      "Wall time: {:.4g} s for the matrices and what C must be; until C was checked and kept: "
      "{}.\n",
      about.matrices_s, fmt::join(texts, ", "));
}

std::vector<std::size_t> rank_makespans(const std::vector<double>& makespans) {
  std::vector<std::size_t> rank_makespans;
  for (const double mine : makespans) {
    rank_makespans.push_back(1 + std::ranges::count_if(
                             makespans, [&](double other) { return other < mine * (1 - 5e-3); }));
  }
  return rank_makespans;
}

std::string emulation_text(const ExecutionContext& about) {
  return fmt::format("emulated, {:g} times the platform's durations", about.time_scale);
}

std::string report_json(const ExecutionContext& about, nlohmann::ordered_json platform,
                          nlohmann::ordered_json results) {
  using nlohmann::ordered_json;
  if (about.peak_flops) platform["peak_flops"] = *about.peak_flops;
  const ordered_json json{{"schema_version", 1},
                          {"platform", std::move(platform)},
                          {"problem", to_json(about.problem)},
                          {"emulated", about.emulated},
                          {"time_scale", about.time_scale},
                          {"matrices_s", about.matrices_s},
                          {"results", std::move(results)},
                          {"provenance",
                           {{"starport", kVersion},
                            {"commit", kCommit},
                            {"platform_file", about.platform_file},
                            {"command", about.command}}}};
  return indented(json);
}

std::string execution_text(const ExecutionContext& about, const std::vector<Execution>& executions) {
  const Platform& platform = about.platform;
  const Problem& problem = about.problem;
  std::string text = platform_table(platform, problem);
  text +=
      fmt::format("C += A.B with r={}, s={}, t={}: {} block updates{}\n\n", problem.r, problem.s,
                  problem.t, problem.updates(), about.emulated ? "; " + emulation_text(about) : "");
  std::vector<double> predicted;
  std::vector<double> ranked;  // one measure for all
  std::vector<double> real;
  for (const Execution& execution : executions) {
    predicted.push_back(compute_metrics(platform, execution.predicted).makespan_s);
    ranked.push_back(execution.today.empty() ? predicted.back() : execution.by_file_s);
    real.push_back(compute_metrics(platform, execution.real).makespan_s);
  }
  const auto predicted_places = rank_makespans(ranked);
  const auto real_places = rank_makespans(real);
  const bool known = std::ranges::any_of(
      executions, [](const Execution& execution) { return execution.interval_s.has_value(); });
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::vector<std::string> times, const std::string& interval,
                       const std::vector<std::string>& speed,
                       const std::vector<std::string>& standing) {
    if (known) times.insert(times.begin() + 2, interval);
    times.insert(times.end(), speed.begin(), speed.end());
    if (executions.size() > 1) times.insert(times.end(), standing.begin(), standing.end());
    rows.push_back(std::move(times));
  };
  add({"heuristic", "predicted (s)", "real (s)", "difference"}, "95%", speed_column_headings(about),
      {"place", "real"});
  std::vector<std::pair<std::string, double>> walls;
  for (std::size_t i = 0; i < executions.size(); ++i) {
    const Execution& one = executions[i];
    add({one.heuristic, fmt::format("{:.6g}", predicted[i]), fmt::format("{:.6g}", real[i]),
         difference_text(predicted[i], real[i])},
        interval_text(one.interval_s), speed_column_values(about, real[i]),
        {fmt::format("{}", predicted_places[i]), fmt::format("{}", real_places[i])});
    walls.emplace_back(one.heuristic, one.wall_s);
  }
  text += align(rows) + by_file_text(executions) + wall_time_text(about, walls);
  for (const Execution& execution : executions) {
    text += fmt::format("\n{}, predicted and real:\n", execution.heuristic) +
            workers_table(platform, execution);
    if (about.emulated) continue;
    text += fmt::format(
        "\n{}, real minus predicted (s); of all, the first four are the makespan's:\n{}",
        execution.heuristic, difference_table(platform, execution));
  }
  return text + fmt::format(
                    "\nC is right, checked {}; the trace{} of the real run obey{} the model, "
                    "durations apart\n",
                    executions.front().check, executions.size() > 1 ? "s" : "",
                    executions.size() > 1 ? "" : "s");
}

std::string execution_json(const ExecutionContext& about, const std::vector<Execution>& executions) {
  using nlohmann::ordered_json;
  ordered_json workers = ordered_json::array();
  for (const Worker& worker : about.platform.workers) {
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
                       {"predicted", metrics_json(about.platform, execution.predicted)},
                       {"real", metrics_json(about.platform, execution.real)},
                       {"difference", difference_json(about.platform, execution)},
                       {"most_held_blocks", execution.peak_blocks},
                       {"check", execution.check},
                       {"wall_s", execution.wall_s},
                       {"details", std::move(details)}});
    auto& predicted = results.back()["predicted"];
    if (const auto& interval = execution.interval_s) {
      predicted["interval_s"] = {interval->low, interval->high};
    }
    if (execution.today.empty()) continue;
    predicted["by_file_s"] = execution.by_file_s;
    predicted["today"] = today_json(execution.today);
  }
  return report_json(about, {{"name", about.platform.name}, {"workers", std::move(workers)}},
                       std::move(results));
}

}  // namespace starport::mpi
