// `starport worst`: searches for the platform and product on which a heuristic loses most.
#include "sim/app/algorithms.hpp"
#include "sim/app/program.hpp"
#include "sim/app/worst_case.hpp"
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/process/process_pool.hpp"
#include "sim/process/progress.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/report/plots/drawing.hpp"
#include "sim/report/plots/two_runs.hpp"
#include "sim/report/run_difference.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport {
namespace {

using worst::Contest;

/// Runs a search with its progress on stderr.
std::optional<WorstCase> search(const Contest& contest, WorstCaseOptions options) {
  const ProgressLine progress;
  options.on_round = [&](const worst::Search& state) {
    const auto best = state.best();
    progress.show(fmt::format("{} against {}: {}/{} evaluations, ratio {:.4g}", contest.tested.name,
                              contest.opponent(), state.evaluations(), options.evaluations,
                              best ? best->ratio : 0));
  };
  return find_worst_case(contest, options);
}

std::string summary(const Contest& contest, const WorstCase& result,
                    const WorstCaseOptions& options) {
  std::string text = fmt::format(
      "{} takes {:.4g} times {}.\nFound in {} of '{}' with seed {}: ratio {:.4g} before it was "
      "simplified.\n",
      contest.tested.name, result.ratio,
      contest.rivals.empty() ? "the lower bound that no schedule beats"
                             : "as long as " + contest.opponent(),
      format_count(result.evaluations, "evaluation"), options.space.name, options.seed,
      result.ratio_found);
  if (const auto& failing = result.failing_instance) {
    text += fmt::format(
        "{} failed on {}, which do not count. The first has {} and --problem {} (--json gives its "
        "platform): {}\n",
        contest.tested.name, format_count(result.failures, "instance"),
        format_count(failing->file.size(), "worker"), problem_text(failing->problem),
        result.failure);
  }
  return text;
}

int search_one(const CommandLine& line, const Contest& contest, const WorstCaseOptions& options) {
  const auto path = line.find("output");
  const auto chart = line.find("gantt");
  if (chart && contest.rivals.empty()) {
    throw InputError::with_problem("--gantt", "a bound has no schedule to draw",
                                   "Give a heuristic with --against");
  }
  // A path that cannot be written is refused before the search.
  if (chart) {
    plot_format(*chart, "--gantt");
    const OutputFile writable(*chart, "--gantt");
  }
  std::optional<OutputFile> output;
  if (path) output.emplace(*path, "--output");
  const auto result = search(contest, options);
  if (!result) {
    print_notice("stopped before an instance was found");
    return 128 + stop_signal();
  }
  const auto [comparison, timelines] = check_worst_case(contest, *result, options);
  const auto json = to_json(contest, *result, options);
  if (output) {
    output->write(to_indented_json(json["platform"]));
    output->commit();
  }
  if (chart) draw_two_runs(timelines.at(0), timelines.at(1), *chart, "--gantt");
  if (line.has("json")) {
    print(to_indented_json(json));
  } else {
    std::string text = summary(contest, *result, options) + "\n" + to_table(comparison);
    if (timelines.size() > 1) {
      const RunDifference difference = find_run_difference(timelines[0], timelines[1]);
      text += "\n" + to_table(timelines[0], timelines[1], difference);
    }
    text += "\nThe traces were validated, and SimGrid gives the same dates.\n";
    std::string names = contest.tested.name;
    for (const NamedAlgorithm& rival : contest.rivals) names += "," + rival.name;
    text +=
        path
            ? "To see it again: " +
                  quote_for_shell({"starport", "run", *path, "--problem",
                                   problem_text(result->instance.problem), "--heuristics", names}) +
                  "\n"
            : "To store the platform, give -o FILE.json.\n";
    print(text);
  }
  if (result->is_complete) return kSuccess;
  print_notice("stopped by a signal: this is the worst instance found until then");
  return 128 + stop_signal();
}

/// Returns the contests of each heuristic of a list with each other one, then with the bound.
std::vector<Contest> contests_of(const std::string& list) {
  const char* place = "HEURISTIC";
  const auto heuristics = read_algorithms(list, place);
  std::vector<Contest> contests;
  for (const NamedAlgorithm& tested : heuristics) {
    for (const NamedAlgorithm& rival : heuristics) {
      if (rival.name != tested.name)
        contests.push_back(read_contest(tested.name, place, rival.name, place));
    }
    contests.push_back(read_contest(tested.name, place, "bound", place));
  }
  return contests;
}

/// The result of the search of one contest, as to_json() gives it, or with only "heuristic",
/// "against" and "error".
using Cell = nlohmann::ordered_json;

/// Returns the ratios as text, a row for each tested heuristic, then the errors. `cells` are those
/// of contests_of().
std::string to_table(const std::vector<Cell>& cells) {
  std::vector<std::vector<std::string>> rows{{"ratio of"}};
  std::string errors;
  for (const Cell& cell : cells) {
    const std::string tested = cell["heuristic"];
    if (rows.back()[0] != tested) rows.push_back({tested});
    // The place of a heuristic against itself stays empty.
    if (rows.back().size() == rows.size() - 1) rows.back().emplace_back();
    if (cell.contains("ratio")) {
      rows.back().push_back(fmt::format("{:.3f}", double(cell["ratio"])));
    } else {
      rows.back().emplace_back("-");
      errors += fmt::format("{} against {}: {}\n", tested, std::string(cell["against"]),
                            std::string(cell["error"]));
    }
  }
  for (std::size_t i = 1; i < rows.size(); ++i) rows[0].push_back("to " + rows[i][0]);
  rows[0].emplace_back("to bound");
  return align(rows, 2) + errors;
}

Drawing draw_heat_map(const std::vector<Cell>& cells, const std::string& space) {
  const std::string header = "row,column,ratio\n";
  Drawing drawing{
      .kind = "heat_map",
      .data = header,
      .settings = {{"title", "Largest ratio found within '" + space + "'"},
                   {"xlabel", "makespan of the row over that of the column, or over the bound"}}};
  for (const Cell& cell : cells) {
    if (cell.contains("error")) continue;
    drawing.data +=
        fmt::format("{},{},{:.9g}\n", quote_csv_field(std::string(cell["heuristic"])),
                    quote_csv_field(std::string(cell["against"])), double(cell["ratio"]));
  }
  if (drawing.data == header) throw SimulationError("no cell of the table has a ratio to draw");
  return drawing;
}

/// Searches the worst case of one contest in this process and checks it. Returns the result, or the
/// error.
Cell search_cell(const Contest& contest, const WorstCaseOptions& options) {
  try {
    const auto result = find_worst_case(contest, options);
    if (!result) return {{"error", "stopped"}};
    check_worst_case(contest, *result, options);
    return to_json(contest, *result, options);
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

/// Searches the worst case of each contest, several at a time, and prints the ratios; writes the
/// platforms to the folder of --output.
int search_all(const CommandLine& line, const std::vector<Contest>& contests,
               WorstCaseOptions options) {
  const auto folder = line.find("output");
  if (folder && !std::filesystem::is_directory(*folder))
    throw InputError("--output", "a folder that exists", "'" + *folder + "'");
  const auto map = line.find("heat-map");
  std::optional<OutputFile> map_file;
  if (map) {
    plot_format(*map, "--heat-map");
    map_file.emplace(*map, "--heat-map");
  }
  const int processes = std::exchange(options.jobs, 1);
  const ProgressLine progress;
  std::int64_t finished = 0;
  std::vector<Cell> cells;
  for (const Contest& contest : contests) {
    cells.push_back({{"heuristic", contest.tested.name}, {"against", contest.against()}});
  }
  const auto count = std::ssize(contests);
  const PoolTasks tasks{
      .run =
          [&](std::int64_t i) {
            return to_json_line(search_cell(contests[static_cast<std::size_t>(i)], options));
          },
      .on_finished =
          [&](std::int64_t i, std::string_view result) {
            Cell& cell = cells[static_cast<std::size_t>(i)];
            cell.update(Cell::parse(result));
            progress.show(fmt::format("{}/{} searches", ++finished, count));
            if (!folder || cell.contains("error")) return;
            std::string name =
                std::string(cell["heuristic"]) + "-" + std::string(cell["against"]) + ".json";
            std::ranges::replace(name, '/', '_');
            OutputFile file(*folder + "/" + name, "--output");
            file.write(to_indented_json(cell["platform"]));
            file.commit();
          },
      .on_lost = [&](std::int64_t i, const std::string& reason,
                     FailureCause) { cells[static_cast<std::size_t>(i)]["error"] = reason; },
      .should_continue = options.should_continue};
  if (!run_in_processes(count, processes, tasks)) {
    print_notice(fmt::format("stopped after {} of {} searches{}", finished, count,
                             folder ? "; their platforms are in " + *folder : ""));
    return 128 + stop_signal();
  }
  if (map_file) {
    map_file->write(
        render(draw_heat_map(cells, options.space.name), plot_format(*map, "--heat-map")));
    map_file->commit();
  }
  print(line.has("json") ? to_indented_json(Cell(cells)) : to_table(cells));
  const auto failed = [](const Cell& cell) { return cell.contains("error"); };
  return std::ranges::any_of(cells, failed) ? kFailedSimulation : kSuccess;
}

}  // namespace

int worst_command(const std::vector<std::string>& arguments) {
  CommandLine line(
      "worst", {"[HEURISTIC...]"},
      "Searches for the platform and the product on which a heuristic loses most: against others, "
      "or\nagainst the lower bound that no schedule beats. Simplifies that instance, checks it on "
      "both engines,\nand says where the time goes.",
      "starport worst Het --against ODDOML -o worst.json\n  starport worst --table");
  line.add("against", "LIST",
           "heuristics, of which the best counts, or bound: the lower bound for any schedule "
           "(default: bound)")
      .add("within", "SPACE",
           "instances to search: typical (figures that differ by factors of up to 4, as in "
           "PPoPP'08), anything (several orders of magnitude), or a JSON file with ranges",
           "typical")
      .add("evaluations", "N",
           "number of instances to simulate (default: 20000; for each cell of --table: 1000)")
      .add("seed", "N", "seed of the search; the same seed gives the same result", "1")
      .add("output,o", "FILE",
           "platform file to write; with --table, a folder that exists, for all of them")
      .add("gantt", "FILE", "draw both runs on one time axis: .svg, .pdf, .png, .csv or .py")
      .add("heat-map", "FILE", "with --table, draw the ratios: .svg, .pdf, .png, .csv or .py")
      .add("save", "FILE", "file that receives the state of the search from time to time")
      .add_flag("resume", "continue the search in the file of --save")
      .add_flag("table",
                "compare each of the heuristics with each other one and with the bound (default: "
                "all,Polaris[effort=low])")
      .add_flag("json", "print JSON");
  line.add_jobs("groups of chains, or searches of --table");
  line.add_time_limit();
  add_plugin_option(line);
  if (!line.parse(arguments)) return kSuccess;
  load_plugins(line);

  const bool is_table = line.has("table");
  std::string names;
  if (line.has("[HEURISTIC...]"))
    names = fmt::format("{}", fmt::join(line.texts("[HEURISTIC...]"), ","));
  if (names.empty() && !is_table) {
    throw InputError::with_problem("HEURISTIC", "it is missing",
                                   "Name the heuristic to test, or give --table");
  }
  if (line.has("resume") && !line.has("save")) {
    throw InputError::with_problem("--resume", "the file to continue from is missing",
                                   "Give --save FILE too");
  }
  for (const char* option : {"against", "gantt", "save", "resume"}) {
    if (!is_table || !line.has(option)) continue;
    throw InputError::with_problem(std::string("--") + option, "it does not go with --table",
                                   "Give only one of them");
  }
  if (line.has("heat-map") && !is_table)
    throw InputError::with_problem("--heat-map", "it shows a table", "Give --table too");
  constexpr std::int64_t most = 1'000'000'000;
  WorstCaseOptions options{
      .evaluations = line.integer("evaluations", 1, most).value_or(is_table ? 1000 : 20000),
      .seed = static_cast<std::uint64_t>(*line.integer("seed", 0, std::int64_t{1} << 53)),
      .jobs = line.jobs(),
      .runs = {.engine = EngineKind::analytic, .limits = line.limits(line.jobs())},
      .saved = line.find("save"),
      .resumes = line.has("resume"),
      .should_continue = [] { return stop_signal() == 0; }};
  const auto space_for = [&](const Contest& contest) {
    return worst::find_search_space(line.text("within"), contest.tested.algorithm->model());
  };
  if (is_table) {
    const auto contests = contests_of(names.empty() ? "all,Polaris[effort=low]" : names);
    options.space = space_for(contests.front());
    stop_on_signals();
    return search_all(line, contests, options);
  }
  const Contest contest =
      read_contest(names, "HEURISTIC", line.find("against").value_or("bound"), "--against");
  options.space = space_for(contest);
  stop_on_signals();
  return search_one(line, contest, options);
}

}  // namespace starport
