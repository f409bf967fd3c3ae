// Figures made by gnuplot, from a script of plots/ and CSV.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starport {

enum class PlotFormat { svg, pdf, png, csv };

/// By the extension: .svg, .pdf, .png, or .csv for the data alone. Throws InputError.
PlotFormat plot_format(const std::string& path);

/// All that gnuplot needs.
struct Drawing {
  std::string_view script;  ///< run after plots/style.gp
  std::string data;         ///< CSV
  std::string title;
  double width_cm = 0;
  double height_cm = 0;
  /// Variables of the script, as gnuplot writes their values: {"reference", "1"}.
  std::vector<std::pair<std::string, std::string>> settings;
  std::string remark;  ///< for whoever asked, one line; may be empty
};

/// The bytes of the figure: the same for the same drawing. Throws std::runtime_error when gnuplot
/// is missing or fails.
std::string render(const Drawing& drawing, PlotFormat format);

/// A text as gnuplot quotes it, on the lines that it has, without the other control characters and
/// the broken UTF-8 that no figure shows.
std::string gnuplot_text(const std::string& text);
/// A field of CSV that gnuplot reads as this text: it cannot read commas or quotes as RFC 4180 has
/// them, but knows escapes.
std::string gnuplot_field(const std::string& text);

}  // namespace starport
