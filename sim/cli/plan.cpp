// `starport plan`: saves the schedule of a heuristic, or draws how it divides C.
#include "sim/app/algorithms.hpp"
#include "sim/app/check_schedule.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/report/plots/partition_plot.hpp"
#include "sim/results/comparison.hpp"
#include "sim/results/figure.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace starport {
namespace {

/// Draws which worker computes which part of C, for an algorithm without a list of transfers.
/// Throws SimulationError if it divides C only while it runs.
void draw_plan(const NamedAlgorithm& named, const Case& instance, const std::string& path) {
  const Model& model = model_of(*named.algorithm, model_registry().models);
  try {
    const PlotFormat format = plot_format(path);
    OutputFile output(path, "--output");
    const Division division = model.presentation().divide(named, instance);
    output.write(render(draw_division(division, named.name, instance.file.names), format));
    output.commit();
    print(fmt::format("{}: {}\n", path, division.about));
  } catch (const NotApplicable& reason) {
    throw SimulationError(fmt::format("{}: {}", named.name, reason.what()));
  }
}

}  // namespace

int plan_command(const std::vector<std::string>& arguments) {
  CommandLine line("plan", {"PLATFORM"},
                   "Simulates one heuristic and saves the transfers it emitted as a schedule file; "
                   "of one that divides C\nbefore the start, draws who computes what.",
                   "starport plan platforms/ppopp08-memory.json --problem 8000x8000x64000 "
                   "--heuristics Het -o schedule.json");
  line.add_problem();
  line.add("heuristics", "NAME", "one heuristic, with parameters as Name[key=value]", "Het")
      .add("output,o", "FILE",
           "the schedule file to write (.json), or the drawing (.svg, .pdf, .png, .csv, .py)");
  add_plugin_option(line);
  line.add_engine();
  line.add_time_limit();
  if (!line.parse(arguments)) return kSuccess;
  load_plugins(line);

  const auto algorithms = model_registry().read_algorithms(line.text("heuristics"), "--heuristics");
  if (algorithms.size() != 1) {
    throw InputError("--heuristics", "one heuristic", fmt::format("{}", algorithms.size()));
  }
  const NamedAlgorithm& named = algorithms.front();
  const std::string path = line.required("output", "the file to save the plan in");
  const Case instance = load_case(line);
  const std::string ending = std::filesystem::path(path).extension();
  if (named.algorithm->model() != star_model().name()) {
    if (ending == ".json") {
      throw InputError("--heuristics", "a heuristic for stars, whose transfers a .json file lists",
                       "'" + named.name + "'");
    }
    draw_plan(named, instance, path);
    return kSuccess;
  }
  if (!ending.empty() && ending != ".json") {
    throw InputError("--output", "a file that ends in .json, for the transfers of " + named.name,
                     "'" + path + "'");
  }
  const RunOptions options{.engine = line.engine(), .limits = line.limits()};
  check(algorithms, instance, model_registry().models, options);
  OutputFile output(path, "--output");

  Schedule schedule{.heuristic = named.name,
                    .problem = instance.problem,
                    .element_type = instance.file.element_type,
                    .platform = make_star(instance)};
  const Record record = star_model().simulate(
      named.name, make_planner(named, schedule.platform, instance.problem), instance, options,
      [&](const TracedTransfer& event) { schedule.transfers.push_back(event.transfer); });
  if (record.status != Status::ok) {
    const std::string why = fmt::format("{}: {}", record.algorithm, record.error);
    if (record.status == Status::not_applicable) throw NotApplicable(why);
    throw SimulationError(why);
  }
  schedule.makespan_s = record.figures.real(kMakespan);
  correct_makespan(schedule);
  write_json(schedule, [&](std::string_view piece) { output.write(piece); });
  output.commit();
  print(fmt::format("{}: {} transfers, makespan {:.6g} s, {} of {} workers\n", path,
                    schedule.transfers.size(), *schedule.makespan_s,
                    format_exact(record.figures[kEnrolledWorkers]),
                    schedule.platform.workers.size()));
  return kSuccess;
}

}  // namespace starport
