#include "sim/report/plots/gnuplot.hpp"

#include "plots/scripts.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/process/descriptor.hpp"

#include <boost/algorithm/string/erase.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
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
  std::string content() const {
    std::string text;
    std::array<char, 1 << 16> piece{};
    while (true) {
      const ssize_t got =
          ::pread(fd(), piece.data(), piece.size(), static_cast<off_t>(text.size()));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return text;
      text.append(piece.data(), got);
    }
  }

 private:
  Descriptor file_;
};

/// gnuplot's environment: ours, but with one language.
std::vector<std::string> environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("LC_") && !text.starts_with("LANG") && !text.starts_with("GNUPLOT")) {
      variables.emplace_back(text);
    }
  }
  variables.emplace_back("LC_ALL=C.UTF-8");
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all(texts.size() + 1);
  std::ranges::transform(texts, all.begin(), [](std::string& text) { return text.data(); });
  return all;
}

/// Runs gnuplot without a shell; its exit status as waitpid() tells it.
int run(std::vector<std::string> arguments, int said) {
  std::vector<std::string> variables = environment();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, arguments.front().c_str(), &actions, nullptr,
                                   pointers(arguments).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) {
    throw std::runtime_error("gnuplot is not installed (Debian package gnuplot-nox)");
  }
  if (error != 0) throw std::runtime_error(fmt::format("gnuplot: {}", std::strerror(error)));
  return wait_for_end(pid);
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
  using nlohmann::json;
  std::string shown = json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
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
  std::string text = fmt::format(
      "data = '{}'\noutput = '{}'\nformat = '{}'\nwidth_cm = {:.6f}\nheight_cm = {:.6f}\n"
      "title = {}\n",
      data.path(), output.path(), known->first, drawing.width_cm, drawing.height_cm,
      gnuplot_text(drawing.title));
  for (const auto& [name, value] : drawing.settings) text += name + " = " + value + "\n";
  const MemoryFile settings(text);
  const int status = run(
      {"gnuplot", "--default-settings", settings.path(), style.path(), script.path()}, said.fd());
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
  return '"' +
         escaped(
             text,
             [](char c) { return c != ' ' && std::ispunct(static_cast<unsigned char>(c)) != 0; }) +
         '"';
}

std::string gnuplot_field(const std::string& text) {
  return escaped(text, [](char c) { return c == ',' || c == '"' || c == '\'' || c == '\\'; });
}

}  // namespace starport
