// Summaries of the results of a sweep, heuristic by heuristic.
#pragma once

#include "sim/report/database/result_table.hpp"
#include "sim/results/figure.hpp"

#include <string>
#include <vector>

namespace starport {

/// A table that summarises the runs of one experiment of a sweep (or of all), one row per
/// heuristic. Made by summarise(); refers to nothing.
struct SummaryTable {
  /// Name of the experiment that the table is about, or "all" for the table over all experiments.
  std::string name;
  /// Headings of the table's columns: the name of the heuristic, its numbers of runs by status
  /// ("complete", "failed", "not applicable"), statistics of its relative cost, how often it is
  /// best, and means of other reported values.
  std::vector<std::string> columns;
  /// One row per heuristic, with the text of one cell per column (empty: no value), ordered by mean
  /// relative cost, smallest first; then come the heuristics that are not compared (see
  /// summarise()), which have no mean, those without a complete run last. Relative cost is a
  /// makespan divided by the smallest one on the same platform and product.
  std::vector<std::vector<std::string>> rows;
};

/// Returns the names of the columns that results must have for summarise(), summary_text() and the
/// report page. The list is a static object, valid until the program ends.
const std::vector<std::string>& report_columns();

/// Summarises the results of a sweep in one table for all runs and, if there are several
/// experiments, one per experiment in the order of the rows; without rows, one table without rows.
/// A table compares the heuristics that completed at least half as many instances as any other one,
/// on the instances that all of these completed (status ok, with a relative cost: makespan over the
/// smallest one of the instance). Only their runs on these instances count in means, the median,
/// the worst relative cost and "times best", the number of runs with a relative cost of at most 1 +
/// 1e-9; other heuristics have no means. If there is a column `repetition`, each heuristic with at
/// least two repetitions that have equally many such runs gets a 95 % interval of its mean relative
/// cost. `figures`, none null, are declarations of columns: those that compare a run with other
/// runs or bounds (Figure::compute), but not those of form Form::yes_no, add their mean, if the
/// results have the column. Requires the columns report_columns(); throws SQLite::Exception if one
/// that it reads is missing.
std::vector<SummaryTable> summarise(const ResultTable& results, const FigureList& figures);

/// Summarises the results of a sweep in one paragraph without a newline: how many instances,
/// heuristics and runs there are, how many runs failed, and, if there are any, how many did not
/// apply and how many are under noise; then, as in Finding::text but over all experiments, which
/// heuristic has the smallest mean relative cost (makespan over the smallest one of the instance).
/// The last part is missing if no runs can be compared. Requires the columns report_columns();
/// throws SQLite::Exception if one that it reads is missing.
std::string summary_text(const ResultTable& results);

/// Findings about the heuristics in one experiment of a sweep, as sentences: an element of the
/// result of findings(). Owns its texts.
struct Finding {
  /// Name of the experiment that the sentences are about; empty for rows without one.
  std::string experiment;
  /// Sentences without a newline: which heuristic has the smallest mean relative cost (makespan
  /// over the smallest one of the instance), on how many instances it is fastest, which one
  /// follows, which ones are not compared, all as summarise() compares heuristics. Empty if there
  /// is no instance that all of those to be compared completed with a relative cost.
  std::string text;
};
/// Returns one Finding per experiment, in the order of the experiments' first rows: in sentences,
/// which heuristic has the smallest mean relative cost (makespan over the smallest one of the
/// instance), on how many instances it is fastest, and which one follows. Empty without rows.
/// Requires the columns report_columns(); throws SQLite::Exception if one that it reads is missing.
std::vector<Finding> findings(const ResultTable& results);

/// Says in one sentence which heuristic has the smallest mean relative cost at which values of a
/// numeric column, in the runs of the experiment named `experiment` that findings() compares: "Best
/// by memory (MiB): HoLM up to 256, OBMM from 320 on.", or "HoLM is best at every memory." Of
/// heuristics that are equal within a relative 1e-9, the one that was best at the value before
/// counts, else the one with the smaller mean over all values. Returns "" without two values, or if
/// the best one changes more than three times. `axis_label` is the name shown for the column, with
/// its unit in parentheses, if any, at the end; values are divided by `axis_unit`. Requires the
/// columns report_columns() and `column`; throws SQLite::Exception if one that it reads is missing,
/// std::bad_variant_access if a value of `column` in these runs is a text.
std::string describe_best_along(const ResultTable& results, const std::string& experiment,
                                const std::string& column, const std::string& axis_label,
                                double axis_unit);

}  // namespace starport
