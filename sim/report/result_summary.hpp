// Summaries of the results of a sweep, heuristic by heuristic.
#pragma once

#include "sim/report/database/result_table.hpp"
#include "sim/results/figure.hpp"

#include <string>
#include <vector>

namespace starport {

/// A table that summarises the runs of an experiment (or of all), one row per heuristic.
struct SummaryTable {
  /// Name of the experiment, or "all" for the table over all experiments.
  std::string name;
  /// Headings of the columns; the first column is the name of the heuristic.
  std::vector<std::string> columns;
  /// Rows of formatted cells, one per column (empty: no value), ordered by mean relative cost,
  /// smallest first. Relative cost is a makespan over the smallest one of its instance.
  std::vector<std::vector<std::string>> rows;
};

/// Returns the names of the columns that results must have for summarise(), summary_text() and the
/// report page. The list is static.
const std::vector<std::string>& report_columns();

/// Summarises the results in one table for all runs and, if there are several experiments, one per
/// experiment in the order of the rows. Means are over complete runs; "times best" counts the
/// instances on which no heuristic is faster by more than a relative 1e-9. Repeated instances give
/// the mean relative cost a 95 % interval. `figures` adds the mean of each figure that compares a
/// run with others, if the results have its column. Requires the columns report_columns(); throws
/// SQLite::Exception if one is missing.
std::vector<SummaryTable> summarise(const ResultTable& results, const FigureList& figures);

/// Summarises the results in one paragraph without a newline: how many instances, heuristics and
/// runs, how many runs failed, which heuristic has the smallest mean relative cost. Requires the
/// columns report_columns(); throws SQLite::Exception if one is missing.
std::string summary_text(const ResultTable& results);

}  // namespace starport
