// Draws figures with gnuplot, from a script of plots/ and data in CSV.
#pragma once

#include "sim/process/isolation.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starport {

/// Format of the file of a plot; csv is the data of the plot without a drawing.
enum class PlotFormat { svg, pdf, png, csv };

/// Returns the plot format that belongs to a file name ending in .svg, .pdf, .png or .csv (lower
/// case). Throws InputError naming `option` for any other ending.
PlotFormat plot_format(const std::string& path, const std::string& option = "--output");

/// A file in memory without a name, owned by this object, which this process and the children that
/// it forks can open by a path: nothing is left behind if the program is killed. Movable, not
/// copyable.
class MemoryFile {
 public:
  /// Creates the file in memory with `content`. Throws std::runtime_error if there is no memory or
  /// no free file descriptor.
  explicit MemoryFile(std::string_view content = {});
  /// Appends text to the file in memory. Throws std::runtime_error if there is no memory.
  void write(std::string_view text);
  /// Returns a path by which this process and its children can open the file while this object
  /// exists.
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd()); }
  /// Returns the descriptor of the file, owned by this object.
  int fd() const { return file_.get(); }
  /// Returns all bytes of the file, also those that others wrote by its path. Throws InputError if
  /// it cannot be read or does not fit in memory.
  std::string content() const;

 private:
  FileDescriptor file_;
};

/// A plot before it is drawn: the gnuplot script, its data and its settings. Made by PlotKind::draw
/// or a function such as draw_partition() or draw_heat_map(), and drawn by render().
struct Drawing {
  /// Text of the gnuplot script, run after plots/style.gp; not owned, must outlive the call of
  /// render(). Usually embedded in the program.
  std::string_view script;
  /// CSV text that the gnuplot script reads.
  std::string data;
  /// Title above the plot, which render() wraps to the width; empty: none.
  std::string title;
  /// Width of the whole plot in cm, positive.
  double width_cm = 0;
  /// Height of the whole plot in cm, positive.
  double height_cm = 0;
  /// Variables that the gnuplot script expects and their values in gnuplot's syntax, such as
  /// {"reference", "1"}. gnuplot runs them as they are: quote texts with gnuplot_text() first.
  std::vector<std::pair<std::string, std::string>> settings;
  /// One line to be shown to the user, such as how many rows are left out; empty: none.
  std::string remark;
};

/// Draws a plot with gnuplot and returns the bytes of its file, the same for the same drawing; for
/// PlotFormat::csv, returns `drawing.data` as it is. Runs gnuplot in a forked child process and
/// blocks until it ends, without a time limit; call it from a process with one thread. Throws
/// std::runtime_error if gnuplot is missing, fails or draws nothing, or if there is no memory, file
/// descriptor or process for it.
std::string render(const Drawing& drawing, PlotFormat format);

/// Returns a text as a string literal for a gnuplot script, double quotes included, so that no part
/// of it is run as a command. Line breaks are kept; other control characters become spaces, and
/// invalid UTF-8 becomes U+FFFD.
std::string gnuplot_text(const std::string& text);
/// Returns a text escaped as one CSV field for gnuplot, without quotes around it: commas, quotes
/// and backslashes become octal escapes, since gnuplot does not read quoted fields (RFC 4180).
/// Control characters, line breaks included, become spaces, and invalid UTF-8 becomes U+FFFD.
std::string gnuplot_field(const std::string& text);

}  // namespace starport
