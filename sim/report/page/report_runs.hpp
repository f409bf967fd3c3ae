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

/// The option --runs: which of the complete runs a page holds.
struct RunChoice {
  std::optional<std::vector<std::int64_t>> instances;  ///< numbers of instances; nullopt: all
  bool best_only = false;                              ///< only the fastest run of each instance
  /// Size limit of all runs, in characters; the fastest run of each instance is added first. 0: no
  /// limit.
  std::size_t max_characters = 0;

  bool is_none() const { return instances && instances->empty(); }
};

/// Parses "auto", "all", "best", "none" or a list of instances such as "3,7-9". Throws InputError
/// naming --runs if the text is wrong or the results have no such instance.
RunChoice parse_runs(std::string_view text, const ResultTable& results);

/// Progress of report_runs(): simulated runs and their total.
struct ReportProgress {
  std::size_t done = 0;
  std::size_t total = 0;
};

/// Simulates the chosen runs again, in worker processes, and returns them by row of the results,
/// from 0. Runs beyond the size limit are left out; the result does not depend on `processes`.
/// Calls `watch` from time to time and stops if it returns false. Throws SimulationError if it was
/// stopped, if a run fails, or if a makespan differs from that in the results.
std::map<std::int64_t, PackedRun> report_runs(
    const Specification& specification, const ResultTable& results, const RunChoice& choice,
    const RunOptions& options, int processes,
    const std::function<bool(const ReportProgress&)>& watch);

}  // namespace starport
