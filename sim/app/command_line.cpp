#include "sim/app/command_line.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/output.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/platform/problem.hpp"
#include "sim/process/machine.hpp"

#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace starport {
namespace {

namespace po = boost::program_options;

constexpr double kDefaultTimeLimit_s = 3600;

/// Name under which the parser stores arguments without a dash that no command takes.
constexpr const char* kSurplus = "surplus arguments";

/// Returns true if the text is a product as --problem takes it: N or nAxnABxnB.
bool is_product(const std::string& text) {
  const auto sides = parse_numbers<std::int64_t>(text, 'x');
  return sides && (sides->size() == 1 || sides->size() == 3);
}

std::string option_name(const char* option) { return std::string("--") + option; }

}  // namespace

struct CommandLine::Options {
  po::options_description described{"Options", 100};
};

CommandLine::CommandLine(std::string name, std::vector<std::string> positional, std::string purpose,
                         std::string example, std::string program)
    : name_(std::move(name)),
      purpose_(std::move(purpose)),
      example_(std::move(example)),
      program_(std::move(program)),
      positional_(std::move(positional)),
      options_(std::make_shared<Options>()) {
  add_flag("help,h", "show this help");
}

CommandLine& CommandLine::add(const char* names, const char* value, const std::string& help,
                              const std::string& default_value) {
  auto* const text = po::value<std::string>()->value_name(value);
  if (!default_value.empty()) text->default_value(default_value);
  options_->described.add_options()(names, text, help.c_str());
  return *this;
}

CommandLine& CommandLine::add_flag(const char* names, const char* help) {
  options_->described.add_options()(names, help);
  return *this;
}

void CommandLine::add_block_size() {
  add("block-size,q", "Q",
      "side of a block, in matrix elements (default: the platform's, else 80)");
}

void CommandLine::add_problem() {
  add("problem", "nAxnABxnB",
      "sizes of C += A.B in matrix elements: A is nA x nAB, B is nAB x nB; rounded up to whole "
      "blocks");
  add("element-type", "float64|float32",
      "type of the matrix elements (default: the one the platform was measured with, else "
      "float64)");
  add_block_size();
}

void CommandLine::add_output_formats() {
  add_flag("json", "print one JSON object").add_flag("csv", "print CSV, one row per heuristic");
  add("trace", "FILE", "also write every transfer and update: .csv, or .json for Perfetto");
}

void CommandLine::add_time_limit() {
  add("time-limit", "SECONDS",
      "wall-clock limit of each run, planning included; 0: none (default: 3600)");
}

void CommandLine::add_engine() {
  add("engine", "simgrid|analytic",
      "take analytic: same results, much faster than simgrid, the reference", "simgrid");
}

void CommandLine::add_noise() {
  add("noise", "NOISE",
      "durations that vary and workers that fail, such as cv=6%,seed=1 or "
      "slow=3@120:x2,stop=2@300, "
      "or a JSON file; see sim/star/noise.md");
}

void CommandLine::add_jobs(const char* what) {
  add("jobs,j", "N",
      fmt::format("number of {} to run in parallel (default: one per processor)", what));
}

bool CommandLine::parse(const std::vector<std::string>& arguments) {
  const std::string program = program_ + " " + name_;
  command_ = {program_, name_};
  command_.insert(command_.end(), arguments.begin(), arguments.end());
  if (arguments == std::vector<std::string>{kDescribe}) {
    print(to_json_line(description()) + "\n");
    return false;
  }
  po::options_description all = options_->described;
  po::positional_options_description order;
  for (const std::string& name : positional_) {
    const bool several = name.find("...") != std::string::npos;
    if (several) {
      all.add_options()(name.c_str(), po::value<std::vector<std::string>>());
    } else {
      all.add_options()(name.c_str(), po::value<std::string>());
    }
    order.add(name.c_str(), several ? -1 : 1);
  }
  const bool any_number =
      !positional_.empty() && positional_.back().find("...") != std::string::npos;
  if (!any_number) {
    all.add_options()(kSurplus, po::value<std::vector<std::string>>());
    order.add(kSurplus, -1);
  }
  const std::string usage = fmt::format("{}", fmt::join(positional_, " "));
  std::vector<std::string> known;
  for (const auto& option : options_->described.options())
    known.push_back("--" + option->long_name());
  try {
    // No guessing: a prefix of an option is not that option.
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::variables_map values;
    po::store(po::command_line_parser(arguments).options(all).positional(order).style(style).run(),
              values);
    for (const auto& [name, value] : values) {
      const auto* text = boost::any_cast<std::string>(&value.value());
      values_[name] = text ? std::vector{*text} : value.as<std::vector<std::string>>();
    }
  } catch (const po::unknown_option& error) {
    const std::string near = did_you_mean(error.get_option_name(), known);
    throw InputError::with_problem(error.get_option_name(), program + " has no such option",
                                   near.empty() ? program + " --help lists its options" : near);
  } catch (const po::multiple_occurrences& error) {
    throw InputError::with_problem(error.get_option_name(), "the option is given more than once",
                                   "Give it once");
  } catch (const po::invalid_command_line_syntax& error) {
    const bool extra = error.kind() == po::invalid_syntax::extra_parameter;
    throw InputError::with_problem(
        error.get_option_name(),
        extra ? "the option takes no value, but one is given" : "the option needs a value",
        program + " --help describes it");
  } catch (const po::error_with_option_name& error) {
    throw InputError(error.get_option_name(), "a value", error.what());
  } catch (const po::error& error) {
    throw InputError(program, "options as --help shows them", error.what());
  }
  const std::string call = program + (usage.empty() ? "" : " ") + usage + " [options]";
  if (has("help")) {
    std::ostringstream help;
    help << purpose_ << "\n\nUsage: " << call << "\n\n"
         << options_->described << "\nExample:\n  " << example_ << "\n";
    print(help.str());
    return false;
  }
  if (has(kSurplus)) {
    const std::string& more = texts(kSurplus).front();
    const bool product = std::ranges::count(known, "--problem") > 0 && is_product(more);
    throw InputError::with_problem(
        program, "unexpected argument '" + more + "'",
        product ? "Did you mean '--problem " + more + "'?" : "Usage: " + call);
  }
  for (const std::string& name : positional_) {
    if (!has(name.c_str()) && !name.starts_with('[')) {
      throw InputError::with_problem(program, "the argument " + name + " is missing",
                                     "Usage: " + call);
    }
  }
  return true;
}

nlohmann::ordered_json CommandLine::description() const {
  auto options = nlohmann::ordered_json::array();
  for (const auto& option : options_->described.options()) {
    const std::string shortest =
        option->canonical_display_name(po::command_line_style::allow_dash_for_short);
    options.push_back({{"name", "--" + option->long_name()},
                       {"short", shortest == option->long_name() ? "" : shortest},
                       {"value", option->format_parameter()},
                       {"help", option->description()}});
  }
  return {{"purpose", purpose_},
          {"arguments", positional_},
          {"options", std::move(options)},
          {"example", example_}};
}

std::string CommandLine::required(const char* option, const std::string& expected) const {
  if (!has(option)) {
    throw InputError::with_problem(option_name(option), "the option is missing",
                                   "Give " + expected);
  }
  return text(option);
}

std::int64_t CommandLine::block_size(const PlatformFile& file) const {
  return integer("block-size", 1, kMaxBlockSize)
      .value_or(file.block_size.value_or(kDefaultBlockSize));
}

std::optional<std::int64_t> CommandLine::integer(const char* option, std::int64_t smallest,
                                                 std::int64_t largest) const {
  const auto asked = find(option);
  if (!asked) return std::nullopt;
  const auto value = parse_number<std::int64_t>(*asked);
  if (value && smallest <= *value && *value <= largest) return value;
  throw InputError(option_name(option), fmt::format("an integer from {} to {}", smallest, largest),
                   "'" + *asked + "'");
}

std::optional<double> CommandLine::number(const char* option, const std::string& expected,
                                          double smallest, double largest) const {
  const auto asked = find(option);
  if (!asked) return std::nullopt;
  const auto value = parse_number<double>(*asked);
  if (value && smallest <= *value && *value <= largest) return value;
  throw InputError(option_name(option), expected, "'" + *asked + "'");
}

int CommandLine::jobs() const {
  constexpr int most = 1024;
  return static_cast<int>(
      integer("jobs", 1, most).value_or(std::clamp(processor_count(), 1, most)));
}

SimulationLimits CommandLine::limits(std::int64_t processes) const {
  const auto time_limit_s = number("time-limit", "a number of seconds, 0 or greater", 0);
  return limits_per_process(time_limit_s.value_or(kDefaultTimeLimit_s), processes);
}

EngineKind CommandLine::engine() const { return parse_engine(text("engine"), "--engine"); }

Noise CommandLine::noise(const PlatformFile& file) const {
  const auto text = find("noise");
  if (!text) return {};
  Noise noise = parse_noise(*text, "--noise", 0, &file);
  check_workers(noise, file.size(), file.name, "--noise");
  return noise;
}

SimulationLimits limits_per_process(double time_limit_s, std::int64_t processes) {
  return {.time_limit_s = time_limit_s,
          .memory_bytes = available_memory_bytes() / static_cast<double>(processes)};
}

std::string quote_for_shell(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
      return std::isalnum(c) != 0 ||
             std::string_view("/._-+,=:@").find(static_cast<char>(c)) != std::string_view::npos;
    });
    std::string quoted;
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += (line.empty() ? "" : " ") + (plain ? word : "'" + quoted + "'");
  }
  return line;
}

nlohmann::ordered_json describe_invocation(const std::vector<std::string>& command) {
  return {{"command", command}, {"host", host_name()}, {"started", utc_timestamp()}};
}

PlatformFile CommandLine::platform() const {
  std::optional<ElementType> type;
  if (has("element-type")) type = parse_element_type(text("element-type"), "--element-type");
  return with_element_type(load_platform(text("PLATFORM")), type);
}

Case load_case(const CommandLine& line) {
  const PlatformFile file = line.platform();
  const std::int64_t q = line.block_size(file);
  const std::string problem = line.required("problem", "nAxnABxnB, such as 8000x8000x64000");
  return {file, parse_problem(problem, q)};
}

}  // namespace starport
