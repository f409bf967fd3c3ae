// What the figures over results have in common: which rows they show, how their axes are named.
#pragma once

#include "sim/report/database/result_table.hpp"
#include "sim/report/plots/plot_kinds.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace starport {

/// The rows asked for, beside a table `styles` (heuristic, style, shown) of the heuristics that
/// have some whose status is ok: the place that gives the colour, the name as gnuplot reads it.
struct ResultSelection {
  ResultTable results;
  std::size_t longest_name;  ///< of those heuristics, in characters
  std::string remark;        ///< how many rows are left out; may be empty
};

/// `values` are the columns of numbers that the figure needs. Throws InputError, also when no row
/// is left.
ResultSelection select(const PlotRequest& request, const std::vector<std::string>& values);

/// Whether some row whose status is ok has a value of it.
bool has_values(const ResultTable& results, const std::string& column);
/// Throws InputError naming the option unless some row has a number there.
void require_values(const ResultTable& results, const std::string& column, const char* option);
/// Throws InputError naming the option when the results lack the column, or it holds text.
void require_numbers(const ResultTable& results, const std::string& column, const char* option);

}  // namespace starport
