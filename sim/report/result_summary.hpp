// Summaries of the results of a sweep, heuristic by heuristic.
#pragma once

#include "sim/report/database/result_table.hpp"
#include "sim/results/figure.hpp"

#include <string>
#include <vector>

namespace starport {

/// A table that summarises the runs of an experiment, one row per heuristic.
struct SummaryTable {
  std::string name;                            ///< of the experiment; "all" for all of them
  std::vector<std::string> columns;            ///< headings; the first column is the heuristic
  std::vector<std::vector<std::string>> rows;  ///< smallest mean relative cost first
};

/// Returns the columns that results must have to be summarised or reported.
const std::vector<std::string>& report_columns();

/// Summarises all results and, if there are several experiments, each experiment. Means are over
/// complete runs; "times best" counts the instances on which no heuristic is faster by more than a
/// relative 1e-9. Repeated instances give the mean relative cost a 95 % interval. `figures` adds
/// the mean of each figure that compares a run with others, if the results have its column.
std::vector<SummaryTable> summarise(const ResultTable& results, const FigureList& figures);

/// Summarises results in one paragraph: how many runs, how many failed, which heuristic is best.
std::string summary_text(const ResultTable& results);

}  // namespace starport
