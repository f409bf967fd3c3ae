// `starport worst`: searches for the platform and product on which a heuristic loses most.
#include "sim/app/algorithms.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/app/program.hpp"
#include "sim/app/simgrid_engines.hpp"
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/models/spmd/spmd_model.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/models/tiles/tile_model.hpp"
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
#include "sim/worst/search.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport {
namespace {

/// The result of a search as --json prints it, with "error" if the runs on the instance could not
/// be checked; or only "heuristic", "against" and "error".
using Cell = nlohmann::ordered_json;

/// Objective of a search, to be maximised: the makespan of an algorithm, divided by that of its
/// best rival or by the lower bound.
struct Contest {
  /// The algorithm under test, then its rivals, of the same model, the best of which counts;
  /// without rivals, the lower bound on the makespan does.
  std::vector<NamedAlgorithm> algorithms;
  std::string names;    ///< of the algorithms, separated by commas
  std::string against;  ///< "bound", "ODDOML" or "the best of Het, BMM"

  const std::string& tested() const { return algorithms.front().name; }
};

/// Settings of the searches of one command.
struct Settings {
  worst::SearchSpace space;
  std::int64_t evaluations;
  std::uint64_t seed;
  int jobs;                          ///< processes
  RunOptions runs;                   ///< settings of the simulated runs
  std::optional<std::string> state;  ///< file from which a search continues, and which it replaces
};

/// The simplified worst instance of a contest, and the runs on it that were checked; without them
/// if the cell has an "error".
struct WorstCase {
  Cell cell;
  Comparison comparison;
  std::vector<Timeline> timelines;  ///< of the algorithm under test and of its best rival, if any
};

bool should_continue() { return stop_signal() == 0; }

/// Returns a text value of a JSON object.
std::string text_of(const Cell& object, const char* key) { return object.at(key); }

Contest make_contest(const NamedAlgorithm& tested, const std::vector<NamedAlgorithm>& rivals) {
  Contest contest{.algorithms = {tested}, .names = tested.name, .against = ""};
  for (const NamedAlgorithm& rival : rivals) {
    if (rival.name == tested.name) continue;
    if (rival.algorithm->model() != tested.algorithm->model()) {
      throw InputError("HEURISTIC", "heuristics of one model",
                       fmt::format("{} ({}) and {} ({})", tested.name, tested.algorithm->model(),
                                   rival.name, rival.algorithm->model()));
    }
    contest.algorithms.push_back(rival);
    contest.names += "," + rival.name;
    contest.against += (contest.against.empty() ? "" : ", ") + rival.name;
  }
  if (rivals.empty()) contest.against = "bound";
  if (contest.against.empty())
    throw InputError("--against", "another heuristic, or bound", "'" + tested.name + "'");
  if (contest.algorithms.size() > 2) contest.against.insert(0, "the best of ");
  // A platform without the memory for a heuristic is no error: it does not count.
  for (NamedAlgorithm& algorithm : contest.algorithms) algorithm.named = false;
  return contest;
}

/// Returns the lower bound in seconds on the makespan of a run: the value that its model reports
/// (stars, tiles), or the time that the product takes at the balanced speed of all processors. NaN
/// if there is none. Throws InputError if the instance does not fit the model.
double makespan_bound_s(const Record& run, const Case& instance, const Noise& noise) {
  const Value split_k_s = run.figures[kSplitKBound];  // the only bound that holds then
  if (!is_none(split_k_s)) return real(split_k_s);
  const Figures bounds = run.model->bounds(instance, noise);
  for (const Figure* bound : {&kAnyScheduleBound, &tiles::kAnyRunBound}) {
    if (!is_none(bounds[*bound])) return bounds.real(*bound);
  }
  const double flops = 2 * static_cast<double>(instance.problem.updates()) *
                       std::pow(static_cast<double>(instance.problem.block_size), 3);
  return flops / (bounds.real(spmd::kBalancedSpeed) * spmd::kTera);
}

/// Returns the function that simulates the algorithms of a contest and returns for each instance
/// the makespan of the one under test, divided by the least one of the rivals or by the bound. The
/// ratio is 0 or NaN, and does not count, if the one under test or all rivals fail or do not apply.
worst::Evaluate make_objective(const Contest& contest, const RunOptions& options) {
  return [contest, options](std::span<const Case> instances) {
    std::vector<const Case*> cases;
    for (const Case& instance : instances) cases.push_back(&instance);
    std::vector<double> opponents_s(cases.size(), std::numeric_limits<double>::infinity());
    std::vector<worst::Loss> losses(cases.size());
    for (std::size_t k = contest.algorithms.size(); k-- > 0;) {
      const auto records =
          run_batch(contest.algorithms[k], cases, model_registry().models, options);
      for (std::size_t i = 0; i < cases.size(); ++i) {
        const Record& record = records[i];
        if (k == 0) losses[i].failure = record.error;
        if (record.status != Status::ok) continue;
        const double makespan_s = record.figures.real(kMakespan);
        if (contest.algorithms.size() == 1)
          opponents_s[i] = makespan_bound_s(record, *cases[i], options.noise);
        if (k == 0) losses[i].ratio = makespan_s / opponents_s[i];
        opponents_s[i] = std::min(opponents_s[i], makespan_s);
      }
    }
    return losses;
  };
}

/// Draws instances until one counts, i.e. has a finite loss above 0, so that a search that cannot
/// succeed is refused before it starts. Throws InputError if none counts in 200 draws or, checked
/// after each draw, within 20 s, at which a run is ended.
void check_space(const Contest& contest, const worst::SearchSpace& space, RunOptions runs) {
  constexpr std::uint64_t draws = 200;
  constexpr double patience_s = 20;
  double& limit_s = runs.limits.time_limit_s;
  limit_s = limit_s > 0 ? std::min(limit_s, patience_s) : patience_s;
  const worst::Evaluate evaluate = make_objective(contest, runs);
  const Stopwatch watch;
  std::string reason = contest.against + " has no makespan";
  std::uint64_t tried = 0;
  for (; tried < draws && watch.elapsed_s() < patience_s; ++tried) {
    Random random(tried);
    const Case instance = space.to_case(space.draw(random));
    const worst::Loss loss = evaluate({&instance, 1}).front();
    if (loss.ratio > 0 && std::isfinite(loss.ratio)) return;
    if (!loss.failure.empty()) reason = contest.tested() + ": " + loss.failure;
  }
  throw InputError(
      "--within",
      fmt::format("an instance within '{}' on which {} can be compared with {}{}", space.name,
                  contest.tested(), contest.algorithms.size() == 1 ? "the " : "", contest.against),
      fmt::format("none in {} draws ({})", tried, reason));
}

/// Simulates the algorithms of a contest again, in processes of their own, with traces that are
/// validated, and on SimGrid. Returns their worst case without the cell. Throws SimulationError if
/// a run fails or SimGrid gives other dates.
WorstCase replay(const Contest& contest, const Case& instance, RunOptions runs) {
  std::vector<Timeline> timelines;
  runs.isolated = true;
  runs.on_timeline = [&](const Timeline& timeline) { timelines.push_back(timeline); };
  Comparison comparison = compare(contest.algorithms, instance, model_registry().models, runs);
  runs.on_timeline = {};
  for (std::size_t i = 0; i < comparison.records.size(); ++i) {
    const Record& record = comparison.records[i];
    if (record.status == Status::error)
      throw SimulationError(record.algorithm + ": " + record.error);
    if (record.status != Status::ok) continue;
    const std::string difference =
        record.model->find_difference(contest.algorithms[i], instance, runs, EngineKind::simgrid);
    if (!difference.empty())
      throw SimulationError(record.algorithm + ": SimGrid gives other dates: " + difference);
  }
  if (timelines.size() > 2) {
    std::ranges::stable_sort(timelines.begin() + 1, timelines.end(), {}, &Timeline::makespan_s);
    timelines.resize(2);
  }
  return {.cell = {}, .comparison = std::move(comparison), .timelines = std::move(timelines)};
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

Cell to_json(const Contest& contest, const worst::Found& found, const worst::Search& search,
             const Settings& settings) {
  const std::string& tested = contest.tested();
  const Case instance = settings.space.to_case(found.instance);
  Cell json{{"heuristic", tested},
            {"against", contest.against},
            {"ratio", found.ratio},
            {"ratio_before_simplification", search.best()->ratio},
            {"within", settings.space.name},
            {"seed", settings.seed},
            {"evaluations", search.evaluations()}};
  json.update(to_json(instance, fmt::format("worst case of {} against {}", tested, contest.against),
                      fmt::format("starport worst: ratio {:.4g} with --problem {}", found.ratio,
                                  problem_text(instance.problem))));
  if (!settings.runs.noise.is_none()) json["noise"] = to_text(settings.runs.noise);
  json["failures"] = search.failures();
  if (const worst::Found& failing = search.first_failure(); !failing.failure.empty()) {
    json["failure"] = {{"reason", failing.failure}};
    json["failure"].update(
        to_json(settings.space.to_case(failing.instance), tested + " fails", failing.failure));
  }
  return json;
}

/// Searches for the worst case of a contest, simplifies it so that at least 95 % of the ratio
/// remains, and checks it, which may give it an "error". Returns nullopt if it was stopped before
/// an instance was found.
std::optional<WorstCase> find_worst_case(
    const Contest& contest, const Settings& settings,
    const std::function<void(const worst::Search&)>& report_progress = [](const auto&) {}) {
  check_space(contest, settings.space, settings.runs);
  const worst::Evaluate evaluate = make_objective(contest, settings.runs);
  worst::Search search(settings.space, settings.evaluations, settings.seed,
                       contest.names + " " + kVersion);
  const auto& path = settings.state;
  std::error_code failed;  // saving reports it
  if (path && std::filesystem::exists(*path, failed))
    with_file_in_errors(*path, [&] { search.load(load_json(*path)); });
  const auto save = [&] {
    if (!path) return;
    OutputFile file(*path);
    file.write(to_json_line(search.save()) + "\n");
    file.commit();
  };
  save();
  worst::run_search(search, evaluate, settings.jobs, should_continue, [&](const auto&) {
    save();
    report_progress(search);
  });
  const auto best = search.best();
  if (!best) return std::nullopt;
  const worst::Found simple =
      worst::simplify(*best, settings.space, 0.95, settings.evaluations, evaluate, should_continue);
  WorstCase worst_case;
  std::string error;
  try {
    worst_case = replay(contest, settings.space.to_case(simple.instance), settings.runs);
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  worst_case.cell = to_json(contest, simple, search, settings);
  if (!error.empty()) worst_case.cell["error"] = error;
  return worst_case;
}

/// Describes a worst case for users.
std::string describe(const WorstCase& found, const Contest& contest, const Settings& settings) {
  const Cell& cell = found.cell;
  const bool has_rivals = contest.algorithms.size() > 1;
  std::string text = fmt::format(
      "{} takes {:.4g} times {}.\nFound in {} of '{}' with seed {}: ratio {:.4g} before it was "
      "simplified.\n",
      contest.tested(), double(cell["ratio"]),
      has_rivals ? "as long as " + contest.against : "the lower bound that no schedule beats",
      format_count(cell["evaluations"], "evaluation"), settings.space.name, settings.seed,
      double(cell["ratio_before_simplification"]));
  if (cell.contains("failure")) {
    text += fmt::format(
        "{} failed or did not apply on {}, which do not count. The first is --problem {} (--json "
        "gives its platform): {}\n",
        contest.tested(), format_count(cell["failures"], "instance"),
        text_of(cell["failure"], "problem"), text_of(cell["failure"], "reason"));
  }
  if (cell.contains("error")) return text;
  text += "\n" + to_table(found.comparison) + "\n";
  if (const auto& runs = found.timelines; runs.size() > 1)
    text += to_table(runs[0], runs[1], find_run_difference(runs[0], runs[1])) + "\n";
  return text + "The traces were validated, and SimGrid gives the same dates.\n";
}

int search_one(const CommandLine& line, const Contest& contest, const Settings& settings) {
  const auto path = line.find("output");
  if (path && are_same_file(*path, settings.state.value_or("")))
    throw InputError("--output", "another file than that of --resume", "'" + *path + "'");
  std::optional<OutputFile> output;
  if (path) output.emplace(*path, "--output");
  const ProgressLine progress;
  const auto found = find_worst_case(contest, settings, [&](const worst::Search& search) {
    const auto best = search.best();
    progress.show(fmt::format("{} against {}: {}/{} evaluations, ratio {:.4g}", contest.tested(),
                              contest.against, search.evaluations(), settings.evaluations,
                              best ? best->ratio : 0));
  });
  if (!found) {
    print_notice("stopped before an instance was found");
    return 128 + stop_signal();
  }
  if (output) {
    output->write(to_indented_json(found->cell["platform"]));
    output->commit();
  }
  std::vector<std::string> command{"starport", "run", path.value_or("FILE.json")};
  command.insert(command.end(), {"--problem", text_of(found->cell, "problem")});
  command.insert(command.end(), {"--heuristics", contest.names});
  if (!settings.runs.noise.is_none())
    command.insert(command.end(), {"--noise", to_text(settings.runs.noise)});
  if (const auto plugins = line.find("plugin"))
    command.insert(command.end(), {"--plugin", *plugins});
  const std::string again = fmt::format(
      "To see it again{}: {}\n", path ? "" : ", give -o FILE.json, then", quote_for_shell(command));
  print(line.has("json") ? to_indented_json(found->cell)
                         : describe(*found, contest, settings) + again);
  if (found->cell.contains("error")) throw SimulationError(text_of(found->cell, "error"));
  if (const auto plot = line.find("plot"))
    draw_two_runs(found->timelines.at(0), found->timelines.at(1), *plot, "--plot");
  if (stop_signal() == 0) return kSuccess;
  print_notice("stopped by a signal: this is the worst instance found until then");
  return 128 + stop_signal();
}

/// Returns the ratios as text, a row for each tested heuristic, then the errors. `cells` are those
/// of each heuristic with each other one, then with the bound.
std::string to_table(const std::vector<Cell>& cells) {
  std::vector<std::vector<std::string>> rows{{"ratio of"}};
  std::string errors;
  for (const Cell& cell : cells) {
    const std::string tested = text_of(cell, "heuristic");
    const std::string against = text_of(cell, "against");
    if (rows.back()[0] != tested) rows.push_back({tested});
    // The place of a heuristic against itself stays empty.
    if (rows.back().size() == rows.size() - 1) rows.back().emplace_back();
    const bool failed = cell.contains("error");
    rows.back().push_back(failed ? "-" : fmt::format("{:.3f}", double(cell["ratio"])));
    if (failed) errors += tested + " against " + against + ": " + text_of(cell, "error") + "\n";
  }
  for (std::size_t i = 1; i < rows.size(); ++i) rows[0].push_back("to " + rows[i][0]);
  rows[0].emplace_back("to bound");
  return align(rows, 2) + errors;
}

/// Searches for the worst case of each contest, several at a time, and prints the ratios.
int search_all(const CommandLine& line, const std::vector<Contest>& contests, Settings settings) {
  const int processes = std::exchange(settings.jobs, 1);
  const ProgressLine progress;
  std::int64_t finished = 0;
  std::vector<Cell> cells;
  for (const auto& [algorithms, names, against] : contests)
    cells.push_back(
        {{"heuristic", algorithms[0].name}, {"against", against}, {"error", "stopped"}});
  const auto cell_of = [&](std::int64_t i) -> Cell& { return cells[static_cast<std::size_t>(i)]; };
  const auto search = [&](std::int64_t i) {
    Cell& cell = cell_of(i);
    try {
      const auto found = find_worst_case(contests[static_cast<std::size_t>(i)], settings);
      if (found) cell = found->cell;
    } catch (const std::exception& error) {
      cell["error"] = error.what();
    }
    return to_json_line(cell);
  };
  const auto store = [&](std::int64_t i, std::string_view result) {
    cell_of(i) = Cell::parse(result);
    progress.show(fmt::format("{}/{} searches", ++finished, cells.size()));
  };
  const auto fail = [&](std::int64_t i, const std::string& reason, FailureCause) {
    cell_of(i)["error"] = reason;
  };
  const bool is_complete =
      run_in_processes(std::ssize(cells), processes, {search, store, fail, 0, should_continue});
  print(line.has("json") ? to_indented_json(Cell(cells)) : to_table(cells));
  if (!is_complete) return 128 + stop_signal();
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
  line.add("against", "LIST", "heuristics, of which the best counts, or bound (the default)")
      .add("within", "SPACE",
           "instances to search: typical (figures that differ by factors of up to 4, as in "
           "PPoPP'08), anything (several orders of magnitude), or a JSON file with ranges",
           "typical")
      .add("evaluations", "N",
           "number of instances to simulate (default: 20000; for each cell of --table: 1000)")
      .add("seed", "N", "seed of the search; the same seed gives the same result", "1")
      .add("output,o", "FILE", "platform file to write")
      .add("plot", "FILE", "draw both runs on one time axis: .svg, .pdf, .png, .csv or .py")
      .add("resume", "FILE",
           "save the state of the search in this file; continue from it if it exists")
      .add_flag("table", "compare all heuristics (default: all,Polaris[effort=low]) and the bound")
      .add_flag("json", "print JSON");
  line.add_jobs("groups of chains, or searches of --table");
  line.add_time_limit();
  add_plugin_option(line);
  if (!line.parse(arguments)) return kSuccess;
  load_plugins(line);

  const bool is_table = line.has("table");
  std::string names = is_table ? "all,Polaris[effort=low]" : "";
  if (line.has("[HEURISTIC...]"))
    names = fmt::format("{}", fmt::join(line.texts("[HEURISTIC...]"), ","));
  if (names.empty()) throw InputError("HEURISTIC", "one heuristic, or --table", "neither");
  const auto heuristics = read_algorithms(names, "HEURISTIC");
  std::vector<Contest> contests;
  if (is_table) {
    for (const char* option : {"against", "output", "plot", "resume"}) {
      if (!line.has(option)) continue;
      throw InputError::with_problem(std::string("--") + option, "it does not go with --table",
                                     "Give only one of them");
    }
    for (const NamedAlgorithm& tested : heuristics) {
      for (const NamedAlgorithm& rival : heuristics) {
        if (rival.name != tested.name) contests.push_back(make_contest(tested, {rival}));
      }
      contests.push_back(make_contest(tested, {}));
    }
  } else {
    if (heuristics.size() > 1)
      throw InputError("HEURISTIC", "one heuristic, or --table", "'" + names + "'");
    const std::string against = line.find("against").value_or("bound");
    std::vector<NamedAlgorithm> rivals;
    if (against != "bound") rivals = read_algorithms(against, "--against");
    contests.push_back(make_contest(heuristics.front(), rivals));
  }
  // A path that cannot be written is refused before the search.
  if (const auto plot = line.find("plot")) {
    if (contests[0].algorithms.size() == 1)
      throw InputError("--plot", "two runs: --against with a heuristic", "one");
    plot_format(*plot, "--plot");
    const OutputFile writable(*plot, "--plot");
  }
  constexpr std::int64_t most = 1'000'000'000;
  Settings settings{
      .space = worst::find_search_space(line.text("within"), heuristics.front().algorithm->model()),
      .evaluations = line.integer("evaluations", 1, most).value_or(is_table ? 1000 : 20000),
      .seed = static_cast<std::uint64_t>(*line.integer("seed", 0, std::int64_t{1} << 53)),
      .jobs = line.jobs(),
      .runs = {.engine = EngineKind::analytic,
               .limits = line.limits(line.jobs()),
               .isolated = false},
      .state = line.find("resume")};
  settings.runs.noise = settings.space.noise;
  simgrid_engines();  // without SimGrid, the search would end in an error
  stop_on_signals();
  return is_table ? search_all(line, contests, settings)
                  : search_one(line, contests.front(), settings);
}

}  // namespace starport
