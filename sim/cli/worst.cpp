// `starport worst`: searches for the platform and product on which a heuristic loses most.
#include "sim/app/algorithms.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/app/program.hpp"
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/process/machine.hpp"
#include "sim/process/process_pool.hpp"
#include "sim/process/progress.hpp"
#include "sim/process/version.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/report/plots/drawing.hpp"
#include "sim/report/plots/gantt.hpp"
#include "sim/report/run_difference.hpp"
#include "sim/results/comparison.hpp"
#include "sim/worst/objective.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport {
namespace {

using worst::Contest;
/// The result of a search as --json prints it; or only "heuristic", "against" and "error".
using Cell = nlohmann::ordered_json;

/// Settings of the searches of one command.
struct Settings {
  worst::SearchSpace space;
  std::int64_t evaluations;
  std::uint64_t seed;
  int jobs;                          ///< processes
  RunOptions runs;                   ///< settings of the simulated runs
  std::string noise;                 ///< text of --noise; empty: no noise
  std::optional<std::string> state;  ///< file from which a search continues, and which it replaces
};

/// Result of one search: the simplified worst instance, its ratio, and the search.
struct WorstCase {
  Case instance;  ///< simplified
  double ratio;   ///< on the simplified instance
  worst::Search search;
};

bool should_continue() { return stop_signal() == 0; }

void write_file(const std::string& path, const char* option, const std::string& content) {
  OutputFile file(path, option);
  file.write(content);
  file.commit();
}

const Model& model_of(const Contest& contest) {
  return model_of(*contest.tested.algorithm, model_registry().models);
}

/// Reads a list of heuristics, all of the model of `first` or else of the first of the list.
std::vector<NamedAlgorithm> read_heuristics(const std::string& list, const char* place,
                                            const NamedAlgorithm* first = nullptr) {
  auto heuristics = read_algorithms(list, place);
  if (first == nullptr) first = &heuristics.front();
  for (NamedAlgorithm& heuristic : heuristics) {
    heuristic.named = false;
    if (heuristic.algorithm->model() == first->algorithm->model()) continue;
    throw InputError(place,
                     fmt::format("algorithms of the model '{}', as {} is",
                                 first->algorithm->model(), first->name),
                     fmt::format("{} ({})", heuristic.name, heuristic.algorithm->model()));
  }
  return heuristics;
}

Contest read_contest(const std::string& tested, const std::string& opponents) {
  const auto heuristics = read_heuristics(tested, "HEURISTIC");
  if (heuristics.size() > 1) throw InputError("HEURISTIC", "one heuristic", "'" + tested + "'");
  Contest contest{.tested = heuristics.front()};
  if (opponents == "bound") return contest;
  contest.rivals = read_heuristics(opponents, "--against", &contest.tested);
  std::erase_if(contest.rivals,
                [&](const NamedAlgorithm& rival) { return rival.name == contest.tested.name; });
  if (!contest.rivals.empty()) return contest;
  throw InputError("--against", "a heuristic other than " + contest.tested.name + ", or bound",
                   "'" + opponents + "'");
}

/// Returns the contests of each heuristic of a list with each other one, then with the bound.
std::vector<Contest> read_contests(const std::string& list) {
  const auto heuristics = read_heuristics(list, "HEURISTIC");
  std::vector<Contest> contests;
  for (const NamedAlgorithm& tested : heuristics) {
    for (const NamedAlgorithm& rival : heuristics) {
      if (rival.name != tested.name) contests.push_back({tested, {rival}});
    }
    contests.push_back({tested});
  }
  return contests;
}

/// Draws instances until one counts, i.e. has a finite loss above 0, so that a search that cannot
/// succeed is refused before it starts. Throws InputError if the model cannot run on the space, or
/// if none counts in 200 draws or, checked after each draw, within 20 s, at which a run is ended.
void check_space(const Contest& contest, const worst::SearchSpace& space, RunOptions runs) {
  constexpr std::uint64_t draws = 200;
  constexpr double patience_s = 20;
  double& limit_s = runs.limits.time_limit_s;
  limit_s = limit_s > 0 ? std::min(limit_s, patience_s) : patience_s;
  const worst::Evaluate evaluate = worst::make_objective(contest, model_of(contest), runs);
  const Stopwatch watch;
  std::string reason = contest.opponent() + " has no makespan";
  std::uint64_t tried = 0;
  for (; tried < draws && watch.elapsed_s() < patience_s; ++tried) {
    Random random(tried);
    const Case instance = space.to_case(space.draw(random));
    const auto obstacle = model_of(contest).find_obstacle(instance, runs);
    if (obstacle) throw InputError(*obstacle).in_file(space.name);
    const worst::Loss loss = evaluate({&instance, 1}).front();
    if (loss.ratio > 0 && std::isfinite(loss.ratio)) return;
    if (!loss.failure.empty()) reason = contest.tested.name + ": " + loss.failure;
  }
  throw InputError("--within",
                   fmt::format("an instance within '{}' on which {} can be compared with {}",
                               space.name, contest.tested.name, contest.opponent()),
                   fmt::format("none in {} draws ({})", tried, reason));
}

/// Searches for the worst case of a contest and simplifies it so that at least 95 % of the ratio
/// remains. Returns nullopt if it was stopped before an instance was found.
std::optional<WorstCase> find_worst_case(
    const Contest& contest, const Settings& settings,
    const std::function<void(const worst::Search&)>& report_progress = [](const auto&) {}) {
  check_space(contest, settings.space, settings.runs);
  const auto evaluate = worst::make_objective(contest, model_of(contest), settings.runs);
  worst::Search search(settings.space, settings.evaluations, settings.seed,
                       contest.tested.name + " against " + contest.opponent() + " " +
                           to_text(settings.runs.noise) + " " + kVersion);
  if (const auto& path = settings.state) {
    if (std::filesystem::exists(*path))
      with_file_in_errors(*path, [&] { search.load(load_json(*path)); });
    write_file(*path, "", to_json_line(search.save()) + "\n");
  }
  worst::run_search(search, evaluate, settings.jobs, should_continue, [&](const auto&) {
    if (settings.state) write_file(*settings.state, "", to_json_line(search.save()) + "\n");
    report_progress(search);
  });
  const auto best = search.best();
  if (!best) return std::nullopt;
  const worst::Found simple =
      worst::simplify(*best, settings.space, 0.95, settings.evaluations, evaluate, should_continue);
  return WorstCase{settings.space.to_case(simple.instance), simple.ratio, std::move(search)};
}

std::string problem_text(const Problem& problem) {
  return fmt::format("{}x{}x{}", problem.r * problem.block_size, problem.t * problem.block_size,
                     problem.s * problem.block_size);
}

Cell to_json(Case instance, const std::string& name, const std::string& provenance) {
  instance.file.name = name;
  instance.file.provenance = provenance;
  return {{"problem", problem_text(instance.problem)},
          {"platform", Cell::parse(to_json(instance.file))}};
}

Cell to_json(const Contest& contest, const WorstCase& result, const Settings& settings) {
  const std::string& tested = contest.tested.name;
  Cell json{{"heuristic", tested},
            {"against", contest.against()},
            {"ratio", result.ratio},
            {"ratio_before_simplification", result.search.best()->ratio},
            {"within", settings.space.name},
            {"seed", settings.seed},
            {"evaluations", result.search.evaluations()}};
  json.update(to_json(result.instance,
                      fmt::format("worst case of {} against {}", tested, contest.opponent()),
                      fmt::format("starport worst: ratio {:.4g} with --problem {}", result.ratio,
                                  problem_text(result.instance.problem))));
  if (!settings.noise.empty()) json["noise"] = settings.noise;
  json["failures"] = result.search.failures();
  if (const worst::Found& failing = result.search.first_failure(); !failing.failure.empty()) {
    json["failure"] = {{"reason", failing.failure}};
    json["failure"].update(
        to_json(settings.space.to_case(failing.instance), tested + " fails", failing.failure));
  }
  return json;
}

/// Simulates the algorithms of a contest again, in processes of their own, with traces that are
/// validated, and on SimGrid. Returns the comparison, and the timelines of the tested heuristic
/// and, if there are rivals that apply, of the best one. Throws SimulationError if a run fails or
/// SimGrid gives other dates.
std::pair<Comparison, std::vector<Timeline>> check_worst_case(const Contest& contest,
                                                              const Case& instance,
                                                              RunOptions runs) {
  std::vector<NamedAlgorithm> algorithms{contest.tested};
  algorithms.insert(algorithms.end(), contest.rivals.begin(), contest.rivals.end());
  std::vector<Timeline> timelines;
  runs.isolated = true;
  runs.on_timeline = [&](const Timeline& timeline) { timelines.push_back(timeline); };
  Comparison comparison = compare(algorithms, instance, model_registry().models, runs);
  runs.on_timeline = {};
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    const Record& record = comparison.records[i];
    if (record.status == Status::error)
      throw SimulationError(record.algorithm + ": " + record.error);
    if (record.status != Status::ok) continue;
    const std::string difference =
        model_of(contest).find_difference(algorithms[i], instance, runs, EngineKind::simgrid);
    if (!difference.empty())
      throw SimulationError(record.algorithm + ": SimGrid gives other dates: " + difference);
  }
  if (timelines.size() > 2) {
    std::ranges::stable_sort(timelines.begin() + 1, timelines.end(), {}, &Timeline::makespan_s);
    timelines.resize(2);
  }
  return {std::move(comparison), std::move(timelines)};
}

std::string summary(const Contest& contest, const WorstCase& result, const Settings& settings) {
  const worst::Search& search = result.search;
  std::string text = fmt::format(
      "{} takes {:.4g} times {}.\nFound in {} of '{}' with seed {}: ratio {:.4g} before it was "
      "simplified.\n",
      contest.tested.name, result.ratio,
      contest.rivals.empty() ? "the lower bound that no schedule beats"
                             : "as long as " + contest.opponent(),
      format_count(search.evaluations(), "evaluation"), settings.space.name, settings.seed,
      search.best()->ratio);
  if (search.failures() == 0) return text;
  const worst::Found& failing = search.first_failure();
  return text + fmt::format(
                    "{} failed on {}, which do not count. The first has {} and --problem {} "
                    "(--json gives its platform): {}\n",
                    contest.tested.name, format_count(search.failures(), "instance"),
                    format_count(std::ssize(failing.instance.workers), "worker"),
                    problem_text(settings.space.to_case(failing.instance).problem),
                    failing.failure);
}

int search_one(const CommandLine& line, const Contest& contest, const Settings& settings) {
  const auto path = line.find("output");
  for (const char* option : {"plot", "noise"}) {
    if (!line.has(option) || !contest.rivals.empty()) continue;
    throw InputError::with_problem(std::string("--") + option, "it does not go with the bound",
                                   "Give a heuristic with --against");
  }
  std::optional<OutputFile> output;
  if (path) output.emplace(*path, "--output");
  const ProgressLine progress;
  const auto result = find_worst_case(contest, settings, [&](const worst::Search& search) {
    const auto best = search.best();
    progress.show(fmt::format("{} against {}: {}/{} evaluations, ratio {:.4g}", contest.tested.name,
                              contest.opponent(), search.evaluations(), settings.evaluations,
                              best ? best->ratio : 0));
  });
  if (!result) {
    print_notice("stopped before an instance was found");
    return 128 + stop_signal();
  }
  const auto [comparison, timelines] = check_worst_case(contest, result->instance, settings.runs);
  const Cell json = to_json(contest, *result, settings);
  if (output) {
    output->write(to_indented_json(json["platform"]));
    output->commit();
  }
  if (const auto plot = line.find("plot"))
    draw_two_runs(timelines.at(0), timelines.at(1), *plot, "--plot");
  if (line.has("json")) {
    print(to_indented_json(json));
  } else {
    std::string text = summary(contest, *result, settings) + "\n" + to_table(comparison);
    if (timelines.size() > 1) {
      const RunDifference difference = find_run_difference(timelines[0], timelines[1]);
      text += "\n" + to_table(timelines[0], timelines[1], difference);
    }
    text += "\nThe traces were validated, and SimGrid gives the same dates.\n";
    std::string names = contest.tested.name;
    for (const NamedAlgorithm& rival : contest.rivals) names += "," + rival.name;
    std::vector<std::string> again{"starport",
                                   "run",
                                   path.value_or("FILE.json"),
                                   "--problem",
                                   problem_text(result->instance.problem),
                                   "--heuristics",
                                   names};
    if (!settings.noise.empty()) again.push_back("--noise=" + settings.noise);
    if (const auto plugins = line.find("plugin")) again.push_back("--plugin=" + *plugins);
    print(text + (path ? "To see it again: " : "To see it again, give -o FILE.json, then: ") +
          quote_for_shell(again) + "\n");
  }
  if (result->search.is_complete()) return kSuccess;
  print_notice("stopped by a signal: this is the worst instance found until then");
  return 128 + stop_signal();
}

/// Returns the ratios as text, a row for each tested heuristic, then the errors. `cells` are those
/// of read_contests().
std::string to_table(const std::vector<Cell>& cells) {
  std::vector<std::vector<std::string>> rows{{"ratio of"}};
  std::string errors;
  for (const Cell& cell : cells) {
    const std::string tested = cell["heuristic"];
    if (rows.back()[0] != tested) rows.push_back({tested});
    // The place of a heuristic against itself stays empty.
    if (rows.back().size() == rows.size() - 1) rows.back().emplace_back();
    const bool failed = cell.contains("error");
    rows.back().push_back(failed ? "-" : fmt::format("{:.3f}", double(cell["ratio"])));
    if (failed) {
      errors += fmt::format("{} against {}: {}\n", tested, std::string(cell["against"]),
                            std::string(cell["error"]));
    }
  }
  for (std::size_t i = 1; i < rows.size(); ++i) rows[0].push_back("to " + rows[i][0]);
  rows[0].emplace_back("to bound");
  return align(rows, 2) + errors;
}

std::string draw_heat_map(const std::vector<Cell>& cells, const std::string& space,
                          PlotFormat format) {
  Drawing drawing{
      .kind = "heat_map",
      .data = "row,column,ratio\n",
      .settings = {{"title", "Largest ratio found within '" + space + "'"},
                   {"xlabel", "makespan of the row over that of the column, or over the bound"}}};
  for (const Cell& cell : cells) {
    if (cell.contains("error")) continue;
    drawing.data +=
        fmt::format("{},{},{:.9g}\n", quote_csv_field(std::string(cell["heuristic"])),
                    quote_csv_field(std::string(cell["against"])), double(cell["ratio"]));
  }
  return render(drawing, format);
}

/// Searches and checks the worst case of each contest, several at a time, and prints the ratios;
/// writes the platforms to the folder of --output.
int search_all(const CommandLine& line, const std::vector<Contest>& contests, Settings settings) {
  const auto folder = line.find("output");
  if (folder && !std::filesystem::is_directory(*folder))
    throw InputError("--output", "a folder that exists", "'" + *folder + "'");
  const int processes = std::exchange(settings.jobs, 1);
  const ProgressLine progress;
  std::int64_t finished = 0;
  std::vector<Cell> cells;
  for (const Contest& contest : contests) {
    cells.push_back(
        {{"heuristic", contest.tested.name}, {"against", contest.against()}, {"error", "stopped"}});
  }
  const auto at = [](auto& list, std::int64_t i) -> auto& {
    return list[static_cast<std::size_t>(i)];
  };
  const PoolTasks tasks{
      .run =
          [&](std::int64_t i) {
            Cell cell = at(cells, i);
            try {
              if (const auto result = find_worst_case(at(contests, i), settings)) {
                check_worst_case(at(contests, i), result->instance, settings.runs);
                cell = to_json(at(contests, i), *result, settings);
              }
            } catch (const std::exception& error) {
              cell["error"] = error.what();
            }
            return to_json_line(cell);
          },
      .on_finished =
          [&](std::int64_t i, std::string_view result) {
            const Cell& cell = at(cells, i) = Cell::parse(result);
            progress.show(fmt::format("{}/{} searches", ++finished, cells.size()));
            if (!folder || cell.contains("error")) return;
            std::string name =
                std::string(cell["heuristic"]) + "-" + std::string(cell["against"]) + ".json";
            std::ranges::replace(name, '/', '_');
            write_file(*folder + "/" + name, "--output", to_indented_json(cell["platform"]));
          },
      .on_lost = [&](std::int64_t i, const std::string& reason,
                     FailureCause) { at(cells, i)["error"] = reason; },
      .should_continue = should_continue};
  const bool is_complete = run_in_processes(std::ssize(cells), processes, tasks);
  const auto failed = [](const Cell& cell) { return cell.contains("error"); };
  const auto map = line.find("plot");
  if (map && !std::ranges::all_of(cells, failed)) {
    write_file(*map, "--plot", draw_heat_map(cells, settings.space.name, plot_format(*map)));
  } else if (map) {
    print_notice("no cell of the table has a ratio, so that --plot draws nothing");
  }
  print(line.has("json") ? to_indented_json(Cell(cells)) : to_table(cells));
  if (!is_complete) return 128 + stop_signal();
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
      .add("plot", "FILE",
           "draw both runs on one time axis, or the ratios of --table: .svg, .pdf, .png, .csv or "
           ".py")
      .add("resume", "FILE",
           "save the state of the search in this file; continue from it if it exists")
      .add_flag("table",
                "compare each of the heuristics with each other one and with the bound (default: "
                "all,Polaris[effort=low])")
      .add_flag("json", "print JSON");
  line.add_jobs("groups of chains, or searches of --table");
  line.add_noise();
  line.add_time_limit();
  add_plugin_option(line);
  if (!line.parse(arguments)) return kSuccess;
  load_plugins(line);

  const bool is_table = line.has("table");
  std::string names = is_table ? "all,Polaris[effort=low]" : "";
  if (line.has("[HEURISTIC...]"))
    names = fmt::format("{}", fmt::join(line.texts("[HEURISTIC...]"), ","));
  if (names.empty()) {
    throw InputError::with_problem("HEURISTIC", "it is missing",
                                   "Name the heuristic to test, or give --table");
  }
  for (const char* option : {"against", "resume", "noise"}) {
    if (!is_table || !line.has(option)) continue;
    throw InputError::with_problem(std::string("--") + option, "it does not go with --table",
                                   "Give only one of them");
  }
  const auto contests =
      is_table ? read_contests(names)
               : std::vector{read_contest(names, line.find("against").value_or("bound"))};
  // A path that cannot be written is refused before the search.
  if (const auto plot = line.find("plot")) {
    plot_format(*plot, "--plot");
    const OutputFile writable(*plot, "--plot");
  }
  constexpr std::int64_t most = 1'000'000'000;
  Settings settings{
      .space =
          worst::find_search_space(line.text("within"), contests.front().tested.algorithm->model()),
      .evaluations = line.integer("evaluations", 1, most).value_or(is_table ? 1000 : 20000),
      .seed = static_cast<std::uint64_t>(*line.integer("seed", 0, std::int64_t{1} << 53)),
      .jobs = line.jobs(),
      .runs = {.engine = EngineKind::analytic,
               .limits = line.limits(line.jobs()),
               .isolated = false},
      .noise = line.find("noise").value_or(""),
      .state = line.find("resume")};
  if (!settings.noise.empty()) {
    // The noise may name only workers that every instance has.
    const double fewest = settings.space.linked.count.low + settings.space.sharing.count.low;
    settings.runs.noise = parse_noise(settings.noise, "--noise", 0);
    check_workers(settings.runs.noise, std::llround(fewest), settings.space.name, "--noise");
  }
  stop_on_signals();
  return is_table ? search_all(line, contests, settings)
                  : search_one(line, contests.front(), settings);
}

}  // namespace starport
