#include "sim/files/json.hpp"
#include "sim/files/text.hpp"
#include "sim/process/machine.hpp"
#include "sim/process/version.hpp"
#include "sim/results/statistics.hpp"
#include "sim/starpu/execution/execution.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace starport::starpu {
namespace {

using nlohmann::ordered_json;

/// Indices of the figures of a run. From kLinkBytes on, there are two for each device: the bytes to
/// it, and those from it.
enum Figure : std::size_t { kMakespan_s, kVolumeBytes, kThefts, kIdleShare, kLinkBytes };

/// The figures of all real runs of a strategy.
class RealFigures {
 public:
  explicit RealFigures(const TileExecution& execution) {
    for (const RunFigures& figures : execution.real) {
      values_.resize(figures.size());
      for (std::size_t i = 0; i < figures.size(); ++i) values_[i].push_back(figures[i]);
    }
  }
  /// Returns the means of the runs.
  RunFigures means() const {
    RunFigures means;
    for (const auto& values : values_) means.push_back(mean_of(values));
    return means;
  }
  /// Returns half the widths of the 95 % intervals of the means; nullopt for one run.
  std::optional<RunFigures> half_widths() const {
    if (values_.front().size() < 2) return std::nullopt;
    RunFigures half_widths;
    for (const auto& values : values_) {
      const Interval interval = interval_of(values);
      half_widths.push_back((interval.high - interval.low) / 2);
    }
    return half_widths;
  }

 private:
  std::vector<std::vector<double>> values_;  ///< by figure and run
};

ordered_json to_json(const RunFigures& figures) {
  ordered_json links = ordered_json::array();
  for (std::size_t i = kLinkBytes; i < figures.size(); i += 2) {
    links.push_back({{"in_bytes", figures[i]}, {"out_bytes", figures[i + 1]}});
  }
  return {{"makespan_s", figures[kMakespan_s]},
          {"volume_bytes", figures[kVolumeBytes]},
          {"thefts", figures[kThefts]},
          {"idle_share", figures[kIdleShare]},
          {"links", std::move(links)}};
}

/// Cells of a table for the figures of one strategy.
class Cells {
 public:
  Cells(const TileExecution& execution, const Case& instance) {
    const RealFigures real(execution);
    real_ = real.means();
    half_widths_ = real.half_widths();
    if (execution.predicted) {
      predicted_ = summarise(*execution.predicted, execution.platform, instance);
    }
  }
  /// Adds the predicted figure, times `scale`, and the mean of the real runs with its interval.
  void add(std::vector<std::string>& row, std::size_t figure, double scale) const {
    row.push_back(predicted_ ? fmt::format("{:.4g}", scale * (*predicted_)[figure]) : "-");
    row.push_back(fmt::format("{:.4g}", scale * real_[figure]));
    if (half_widths_) row.back() += fmt::format(" ±{:.2g}", scale * (*half_widths_)[figure]);
  }
  /// Adds the difference of the mean of the real runs from the prediction.
  void add_difference(std::vector<std::string>& row, std::size_t figure) const {
    const double predicted = predicted_ ? (*predicted_)[figure] : 0;
    row.push_back(predicted > 0 ? fmt::format("{:+.1f} %", 100 * (real_[figure] / predicted - 1))
                                : "-");
  }

 private:
  RunFigures real_;
  std::optional<RunFigures> half_widths_;
  std::optional<RunFigures> predicted_;
};

}  // namespace

RunFigures summarise(const tiles::TileTrace& trace, const tiles::Platform& platform,
                     const Case& instance) {
  const auto q = static_cast<double>(instance.problem.block_size);
  const double tile_bytes = 8 * q * q;
  RunFigures figures(kLinkBytes + 2 * platform.links.size());
  figures[kMakespan_s] = trace.end_s();
  figures[kVolumeBytes] = tile_bytes * static_cast<double>(trace.transfers.size());
  figures[kThefts] = static_cast<double>(trace.thefts());
  for (const tiles::TracedTransfer& traced : trace.transfers) {
    const tiles::Transfer& transfer = traced.transfer;
    const auto place = [](std::int32_t node) {
      return kLinkBytes + 2 * static_cast<std::size_t>(node - 1);
    };
    if (transfer.to != tiles::kHub) figures[place(transfer.to)] += tile_bytes;
    if (transfer.from != tiles::kHub) figures[place(transfer.from) + 1] += tile_bytes;
  }
  double busy_s = 0;
  for (const tiles::TracedTask& task : trace.tasks) busy_s += task.end_s - task.start_s;
  // Below 0 by rounding where all workers are always busy.
  figures[kIdleShare] = std::max(
      0.0, 1 - busy_s / (figures[kMakespan_s] * static_cast<double>(platform.workers.size())));
  return figures;
}

std::string execution_text(const Case& instance, const std::vector<TileExecution>& executions) {
  const auto [r, s, t, q] = instance.problem;
  std::string text = fmt::format("C += A.B of {} x {} x {} tiles of {} x {} doubles, on {}\n\n", r,
                                 s, t, q, q, instance.file.path);
  std::vector<std::vector<std::string>> rows{{"strategy", "predicted (s)", "real (s)", "",
                                              "volume (MB)", "real", "", "thefts", "real",
                                              "idle (%)", "real"}};
  std::vector<std::vector<std::string>> links{
      {"strategy", "device", "to it (MB)", "real", "from it (MB)", "real"}};
  std::string notes;
  std::size_t repetitions = 0;
  for (const TileExecution& execution : executions) {
    if (execution.real.empty()) {
      notes += fmt::format("{}: {}\n", execution.name, execution.error);
      continue;
    }
    repetitions = execution.real.size();
    const Cells cells(execution, instance);
    auto& row = rows.emplace_back(std::vector{execution.name});
    cells.add(row, kMakespan_s, 1);
    cells.add_difference(row, kMakespan_s);
    cells.add(row, kVolumeBytes, 1e-6);
    cells.add_difference(row, kVolumeBytes);
    cells.add(row, kThefts, 1);
    cells.add(row, kIdleShare, 100);
    for (std::size_t device = 0; device < execution.platform.links.size(); ++device) {
      auto& link = links.emplace_back(std::vector{execution.name, fmt::format("{}", device + 1)});
      cells.add(link, kLinkBytes + 2 * device, 1e-6);
      cells.add(link, kLinkBytes + 2 * device + 1, 1e-6);
    }
  }
  if (rows.size() > 1) text += align(rows);
  if (links.size() > 1) text += "\n" + align(links);
  if (repetitions > 1) {
    text += fmt::format("\nReal: means of {} runs, ± half the width of their 95 % interval.\n",
                        repetitions);
  }
  const auto checked = std::find_if(executions.begin(), executions.end(),
                                    [](const TileExecution& run) { return !run.check.empty(); });
  if (checked != executions.end()) text += "\nC checked " + checked->check + ".\n";
  if (!notes.empty()) text += "\nNot complete:\n" + notes;
  return text;
}

std::string execution_json(const Case& instance, const std::vector<TileExecution>& executions,
                           const std::vector<std::string>& command) {
  const auto [r, s, t, q] = instance.problem;
  ordered_json results = ordered_json::array();
  for (const TileExecution& execution : executions) {
    ordered_json row{{"heuristic", execution.name}};
    if (execution.predicted) {
      row["predicted"] = to_json(summarise(*execution.predicted, execution.platform, instance));
    }
    if (!execution.real.empty()) {
      const RealFigures real(execution);
      row["real"] = to_json(real.means());
      if (const auto half_widths = real.half_widths()) {
        row["half_width_95"] = to_json(*half_widths);
      }
      row["repetitions"] = execution.real.size();
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
