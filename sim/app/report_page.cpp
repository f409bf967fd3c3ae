#include "sim/app/report_page.hpp"

#include "sim/app/algorithms.hpp"
#include "sim/app/command_line.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/process/progress.hpp"
#include "sim/process/version.hpp"
#include "sim/report/page/html_page.hpp"
#include "sim/report/page/report_runs.hpp"
#include "sim/report/result_summary.hpp"
#include "sim/report/trace_files.hpp"
#include "sim/results/heterogeneity.hpp"
#include "sim/sweep/checksums.hpp"
#include "sim/sweep/result_directory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

namespace starport {
namespace {

/// Largest number of rows of a page: a browser holds all of them.
constexpr std::int64_t kMaxRows = 100'000;

/// Returns the instances that have rows in the results, by number. Leaves out an instance that
/// cannot be divided into blocks: its rows hold the error.
std::map<std::int64_t, Case> read_instances(const Specification& specification,
                                            const ResultTable& results) {
  std::map<std::int64_t, Case> instances;
  for (const Row& row : results.query("SELECT DISTINCT instance FROM results")) {
    const auto number = std::get<std::int64_t>(row.at(0));
    try {
      instances.emplace(number, specification.instance(number).in_blocks());
    } catch (const InputError&) {  // reported in its rows
    }
  }
  return instances;
}

/// Simulates again the runs for the Gantt charts, on the engine of the sweep. Throws InputError if
/// another version of the program made the results, since its runs may differ.
std::map<std::int64_t, PackedRun> simulate_runs(const ReportPageRequest& request,
                                                const CompleteResults& complete,
                                                const Specification& specification,
                                                const ResultTable& results) {
  const RunChoice choice = parse_runs(request.runs, results);
  if (choice.is_none()) return {};
  const EngineKind engine = parse_engine(complete.run_info["engine"].get<std::string>(), "engine");
  const ResultOrigin origin{.engine = to_string(engine),
                            .simgrid_version = std::string(kSimgridVersion),
                            .plugins = plugin_checksums(),
                            .shard = complete.shard};
  check_origin(complete.run_info, make_run_info(specification, origin), complete.path,
               "--runs none makes a page without Gantt charts");
  const ProgressLine progress;
  const std::int64_t processes =
      std::clamp<std::int64_t>(results.count("count(*)"), 1, request.jobs);
  return report_runs(
      specification, results, choice,
      {.engine = engine, .limits = limits_per_process(request.time_limit_s, processes)},
      static_cast<int>(processes), [&](const ReportProgress& state) {
        progress.show(fmt::format("runs for the Gantt chart: {} of {}", state.done, state.total));
        return true;
      });
}

nlohmann::ordered_json page_provenance() {
  return {{"page", fmt::format("starport {} ({}), SimGrid {}", kVersion, kCommit,
                               std::string(kSimgridVersion))}};
}

std::string page_command(const ReportPageRequest& request) {
  return fmt::format("starport report {} -o {}", quote_for_shell({request.source}),
                     quote_for_shell({request.output}));
}

std::vector<ReportPlot> plots_of(const ResultTable& results) {
  return report_plots(
      results, numbered_algorithms(),
      merge_figures(merge_figures(figures_of(model_registry().models), platform_measure_figures()),
                    label_columns()));
}

/// Returns the number of groups of lanes, such as workers, that compute, stolen tasks and
/// reductions included.
std::size_t count_computing_groups(const Timeline& timeline) {
  std::set<std::size_t> groups;
  for (const Slice& slice : timeline.slices) {
    const SliceKind& kind = timeline.kind_of(slice);
    if (kind.what == "update" && kind.role != SliceRole::lost) {
      groups.insert(timeline.lanes[slice.lane].group);
    }
  }
  return groups.size();
}

/// Writes a page of all runs in a trace file, as results of one instance.
void write_trace_page(const ReportPageRequest& request) {
  if (request.runs != "auto") {
    throw InputError::with_problem("--runs", "it chooses runs of a sweep, not of a trace",
                                   "Leave it out");
  }
  OutputFile output(request.output, "--output");
  std::vector<Timeline> timelines;
  for (const std::string& name : read_trace_names(request.source)) {
    timelines.push_back(read_trace(request.source, name, TraceDetail::labels));
  }
  const double shortest_s = std::ranges::min(timelines, {}, &Timeline::makespan_s).makespan_s;
  const std::string file = std::filesystem::path(request.source).filename().string();
  std::string csv = fmt::format("{}\n", fmt::join(report_columns(), ","));
  std::map<std::int64_t, PackedRun> runs;
  for (const Timeline& timeline : timelines) {
    runs[std::ssize(runs)] = pack_run(timeline);
    csv += fmt::format("1,{},,,,,{},ok,,{},{},{}\n", quote_csv_field(file),
                       quote_csv_field(timeline.name), timeline.makespan_s,
                       count_computing_groups(timeline), timeline.makespan_s / shortest_s);
  }
  ResultTable results;
  results.append_text(csv, request.source);
  ResultTable timings;
  timings.append_text("instance,heuristic,decision_s,simulation_s\n", request.source);
  const ReportPage page{.title = file,
                        .models = model_registry().models,
                        .command = page_command(request),
                        .provenance = page_provenance(),
                        .runs = std::move(runs),
                        .plots = plots_of(results)};
  output.write(to_html(page, results, timings));
  output.commit();
}

}  // namespace

void write_report_page(const ReportPageRequest& request) {
  if (request.source.ends_with(".csv")) return write_trace_page(request);
  const std::string& directory = request.source;
  const CompleteResults complete = read_complete_results(directory);
  const Specification specification =
      load_specification(path_in(directory, result_files::kSpecification), model_registry());
  if (const std::int64_t rows = specification.rows() / complete.shard.count; rows > kMaxRows) {
    throw InputError("", fmt::format("at most {} rows, which a browser can show", kMaxRows),
                     fmt::format("about {}", rows),
                     "starport plot and starport check take results of any size")
        .in_file(directory);
  }
  const ResultTable results = ResultTable::read_csv(path_in(directory, result_files::kResults));
  results.require(report_columns());
  OutputFile file(request.output, "--output");
  ReportPage page{.title = specification.name,
                  .models = specification.models(),
                  .command = page_command(request),
                  .provenance = page_provenance(),
                  .instances = read_instances(specification, results),
                  .runs = simulate_runs(request, complete, specification, results),
                  .plots = plots_of(results)};
  page.provenance.update(complete.run_info);
  for (const Experiment& experiment : specification.experiments) {
    if (!experiment.question.empty()) page.questions[experiment.name] = experiment.question;
  }
  const ResultTable timings = ResultTable::read_csv(path_in(directory, result_files::kTimings));
  file.write(to_html(page, results, timings));
  file.commit();
}

}  // namespace starport
