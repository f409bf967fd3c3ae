// The runs that a report holds. Results keep no dates: they are simulated again.
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

/// Which runs to take, among those that are complete.
struct RunChoice {
  std::optional<std::vector<std::int64_t>> instances;  ///< theirs; nullopt: of all
  bool best_only = false;                              ///< the fastest of each instance
  /// Characters that the page may hold; then the fastest of each instance come first. 0: no limit.
  std::size_t most_characters = 0;

  bool none() const { return instances && instances->empty(); }
};

/// Reads "auto", "all", "best", "none" or a list of instances such as "3,7-9". Throws InputError
/// naming --runs unless the instances are among those of the results.
RunChoice parse_runs(std::string_view text, const ResultTable& results);

/// How far the simulation of runs is.
struct ReportProgress {
  std::size_t done = 0;
  std::size_t total = 0;
};

/// The runs by row of the results from 0: those chosen, or as many of them as there is room for.
/// Several at once, the same whatever `processes`. Throws SimulationError when a run is not what
/// the results say, or when `watch` returns false.
std::map<std::int64_t, PackedRun> report_runs(
    const Specification& specification, const ResultTable& results, const RunChoice& choice,
    const RunOptions& options, int processes,
    const std::function<bool(const ReportProgress&)>& watch);

}  // namespace starport
