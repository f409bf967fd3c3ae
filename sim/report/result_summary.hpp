// What the results of a sweep come to, heuristic by heuristic.
#pragma once

#include "sim/report/database/result_table.hpp"
#include "sim/results/figure.hpp"

#include <string>
#include <vector>

namespace starport {

/// A table of texts.
struct SummaryGroup {
  std::string name;  ///< of the experiment
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< a heuristic each, smallest mean cost first
};

/// The columns of the results that a report is made from.
const std::vector<std::string>& report_columns();

/// Over all instances, then for each experiment when there are several. Means are over the runs
/// that are complete; a heuristic is best where nothing is faster beyond a relative 1e-9. Where
/// instances are repeated, the mean relative cost has its 95% interval, from the repetitions. What
/// relates a run to others, of `figures`, has its mean where the results have it.
std::vector<SummaryGroup> summarise(const ResultTable& results, const FigureList& figures);

/// A paragraph: how many runs, how many failed, who is best.
std::string summary_text(const ResultTable& results);

}  // namespace starport
