// Parts shared by the figures over results: which rows are shown, scales of the axes.
#pragma once

#include "sim/report/plots/plot_kinds.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// The rows of results that a plot shows, in a database of its own, with the colours of their
/// heuristics and a remark on what is left out. Made by select_rows().
struct ResultSelection {
  /// Database with two tables. `results` holds the selected rows, whatever their status. `styles`
  /// has a row for each heuristic with at least one complete run (status ok): its name in the
  /// column `heuristic`, and in `style` the number of its colour, from 1 (equal modulo 16: the same
  /// colour).
  ResultTable results;
  /// Text for the user that says how many of the selected rows the plot leaves out since their
  /// status is not ok; empty: none are.
  std::string remark;
};

/// Returns the heuristics `names`, which must be distinct (not checked), with the numbers of their
/// colours and markers, from 1. There are 16 colours; numbers equal modulo 16 have the same one. A
/// heuristic has its number in `listed`; those that are not listed, and those whose colour an
/// earlier one of `names` has, get numbers after all listed ones, with free colours if any are
/// left. Those with their listed number come first, then the others, in the order of `names`.
std::vector<std::pair<std::string, std::int64_t>> assign_styles(
    const std::vector<std::string>& names,
    const std::vector<std::pair<std::string, std::int64_t>>& listed);

/// Selects the rows of results that a plot shows: reads the request's files, or copies its table,
/// keeps the rows that meet the option --where and replaces the names of their heuristics by the
/// values of the column that --series names. `columns` are the numeric columns that the plot needs.
/// Throws InputError if a file cannot be read, an option is wrong, one of these columns,
/// `heuristic` or `status` is missing, one of these columns holds text or is empty for all complete
/// runs, no row with status ok is left, or a selected row has no heuristic. With --where it forks a
/// process (see ResultTable::filter()): call it from a process with one thread. Throws
/// SimulationError if that process fails.
ResultSelection select_rows(const PlotRequest& request, const std::vector<std::string>& columns);

/// Returns true if the table of results has the column and at least one complete run (status ok)
/// has a value in it. Requires a column `status`; throws SQLite::Exception without it.
bool has_values(const ResultTable& results, const std::string& column);
/// Throws InputError if the column of results is missing, holds text (then naming `option`, such as
/// "--x"), or is empty for all complete runs (status ok); else does nothing. `results` must have
/// been read from a file (undefined behaviour otherwise) and have a column `status` (else throws
/// SQLite::Exception).
void require_values(const ResultTable& results, const std::string& column, const char* option);
/// Throws InputError if the column of results is missing, or, naming `option` such as "--x", if it
/// holds a text anywhere; else does nothing. Empty values are allowed. `results` must have been
/// read from a file (undefined behaviour otherwise).
void require_numbers(const ResultTable& results, const std::string& column, const char* option);

/// Throws InputError unless some complete run (status ok) has values in both columns, `x` and `y`,
/// of the results. These columns and `status` must exist (SQLite::Exception otherwise).
void require_pairs(const ResultTable& results, const std::string& x, const std::string& y);

/// Checks the option --log (x, y or xy) and returns it, "" if it is not given. `x` and `y` are the
/// columns of results on the axes; an empty `x` allows "y" only. Throws InputError, naming --log,
/// for another value of the option or if a complete run (status ok) has a number that is not
/// positive on a logarithmic axis; SQLite::Exception if the column of such an axis or `status` is
/// missing.
std::string checked_log_axes(const ResultTable& results, const PlotRequest& request,
                             const std::string& x, const std::string& y);

/// Returns the settings of an axis, "x" or "y", that shows a column of results, which must hold
/// numbers: a caption, from its declaration in `figures` (none null) or else its name, with the
/// unit that suits the largest finite absolute value of complete runs (the column's own unit if
/// they have no value but 0), and this unit as a multiple of the column's own if they differ, as
/// {"ylabel": "memory (MiB)", "yunit": 1048576}. Throws SQLite::Exception if the column or `status`
/// is missing.
nlohmann::ordered_json axis_settings(const std::string& axis, const FigureList& figures,
                                     const ResultTable& results, const std::string& column);

/// Returns the SQL expression results."name" for a column of the table `results`, since tables
/// joined to it may have a column of the same name. Does not check that it exists.
std::string qualified_column(const std::string& name);

}  // namespace starport
