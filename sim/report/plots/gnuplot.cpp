#include "sim/report/plots/gnuplot.hpp"

#include "plots/scripts.hpp"
#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/process/isolation.hpp"
#include "sim/report/plots/figure_text.hpp"

#include <boost/algorithm/string.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace starport {
namespace {

constexpr std::array<std::pair<const char*, PlotFormat>, 4> kFormats{{
    {"svg", PlotFormat::svg},
    {"pdf", PlotFormat::pdf},
    {"png", PlotFormat::png},
    {"csv", PlotFormat::csv},
}};

constexpr int kNotInstalled = 127;  ///< exit status of exec_gnuplot() if there is no gnuplot

/// Replaces this process by gnuplot, which runs these files and writes its messages to the
/// descriptor `messages`. The user's locale and gnuplot settings are ignored.
void exec_gnuplot(const std::vector<std::string>& files, int messages) {
  ::dup2(::open("/dev/null", O_RDWR), STDIN_FILENO);
  ::dup2(STDIN_FILENO, STDOUT_FILENO);
  ::dup2(messages, STDERR_FILENO);
  std::vector<char*> argv{const_cast<char*>("gnuplot"), const_cast<char*>("--default-settings")};
  for (const std::string& file : files) argv.push_back(const_cast<char*>(file.c_str()));
  argv.push_back(nullptr);
  for (char** variable = environ; *variable != nullptr;) {
    const std::string name(*variable, std::strcspn(*variable, "="));
    const bool changes_figures =
        name.starts_with("LC_") || name.starts_with("LANG") || name.starts_with("GNUPLOT");
    if (!changes_figures || ::unsetenv(name.c_str()) != 0) ++variable;
  }
  ::setenv("LC_ALL", "C.UTF-8", 1);
  ::execvp(argv.front(), argv.data());
  _exit(kNotInstalled);
}

/// Returns the last line of gnuplot's messages, which says what is wrong; the lines before show
/// the command and a caret.
std::string last_line(std::string text) {
  text.erase(text.find_last_not_of(" \n\t") + 1);
  text.erase(0, text.rfind('\n') + 1);
  return text.empty() ? "no message" : text;
}

/// Removes the attribute by which gnuplot turns antialiasing off: with it, viewers leave out areas
/// thinner than a pixel.
void smooth_edges(std::string& svg) { boost::erase_all(svg, " shape-rendering='crispEdges'"); }

/// Replaces the creation date in a PDF file, so that the same figure is the same file.
void reset_creation_date(std::string& pdf) {
  const std::string_view key = "/CreationDate (D:";
  constexpr std::string_view epoch = "19700101000000";
  const std::size_t found = pdf.rfind(key);
  if (found == std::string::npos || found + key.size() + epoch.size() > pdf.size()) return;
  pdf.replace(found + key.size(), epoch.size(), epoch);
}

/// Replaces control characters by spaces and invalid UTF-8 by the replacement character.
std::string replace_unprintable(const std::string& text) {
  std::string shown = parse_trusted_json(quote_json_string(text));
  std::ranges::replace_if(
      shown, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return shown;
}

/// Writes special characters as octal escapes. gnuplot reads up to four octal digits: a digit that
/// follows an escape is escaped, too.
template <class IsSpecial>
std::string escape(const std::string& text, IsSpecial is_special) {
  std::string result;
  bool after_escape = false;
  for (const char c : replace_unprintable(text)) {
    after_escape = is_special(c) || (after_escape && c >= '0' && c <= '7');
    result +=
        after_escape ? fmt::format("\\{:03o}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return result;
}

}  // namespace

MemoryFile::MemoryFile(std::string_view content) : file_(::memfd_create("starport-plot", 0)) {
  const int error = fd() < 0 ? errno : write_all(fd(), content);
  if (error != 0) throw std::runtime_error(fmt::format("gnuplot: {}", std::strerror(error)));
}

void MemoryFile::write(std::string_view text) {
  const int error = write_all(fd(), text);
  if (error != 0) throw std::runtime_error(fmt::format("gnuplot: {}", std::strerror(error)));
}

std::string MemoryFile::content() const { return read_file(path(), SIZE_MAX); }

PlotFormat plot_format(const std::string& path, const std::string& option) {
  for (const auto& [extension, format] : kFormats) {
    if (path.ends_with(std::string(".") + extension)) return format;
  }
  throw InputError(option, "a file name ending in .svg, .pdf, .png or .csv (the data alone)",
                   "'" + path + "'");
}

std::string render(const Drawing& drawing, PlotFormat format) {
  if (format == PlotFormat::csv) return drawing.data;
  const auto* const terminal =
      std::ranges::find_if(kFormats, [&](const auto& entry) { return entry.second == format; });
  const MemoryFile data(drawing.data);
  const MemoryFile output;
  const MemoryFile messages;
  const MemoryFile style(embedded::plots_style_gp);
  const MemoryFile script(drawing.script);
  const std::string title = wrap_title(drawing.title, drawing.width_cm);
  std::string text = fmt::format(
      "data = '{}'\noutput = '{}'\nformat = '{}'\nwidth_cm = {:.6f}\nheight_cm = {:.6f}\n"
      "title = {}\ntitle_cm = {:.6f}\n",
      data.path(), output.path(), terminal->first, drawing.width_cm, drawing.height_cm,
      gnuplot_text(title), title_height_cm(title));
  for (const auto& [name, value] : drawing.settings) text += name + " = " + value + "\n";
  const MemoryFile settings(text);
  const int status = Child([&](int) {
                       exec_gnuplot({settings.path(), style.path(), script.path()}, messages.fd());
                     }).wait();
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotInstalled) {
    throw std::runtime_error("gnuplot is not installed (Debian package gnuplot-nox)");
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error("gnuplot failed: " + last_line(messages.content()));
  }
  std::string figure = output.content();
  if (figure.empty())
    throw std::runtime_error("gnuplot drew nothing: " + last_line(messages.content()));
  if (format == PlotFormat::pdf) reset_creation_date(figure);
  if (format == PlotFormat::svg) smooth_edges(figure);
  return figure;
}

std::string gnuplot_text(const std::string& text) {
  // Escaping all punctuation keeps quotes, backquotes (shell commands) and macros from gnuplot.
  std::vector<std::string> lines;
  boost::split(lines, text, boost::is_any_of("\n"));
  for (std::string& line : lines) {
    line = escape(
        line, [](char c) { return c != ' ' && std::ispunct(static_cast<unsigned char>(c)) != 0; });
  }
  return '"' + boost::join(lines, "\\n") + '"';
}

std::string gnuplot_field(const std::string& text) {
  return escape(text, [](char c) { return c == ',' || c == '"' || c == '\'' || c == '\\'; });
}

}  // namespace starport
