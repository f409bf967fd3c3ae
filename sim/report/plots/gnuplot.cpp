#include "sim/report/plots/gnuplot.hpp"

#include "plots/scripts.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/json_text.hpp"
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

/// A file that has no name and no place on a disk: nothing is left behind, however this ends.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content = {}) : file_(::memfd_create("starport-plot", 0)) {
    const int error = fd() < 0 ? errno : write_all(fd(), content);
    if (error != 0) throw std::runtime_error(fmt::format("gnuplot: {}", std::strerror(error)));
  }

  int fd() const { return file_.get(); }
  /// Its name in a child.
  std::string path() const { return fmt::format("/proc/self/fd/{}", fd()); }
  std::string content() const { return read_file(path(), SIZE_MAX); }

 private:
  Descriptor file_;
};

constexpr int kNotThere = 127;  ///< exit status

/// Becomes gnuplot, which says what it has to say into that file, in one language.
void become_gnuplot(const std::vector<std::string>& files, int said) {
  ::dup2(::open("/dev/null", O_RDWR), STDIN_FILENO);
  ::dup2(STDIN_FILENO, STDOUT_FILENO);
  ::dup2(said, STDERR_FILENO);
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
  _exit(kNotThere);
}

/// The last line that gnuplot said: it comes after the line at fault and a caret.
std::string last_line(std::string text) {
  text.erase(text.find_last_not_of(" \n\t") + 1);
  text.erase(0, text.rfind('\n') + 1);
  return text.empty() ? "it does not say why" : text;
}

/// gnuplot asks for areas without smooth edges, and viewers then leave out those thinner than a
/// pixel.
void smooth_edges(std::string& svg) { boost::erase_all(svg, " shape-rendering='crispEdges'"); }

/// Cairo dates its PDF files; the same figure is to be the same file.
void undate(std::string& pdf) {
  const std::string_view key = "/CreationDate (D:";
  constexpr std::string_view epoch = "19700101000000";
  const std::size_t found = pdf.rfind(key);
  if (found == std::string::npos || found + key.size() + epoch.size() > pdf.size()) return;
  pdf.replace(found + key.size(), epoch.size(), epoch);
}

/// What no figure can show becomes a space, or the sign for an unknown character.
std::string showable(const std::string& text) {
  std::string shown = own_json(json_string(text));
  std::ranges::replace_if(
      shown, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return shown;
}

/// The text with the special characters as octal escapes. gnuplot reads four octal digits where
/// there are so many: a digit that follows an escape is escaped too.
template <class IsSpecial>
std::string escaped(const std::string& text, IsSpecial is_special) {
  std::string result;
  bool after_escape = false;
  for (const char c : showable(text)) {
    after_escape = is_special(c) || (after_escape && c >= '0' && c <= '7');
    result +=
        after_escape ? fmt::format("\\{:03o}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return result;
}

}  // namespace

PlotFormat plot_format(const std::string& path) {
  for (const auto& [extension, format] : kFormats) {
    if (path.ends_with(std::string(".") + extension)) return format;
  }
  throw InputError("--output", "a file name ending in .svg, .pdf, .png or .csv (the data alone)",
                   "'" + path + "'");
}

std::string render(const Drawing& drawing, PlotFormat format) {
  if (format == PlotFormat::csv) return drawing.data;
  const auto* const known =
      std::ranges::find_if(kFormats, [&](const auto& entry) { return entry.second == format; });
  const MemoryFile data(drawing.data);
  const MemoryFile output;
  const MemoryFile said;
  const MemoryFile style(embedded::plots_style_gp);
  const MemoryFile script(drawing.script);
  const std::string title = fitted_title(drawing.title, drawing.width_cm);
  std::string text = fmt::format(
      "data = '{}'\noutput = '{}'\nformat = '{}'\nwidth_cm = {:.6f}\nheight_cm = {:.6f}\n"
      "title = {}\ntitle_cm = {:.6f}\n",
      data.path(), output.path(), known->first, drawing.width_cm, drawing.height_cm,
      gnuplot_text(title), height_cm_of(title));
  for (const auto& [name, value] : drawing.settings) text += name + " = " + value + "\n";
  const MemoryFile settings(text);
  const int status = Child([&](int) {
                       become_gnuplot({settings.path(), style.path(), script.path()}, said.fd());
                     }).wait();
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotThere) {
    throw std::runtime_error("gnuplot is not installed (Debian package gnuplot-nox)");
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error("gnuplot failed: " + last_line(said.content()));
  }
  std::string figure = output.content();
  if (figure.empty())
    throw std::runtime_error("gnuplot drew nothing: " + last_line(said.content()));
  if (format == PlotFormat::pdf) undate(figure);
  if (format == PlotFormat::svg) smooth_edges(figure);
  return figure;
}

std::string gnuplot_text(const std::string& text) {
  // Between double quotes, escapes are all that gnuplot sees: no quote, backquote or macro.
  std::vector<std::string> lines;
  boost::split(lines, text, boost::is_any_of("\n"));
  for (std::string& line : lines) {
    line = escaped(
        line, [](char c) { return c != ' ' && std::ispunct(static_cast<unsigned char>(c)) != 0; });
  }
  return '"' + boost::join(lines, "\\n") + '"';
}

std::string gnuplot_field(const std::string& text) {
  return escaped(text, [](char c) { return c == ',' || c == '"' || c == '\'' || c == '\\'; });
}

}  // namespace starport
