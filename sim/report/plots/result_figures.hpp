// Parts shared by the figures over results: which rows are shown, captions and scales of the axes,
// sizes.
#pragma once

#include "sim/report/plots/plot_kinds.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace starport {

/// The rows that a figure shows.
struct ResultSelection {
  /// The selected rows, and a table `styles` of the heuristics with at least one complete run:
  /// `heuristic`, `style` (a number from 1 that gives the colour), `shown` (the name in gnuplot's
  /// syntax).
  ResultTable results;
  std::size_t longest_name;  ///< length of the longest name of those heuristics, in characters
  std::string remark;        ///< says how many rows are left out; empty: none
};

/// Selects rows by the options --where and --series. `columns` are the numeric columns that the
/// figure needs. Throws InputError if a column is missing, empty or not numeric, or if no row is
/// left.
ResultSelection select_rows(const PlotRequest& request, const std::vector<std::string>& columns);

/// True if the column exists and a complete run has a value in it.
bool has_values(const ResultTable& results, const std::string& column);
/// Throws InputError, naming `option`, if the column is missing, holds text, or is empty for all
/// complete runs.
void require_values(const ResultTable& results, const std::string& column, const char* option);
/// Throws InputError, naming `option`, if the column is missing or holds text.
void require_numbers(const ResultTable& results, const std::string& column, const char* option);

/// Applies the option --log (x, y or xy) to the script's settings. `x` and `y` are the columns on
/// the axes; an empty `x` has no logarithm. Throws InputError if a value is not positive.
void apply_log_option(Drawing& drawing, const ResultTable& results, const PlotRequest& request,
                      const std::string& x, const std::string& y);

/// Quotes a column of `results` for SQL, qualified by the table's name: tables joined to it may
/// have a column of the same name.
std::string qualified_column(const std::string& name);

/// Returns the caption of the axis that shows a column; `axis` ('x' or 'y') is its letter in --log.
std::string axis_caption_for(const PlotRequest& request, const std::string& column, char axis);

/// The smallest size in which a figure can be read.
struct MinimumSize {
  double width_cm;
  double height_cm;
};
/// Throws InputError with the minimum and `hint` if --size asks for less.
void require_size(const PlotRequest& request, MinimumSize minimum, const std::string& hint = {});
/// Returns the height of the title and of a legend of `legend_cm` above the axes, in cm.
double heading_height_cm(const PlotRequest& request, double legend_cm);
/// Returns the minimum size of a plot whose legend stands beside it or, if the width does not
/// suffice, above it.
MinimumSize minimum_size_with_legend(const PlotRequest& request, const ResultSelection& selection);

/// Sets the title, the size (the request's, else this one) and the captions of the axes, wrapped to
/// the size.
void set_size_and_captions(Drawing& drawing, const PlotRequest& request, double width_cm,
                           double height_cm, const std::string& x_caption,
                           const std::string& y_caption);

}  // namespace starport
