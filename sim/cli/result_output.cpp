#include "sim/cli/result_output.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/noise_text.hpp"
#include "sim/process/simgrid_version.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/report/recommendation.hpp"
#include "sim/study/result_rows.hpp"

#include <algorithm>

namespace starport {

ResultOutput::ResultOutput(const CommandLine& line) : command_(line.command()) {
  if (line.has("json") && line.has("csv")) {
    throw InputError("--csv", "one output format", "--json too");
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
  options.take_timeline = [this](const Timeline& timeline) { exporter_->add(timeline); };
}

int ResultOutput::finish(Comparison comparison) {
  comparison.provenance = {.simgrid_version = simgrid_version(), .command = command_};
  if (exporter_) {
    exporter_->finish();
    trace_file_->commit();
  }
  switch (format_) {
    case Format::table:
      print(to_table(comparison) + remarks_ + recommendation(comparison));
      break;
    case Format::json:
      print(to_json(comparison));
      break;
    case Format::csv:
      print(to_csv(comparison));
      break;
  }
  const auto count = [&](Status status) {
    return std::ranges::count_if(comparison.records,
                                 [&](const Record& record) { return record.status == status; });
  };
  return count(Status::error) == 0 && count(Status::ok) > 0 ? kSuccess : kFailedSimulation;
}

}  // namespace starport
