#include "sim/mpi/spmd/product_report.hpp"

#include "sim/files/text.hpp"
#include "sim/models/spmd/spmd_model.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace starport::mpi {
namespace {

using nlohmann::ordered_json;

/// Returns the predicted times of all workers, summed over the iterations.
PerWorker<WorkerTimes> predicted_times(const spmd::ProductRun& run) {
  double communication_s = 0;
  for (const spmd::StageRun& stage_run : run.stages) {
    communication_s += static_cast<double>(stage_run.stage.count) * stage_run.communication_s;
  }
  const double slowest_s = std::ranges::max(run.computing_s);
  PerWorker<WorkerTimes> times;
  for (const double computing_s : run.computing_s) {
    times.push_back({.communication_s = communication_s,
                     .update_s = computing_s,
                     .waiting_s = slowest_s - computing_s,
                     .makespan_s = run.makespan_s});
  }
  return times;
}

/// Returns t_max / t_min - 1 of the computing times.
double imbalance(const PerWorker<WorkerTimes>& times) {
  const auto [least, most] = std::minmax_element(
      times.begin(), times.end(),
      [](const WorkerTimes& a, const WorkerTimes& b) { return a.update_s < b.update_s; });
  return most->update_s / least->update_s - 1;
}

const spmd::Arrangement& arrangement_of(const ProductExecution& execution) {
  return execution.plan.partitioning.partition.arrangement;
}

std::string workers_table(const ProductExecution& execution, const WorkerNames& names) {
  const spmd::Arrangement& arrangement = arrangement_of(execution);
  const auto predicted = predicted_times(execution.predicted);
  std::vector<std::vector<std::string>> rows{{"worker", "blocks", "computing (s)", "real", "",
                                              "communication (s)", "real", "waiting (s)", "real"}};
  for (std::int64_t i = 0; i < std::ssize(predicted); ++i) {
    const spmd::NodeRectangle& part = arrangement.rectangles[i];
    const WorkerTimes& p = predicted[i];
    const WorkerTimes& r = execution.real[i];
    rows.push_back({names[static_cast<std::size_t>(i)], fmt::format("{} x {}", part.m, part.n),
                    fmt::format("{:.4g}", p.update_s), fmt::format("{:.4g}", r.update_s),
                    difference_text(p.update_s, r.update_s),
                    fmt::format("{:.4g}", p.communication_s),
                    fmt::format("{:.4g}", r.communication_s), fmt::format("{:.4g}", p.waiting_s),
                    fmt::format("{:.4g}", r.waiting_s)});
  }
  return align(rows, 2);
}

std::string comparison_table(const ExecutionContext& context,
                             const std::vector<ProductExecution>& executions) {
  std::vector<double> predicted;
  std::vector<double> real;
  for (const ProductExecution& execution : executions) {
    predicted.push_back(execution.predicted.makespan_s);
    real.push_back(execution.real_makespan_s());
  }
  const auto predicted_ranks = rank_makespans(predicted);
  const auto real_ranks = rank_makespans(real);
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::vector<std::string> times, const std::vector<std::string>& speed,
                       const std::vector<std::string>& balance,
                       const std::vector<std::string>& standing) {
    times.insert(times.end(), speed.begin(), speed.end());
    times.insert(times.end(), balance.begin(), balance.end());
    if (executions.size() > 1) times.insert(times.end(), standing.begin(), standing.end());
    rows.push_back(std::move(times));
  };
  add({"heuristic", "predicted (s)", "real (s)", "difference"}, speed_column_headings(context),
      {"t_max/t_min-1", "real"}, {"rank", "real"});
  for (std::size_t i = 0; i < executions.size(); ++i) {
    const ProductExecution& execution = executions[i];
    const auto times = predicted_times(execution.predicted);
    add({execution.algorithm, fmt::format("{:.6g}", predicted[i]), fmt::format("{:.6g}", real[i]),
         difference_text(predicted[i], real[i])},
        speed_column_values(context, real[i]),
        {fmt::format("{:.3f}", imbalance(times)), fmt::format("{:.3f}", imbalance(execution.real))},
        {fmt::format("{}", predicted_ranks[i]), fmt::format("{}", real_ranks[i])});
  }
  return align(rows);
}

ordered_json times_json(const PerWorker<WorkerTimes>& times, double makespan_s) {
  ordered_json workers = ordered_json::array();
  for (const WorkerTimes& worker : times) {
    workers.push_back({{"communication_s", worker.communication_s},
                       {"update_s", worker.update_s},
                       {"waiting_s", worker.waiting_s}});
  }
  return {
      {"makespan_s", makespan_s}, {"imbalance", imbalance(times)}, {"workers", std::move(workers)}};
}

ordered_json execution_as_json(const ProductExecution& execution) {
  const spmd::Arrangement& arrangement = arrangement_of(execution);
  ordered_json rectangles = ordered_json::array();
  for (const spmd::NodeRectangle& part : arrangement.rectangles) {
    rectangles.push_back(
        {{"row", part.row}, {"column", part.column}, {"rows", part.m}, {"columns", part.n}});
  }
  return {{"heuristic", execution.algorithm},
          {"rectangles", std::move(rectangles)},
          {"predicted",
           times_json(predicted_times(execution.predicted), execution.predicted.makespan_s)},
          {"real", times_json(execution.real, execution.real_makespan_s())},
          {"check", execution.check},
          {"wall_s", execution.wall_s}};
}

}  // namespace

double ProductExecution::real_makespan_s() const {
  double latest_s = 0;
  for (const WorkerTimes& worker : real) latest_s = std::max(latest_s, worker.makespan_s);
  return latest_s;
}

std::string product_text(const ExecutionContext& context, const Case& instance,
                         const std::vector<ProductExecution>& executions) {
  const spmd::SpmdModel model;
  std::string text = model.presentation().heading(instance, model.bounds(instance, {}));
  if (context.emulated) text += emulation_text(context) + "\n";
  std::vector<std::pair<std::string, double>> walls;
  for (const ProductExecution& execution : executions) {
    walls.emplace_back(execution.algorithm, execution.wall_s);
  }
  text += "\n" + comparison_table(context, executions) + wall_time_text(context, walls);
  for (const ProductExecution& execution : executions) {
    text += fmt::format("\n{}, predicted and real:\n", execution.algorithm) +
            workers_table(execution, instance.file.names);
  }
  return text + fmt::format("\nC is right, checked {}.\n", executions.front().check);
}

std::string product_json(const ExecutionContext& context, const Case& instance,
                         const std::vector<ProductExecution>& executions) {
  ordered_json results = ordered_json::array();
  for (const ProductExecution& execution : executions) {
    results.push_back(execution_as_json(execution));
  }
  ordered_json platform{{"name", context.platform.name}, {"workers", instance.file.size()}};
  return report_json(context, std::move(platform), std::move(results));
}

}  // namespace starport::mpi
