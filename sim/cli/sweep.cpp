// `starport sweep`: runs the instances of a specification and writes a result directory.
#include "sim/app/algorithms.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/app/program.hpp"
#include "sim/app/simgrid_engines.hpp"
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/process/machine.hpp"
#include "sim/process/progress.hpp"
#include "sim/process/version.hpp"
#include "sim/sweep/description.hpp"
#include "sim/sweep/run_sweep.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <limits>
#include <string_view>
#include <utility>

namespace starport {
namespace {

/// Shows the progress of a sweep: a bar that moves five times per second on a terminal, else a line
/// every 30 s. starport/_sweeps.py shows the same.
class ProgressDisplay {
 public:
  void show(const SweepProgress& state) {
    const double every_s = progress_.terminal() ? (shown_ ? 0.2 : 0) : 30;
    if (since_shown_.elapsed_s() < every_s) return;
    shown_ = true;
    since_shown_ = {};
    const double rate = static_cast<double>(state.done_now) / watch_.elapsed_s();
    std::string text =
        fmt::format("{}/{} instances, {:.3g} a second", state.done, state.total, rate);
    if (rate > 0) {
      const auto left = static_cast<double>(state.total - state.done) / rate;
      text += fmt::format(", {:%T} left", std::chrono::seconds(static_cast<std::int64_t>(left)));
    }
    if (state.failures > 0) text += ", " + format_count(state.failures, "row") + " failed";
    if (progress_.terminal()) {
      constexpr std::int64_t cells = 20;
      const auto full = static_cast<std::size_t>(cells * state.done / state.total);
      progress_.show(fmt::format("[{:<{}}] {}", std::string(full, '#'), cells, text));
    } else {
      print_notice(text);
    }
  }

 private:
  bool shown_ = false;
  Stopwatch watch_;
  Stopwatch since_shown_;
  ProgressLine progress_;
};

/// Returns the fraction of instances that run on SimGrid too. Throws InputError if SimGrid is the
/// engine already.
double cross_check_fraction(const CommandLine& line) {
  const auto fraction = line.number("cross-check", "a share from 0 to 1", 0, 1);
  if (fraction && line.engine() == EngineKind::simgrid) {
    throw InputError::with_problem("--cross-check", "it compares the analytic engine with SimGrid",
                                   "Give --engine analytic too");
  }
  return fraction.value_or(0);
}

/// Returns the shard of --shard ("i/n", 1 <= i <= n), or all instances if it is not given.
Shard shard_of(const CommandLine& line) {
  const auto text = line.find("shard");
  if (!text) return {};
  const auto numbers = parse_numbers<std::int64_t>(*text, '/');
  if (numbers && numbers->size() == 2 && 1 <= numbers->front() &&
      numbers->front() <= numbers->back()) {
    return {numbers->front(), numbers->back()};
  }
  throw InputError("--shard", "i/n with 1 <= i <= n, such as 2/8", "'" + *text + "'");
}

ResultDirectory open_directory(const CommandLine& line, const Specification& specification,
                               EngineKind engine, Shard shard, nlohmann::ordered_json run) {
  const ResultOrigin origin{.engine = to_string(engine),
                            .simgrid_version = std::string(kSimgridVersion),
                            .plugins = plugin_checksums(),
                            .shard = shard};
  const std::string path = line.text("output");
  if (line.has("resume")) {
    return ResultDirectory::resume(path, specification, origin, std::move(run));
  }
  return ResultDirectory(path, specification, origin, std::move(run));
}

/// Returns --noise as JSON for every experiment, null if it is not given. Without a seed in it, the
/// sweep's seed applies.
nlohmann::ordered_json noise(const CommandLine& line) {
  const auto text = line.find("noise");
  if (!text) return nullptr;
  const Noise noise = parse_noise(*text, "--noise", 0);
  nlohmann::ordered_json json = to_json(noise);
  const bool of_its_own = parse_noise(*text, "--noise", 1).seed == noise.seed;
  if (!of_its_own) json.erase("seed");
  return json;
}

/// Replaces this process by the Python program that sends the instances to an executor, `mpi` or
/// `dask://HOST:PORT`. Throws InputError if the option or another one does not fit, or there is no
/// Python.
[[noreturn]] void run_on_executor(const CommandLine& line) {
  const std::string executor = line.text("executor");
  if (executor != "mpi" && !executor.starts_with("dask://")) {
    throw InputError("--executor", "mpi or dask://HOST:PORT", "'" + executor + "'");
  }
  for (const char* option : {"shard", "jobs", "noise", "plugin"}) {
    if (!line.has(option)) continue;
    throw InputError::with_problem("--executor", fmt::format("it excludes --{}", option),
                                   "Give only one of them");
  }
  std::vector<std::string> words{"python3",       "-m",
                                 "starport",      line.text("SPECIFICATION"),
                                 "--output",      line.text("output"),
                                 "--executor",    executor,
                                 "--engine",      line.text("engine"),
                                 "--time-limit",  fmt::format("{}", line.limits().time_limit_s),
                                 "--cross-check", fmt::format("{}", cross_check_fraction(line))};
  if (line.has("resume")) words.emplace_back("--resume");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  throw InputError::with_problem("--executor",
                                 fmt::format("python3 cannot be run: {}", std::strerror(errno)),
                                 "Install Python and the package starport on every node");
}

/// Loads SimGrid where runs need it: without it the sweep is refused before it starts, and the
/// processes that run instances inherit it.
void load_engines(const SweepOptions& options) {
  if (options.engine == EngineKind::simgrid || options.cross_check > 0) simgrid_engines();
}

int run(const CommandLine& line, const Specification& specification, Shard shard) {
  const int jobs = line.jobs();
  const SimulationLimits limits =
      line.limits(std::min<std::int64_t>(jobs, shard.size(specification.size())));
  const EngineKind engine = line.engine();
  const double fraction = cross_check_fraction(line);
  nlohmann::ordered_json about = describe_invocation(line.command());
  about["jobs"] = jobs;
  about["time_limit_s"] = limits.time_limit_s;
  const std::string what =
      describe_specification(specification, shard);  // finds what is drawn out of range
  const SweepOptions engines{.engine = engine, .limits = limits, .cross_check = fraction};
  load_engines(engines);
  ResultDirectory directory = open_directory(line, specification, engine, shard, about);
  const std::string results = directory.path() + "/" + result_files::kResults;
  if (directory.complete()) {
    print(fmt::format("{} is complete already, {} failed{}\n", results,
                      format_count(directory.failures(), "row"),
                      fraction > 0 ? "; no instance is run, and none is checked" : ""));
    return directory.failures() == 0 ? kSuccess : kFailedSimulation;
  }
  print(what);
  stop_on_signals();
  const Stopwatch watch;
  SweepProgress progress;
  {
    ProgressDisplay display;
    progress = run_sweep(specification, directory, engines, jobs, [&](const SweepProgress& now) {
      display.show(now);
      return stop_signal() == 0;
    });
  }
  const double elapsed_s = watch.elapsed_s();
  directory.finish(elapsed_s);
  if (progress.done < progress.total) {
    std::vector<std::string> again = line.command();
    if (!line.has("resume")) again.emplace_back("--resume");
    print_notice(fmt::format("stopped after {} of {} instances; to go on: {}", progress.done,
                             progress.total, quote_for_shell(again)));
    return 128 + stop_signal();
  }
  print(fmt::format("{}: {} in {:.1f} s, {} failed\n", results,
                    format_count(progress.done_now, "instance"), elapsed_s,
                    format_count(progress.failures, "row")));
  return progress.failures == 0 ? kSuccess : kFailedSimulation;
}

/// Runs batches of instances for starport/_sweeps.py: a process that is small and has one thread
/// forks much faster than Python. Each run may use the available memory divided by
/// the number of processors. `settings`
/// are the specification, the engine, the time limit in seconds and the share of instances to
/// cross-check. Each line of standard input has the numbers of a batch. Writes a line "NUMBER
/// FAILURES BYTES BYTES" for each instance, followed by its rows and its timings, and "end" after
/// the batch. Returns 0 when the input ends.
int run_batches(const std::vector<std::string>& settings) {
  const Specification specification = load_specification(settings.at(0), model_registry());
  const auto number = [&](std::size_t place, const char* expected, double largest) {
    const auto value = parse_number<double>(settings.at(place));
    if (value && *value >= 0 && *value <= largest) return *value;
    throw InputError("--batches", expected, "'" + settings.at(place) + "'");
  };
  const SweepOptions options{
      .engine = parse_engine(settings.at(1), "--batches"),
      .limits = limits_per_process(
          number(2, "a number of seconds, 0 or greater", std::numeric_limits<double>::max()),
          std::max(processor_count(), 1)),
      .cross_check = number(3, "a share from 0 to 1", 1)};
  load_engines(options);
  const auto write = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
  };
  const auto has_reader = [] {  // whoever sends batches may be killed
    pollfd input{.fd = STDIN_FILENO, .events = 0, .revents = 0};
    return ::poll(&input, 1, 0) <= 0 || (input.revents & POLLHUP) == 0;
  };
  for (std::string batch; std::getline(std::cin, batch);) {
    const auto numbers = parse_numbers<std::int64_t>(batch, ' ');
    if (!numbers || std::ranges::min(*numbers) < 1 ||
        std::ranges::max(*numbers) > specification.size()) {
      throw InputError("standard input",
                       fmt::format("numbers of instances from 1 to {}, separated by spaces",
                                   specification.size()),
                       "'" + batch + "'");
    }
    run_rows(
        specification, *numbers, options, 1,
        [&](const InstanceRows& instance) {
          write(fmt::format("{} {} {} {}\n", instance.number, instance.failures,
                            instance.rows.size(), instance.timings.size()));
          write(instance.rows);
          write(instance.timings);
        },
        has_reader);
    write("end\n");
    if (std::fflush(stdout) != 0) break;  // the reader has gone
  }
  return kSuccess;
}

}  // namespace

int sweep_command(const std::vector<std::string>& arguments) {
  if (arguments.size() == 5 && arguments[0] == "--batches") {  // not for users
    return run_batches({arguments.begin() + 1, arguments.end()});
  }
  CommandLine line(
      "sweep", {"SPECIFICATION"},
      "Runs a campaign: every instance of a JSON specification (experiments/README.md), each with\n"
      "several heuristics. DIR gets results.csv (one row per instance and heuristic), "
      "timings.csv,\nchecksums.csv, run_info.json and specification.json. The rows do not depend "
      "on -j or on the shards.",
      "starport sweep experiments/ppopp08/sweep.json -o /tmp/ppopp08");
  line.add("output,o", "DIR", "result directory to write; new or empty unless --resume is given")
      .add("shard", "i/n",
           "run only the i-th of n parts of the instances; starport merge joins them")
      .add("executor", "WHERE",
           "where instances run: mpi (under mpirun) or dask://HOST:PORT; needs the Python package "
           "on "
           "every node (default: processes here)")
      .add_flag("resume", "continue a sweep that was stopped, or start it")
      .add_flag("list", "list the instances and stop")
      .add("platform-of", "INSTANCE", "print the platform file of this instance and stop");
  add_plugin_option(line);
  line.add_jobs("instances");
  line.add_engine();
  line.add("cross-check", "FRACTION",
           "with --engine analytic: also run this fraction of the instances on SimGrid; rows that "
           "differ fail");
  line.add_time_limit();
  line.add_noise();
  if (!line.parse(arguments)) return kSuccess;
  load_plugins(line);

  const Specification specification =
      load_specification(line.text("SPECIFICATION"), model_registry(), noise(line));
  const Shard shard = shard_of(line);
  if (shard.count > specification.size()) {
    throw InputError("--shard",
                     fmt::format("at most {} shards, an instance each", specification.size()),
                     "'" + line.text("shard") + "'");
  }
  if (line.has("list") && line.has("platform-of"))
    throw InputError("--list", "no --platform-of with this option", "both");
  if (const auto number = line.integer("platform-of", 1, specification.size())) {
    print(to_json(specification.instance(*number).file));
    return kSuccess;
  }
  if (line.has("list")) {
    print(describe_specification(specification, shard) + "\n");
    std::string lines;
    list_instances(specification, shard, [&](std::string_view text) {
      constexpr std::size_t enough = 1 << 14;
      lines += text;
      return lines.size() < enough || print(std::exchange(lines, std::string()));
    });
    print(lines);
    return kSuccess;
  }
  line.required("output", "the directory that the results go to");
  if (line.has("executor")) run_on_executor(line);
  return run(line, specification, shard);
}

}  // namespace starport
