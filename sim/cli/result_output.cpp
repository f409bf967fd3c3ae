#include "sim/cli/result_output.hpp"

#include "sim/files/error.hpp"
#include "sim/star/engine/simgrid/simgrid_simulation.hpp"
#include "sim/star/noise_text.hpp"
#include "sim/star/validator/memory_use.hpp"

#include <algorithm>

namespace starport {

ResultOutput::ResultOutput(const CommandLine& line, const Instance& instance, const Engine& engine,
                           const Noise& noise) {
  if (line.has("json") && line.has("csv")) {
    throw InputError("--csv", "one output format", "--json too");
  }
  format_ = line.has("json") ? Format::json : line.has("csv") ? Format::csv : Format::table;
  if (const auto path = line.find("trace")) {
    const TraceFormat format = trace_format(*path);
    trace_file_.emplace(*path, "--trace");
    exporter_.emplace(format, [this](std::string_view text) { trace_file_->write(text); });
  }
  comparison_.platform = instance.platform;
  comparison_.problem = instance.problem;
  comparison_.engine = engine.name();
  comparison_.noise = to_text(noise);
  comparison_.bound = reference_steady_state(instance.platform, instance.problem);
  comparison_.bounds = makespan_bounds(instance.platform, instance.problem,
                                       comparison_.bound.throughput_updates_per_s, noise.none());
  comparison_.provenance = {.simgrid_version = simgrid_version(),
                            .platform_file = instance.platform_file,
                            .command = line.command()};
}

void ResultOutput::trace(const std::string& heuristic, const Trace& trace) {
  if (!exporter_) return;
  const Platform& platform = comparison_.platform;
  const auto held = held_blocks(platform, comparison_.problem, trace);
  exporter_->add({.heuristic = heuristic,
                  .platform = platform,
                  .trace = trace,
                  .held = held,
                  .bound_s = comparison_.bounds.any_schedule_s});
}

int ResultOutput::finish() {
  relate(comparison_);
  if (exporter_) {
    exporter_->finish();
    trace_file_->commit();
  }
  switch (format_) {
    case Format::table:
      print(to_table(comparison_) + remarks_);
      break;
    case Format::json:
      print(to_json(comparison_));
      break;
    case Format::csv:
      print(to_csv(comparison_));
      break;
  }
  const auto count = [&](Status status) {
    return std::count_if(comparison_.results.begin(), comparison_.results.end(),
                         [&](const Result& result) { return result.status == status; });
  };
  return count(Status::error) == 0 && count(Status::ok) > 0 ? kSuccess : kFailedSimulation;
}

}  // namespace starport
