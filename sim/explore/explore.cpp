// The program starport-explore, which `starport explore` starts: serves a page on which platforms
// are changed and heuristics compared. A program of its own because of the HTTP library, which
// takes longer to load than many commands run.
#include "sim/app/algorithms.hpp"
#include "sim/app/command_line.hpp"
#include "sim/app/program.hpp"
#include "sim/explore/answer.hpp"
#include "sim/explore/server.hpp"
#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/process/exit_status.hpp"
#include "sim/process/machine.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

namespace starport {
namespace {

constexpr double kDefaultLimit_s = 60;

/// Limits the memory of this process and of each of its children to half of what is available.
void limit_memory() {
  const auto bytes = static_cast<rlim_t>(std::max(available_memory_bytes() / 2, 1e9));
  const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
  ::setrlimit(RLIMIT_DATA, &limit);
}

/// Answers the requests on stdin, one a line, until it ends.
int answer_lines(double limit_s) {
  limit_memory();
  for (std::string line; std::getline(std::cin, line);) {
    print(answer_request(line, limit_s) + "\n");
  }
  return kSuccess;
}

/// Opens the address in the desktop's browser, if there is a desktop.
void open_browser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  std::string program = "xdg-open";
  std::string argument = address;
  char* const words[] = {program.data(), argument.data(), nullptr};
  pid_t pid = 0;
  static_cast<void>(::posix_spawnp(&pid, program.c_str(), nullptr, nullptr, words, environ));
}

int explore(const std::vector<std::string>& arguments) {
  CommandLine line("explore", {"[PLATFORM]"},
                   "Shows a comparison of heuristics in the browser, where the platform can be "
                   "changed.",
                   "starport explore platforms/ppopp08-memory.json --problem 8000x8000x64000");
  line.add(
      "problem", "nAxnABxnB",
      "sizes of C += A.B in matrix elements: A is nA x nAB, B is nAB x nB; rounded up to whole "
      "blocks",
      "8000");
  line.add_block_size();
  line.add("heuristics", "LIST",
           "names with parameters, or groups, separated by commas (default: what suits the "
           "platform)");
  line.add_noise();
  add_plugin_option(line);
  line.add("export", "FILE", "write the page with its answer as one HTML file, and serve nothing");
  line.add("time-limit", "SECONDS",
           fmt::format("wall-clock limit of each answer (default: {})", kDefaultLimit_s));
  line.add_flag("answer", "answer requests of the page on stdin, one JSON object a line");
  if (!line.parse(arguments)) return kSuccess;
  load_plugins(line);
  const double limit_s = line.number("time-limit", "a number of seconds, greater than 0", 1e-3)
                             .value_or(kDefaultLimit_s);
  if (line.has("answer")) return answer_lines(limit_s);

  const std::string path = line.find("[PLATFORM]").value_or("platforms/first-try.json");
  const PlatformFile file = load_platform(path);
  nlohmann::json state{{"platform", parse_json(read_file(path), path)},
                       {"problem", line.text("problem")},
                       {"block_size", line.block_size(file)},
                       {"noise", line.find("noise").value_or("")},
                       {"heuristics", line.find("heuristics").value_or("")},
                       {"charts", nlohmann::json::array()},
                       {"quick", false}};
  nlohmann::json first = state;
  state["sweep"] = {{"field", "bandwidth"}, {"entry", nullptr}};
  if (const auto output = line.find("export")) {
    first = state;
    first["page"] = true;
    OutputFile page(*output, "--export");
    page.write(compute_answer(first, limit_s).at("page").get<std::string>());
    page.commit();
    return kSuccess;
  }
  first["quick"] = true;
  static_cast<void>(compute_answer(first, limit_s));  // refuses what is wrong
  Answerer answerer{.program = std::filesystem::read_symlink("/proc/self/exe"),
                    .arguments = {"--answer", "--time-limit", fmt::format("{}", limit_s)},
                    .limit_s = limit_s};
  if (line.has("plugin")) {
    answerer.arguments.insert(answerer.arguments.end(), {"--plugin", line.text("plugin")});
  }
  serve_explorer(explorer_page(state, nullptr), answerer, [](const std::string& address) {
    print(fmt::format("The explorer is at {}\nEnd it with Ctrl-C.\n", address));
    open_browser(address);
  });
  return kSuccess;
}

}  // namespace
}  // namespace starport

int main(int argc, char** argv) { return starport::run_program(argc, argv, starport::explore); }
