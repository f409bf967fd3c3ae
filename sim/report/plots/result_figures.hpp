// Parts shared by the figures over results: which rows are shown, captions and scales of the axes,
// sizes.
#pragma once

#include "sim/report/plots/plot_kinds.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace starport {

/// The rows of results that a plot shows, selected by select_rows(); owns a copy of them.
struct ResultSelection {
  /// The selected rows, complete or not, in the table `results`, and a table `styles` of the
  /// heuristics with at least one complete run (status ok): `heuristic`, `style` (a number from 1
  /// that gives the colour), `shown` (the name in gnuplot's syntax).
  ResultTable results;
  /// Length in characters of the longest name of a heuristic with at least one complete run (status
  /// ok) among the rows.
  std::size_t longest_name;
  /// Text for the user that says how many of the selected rows the plot leaves out since their
  /// status is not ok; empty: none are.
  std::string remark;
};

/// Selects the rows of results that a plot shows: reads the request's files, or copies its table,
/// keeps the rows that meet the option --where and replaces the names of their heuristics by the
/// column that --series names. `columns` are the numeric columns that the plot needs. Throws
/// InputError if a file cannot be read, an option is wrong, one of these columns, `heuristic` or
/// `status` is missing, one of these columns holds text or is empty for all complete runs, no row
/// with status ok is left, or a selected row has no heuristic.
ResultSelection select_rows(const PlotRequest& request, const std::vector<std::string>& columns);

/// Returns true if the table of results has the column and at least one complete run (status ok)
/// has a value in it. Requires a column `status`; throws SQLite::Exception without it.
bool has_values(const ResultTable& results, const std::string& column);
/// Throws InputError if the column of results is missing, holds text (then naming `option`, such as
/// "--x"), or is empty for all complete runs (status ok); else does nothing. Requires a column
/// `status`; throws SQLite::Exception without it.
void require_values(const ResultTable& results, const std::string& column, const char* option);
/// Throws InputError if the column of results is missing, or, naming `option` such as "--x", if it
/// holds a text anywhere; else does nothing. Empty values are allowed.
void require_numbers(const ResultTable& results, const std::string& column, const char* option);

/// Makes the axes that the option --log names (x, y or xy) logarithmic in the settings of the plot;
/// does nothing if it is not given. `x` and `y` are the columns of results on the axes, which must
/// exist; an empty `x` allows "y" only. Throws InputError, naming --log, for another value of the
/// option or if a complete run (status ok) has a number that is not positive on such an axis.
void apply_log_option(Drawing& drawing, const ResultTable& results, const PlotRequest& request,
                      const std::string& x, const std::string& y);

/// Returns a column of the table `results` quoted for SQL and qualified by the table's name, as
/// results."name": tables joined to it may have a column of the same name.
std::string qualified_column(const std::string& name);

/// Returns the caption of the plot axis that shows a column of results, from the declarations of
/// columns in `request`, with "(log scale)" if --log names the axis. `axis` is 'x' or 'y'.
std::string axis_caption_for(const PlotRequest& request, const std::string& column, char axis);

/// The smallest size, in cm, in which a plot can be read.
struct MinimumSize {
  double width_cm;
  double height_cm;
};
/// Throws InputError, with the minimum and `hint` (how to need less room), if the option --size of
/// the plot asks for a smaller width or height; does nothing if --size is not given (width 0).
void require_size(const PlotRequest& request, MinimumSize minimum, const std::string& hint = {});
/// Returns the height in cm of what stands above the axes of a plot: the title of the request,
/// wrapped to its width, and a legend of height `legend_cm`. Meaningless if the request has a title
/// but no width.
double heading_height_cm(const PlotRequest& request, double legend_cm);
/// Returns the minimum size, in cm, for require_size(), of a plot whose legend, with an entry per
/// heuristic, stands beside it or, if the request's width does not suffice, above it. Meaningless
/// if the request has no width (0).
MinimumSize minimum_size_with_legend(const PlotRequest& request, const ResultSelection& selection);

/// Sets the title of the plot, its size in cm (the request's, or `width_cm` and `height_cm` where
/// that is 0) and the captions of the axes, plain texts, wrapped to the size. Adds settings to
/// `drawing`: call it once.
void set_size_and_captions(Drawing& drawing, const PlotRequest& request, double width_cm,
                           double height_cm, const std::string& x_caption,
                           const std::string& y_caption);

}  // namespace starport
