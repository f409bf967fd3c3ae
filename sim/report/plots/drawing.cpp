#include "sim/report/plots/drawing.hpp"

#include "plots/scripts.hpp"
#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"

#include <boost/algorithm/string.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

namespace starport {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::pair<const char*, PlotFormat>, 5> kFormats{{
    {"svg", PlotFormat::svg},
    {"pdf", PlotFormat::pdf},
    {"png", PlotFormat::png},
    {"csv", PlotFormat::csv},
    {"py", PlotFormat::script},
}};

// Exit statuses of the script, and of the child process if there is no Python.
constexpr int kNoMatplotlib = 3;
constexpr int kTooSmall = 4;
constexpr int kNoPython = 127;

/// Replaces this process by Python, which runs a script and writes its messages to the descriptor
/// `messages`.
void exec_python(const char* python, const std::string& script, const std::string& output,
                 const char* format, int messages) {
  ::dup2(::open("/dev/null", O_RDWR), STDIN_FILENO);
  ::dup2(STDIN_FILENO, STDOUT_FILENO);
  ::dup2(messages, STDERR_FILENO);
  ::execlp(python, python, script.c_str(), output.c_str(), format, nullptr);
  _exit(kNoPython);
}

/// Returns the last line of Python's messages, which says what is wrong; the lines before say
/// where.
std::string last_line(std::string text) {
  text.erase(text.find_last_not_of(" \n\t") + 1);
  text.erase(0, text.rfind('\n') + 1);
  return text.empty() ? "no message" : text;
}

/// Returns the size in the settings as --size has it: "17x7", or the width alone.
std::string size_of(const ordered_json& settings) {
  const double height_cm = settings.value("height_cm", 0.0);
  return fmt::format("{:g}", settings.value("width_cm", 0.0)) +
         (height_cm > 0 ? fmt::format("x{:g}", height_cm) : " cm");
}

}  // namespace

MemoryFile::MemoryFile(std::string_view content) : file_(::memfd_create("starport-plot", 0)) {
  const int error = fd() < 0 ? errno : write_all(fd(), content);
  if (error != 0) throw std::runtime_error(fmt::format("file in memory: {}", std::strerror(error)));
}

void MemoryFile::write(std::string_view text) {
  const int error = write_all(fd(), text);
  if (error != 0) throw std::runtime_error(fmt::format("file in memory: {}", std::strerror(error)));
}

std::string MemoryFile::content() const { return read_file(path(), SIZE_MAX); }

PlotFormat plot_format(const std::string& path, const std::string& option) {
  for (const auto& [extension, format] : kFormats) {
    if (path.ends_with(std::string(".") + extension)) return format;
  }
  throw InputError(option,
                   "a file name ending in .svg, .pdf, .png, .csv (the data alone) or .py (a script "
                   "that draws the figure)",
                   "'" + path + "'");
}

std::string plot_script(const Drawing& drawing) {
  constexpr std::string_view mark = "# %% ";
  const std::string_view whole = embedded::plots_figure_py;
  std::string script;
  for (std::size_t begin = 0, end = 0; begin < whole.size(); begin = end) {
    end = std::min(whole.find(std::string("\n") + std::string(mark), begin), whole.size() - 1) + 1;
    const std::string_view part = whole.substr(begin, end - begin);
    if (!part.starts_with(mark)) {
      script += part;
      continue;
    }
    // The first line of a part names the kinds of figure that need it.
    const std::string title(part.substr(mark.size(), part.find('\n') - mark.size()));
    std::vector<std::string> names;
    boost::split(names, title, boost::is_any_of(" "));
    if (title == "settings") {
      ordered_json settings{{"kind", drawing.kind}};
      settings.update(drawing.settings);
      // Texts, numbers, lists and objects of JSON are expressions of Python, too.
      script += fmt::format("SETTINGS = {}\n",
                            settings.dump(4, ' ', false, ordered_json::error_handler_t::replace));
    } else if (title == "data") {
      std::string data = sanitize_lines(drawing.data);
      boost::replace_all(data, "\\", "\\\\");
      boost::replace_all(data, "'", "\\'");
      boost::erase_all(data, "\r");
      script += "DATA = \'\'\'\\\n" + data + "\'\'\'\n";
    } else if (title == "common" || title == "main" ||
               std::ranges::find(names, drawing.kind) != names.end()) {
      script += part.substr(part.find('\n') + 1);
    }
  }
  return script;
}

std::string render(const Drawing& drawing, PlotFormat format) {
  if (format == PlotFormat::csv) return drawing.data;
  if (format == PlotFormat::script) return plot_script(drawing);
  const auto* const name =
      std::ranges::find_if(kFormats, [&](const auto& entry) { return entry.second == format; });
  const MemoryFile script(plot_script(drawing));
  // The first python3 in PATH may lack Matplotlib, such as that of a virtual environment.
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    const MemoryFile output;
    const MemoryFile messages;
    const int status =
        Child([&](int) {
          exec_python(python, script.path(), output.path(), name->first, messages.fd());
        }).wait();
    const int exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (exit_status == kNoPython || exit_status == kNoMatplotlib) continue;
    const std::string said = last_line(messages.content());
    if (exit_status == kTooSmall) {
      throw InputError("--size", fmt::format("at least {} for this figure", said),
                       size_of(drawing.settings));
    }
    if (exit_status != 0) throw std::runtime_error("Matplotlib failed: " + said);
    return output.content();
  }
  throw std::runtime_error(
      "figures need Python with Matplotlib, which is not installed: install the Debian package "
      "python3-matplotlib, or 'pip install matplotlib'");
}

}  // namespace starport
