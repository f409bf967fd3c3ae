#include "sim/cli/command.hpp"

#include "sim/model/error.hpp"
#include "sim/model/trace.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

namespace starport {
namespace {

namespace po = boost::program_options;

constexpr std::int64_t kDefaultBlockSize = 80;
constexpr double kDefaultTimeLimit_s = 3600;

/// Writes all of the text; the errno of the failure, or 0.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// Half of the memory that is free now, in traced transfers: the rest is for the heuristic, the
/// validator and the others on this machine.
std::size_t transfers_that_fit() {
  std::ifstream meminfo("/proc/meminfo");
  double available_bytes = 1e9;
  for (std::string line; std::getline(meminfo, line);) {
    std::istringstream fields(line);
    std::string key;
    double kib = 0;
    if (fields >> key >> kib && key == "MemAvailable:") available_bytes = kib * 1024;
  }
  return static_cast<std::size_t>(available_bytes / 2 / sizeof(TracedTransfer));
}

}  // namespace

CommandLine::CommandLine(std::string name, std::vector<std::string> positional, std::string purpose,
                         std::string example)
    : name_(std::move(name)),
      positional_(std::move(positional)),
      purpose_(std::move(purpose)),
      example_(std::move(example)),
      options_("Options", 100) {
  add()("help,h", "show this help");
}

void CommandLine::add_block_size() {
  add()("block-size,q", po::value<std::string>()->value_name("Q"),
        "side of a square block, in matrix elements (default: the platform file's, else 80)");
}

void CommandLine::add_problem() {
  add()("problem", po::value<std::string>()->value_name("nAxnABxnB"),
        "the product C += A.B, in matrix elements: A is nA x nAB, B is nAB x nB; sizes that the "
        "block size does not divide are rounded up");
  add_block_size();
}

void CommandLine::add_output_formats() {
  add()("json", "print one JSON object")("csv", "print CSV, one row per heuristic")(
      "trace", po::value<std::string>()->value_name("FILE"),
      "also write every transfer and update: .csv (SI seconds) or .json (Chrome trace events, for "
      "Perfetto)");
}

void CommandLine::add_time_limit() {
  add()("time-limit", po::value<std::string>()->value_name("SECONDS"),
        "give a simulation up after this wall-clock time; 0: never (default: 3600)");
}

bool CommandLine::parse(const std::vector<std::string>& arguments) {
  command_ = {"starport", name_};
  command_.insert(command_.end(), arguments.begin(), arguments.end());
  po::options_description all = options_;
  po::positional_options_description order;
  std::string usage = "starport " + name_;
  for (const std::string& name : positional_) {
    all.add_options()(name.c_str(), po::value<std::string>());
    order.add(name.c_str(), 1);
    usage += " " + name;
  }
  std::vector<std::string> known;
  for (const auto& option : options_.options()) known.push_back("--" + option->long_name());
  try {
    // No guessing: a prefix of an option is not that option.
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(arguments).options(all).positional(order).style(style).run(),
              values_);
  } catch (const po::too_many_positional_options_error&) {
    throw InputError("starport " + name_,
                     positional_.empty()
                         ? "no argument without a dash"
                         : fmt::format("only {}", usage.substr(9 + name_.size() + 1)),
                     "more arguments", "starport " + name_ + " --help");
  } catch (const po::unknown_option& error) {
    throw InputError(error.get_option_name(), "an option of starport " + name_, "an unknown one",
                     did_you_mean(error.get_option_name(), known));
  } catch (const po::multiple_occurrences& error) {
    throw InputError(error.get_option_name(), "the option once", "it several times");
  } catch (const po::error_with_option_name& error) {
    throw InputError(error.get_option_name(), "a value", error.what());
  } catch (const po::error& error) {
    throw InputError("starport " + name_, "options as --help shows them", error.what());
  }
  if (has("help")) {
    std::ostringstream help;
    help << purpose_ << "\n\nUsage: " << usage << " [options]\n\n"
         << options_ << "\nExample:\n  " << example_ << "\n";
    print(help.str());
    return false;
  }
  for (const std::string& name : positional_) {
    if (!has(name.c_str())) {
      throw InputError("starport " + name_, name, "nothing", usage + " [options]");
    }
  }
  return true;
}

std::int64_t CommandLine::block_size(const PlatformFile& file) const {
  const auto asked = find("block-size");
  if (!asked) return file.block_size.value_or(kDefaultBlockSize);
  std::int64_t q = 0;
  const auto [rest, error] = std::from_chars(asked->data(), asked->data() + asked->size(), q);
  if (error != std::errc{} || rest != asked->data() + asked->size() || q < 1 ||
      q > kLargestBlockSize) {
    throw InputError("--block-size", fmt::format("an integer from 1 to {}", kLargestBlockSize),
                     "'" + *asked + "'");
  }
  return q;
}

SimulationLimits CommandLine::limits() const {
  SimulationLimits limits{.time_limit_s = kDefaultTimeLimit_s,
                          .most_transfers = transfers_that_fit()};
  if (const auto asked = find("time-limit")) {
    const auto [rest, error] =
        std::from_chars(asked->data(), asked->data() + asked->size(), limits.time_limit_s);
    if (error != std::errc{} || rest != asked->data() + asked->size() ||
        !(limits.time_limit_s >= 0) || std::isinf(limits.time_limit_s)) {
      throw InputError("--time-limit", "a number of seconds, 0 or greater", "'" + *asked + "'");
    }
  }
  return limits;
}

Instance load_instance(const CommandLine& line) {
  const PlatformFile file = load_platform(line.text("PLATFORM"));
  const std::int64_t q = line.block_size(file);
  const auto problem = line.find("problem");
  if (!problem) {
    throw InputError("--problem", "nAxnABxnB, such as 8000x8000x64000", "no such option");
  }
  return {.platform = file.at_block_size(q),
          .problem = parse_problem(*problem, q),
          .platform_file = file.path};
}

void print(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error != 0 && error != EPIPE) {
    throw InputError("standard output", "a place to write to", std::strerror(error));
  }
}

OutputFile::OutputFile(std::string path, const char* option)
    : path_(std::move(path)), option_(option) {
  struct stat status {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  if (!exists || S_ISREG(status.st_mode)) partial_ = path_ + ".partial";
  fd_ = ::open(partial_.empty() ? path_.c_str() : partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
               0666);
  if (fd_ < 0) fail(errno);
}

OutputFile::~OutputFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (!partial_.empty()) ::unlink(partial_.c_str());
}

void OutputFile::write(std::string_view text) {
  const int error = write_all(fd_, text);
  if (error != 0 && error != EPIPE) fail(error);
}

void OutputFile::commit() {
  const int closed = ::close(fd_);
  fd_ = -1;
  if (closed != 0) fail(errno);
  if (!partial_.empty() && ::rename(partial_.c_str(), path_.c_str()) != 0) fail(errno);
}

void OutputFile::fail(int error) const {
  throw InputError(option_, "a file that can be written", std::strerror(error)).in_file(path_);
}

}  // namespace starport
