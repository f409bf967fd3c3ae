// The axes of figures over results: captions, logarithms, sizes.
#pragma once

#include "sim/report/plots/result_selection.hpp"

#include <string>

namespace starport {

/// --log x, y or xy for the script; `x` is empty where the abscissae are no column. Throws
/// InputError where a value has no logarithm.
void set_log(Drawing& drawing, const ResultTable& results, const PlotRequest& request,
             const std::string& x, const std::string& y);

/// A column of the results, beside which the tables joined to them may have one of its name.
std::string result_column(const std::string& name);

/// What an axis shows: a column; `axis` is its letter in --log.
std::string caption_of(const PlotRequest& request, const std::string& column, char axis);

/// A width and a height below which a figure would not show what it should.
struct LeastSize {
  double width_cm;
  double height_cm;
};
/// Throws InputError where the size asked for is smaller.
void require_size(const PlotRequest& request, LeastSize least, const std::string& hint = {});
/// What a plot needs above its axes: its title and, in rows, its legend; at least.
double head_cm(const PlotRequest& request, double legend_cm);
/// Of a plot with the legend beside it or, where that leaves no room, above it.
LeastSize least_with_legend(const PlotRequest& request, const ResultSelection& selection);

/// The size asked for, else the kind's own; the captions of the axes on as many lines as they take.
void set_size(Drawing& drawing, const PlotRequest& request, double width_cm, double height_cm,
              const std::string& xlabel, const std::string& ylabel);

}  // namespace starport
