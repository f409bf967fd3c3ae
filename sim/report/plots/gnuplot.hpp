// Draws figures with gnuplot, from a script of plots/ and data in CSV.
#pragma once

#include "sim/process/isolation.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starport {

/// Format of a figure's file; csv is the figure's data without a drawing.
enum class PlotFormat { svg, pdf, png, csv };

/// Returns the format that belongs to a file name ending in .svg, .pdf, .png or .csv. Throws
/// InputError naming `option` for any other ending.
PlotFormat plot_format(const std::string& path, const std::string& option = "--output");

/// A file in memory without a name, which this process and its children can open by a path: nothing
/// is left behind if the program is killed.
class MemoryFile {
 public:
  /// Creates the file with `content`. Throws std::runtime_error if there is no memory.
  explicit MemoryFile(std::string_view content = {});
  /// Appends text. Throws std::runtime_error if there is no memory.
  void write(std::string_view text);
  /// Returns a path by which this process and its children can open the file while this object
  /// exists.
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd()); }
  /// Returns the descriptor of the file, owned by this object.
  int fd() const { return file_.get(); }
  /// Returns the bytes of the file.
  std::string content() const;

 private:
  FileDescriptor file_;
};

/// A figure before it is drawn: the gnuplot script, its data and its settings.
struct Drawing {
  /// Text of the gnuplot script, run after plots/style.gp; not owned, usually embedded in the
  /// program.
  std::string_view script;
  /// CSV text that the script reads.
  std::string data;
  /// Title above the figure, which render() wraps to the width; empty: none.
  std::string title;
  /// Width of the whole figure in cm, positive.
  double width_cm = 0;
  /// Height of the whole figure in cm, positive.
  double height_cm = 0;
  /// Variables that the script expects and their values in gnuplot's syntax, such as {"reference",
  /// "1"}; texts are quoted by gnuplot_text().
  std::vector<std::pair<std::string, std::string>> settings;
  /// One line to be shown to the user, such as how many rows are left out; empty: none.
  std::string remark;
};

/// Draws a figure and returns the bytes of its file, the same for the same drawing; for
/// PlotFormat::csv, the data as it is. Runs gnuplot in a child process and blocks until it ends,
/// without a time limit. Throws std::runtime_error if gnuplot is missing, fails or draws nothing.
std::string render(const Drawing& drawing, PlotFormat format);

/// Quotes a text as a string literal for a gnuplot script, so that no part of it is run as a
/// command. Line breaks are kept; other control characters become spaces, and invalid UTF-8 becomes
/// U+FFFD.
std::string gnuplot_text(const std::string& text);
/// Escapes a text as a CSV field for gnuplot, which does not read quoted fields (RFC 4180) but
/// understands octal escapes. Control characters, line breaks included, become spaces, and invalid
/// UTF-8 becomes U+FFFD.
std::string gnuplot_field(const std::string& text);

}  // namespace starport
