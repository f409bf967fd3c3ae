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
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <variant>

namespace starport {
namespace {

constexpr double kDefaultLimit_s = 60;

/// Limits the memory of this process and of each of its children to half of what is available.
void limit_memory() {
  const auto bytes = static_cast<rlim_t>(std::clamp(available_memory_bytes() / 2, 1e9, 1e18));
  const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
  ::setrlimit(RLIMIT_DATA, &limit);
}

/// Answers the requests on stdin, one a line, until it ends.
int answer_lines(double limit_s, const HeuristicNames& programs) {
  limit_memory();
  for (std::string line; std::getline(std::cin, line);) {
    // JSON has no control characters that print() would have to replace.
    const std::string answer = answer_request(line, limit_s, programs) + "\n";
    std::cout.write(answer.data(), std::ssize(answer)).flush();
  }
  return kSuccess;
}

/// Returns the heuristics of a list that run as programs.
HeuristicNames programs_in(const std::optional<std::string>& list) {
  HeuristicNames programs;
  if (!list) return programs;
  for (const NamedAlgorithm& named : read_algorithms(*list, "--heuristics")) {
    if (is_program(named)) programs.push_back(named.name);
  }
  return programs;
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

/// Returns the state (a request) in an address that the page showed, after its "#".
nlohmann::json linked_state(const std::string& address) {
  const InputError no_state("[PLATFORM]", "an address with the state of the page after '#'",
                            address);
  const std::size_t hash = address.find('#');
  if (hash == std::string::npos) throw no_state;
  std::string text;
  for (std::size_t i = hash + 1; i < address.size(); ++i) {
    unsigned char code = 0;
    const char* digits = address.data() + i + 1;
    const bool is_code = address[i] == '%' && i + 2 < address.size() &&
                         std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2;
    text += is_code ? static_cast<char>(code) : address[i];
    if (is_code) i += 2;
  }
  nlohmann::json state = parse_json(text, "the address");
  if (!state.is_object()) throw no_state;
  return state;
}

/// Returns the state that the page shows first, by the options.
nlohmann::json first_state(const CommandLine& line) {
  const std::string path = line.find("[PLATFORM]").value_or("platforms/first-try.json");
  if (path.starts_with("http://")) {
    for (const char* option : {"problem", "block-size", "noise"}) {
      if (!line.has(option)) continue;
      throw InputError::with_problem(std::string("--") + option, "the address of a page gives it",
                                     "Leave it out");
    }
    return linked_state(path);
  }
  const std::string text = read_file(path);  // once: it may be a pipe
  with_file_in_errors(path, [&] { reject_csv(text, "a platform"); });
  const nlohmann::json platform = parse_json(text, path);
  const PlatformFile file = parse_platform(platform, path);
  const bool has_link = std::ranges::any_of(file.entries, [](const PlatformFile::Entry& entry) {
    return !std::holds_alternative<PlatformFile::MemorySharing>(entry.worker);
  });
  return {{"platform", platform},
          {"problem", line.find("problem").value_or("8000")},
          {"block_size", line.block_size(file)},
          {"noise", line.find("noise").value_or("")},
          {"heuristics", line.find("heuristics").value_or("")},
          {"charts", nlohmann::json::array()},
          {"quick", false},
          {"sweep", {{"field", has_link ? "bandwidth" : "speed"}, {"entry", nullptr}}}};
}

int explore(const std::vector<std::string>& arguments) {
  CommandLine line("explore", {"[PLATFORM]"},
                   "Shows a comparison of heuristics in the browser, where the platform can be "
                   "changed. Instead of a platform, takes an address that the page showed.",
                   "starport explore platforms/ppopp08-memory.json --problem 8000x8000x64000");
  line.add(
      "problem", "nAxnABxnB",
      "sizes of C += A.B in matrix elements: A is nA x nAB, B is nAB x nB; rounded up to whole "
      "blocks (default: 8000)");
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
  const HeuristicNames programs = programs_in(line.find("heuristics"));
  if (line.has("answer")) return answer_lines(limit_s, programs);

  const nlohmann::json state = first_state(line);
  nlohmann::json first = state;
  if (const auto output = line.find("export")) {
    first["page"] = true;
    OutputFile page(*output, "--export");
    page.write(compute_answer(first, limit_s, programs).at("page").get<std::string>());
    page.commit();
    return kSuccess;
  }
  first["quick"] = true;
  first["sweep"] = nullptr;
  static_cast<void>(compute_answer(first, limit_s, programs));  // refuses what is wrong
  Answerer answerer{.program = std::filesystem::read_symlink("/proc/self/exe"),
                    .arguments = {"--answer", "--time-limit", fmt::format("{}", limit_s)},
                    .limit_s = limit_s};
  for (const char* option : {"plugin", "heuristics"}) {
    if (const auto text = line.find(option)) {
      answerer.arguments.insert(answerer.arguments.end(), {std::string("--") + option, *text});
    }
  }
  serve_explorer(explorer_page(state, nullptr, programs), answerer, [](const std::string& address) {
    print(fmt::format("The explorer is at {}\nEnd it with Ctrl-C.\n", address));
    open_browser(address);
  });
  return kSuccess;
}

}  // namespace
}  // namespace starport

int main(int argc, char** argv) { return starport::run_program(argc, argv, starport::explore); }
