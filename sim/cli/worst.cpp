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
#include "sim/report/plots/heat_map.hpp"
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
  std::string text =
      contest.rivals.empty()
          ? fmt::format("{} takes {:.4g} times the lower bound that no schedule beats.\n",
                        contest.tested.name, result.ratio)
          : fmt::format("{} takes {:.4g} times as long as {}.\n", contest.tested.name, result.ratio,
                        contest.opponent());
  text += fmt::format("Found in {} of '{}' with seed {}: ratio {:.4g} before it was simplified.\n",
                      format_count(result.evaluations, "evaluation"), options.space.name,
                      options.seed, result.ratio_found);
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

std::string repeat_command(const Contest& contest, const WorstCase& result,
                           const std::string& path) {
  std::string names = contest.tested.name;
  for (const NamedAlgorithm& rival : contest.rivals) names += "," + rival.name;
  return quote_for_shell({"starport", "run", path, "--problem",
                          problem_text(result.instance.problem), "--heuristics", names});
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
    text += path ? "To see it again: " + repeat_command(contest, *result, *path) + "\n"
                 : "To store the platform, give -o FILE.json.\n";
    print(text);
  }
  if (result->is_complete) return kSuccess;
  print_notice("stopped by a signal: this is the worst instance found until then");
  return 128 + stop_signal();
}

/// The table of all searches: a cell for each contest, whose result is a JSON object as to_json()
/// gives it, or holds only "heuristic", "against" and "error".
struct Table {
  std::vector<Contest> contests;
  std::vector<nlohmann::ordered_json> cells;

  explicit Table(const std::string& list) {
    std::vector<std::string> names;
    for (const NamedAlgorithm& heuristic : read_algorithms(list, "HEURISTIC"))
      names.push_back(heuristic.name);
    for (const std::string& tested : names) {
      for (const std::string& opponent : names) {
        if (opponent != tested)
          contests.push_back(read_contest(tested, "HEURISTIC", opponent, "HEURISTIC"));
      }
      contests.push_back(read_contest(tested, "HEURISTIC", "bound", "HEURISTIC"));
    }
    for (const Contest& contest : contests) {
      const std::string against = contest.rivals.empty() ? "bound" : contest.opponent();
      cells.push_back({{"heuristic", contest.tested.name}, {"against", against}});
    }
  }

  /// Returns the ratios as text, a row for each tested heuristic, then the errors.
  std::string text() const {
    std::vector<std::string> names;
    for (const auto& cell : cells) {
      if (names.empty() || names.back() != cell["heuristic"]) names.push_back(cell["heuristic"]);
    }
    names.emplace_back("bound");
    std::vector<std::vector<std::string>> rows{{"ratio of"}};
    for (const std::string& name : names) rows[0].push_back("to " + name);
    std::string errors;
    for (const auto& cell : cells) {
      const std::string tested = cell["heuristic"];
      const std::string against = cell["against"];
      if (rows.back()[0] != tested) {
        rows.push_back({tested});
        rows.back().resize(names.size() + 1);
      }
      const auto column =
          static_cast<std::size_t>(std::ranges::find(names, against) - names.begin());
      const bool failed = cell.contains("error");
      rows.back()[column + 1] = failed ? "-" : fmt::format("{:.3f}", double(cell["ratio"]));
      if (failed)
        errors +=
            fmt::format("{} against {}: {}\n", tested, against, cell["error"].get<std::string>());
    }
    return align(rows, 2) + errors;
  }

  Drawing heat_map(const std::string& space) const {
    std::vector<HeatMapCell> drawn;
    for (const auto& cell : cells) {
      if (!cell.contains("error"))
        drawn.push_back({cell["heuristic"], cell["against"], cell["ratio"]});
    }
    if (drawn.empty()) throw SimulationError("no cell of the table has a ratio to draw");
    return draw_heat_map(drawn, "Largest ratio found within '" + space + "'",
                         "makespan of the row over that of the column, or over the bound");
  }
};

/// Searches the worst case of one contest in this process and checks it. Returns the result, or the
/// error.
nlohmann::ordered_json search_cell(const Contest& contest, const WorstCaseOptions& options) {
  try {
    const auto result = find_worst_case(contest, options);
    if (!result) return {{"error", "stopped"}};
    check_worst_case(contest, *result, options);
    return to_json(contest, *result, options);
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

/// Searches the worst case of each heuristic of a list against each other one and against the
/// bound, several at a time, and prints the ratios; writes the platforms to the folder of --output.
int search_all(const CommandLine& line, Table table, const WorstCaseOptions& options) {
  const auto folder = line.find("output");
  if (folder && !std::filesystem::is_directory(*folder))
    throw InputError("--output", "a folder that exists", "'" + *folder + "'");
  const auto map = line.find("heat-map");
  std::optional<OutputFile> map_file;
  if (map) {
    plot_format(*map, "--heat-map");
    map_file.emplace(*map, "--heat-map");
  }
  WorstCaseOptions cell_options = options;
  cell_options.jobs = 1;
  const ProgressLine progress;
  std::int64_t finished = 0;
  const auto count = std::ssize(table.contests);
  const PoolTasks tasks{
      .run =
          [&](std::int64_t i) {
            return search_cell(table.contests[static_cast<std::size_t>(i)], cell_options)
                .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
          },
      .on_finished =
          [&](std::int64_t i, std::string_view result) {
            auto& cell = table.cells[static_cast<std::size_t>(i)];
            cell.update(nlohmann::ordered_json::parse(result));
            progress.show(fmt::format("{}/{} searches", ++finished, count));
            if (!folder || cell.contains("error")) return;
            std::string name = cell["heuristic"].get<std::string>() + "-" +
                               cell["against"].get<std::string>() + ".json";
            std::ranges::replace(name, '/', '_');
            OutputFile file(*folder + "/" + name, "--output");
            file.write(to_indented_json(cell["platform"]));
            file.commit();
          },
      .on_lost = [&](std::int64_t i, const std::string& reason,
                     FailureCause) { table.cells[static_cast<std::size_t>(i)]["error"] = reason; },
      .should_continue = options.should_continue};
  if (!run_in_processes(count, options.jobs, tasks)) {
    print_notice(fmt::format("stopped after {} of {} searches{}", finished, count,
                             folder ? "; their platforms are in " + *folder : ""));
    return 128 + stop_signal();
  }
  if (map_file) {
    map_file->write(render(table.heat_map(options.space.name), plot_format(*map, "--heat-map")));
    map_file->commit();
  }
  print(line.has("json") ? to_indented_json(nlohmann::ordered_json(table.cells)) : table.text());
  const auto failed = [](const nlohmann::ordered_json& cell) { return cell.contains("error"); };
  return std::ranges::any_of(table.cells, failed) ? kFailedSimulation : kSuccess;
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
  if (line.has("[HEURISTIC...]")) {
    for (const std::string& name : line.texts("[HEURISTIC...]"))
      names += (names.empty() ? "" : ",") + name;
  }
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
    Table table(names.empty() ? "all,Polaris[effort=low]" : names);
    options.space = space_for(table.contests.front());
    stop_on_signals();
    return search_all(line, std::move(table), options);
  }
  const Contest contest =
      read_contest(names, "HEURISTIC", line.find("against").value_or("bound"), "--against");
  options.space = space_for(contest);
  stop_on_signals();
  return search_one(line, contest, options);
}

}  // namespace starport
