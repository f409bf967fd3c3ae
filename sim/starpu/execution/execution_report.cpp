#include "sim/files/json.hpp"
#include "sim/files/text.hpp"
#include "sim/process/machine.hpp"
#include "sim/process/version.hpp"
#include "sim/starpu/execution/execution.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace starport::starpu {
namespace {

using nlohmann::ordered_json;

/// Figures of one trace.
struct Summary {
  double makespan_s = 0;
  double volume_bytes = 0;
  std::int64_t thefts = 0;
  double idle_share = 0;
  std::vector<double> in_bytes{};   ///< by device
  std::vector<double> out_bytes{};  ///< by device
};

Summary summarise(const tiles::TileTrace& trace, const tiles::Platform& platform,
                  double tile_bytes) {
  Summary summary{.makespan_s = trace.end_s(), .thefts = trace.thefts()};
  summary.in_bytes.resize(platform.links.size());
  summary.out_bytes.resize(platform.links.size());
  summary.volume_bytes = tile_bytes * static_cast<double>(trace.transfers.size());
  for (const tiles::TracedTransfer& traced : trace.transfers) {
    const auto [tile, from, to] = traced.transfer;
    if (to != tiles::kHub) summary.in_bytes[static_cast<std::size_t>(to - 1)] += tile_bytes;
    if (from != tiles::kHub) summary.out_bytes[static_cast<std::size_t>(from - 1)] += tile_bytes;
  }
  double busy_s = 0;
  for (const tiles::TracedTask& task : trace.tasks) busy_s += task.end_s - task.start_s;
  summary.idle_share =
      1 - busy_s / (summary.makespan_s * static_cast<double>(platform.workers.size()));
  return summary;
}

double tile_bytes_of(const Case& instance) {
  const auto q = static_cast<double>(instance.problem.block_size);
  return 8 * q * q;
}

std::string difference(double predicted, double real) {
  return predicted > 0 ? fmt::format("{:+.1f} %", 100 * (real / predicted - 1)) : "-";
}

ordered_json to_json(const Summary& summary) {
  ordered_json links = ordered_json::array();
  for (std::size_t i = 0; i < summary.in_bytes.size(); ++i) {
    links.push_back({{"in_bytes", summary.in_bytes[i]}, {"out_bytes", summary.out_bytes[i]}});
  }
  return {{"makespan_s", summary.makespan_s},
          {"volume_bytes", summary.volume_bytes},
          {"thefts", summary.thefts},
          {"idle_share", summary.idle_share},
          {"links", std::move(links)}};
}

}  // namespace

std::string execution_text(const Case& instance, const std::vector<TileExecution>& executions) {
  const auto [r, s, t, q] = instance.problem;
  const double tile_bytes = tile_bytes_of(instance);
  std::string text = fmt::format("C += A.B of {} x {} x {} tiles of {} x {} doubles, on {}\n\n", r,
                                 s, t, q, q, instance.file.path);
  std::vector<std::vector<std::string>> rows{{"strategy", "predicted (s)", "real (s)", "",
                                              "volume (MB)", "real", "", "thefts", "real", "idle",
                                              "real"}};
  std::vector<std::vector<std::string>> links{
      {"strategy", "device", "to it (MB)", "real", "from it (MB)", "real"}};
  const auto mega = [](double bytes) { return fmt::format("{:.4g}", 1e-6 * bytes); };
  std::string notes;
  for (const TileExecution& execution : executions) {
    if (!execution.real) {
      notes += fmt::format("{}: {}\n", execution.name, execution.error);
      continue;
    }
    const Summary real = summarise(*execution.real, execution.platform, tile_bytes);
    std::optional<Summary> predicted;
    if (execution.predicted) {
      predicted = summarise(*execution.predicted, execution.platform, tile_bytes);
    }
    const auto of_prediction = [&](const std::string& value) { return predicted ? value : "-"; };
    const Summary p = predicted.value_or(Summary{});
    rows.push_back({execution.name, of_prediction(fmt::format("{:.4g}", p.makespan_s)),
                    fmt::format("{:.4g}", real.makespan_s),
                    difference(p.makespan_s, real.makespan_s), of_prediction(mega(p.volume_bytes)),
                    mega(real.volume_bytes), difference(p.volume_bytes, real.volume_bytes),
                    of_prediction(fmt::format("{}", p.thefts)), fmt::format("{}", real.thefts),
                    of_prediction(fmt::format("{:.1f} %", 100 * p.idle_share)),
                    fmt::format("{:.1f} %", 100 * real.idle_share)});
    for (std::size_t i = 0; i < real.in_bytes.size(); ++i) {
      links.push_back({execution.name, fmt::format("{}", i + 1),
                       of_prediction(predicted ? mega(p.in_bytes[i]) : ""), mega(real.in_bytes[i]),
                       of_prediction(predicted ? mega(p.out_bytes[i]) : ""),
                       mega(real.out_bytes[i])});
    }
  }
  if (rows.size() > 1) text += align(rows);
  if (links.size() > 1) text += "\n" + align(links);
  const auto checked = std::find_if(executions.begin(), executions.end(),
                                    [](const TileExecution& run) { return !run.check.empty(); });
  if (checked != executions.end()) text += "\nC checked " + checked->check + ".\n";
  if (!notes.empty()) text += "\nNot complete:\n" + notes;
  return text;
}

std::string execution_json(const Case& instance, const std::vector<TileExecution>& executions,
                           const std::vector<std::string>& command) {
  const auto [r, s, t, q] = instance.problem;
  const double tile_bytes = tile_bytes_of(instance);
  ordered_json results = ordered_json::array();
  for (const TileExecution& execution : executions) {
    ordered_json row{{"heuristic", execution.name}};
    if (execution.predicted) {
      row["predicted"] = to_json(summarise(*execution.predicted, execution.platform, tile_bytes));
    }
    if (execution.real) {
      row["real"] = to_json(summarise(*execution.real, execution.platform, tile_bytes));
      row["check"] = execution.check;
    } else {
      row["error"] = execution.error;
    }
    results.push_back(std::move(row));
  }
  return to_indented_json({{"starport_version", kVersion},
                           {"command", command},
                           {"host", host_name()},
                           {"date", utc_timestamp()},
                           {"platform", instance.file.path},
                           {"problem", {{"r", r}, {"s", s}, {"t", t}, {"block_size", q}}},
                           {"results", std::move(results)}});
}

}  // namespace starport::starpu
