#include "sim/report/page/report_runs.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/numbers.hpp"
#include "sim/platform/ties.hpp"
#include "sim/process/process_pool.hpp"
#include "sim/report/page/run_encoding.hpp"
#include "sim/results/figure.hpp"

#include <boost/algorithm/string.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <new>
#include <set>

namespace starport {
namespace {

constexpr std::size_t kMaxCharacters = 20'000'000;  ///< of all runs of a page, for --runs auto
constexpr std::string_view kSimulated = "+";        ///< first character of a worker's answer
constexpr std::string_view kFailed = "-";

/// A complete run in the results.
struct Candidate {
  std::int64_t row;  ///< of the results, from 0
  std::int64_t instance;
  std::string heuristic;
  double makespan_s;
};

/// Returns the chosen runs in the order of the rows; with a size limit, the fastest run of each
/// instance comes before the others.
std::vector<Candidate> find_candidates(const ResultTable& results, const RunChoice& choice) {
  constexpr const char* fastest =
      "_rowid_ = first_value(_rowid_) OVER (PARTITION BY instance ORDER BY makespan_s, _rowid_)";
  const std::string sql = fmt::format(
      "SELECT _rowid_, instance, heuristic, makespan_s, {} AS fastest FROM results "
      "WHERE status = 'ok' ORDER BY {}_rowid_",
      fastest, choice.max_characters > 0 ? "fastest DESC, " : "");
  std::vector<Candidate> chosen;
  for (const Row& row : results.query(sql)) {
    const auto instance = std::get<std::int64_t>(row[1]);
    if (choice.best_only && std::get<std::int64_t>(row[4]) == 0) continue;
    if (choice.instances &&
        std::ranges::find(*choice.instances, instance) == choice.instances->end()) {
      continue;
    }
    chosen.push_back({.row = std::get<std::int64_t>(row[0]) - 1,
                      .instance = instance,
                      .heuristic = std::get<std::string>(row[2]),
                      .makespan_s = to_real(row[3])});
  }
  return chosen;
}

/// Simulates a run again. Returns the JSON of its chart on a line, and its packed slices on the
/// next. Throws SimulationError if the run fails or its makespan differs from the results.
std::string simulate_again(const Specification& specification, const Candidate& candidate,
                           const RunOptions& options) {
  const SweepInstance instance = specification.instance(candidate.instance);
  const auto fail = [&](const std::string& why) {
    return SimulationError(
        fmt::format("instance {}, {}: {}", candidate.instance, candidate.heuristic, why));
  };
  const auto& algorithms = *instance.experiment->algorithms;
  const auto named = std::ranges::find_if(
      algorithms, [&](const auto& algorithm) { return algorithm.name == candidate.heuristic; });
  if (named == algorithms.end()) throw fail("the specification does not run this heuristic there");
  std::string packed;
  RunOptions own = options;
  own.noise = instance.noise;
  own.max_slices = SIZE_MAX;  // the whole run at once
  own.on_timeline = [&](const Timeline& timeline) {
    const PackedRun run = pack_run(timeline);
    packed = run.chart + '\n' + run.slices;
  };
  const Record record =
      model_of(*named->algorithm, specification.models()).run(*named, instance.in_blocks(), own);
  if (record.status != Status::ok) throw fail(record.error);
  const double makespan_s = record.figures.real(kMakespan);
  if (!nearly_equal(makespan_s, candidate.makespan_s)) {
    throw fail(
        fmt::format("takes {} s here, {} s in the results; another version made them. "
                    "Repeat the sweep with this version",
                    makespan_s, candidate.makespan_s));
  }
  return packed;
}

/// Parses a list of instances such as "3,7-9". Throws InputError unless the results have them.
std::vector<std::int64_t> parse_instances(std::string_view text, const ResultTable& results) {
  std::set<std::int64_t> known;  // instances of the results
  for (const Row& row : results.query("SELECT DISTINCT instance FROM results")) {
    known.insert(std::get<std::int64_t>(row[0]));
  }
  std::vector<std::int64_t> instances;
  std::vector<std::string> items;
  for (const std::string& item : boost::split(items, text, boost::is_any_of(","))) {
    const std::size_t dash = item.find('-');
    const auto first = parse_number<std::int64_t>(item.substr(0, dash));
    const auto last = dash == item.npos ? first : parse_number<std::int64_t>(item.substr(dash + 1));
    if (!first || !last) {
      throw InputError("--runs", "auto, all, best, none, or instances such as 3,7-9",
                       fmt::format("'{}'", text));
    }
    if (known.empty()) {
      throw InputError("--runs", "auto, all, best or none, since the results have no instances",
                       fmt::format("'{}'", item));
    }
    if (!known.contains(*first) || !known.contains(*last) || *last < *first) {
      throw InputError("--runs",
                       fmt::format("instances from {} to {}", *known.begin(), *known.rbegin()),
                       fmt::format("'{}'", item));
    }
    instances.insert(instances.end(), known.find(*first), known.upper_bound(*last));
  }
  return instances;
}

}  // namespace

PackedRun pack_run(const Timeline& timeline) {
  return {to_json_line(describe_chart(timeline)), compress_to_base64(encode_run(timeline))};
}

RunChoice parse_runs(std::string_view text, const ResultTable& results) {
  if (text == "auto") return {.max_characters = kMaxCharacters};
  if (text == "all") return {};
  if (text == "best") return {.best_only = true};
  RunChoice choice;
  choice.instances.emplace();
  if (text != "none") choice.instances = parse_instances(text, results);
  return choice;
}

std::map<std::int64_t, PackedRun> report_runs(
    const Specification& specification, const ResultTable& results, const RunChoice& choice,
    const RunOptions& options, int processes,
    const std::function<bool(const ReportProgress&)>& watch) {
  const std::vector<Candidate> chosen = find_candidates(results, choice);
  std::vector<std::string> packed(chosen.size());
  ReportProgress progress{.total = chosen.size()};
  // Runs end in any order; the first runs of the list whose sizes fit the limit are included.
  std::size_t included = 0;
  std::size_t characters = 0;
  bool full = false;
  std::map<std::size_t, std::string> failures;  // what went wrong, by the index of the run
  PoolTasks work;
  work.run = [&](std::int64_t k) {
    try {
      return std::string(kSimulated) +
             simulate_again(specification, chosen[static_cast<std::size_t>(k)], options);
    } catch (const std::bad_alloc&) {
      throw;  // reported to on_lost
    } catch (const std::exception& error) {
      return std::string(kFailed) + error.what();
    }
  };
  work.on_finished = [&](std::int64_t k, std::string_view outcome) {
    const auto index = static_cast<std::size_t>(k);
    if (outcome.starts_with(kFailed)) {
      failures[index] = outcome.substr(1);
      return;
    }
    packed[index] = outcome.substr(1);
    ++progress.done;
    for (; !full && included < packed.size() && !packed[included].empty(); ++included) {
      characters += packed[included].size();
      full = choice.max_characters > 0 && characters > choice.max_characters;
      if (full) break;
    }
  };
  work.on_lost = [&](std::int64_t k, const std::string& why, FailureCause) {
    const auto index = static_cast<std::size_t>(k);
    const Candidate& run = chosen[index];
    failures[index] = fmt::format("instance {}, {}: {}", run.instance, run.heuristic, why);
  };
  bool stopped = false;
  work.should_continue = [&] {
    stopped = !watch(progress);
    // A failure counts once the runs before it are included: they may leave no room for it.
    return !failures.contains(included) && !full && !stopped;
  };
  const auto count = static_cast<std::int64_t>(chosen.size());
  if (count > 0) {
    run_in_processes(count, static_cast<int>(std::min<std::int64_t>(processes, count)), work);
  }
  if (const auto failure = failures.find(included); failure != failures.end()) {
    throw SimulationError(failure->second);
  }
  if (stopped) throw SimulationError("stopped");
  std::map<std::int64_t, PackedRun> runs;
  for (std::size_t k = 0; k < included; ++k) {
    const std::size_t line = packed[k].find('\n');
    runs[chosen[k].row] = {packed[k].substr(0, line), packed[k].substr(line + 1)};
  }
  return runs;
}

}  // namespace starport
