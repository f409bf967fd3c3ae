// The program starport_selftest.
#include "tests/selftest/random_cases.hpp"

#include "heuristics/registry.hpp"
#include "sim/app/algorithms.hpp"
#include "sim/app/command_line.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/platform/random.hpp"
#include "sim/process/isolation.hpp"
#include "sim/process/machine.hpp"
#include "sim/process/progress.hpp"
#include "sim/process/version.hpp"
#include "tests/selftest/consistency_checks.hpp"
#include "tests/selftest/trials.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstring>
#include <filesystem>

namespace starport {
namespace {

using nlohmann::ordered_json;

/// Time limit of one case.
constexpr double kCaseLimit_s = 600;

volatile std::sig_atomic_t interrupted = 0;

/// Draws one of a model's algorithms with random parameters: in half of the cases with a value for
/// each, since some act only together.
std::string draw_algorithm(Random& random, const Model& model) {
  std::vector<const AlgorithmEntry*> own;
  for (const AlgorithmEntry* entry : algorithm_entries()) {
    if (!entry->argument.empty()) continue;  // an external program
    const auto algorithm = read_algorithms(entry->name, "").front().algorithm;
    if (algorithm->model() == model.name()) own.push_back(entry);
  }
  const auto pick = [&](const auto& items) {
    return items[static_cast<std::size_t>(random.integer(0, std::ssize(items) - 1))];
  };
  const AlgorithmEntry& entry = *pick(own);
  std::string parameters;
  const std::int64_t omitted = random.integer(0, 1) == 0 ? 0 : 2;
  for (const Parameter& parameter : entry.parameters) {
    if (random.integer(0, omitted) > 0) continue;
    parameters += parameters.empty() ? "[" : ",";
    parameters +=
        parameter.key + "=" +
        (parameter.values.empty() ? std::to_string(random.integer(1, 4)) : pick(parameter.values));
  }
  return entry.name + (parameters.empty() ? "" : parameters + "]");
}

/// A temporary directory for cases and their sweeps, removed at the end.
class WorkDirectory {
 public:
  WorkDirectory() {
    std::string name =
        (std::filesystem::temp_directory_path() / "starport-selftest-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw InputError("", "a directory for temporary files", std::strerror(errno))
          .in_file(std::filesystem::path(name).parent_path().string());
    }
    path_ = name;
  }
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;
  ~WorkDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const char* name) const { return path_in(path_, name); }

 private:
  std::string path_;
};

/// Checks cases in child processes, so that a crash and a time-out are reported as faults.
class Tester {
 public:
  Tester(const ModelRegistry& registry, const std::vector<std::string>& command)
      : registry_(registry), run_(describe_invocation(command)) {}

  const CheckCounts& counts() const { return counts_; }

  /// Checks the specification in a file. Returns the first fault, or an empty string.
  std::string find_fault(const std::string& path) {
    const std::string sweeps = work_.file("sweeps");
    std::filesystem::remove_all(sweeps);
    std::string fault;
    const auto body = [&](FrameWriter& out) {
      CheckCounts counts;
      const Specification specification = load_specification(path, registry_);
      std::string found = find_fault_in_runs(specification, registry_.models, counts);
      if (found.empty()) {
        found = find_fault_in_sweep(specification, registry_, std::string(kSimgridVersion), run_,
                                    sweeps, counts);
      }
      out.write(std::as_bytes(std::span(&counts, 1)));
      out.write(std::as_bytes(std::span(found)));
      out.flush();
    };
    bool counted = false;
    const auto receive = [&](std::span<const std::byte> frame) {
      if (counted) fault.assign(reinterpret_cast<const char*>(frame.data()), frame.size());
      if (counted) return;
      CheckCounts counts;
      std::memcpy(&counts, frame.data(), sizeof counts);
      counts_.runs += counts.runs;
      counts_.sweeps += counts.sweeps;
      counted = true;
    };
    try {
      run_in_child(body, receive, kCaseLimit_s);
    } catch (const std::exception& error) {
      return error.what();
    }
    return fault;
  }

  /// Checks a specification and saves it as `failed_path` when there is a fault.
  std::string find_fault(const std::string& specification, const std::string& failed_path) {
    const std::string path = work_.file("case.json");
    write(path, specification);
    std::string fault = find_fault(path);
    if (!fault.empty() && interrupted == 0) write(failed_path, specification);
    return fault;
  }

 private:
  static void write(const std::string& path, const std::string& text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
  }

  const ModelRegistry& registry_;
  WorkDirectory work_;
  ordered_json run_;
  CheckCounts counts_;
};

int repeat(const CommandLine& line, const std::string& path) {
  load_specification(path, model_registry());  // reports errors of the file
  Tester tester(model_registry(), line.command());
  const std::string fault = tester.find_fault(path);
  if (!fault.empty()) {
    print_notice(fmt::format("{}: {}", path, fault));
    return kFailedSimulation;
  }
  print(fmt::format("{}: {} runs agree, and so does the sweep\n", path, tester.counts().runs));
  return kSuccess;
}

}  // namespace

std::string draw_case(std::uint64_t seed, std::int64_t number, const Models& models) {
  Random random(seed_from_identity(fmt::format("{}\nself-test\n{}", seed, number)));
  const Model& model = *models[static_cast<std::size_t>(number % std::ssize(models))];
  const Trial trial = trials_of(model)->draw(random);
  ordered_json heuristics = ordered_json::array();
  for (std::int64_t i = random.integer(1, 3); i > 0; --i) {
    heuristics.push_back(draw_algorithm(random, model));
  }
  const auto list = [](ordered_json element) { return ordered_json::array({std::move(element)}); };
  const double factor = random.integer(0, 1) == 0 ? 0.25 : 3.5;
  ordered_json experiment{
      {"name", model.name()},
      {"platforms", list({{"platform", parse_trusted_json(to_json(trial.file))}})},
      {"problems", list(trial.problem)},
      {"block_sizes", list(trial.block_size)},
      {"overrides", list({{"field", "speed"}, {"multiply", {1, factor}}})}};
  if (!trial.noise.is_none()) {
    experiment["noise"] = to_json(trial.noise);
    experiment["repetitions"] = 2;
  }
  const ordered_json specification{
      {"schema_version", 1},
      {"name", fmt::format("self-test, case {} of seed {}", number, seed)},
      {"seed", seed_from_identity(fmt::format("{}\n{}", seed, number))},
      {"heuristics", heuristics},
      {"experiments", list(experiment)}};
  return to_indented_json(specification);
}

int self_test(const SelfTest& settings, const ModelRegistry& registry) {
  std::signal(SIGINT, [](int signal) { interrupted = signal; });
  std::signal(SIGTERM, [](int signal) { interrupted = signal; });
  Tester tester(registry, settings.command);
  const Stopwatch since_begin;
  std::int64_t number = 0;
  for (const ProgressLine progress;
       number < settings.cases && since_begin.elapsed_s() < settings.seconds;) {
    progress.show(fmt::format("case {}, {:.0f} of {:.0f} s", number + 1, since_begin.elapsed_s(),
                              settings.seconds));
    const std::string left = path_in(
        settings.directory, fmt::format("selftest-{}-{}.json", settings.seed, number + 1).c_str());
    const std::string fault =
        tester.find_fault(draw_case(settings.seed, number + 1, registry.models), left);
    if (interrupted != 0) break;
    if (!fault.empty()) {
      progress.show("");
      print_notice(fmt::format("case {} of seed {}: {}", number + 1, settings.seed, fault));
      print_notice("to repeat it: " + quote_for_shell({"starport_selftest", "--repeat", left}));
      return kFailedSimulation;
    }
    ++number;
  }
  print(fmt::format(
      "{} cases of seed {} in {:.1f} s: {} runs on their engines and {} sweeps agree\n", number,
      settings.seed, since_begin.elapsed_s(), tester.counts().runs, tester.counts().sweeps));
  return interrupted == 0 ? kSuccess : 128 + interrupted;
}

int self_test_program(const std::vector<std::string>& arguments) {
  CommandLine line(
      "", {},
      "Draws small random cases of each model (platforms, ports, noise, products, algorithms with\n"
      "parameters) and checks that both engines, the validator, the bounds, replayed plans, and\n"
      "interrupted and sharded sweeps agree. A case that fails is saved as the specification of a\n"
      "sweep, selftest-SEED-NUMBER.json.",
      "starport_selftest --seconds 60 --seed 2\n"
      "  starport_selftest --repeat selftest-2-17.json");
  line.add("seconds", "S", "draw cases for this many seconds", "10")
      .add("seed", "N", "random seed of the cases (default: 1)")
      .add("cases", "N", "largest number of cases")
      .add("output,o", "DIR", "directory in which a failing case is saved", ".")
      .add("repeat", "FILE", "check a saved case, or any specification of a sweep");
  if (!line.parse(arguments)) return kSuccess;

  if (const auto path = line.find("repeat")) {
    for (const char* option : {"seed", "cases"}) {
      if (line.has(option)) throw InputError("--repeat", "it or --" + std::string(option), "both");
    }
    return repeat(line, *path);
  }
  constexpr std::int64_t limit = 1'000'000'000;
  SelfTest settings{.command = line.command(),
                    .seed = static_cast<std::uint64_t>(line.integer("seed", 0, limit).value_or(1)),
                    .cases = line.integer("cases", 1, limit).value_or(limit),
                    .seconds = *line.number("seconds", "a number of seconds", 0, limit),
                    .directory = line.text("output")};
  if (!std::filesystem::is_directory(settings.directory)) {
    throw InputError("--output", "a directory", "'" + settings.directory + "'");
  }
  return self_test(settings, model_registry());
}

}  // namespace starport
