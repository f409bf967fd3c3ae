// The runs in a report's Gantt chart. Results do not store dates, so the runs are simulated again.
#pragma once

#include "sim/report/database/result_table.hpp"
#include "sim/report/page/html_page.hpp"
#include "sim/sweep/specification.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// Choice of the complete runs in the results that a page shows as Gantt charts (option --runs).
struct RunChoice {
  /// Numbers of the chosen instances, as in the column `instance`; nullopt: all, an empty list:
  /// none.
  std::optional<std::vector<std::int64_t>> instances;
  /// True to choose only the run with the smallest makespan of each instance.
  bool best_only = false;
  /// Limit on the size of all encoded runs together, in characters; the fastest run of each
  /// instance is added first. 0: no limit.
  std::size_t max_characters = 0;

  /// Returns true if no run is chosen, because the list of instances is empty.
  bool is_none() const { return instances && instances->empty(); }
};

/// Parses the value of --runs: "auto" (all runs up to 20 million characters), "all", "best",
/// "none", or a list of instance numbers such as "3,7-9" (range ends included). Throws InputError
/// naming --runs if the text is anything else, or if the results have no such instance.
RunChoice parse_runs(std::string_view text, const ResultTable& results);

/// Progress of report_runs().
struct ReportProgress {
  /// Number of runs that have been simulated.
  std::size_t done = 0;
  /// Number of chosen runs.
  std::size_t total = 0;
};

/// Simulates the chosen runs again in `processes` (at least 1) forked worker processes and returns
/// them by the index of their row in the results, from 0. Runs beyond the size limit of `choice`
/// are left out; the result does not depend on `processes`. `options` gives the engine and the
/// limits; the noise is that of the instance. Calls `watch` several times a second in this process
/// and stops if it returns false. Blocks until done. Throws SimulationError if it was stopped, if a
/// run fails, or if a makespan differs from that in the results; MachineError if no process can be
/// created.
std::map<std::int64_t, PackedRun> report_runs(
    const Specification& specification, const ResultTable& results, const RunChoice& choice,
    const RunOptions& options, int processes,
    const std::function<bool(const ReportProgress&)>& watch);

}  // namespace starport
