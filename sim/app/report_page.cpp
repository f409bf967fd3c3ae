#include "sim/app/report_page.hpp"

#include "sim/app/algorithms.hpp"
#include "sim/app/command_line.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/process/progress.hpp"
#include "sim/process/version.hpp"
#include "sim/report/page/html_page.hpp"
#include "sim/report/page/report_runs.hpp"
#include "sim/report/result_summary.hpp"
#include "sim/results/heterogeneity.hpp"
#include "sim/sweep/checksums.hpp"
#include "sim/sweep/result_directory.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace starport {
namespace {

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

}  // namespace

void write_report_page(const ReportPageRequest& request) {
  const std::string& directory = request.directory;
  const std::string& output = request.output;
  const CompleteResults complete = read_complete_results(directory);
  const Specification specification =
      load_specification(path_in(directory, result_files::kSpecification), model_registry());
  const ResultTable results = ResultTable::read_csv(path_in(directory, result_files::kResults));
  results.require(report_columns());
  OutputFile file(output, "--output");
  nlohmann::ordered_json provenance{{"page", fmt::format("starport {} ({}), SimGrid {}", kVersion,
                                                         kCommit, std::string(kSimgridVersion))}};
  provenance.update(complete.run_info);
  ReportPage page{
      .title = specification.name,
      .models = specification.models(),
      .command = fmt::format("starport report {} -o {}", quote_for_shell({directory}),
                             quote_for_shell({output})),
      .provenance = std::move(provenance),
      .instances = read_instances(specification, results),
      .runs = simulate_runs(request, complete, specification, results),
      .plots = report_plots(results, numbered_algorithms(),
                            merge_figures(merge_figures(figures_of(model_registry().models),
                                                        platform_measure_figures()),
                                          label_columns()))};
  for (const Experiment& experiment : specification.experiments) {
    if (!experiment.question.empty()) page.questions[experiment.name] = experiment.question;
  }
  const ResultTable timings = ResultTable::read_csv(path_in(directory, result_files::kTimings));
  file.write(to_html(page, results, timings));
  file.commit();
}

}  // namespace starport
