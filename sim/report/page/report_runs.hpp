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

/// Selection of the runs with status "ok" in a table of results that the HTML report of a sweep
/// shows as Gantt charts, made by parse_runs() from the option --runs and read by report_runs(). A
/// run is selected if it meets all members; by default all do.
struct RunChoice {
  /// Numbers of the instances (platforms with a product) whose runs are chosen, as in the column
  /// `instance` of the results, from 1; numbers that it lacks are ignored. nullopt: all, an
  /// empty list: none.
  std::optional<std::vector<std::int64_t>> instances;
  /// True to choose, of the runs of each instance (platform with a product), only the one with the
  /// smallest makespan (of equal ones, that of the first row).
  bool best_only = false;
  /// Limit on the size of all runs in the report together, in bytes of the texts of their
  /// PackedRun; 0: no limit. Runs are added in the order of their rows, the fastest of each
  /// instance before all others; the first one that exceeds the limit and all after it are left
  /// out.
  std::size_t max_characters = 0;

  /// Returns true if the list of instances is given and empty, so that no run is chosen.
  bool is_none() const { return instances && instances->empty(); }
};

/// Parses the value of the option --runs, which chooses the runs that the HTML report shows: "auto"
/// (runs up to 20 million characters, see RunChoice), "all", "best", "none", or a list of instance
/// numbers such as "3,7-9" (range ends included; numbers in between that the results lack are
/// skipped). Throws InputError naming --runs if the text is anything else, if a range is
/// descending, or if the results lack a number or range end. For a list the results must have a
/// column `instance` (SQLite::Exception otherwise).
RunChoice parse_runs(std::string_view text, const ResultTable& results);

/// Returns a timeline in the compact form that the HTML report reads. The timeline must be complete
/// (not a piece of one), with valid indices in its slices (undefined behaviour otherwise).
PackedRun pack_run(const Timeline& timeline);

/// Progress of report_runs(): numbers of runs simulated and to simulate. Passed to its callback
/// `watch`, by a reference that is valid during the call only.
struct ReportProgress {
  /// Number of runs that have been simulated successfully so far.
  std::size_t done = 0;
  /// Number of runs to simulate; fewer may be enough when their size is limited.
  std::size_t total = 0;
};

/// Simulates the chosen runs of `results`, which a sweep of `specification` wrote, once more in
/// `processes` (at least 1) forked processes, and returns them by the index of their row in the
/// results, from 0. Runs beyond the size limit of `choice` are left out; the result does not depend
/// on `processes`. `options` gives the engine and the limits; its noise is replaced by that of the
/// instance in the specification, and its `on_timeline` and `max_slices` are ignored.
/// `results` must have the columns instance, heuristic, status and makespan_s (SQLite::Exception
/// otherwise). Blocks until done; call it from a process with one thread. Calls `watch`, which must
/// not be empty, several times a second in this process (never if no run is chosen) and stops if it
/// returns false. Throws SimulationError if it was stopped, a run fails, or a makespan differs from
/// that in the results by more than a relative 1e-9; MachineError, a SimulationError, if no process
/// can be created.
std::map<std::int64_t, PackedRun> report_runs(
    const Specification& specification, const ResultTable& results, const RunChoice& choice,
    const RunOptions& options, int processes,
    const std::function<bool(const ReportProgress&)>& watch);

}  // namespace starport
