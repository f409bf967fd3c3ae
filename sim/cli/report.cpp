// starport report: a sweep's results as one HTML page.
#include "heuristics/star/registry.hpp"
#include "sim/app/algorithms.hpp"
#include "sim/app/command.hpp"
#include "sim/app/known.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/process/progress.hpp"
#include "sim/process/simgrid_version.hpp"
#include "sim/process/version.hpp"
#include "sim/report/page/html_page.hpp"
#include "sim/report/page/report_runs.hpp"
#include "sim/report/result_summary.hpp"
#include "sim/results/heterogeneity.hpp"
#include "sim/sweep/merge.hpp"
#include "sim/sweep/result_directory.hpp"
#include "sim/sweep/run_info.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace starport {
namespace {

/// The instances of the results. One that cannot be cut into blocks has no run either.
std::map<std::int64_t, Case> instances_of(const Specification& specification,
                                          const ResultTable& results) {
  std::map<std::int64_t, Case> instances;
  for (const Row& row : results.query("SELECT DISTINCT instance FROM results")) {
    const auto number = std::get<std::int64_t>(row.at(0));
    try {
      instances.emplace(number, specification.instance(number).in_blocks());
    } catch (const InputError&) {  // the error of its rows
    }
  }
  return instances;
}

/// On the sweep's engine. Another version may have other runs.
std::map<std::int64_t, PackedRun> simulate_runs(const CommandLine& line,
                                                const CompleteResults& complete,
                                                const Specification& specification,
                                                const ResultTable& results) {
  const RunChoice choice = parse_runs(line.text("runs"), results);
  if (choice.none()) return {};
  const EngineKind engine = parse_engine(complete.run_info["engine"].get<std::string>(), "engine");
  const Maker maker{
      .engine = to_string(engine), .simgrid_version = simgrid_version(), .shard = complete.shard};
  check_maker(complete.run_info, run_info_of(specification, maker), complete.path,
              "--runs none makes a page without Gantt charts");
  const Progress progress;
  const std::int64_t processes =
      std::clamp<std::int64_t>(results.count("count(*)"), 1, line.jobs());
  return report_runs(
      specification, results, choice, {.engine = engine, .limits = line.limits(processes)},
      static_cast<int>(processes), [&](const ReportProgress& state) {
        progress.show(fmt::format("runs for the Gantt chart: {} of {}", state.done, state.total));
        return true;
      });
}

std::vector<ReportPlot> draw_plots(const ResultTable& results) {
  std::vector<std::string> names;
  for (const auto& entry : heuristic_registry()) names.push_back(entry.name);
  const Progress progress;
  return report_plots(results, names, merged(figures_of(known().models), measure_figures()),
                      [&](std::size_t number, std::size_t count) {
                        progress.show(fmt::format("figure {} of {}", number, count));
                      });
}

}  // namespace

int report_command(const std::vector<std::string>& arguments) {
  CommandLine line(
      "report", {"DIR"},
      "Makes one HTML page of a sweep's result directory: sortable tables, figures, a Gantt chart\n"
      "of any run, platforms and provenance. It needs no network and no other file.\n"
      "Results keep no transfers, so the runs for the Gantt chart are simulated again, by the "
      "same\n"
      "version and on the same engine as the sweep's.",
      "starport report /tmp/ppopp08 -o report.html");
  line.add("output,o", "FILE", "the page")
      .add("runs", "RUNS",
           "for the Gantt chart: all; best, the fastest of each instance; none; those of some "
           "instances, as 3,7-9; auto: all as long as they take less than 20 MB, the fastest of "
           "each instance first",
           "auto");
  add_plugin_option(line);
  line.add_jobs("runs");
  line.add_time_limit();
  if (!line.parse(arguments)) return kSuccess;
  load_plugins(line);
  const std::string output = line.required("output", "the page to write");

  const std::string directory = line.text("DIR");
  const CompleteResults complete = read_results(directory);
  const Specification specification =
      load_specification(path_in(directory, ResultDirectory::kSpecification), known());
  const ResultTable results = ResultTable::read_csv(path_in(directory, ResultDirectory::kResults));
  results.require(report_columns());
  OutputFile file(output, "--output");
  nlohmann::ordered_json provenance{
      {"page", fmt::format("starport {} ({}), SimGrid {}", kVersion, kCommit, simgrid_version())}};
  provenance.update(complete.run_info);
  const ReportPage page{.title = specification.name,
                        .models = specification.models(),
                        .command = fmt::format("starport report {} -o {}", shell_words({directory}),
                                               shell_words({output})),
                        .provenance = std::move(provenance),
                        .instances = instances_of(specification, results),
                        .runs = simulate_runs(line, complete, specification, results),
                        .plots = draw_plots(results)};
  const ResultTable timings = ResultTable::read_csv(path_in(directory, ResultDirectory::kTimings));
  file.write(to_html(page, results, timings));
  file.commit();
  return kSuccess;
}

}  // namespace starport
