#include "sim/cli/result_output.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/process/version.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/results/figure.hpp"
#include "sim/sweep/row_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport {

namespace {

/// Returns how to print each line on a terminal: the row of the best heuristic and the
/// recommendation stand out, notes are faint.
std::function<Emphasis(std::string_view)> emphasis_in(const Comparison& comparison) {
  const std::vector<const Record*> ranked = fastest_first(comparison);
  const std::string name = ranked.empty() ? "" : ranked.front()->algorithm;
  return [=](std::string_view line) {
    const bool row = line.starts_with(name + "  ") || line.starts_with("Run " + name + ":");
    if (!name.empty() && row) return Emphasis::strong;
    const bool aside = line.starts_with("x bound:") || line.starts_with("noise:") ||
                       line.find(": not applicable: ") != std::string_view::npos;
    return aside ? Emphasis::faint : Emphasis::none;
  };
}

}  // namespace

ResultOutput::ResultOutput(const CommandLine& line) : command_(line.command()) {
  if (line.has("json") && line.has("csv")) {
    throw InputError::with_problem("--csv", "it excludes --json", "Give only one of them");
  }
  format_ = line.has("json") ? Format::json : line.has("csv") ? Format::csv : Format::table;
  if (const auto path = line.find("trace")) {
    const TraceFormat format = trace_format(*path);
    trace_file_.emplace(*path, "--trace");
    exporter_.emplace(format, [this](std::string_view text) { trace_file_->write(text); });
  }
}

void ResultOutput::prepare(RunOptions& options) {
  options.worker_figures = format_ != Format::csv;
  if (!exporter_) return;
  constexpr std::size_t piece = 65536;
  options.max_slices = piece;
  options.on_timeline = [this](const Timeline& timeline) {
    try {
      exporter_->add(timeline);
    } catch (const InputError&) {
      return;  // of the trace, not of the run: the file throws it again in finish()
    }
    slices_ += timeline.slices.size();
    if (slices_ > piece) {
      progress_.show(fmt::format("{}: {} million slices in the trace", timeline.name,
                                 static_cast<double>(slices_ / 100'000) / 10));
    }
  };
}

int ResultOutput::finish(Comparison comparison) {
  comparison.provenance = {.simgrid_version = std::string(kSimgridVersion), .command = command_};
  progress_.show("");
  switch (format_) {
    case Format::table:
      print(to_table(comparison) + remarks_ + recommendation_text(comparison),
            emphasis_in(comparison));
      break;
    case Format::json:
      print(to_json(comparison));
      break;
    case Format::csv:
      print(to_csv(comparison));
      break;
  }
  if (exporter_) {
    exporter_->finish();
    trace_file_->commit();
  }
  const auto count = [&](Status status) {
    return std::ranges::count_if(comparison.records,
                                 [&](const Record& record) { return record.status == status; });
  };
  return count(Status::error) == 0 && count(Status::ok) > 0 ? kSuccess : kFailedSimulation;
}

}  // namespace starport
