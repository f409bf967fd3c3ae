// Draws figures with Matplotlib, by plots/figure.py.
#pragma once

#include "sim/process/isolation.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace starport {

/// Format in which render() writes a plot: a picture (svg, pdf, png); its data only, as CSV text
/// (csv); or a Python script that draws it and contains the data (script).
enum class PlotFormat { svg, pdf, png, csv, script };

/// Returns the plot format that belongs to a file name ending in .svg, .pdf, .png, .csv or .py
/// (lower case). Throws InputError naming `option` for any other ending.
PlotFormat plot_format(const std::string& path, const std::string& option = "--output");

/// A file in memory without a name, owned by this object, which this process and the children that
/// it forks can open by a path: nothing is left behind if the program is killed. Can be moved from
/// (it then has no file), but neither copied nor assigned.
class MemoryFile {
 public:
  /// Creates the file in memory with `content`. Throws std::runtime_error if there is no memory or
  /// no free file descriptor.
  explicit MemoryFile(std::string_view content = {});
  /// Appends text to what this object has written to the file in memory; overwrites what others
  /// wrote there by its path. Throws std::runtime_error if there is no memory.
  void write(std::string_view text);
  /// Returns a path by which this process and its children can open the file while this object
  /// exists.
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd()); }
  /// Returns the descriptor of the file, which this object closes when destroyed; -1 if it was
  /// moved from.
  int fd() const { return file_.get(); }
  /// Returns all bytes of the file, also those that others wrote by its path. Throws InputError if
  /// it cannot be read or does not fit in memory.
  std::string content() const;

 private:
  FileDescriptor file_;
};

/// The input of a plot that is still to be drawn: which kind, its data as CSV text, and its
/// settings as JSON. Made by PlotKind::draw or a function such as draw_partition(); render() draws
/// it. Owns its texts.
struct Drawing {
  /// Kind of the plot, such as "bars": the function draw_KIND of plots/figure.py, here draw_bars,
  /// draws it.
  std::string kind;
  /// CSV text (RFC 4180, with a header): the data of the plot, as the function of plots/figure.py
  /// for this `kind` reads it.
  std::string data;
  /// JSON object: title, size in cm (width_cm and height_cm; without them the script chooses),
  /// captions, and what else the function of plots/figure.py for this `kind` reads from its
  /// SETTINGS. Must not contain true, false or null (not checked), as it becomes a Python
  /// expression.
  nlohmann::ordered_json settings = nlohmann::ordered_json::object();
  /// One line to be shown to the user, such as how many rows are left out; empty: none.
  std::string remark = {};
};

/// Draws a plot with Python and Matplotlib and returns the bytes of its file, the same for the same
/// drawing; PlotFormat::csv and PlotFormat::script need neither. Takes about a second: runs python3
/// (the first one in PATH or, if that lacks Matplotlib, /usr/bin/python3) in a forked child process
/// and blocks until it ends, without a time limit; call it from a process with one thread. Throws
/// InputError, naming --size, if the plot needs more room than its settings give;
/// std::runtime_error if Python or Matplotlib is missing or fails, or if there is no memory, file
/// descriptor or process for it.
std::string render(const Drawing& drawing, PlotFormat format);

/// Returns the Python script that draws a plot into the file (.svg, .pdf or .png) that is its
/// argument: the parts of plots/figure.py that the kind of plot needs, with settings and data.
/// Invalid UTF-8 is replaced, in the data also control characters other than line ends and tabs.
std::string plot_script(const Drawing& drawing);

}  // namespace starport
