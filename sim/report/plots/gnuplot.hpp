// Draws figures with gnuplot, from a script of plots/ and data in CSV.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starport {

/// The format of a figure's file; csv is the figure's data.
enum class PlotFormat { svg, pdf, png, csv };

/// Returns the format of a file name: .svg, .pdf, .png or .csv. Throws InputError naming --output
/// for others.
PlotFormat plot_format(const std::string& path);

/// A figure before it is drawn: gnuplot's script, data and settings.
struct Drawing {
  std::string_view script;  ///< text of the script, run after plots/style.gp
  std::string data;         ///< CSV that the script reads
  std::string title;
  double width_cm = 0;
  double height_cm = 0;
  /// Variables of the script and their values in gnuplot's syntax: {"reference", "1"}.
  std::vector<std::pair<std::string, std::string>> settings;
  std::string remark;  ///< one line for the user, such as how many rows are left out; may be empty
};

/// Draws a figure and returns the bytes of its file, the same for the same drawing. Runs gnuplot in
/// a child process. Throws std::runtime_error if gnuplot is missing or fails.
std::string render(const Drawing& drawing, PlotFormat format);

/// Quotes a text as a gnuplot string. Line breaks are kept; other control characters become spaces
/// and invalid UTF-8 the replacement character.
std::string gnuplot_text(const std::string& text);
/// Escapes a text as a CSV field for gnuplot, which does not read quoted fields (RFC 4180) but
/// understands octal escapes.
std::string gnuplot_field(const std::string& text);

}  // namespace starport
