// `starport worst`: searches for the platform and product on which a heuristic loses most.
#include "sim/app/algorithms.hpp"
#include "sim/app/program.hpp"
#include "sim/app/worst_case.hpp"
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/process/progress.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/report/plots/two_runs.hpp"
#include "sim/report/run_difference.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace starport {
namespace {

using worst::Contest;

void write_file(const std::string& path, const std::string& text) {
  OutputFile file(path, "--output");
  file.write(text);
  file.commit();
}

/// Runs a search with its progress on stderr; reports a signal that ended it.
std::optional<WorstCase> search(const Contest& contest, WorstCaseOptions options) {
  const ProgressLine progress;
  options.on_round = [&](const worst::Search& state) {
    const auto best = state.best();
    progress.show(fmt::format("{} against {}: {}/{} evaluations, ratio {:.4g}", contest.tested.name,
                              contest.opponent(), state.evaluations(), options.evaluations,
                              best ? best->ratio : 0));
  };
  options.should_continue = [] { return stop_signal() == 0; };
  return find_worst_case(contest, options);
}

std::string summary(const Contest& contest, const WorstCase& result,
                    const WorstCaseOptions& options) {
  std::string text =
      contest.rivals.empty()
          ? fmt::format("{} takes {:.4g} times the lower bound that no schedule beats.\n",
                        contest.tested.name, result.simple.ratio)
          : fmt::format("{} takes {:.4g} times as long as {}.\n", contest.tested.name,
                        result.simple.ratio, contest.opponent());
  text += fmt::format("Found in {} of '{}' with seed {}: ratio {:.4g} before it was simplified.\n",
                      format_count(result.evaluations, "evaluation"), options.space.name,
                      options.seed, result.found.ratio);
  if (result.failures > 0) {
    text += fmt::format("{} failed on {}, which do not count; the first time: {}\n",
                        contest.tested.name, format_count(result.failures, "instance"),
                        result.first_failure);
  }
  return text;
}

std::string repeat_command(const Contest& contest, const WorstCase& result,
                           const std::string& path) {
  std::string names = contest.tested.name;
  for (const NamedAlgorithm& rival : contest.rivals) names += "," + rival.name;
  return quote_for_shell(
      {"starport", "run", path, "--problem", problem_text(result), "--heuristics", names});
}

int search_one(const CommandLine& line, const std::string& tested,
               const WorstCaseOptions& options) {
  const Contest contest =
      read_contest(tested, "HEURISTIC", line.find("against").value_or("bound"), "--against");
  const auto path = line.find("output");
  const auto chart = line.find("gantt");
  if (chart && contest.rivals.empty()) {
    throw InputError::with_problem("--gantt", "a bound has no schedule to draw",
                                   "Give a heuristic with --against");
  }
  const auto result = search(contest, options);
  if (!result) {
    print_notice("stopped before an instance was found");
    return 128 + stop_signal();
  }
  const auto [comparison, timelines] = check_worst_case(contest, *result, options);
  if (path) write_file(*path, platform_text(contest, *result));
  if (chart) draw_two_runs(timelines.at(0), timelines.at(1), *chart, "--gantt");
  if (line.has("json")) {
    print(to_indented_json(to_json(contest, *result, options)));
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

/// Searches the worst case of each heuristic against each other one and against the bound, and
/// prints the ratios; writes the platforms to the folder of --output.
int search_all(const CommandLine& line, const std::string& list, const WorstCaseOptions& options) {
  const auto folder = line.find("output");
  std::vector<std::string> names;
  for (const NamedAlgorithm& heuristic : read_algorithms(list, "HEURISTIC"))
    names.push_back(heuristic.name);
  std::vector<std::vector<std::string>> rows{{"ratio of"}};
  for (const std::string& name : names) rows[0].push_back("to " + name);
  rows[0].push_back("to the bound");
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  std::vector<std::string> opponents = names;
  opponents.push_back("bound");
  for (const std::string& tested : names) {
    rows.push_back({tested});
    for (const std::string& opponent : opponents) {
      if (opponent == tested) {
        rows.back().push_back("");
        continue;
      }
      const Contest contest = read_contest(tested, "HEURISTIC", opponent, "HEURISTIC");
      const auto result = search(contest, options);
      if (!result || !result->is_complete) {
        print_notice("stopped before the table was complete");
        return 128 + stop_signal();
      }
      rows.back().push_back(fmt::format("{:.3f}", result->simple.ratio));
      all.push_back(to_json(contest, *result, options));
      if (folder) {
        write_file(*folder + "/" + tested + "-" + opponent + ".json",
                   platform_text(contest, *result));
      }
    }
  }
  print(line.has("json") ? to_indented_json(all) : align(rows, 2));
  return kSuccess;
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
      .add("gantt", "FILE", "draw both runs on one time axis: .svg, .pdf, .png or .csv")
      .add("save", "FILE", "file that receives the state of the search from time to time")
      .add_flag("resume", "continue the search in the file of --save")
      .add_flag("table",
                "compare each of the heuristics with each other one and with the bound (default: "
                "all,Polaris)")
      .add_flag("json", "print JSON");
  line.add_jobs("groups of chains");
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
  // Heuristics of others may crash or never end: each of their runs gets a process.
  const auto names_program = [](const std::string& list) {
    return list.find("exec:") != std::string::npos;
  };
  const bool is_external = line.has("plugin") || names_program(names) ||
                           names_program(line.find("against").value_or(""));
  constexpr std::int64_t most = 1'000'000'000;
  const WorstCaseOptions options{
      .space = worst::find_search_space(line.text("within")),
      .evaluations = line.integer("evaluations", 1, most).value_or(is_table ? 1000 : 20000),
      .seed = static_cast<std::uint64_t>(*line.integer("seed", 0, std::int64_t{1} << 53)),
      .jobs = line.jobs(),
      .runs = {.engine = EngineKind::analytic,
               .limits = line.limits(line.jobs()),
               .isolated = is_external},
      .saved = line.find("save"),
      .resumes = line.has("resume")};
  stop_on_signals();
  return is_table ? search_all(line, names.empty() ? "all,Polaris" : names, options)
                  : search_one(line, names, options);
}

}  // namespace starport
