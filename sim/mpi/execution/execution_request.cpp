#include "sim/mpi/execution/execution_request.hpp"

#include "sim/app/algorithms.hpp"
#include "sim/app/calibration_options.hpp"
#include "sim/app/check_schedule.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/mpi/execution/certainty.hpp"
#include "sim/mpi/matrices/matrix_files.hpp"
#include "sim/platform/noise/noise_json.hpp"

#include <fmt/format.h>

namespace starport::mpi {
namespace {

constexpr int kMaxThreads = 1024;

void add_options(CommandLine& line) {
  line.add_problem();
  line.add("heuristics", "LIST",
           "heuristics to run one after the other, or 'all' (default: Het); for distributed "
           "products instead: FPM, multiple-CPM, single-CPM, homogeneous")
      .add("schedule", "FILE", "run a schedule saved by starport plan instead of a heuristic")
      .add("a", "FILE",
           "matrix A: raw elements by rows, an .npy file or file.h5:/dataset (default: values from "
           "--seed)")
      .add("b", "FILE", "matrix B, in the same formats")
      .add("c", "FILE",
           "matrix C, in the same formats; replaced by the product once that is checked, created "
           "with zeros if it does not exist")
      .add("seed", "N", "seed of the matrices that are not read from files", "1")
      .add_flag("emulate",
                "make each transfer and update last at least what the platform file says")
      .add(
          "noise", "SLOW,...",
          "with --emulate: slow down workers; slow=2@1.5:x5 makes worker 2 five times as slow from "
          "1.5 s on; also slow_link=, slow_compute=")
      .add("time-scale", "X", "with --emulate: multiply all durations by X (default: 1)")
      .add("threads", "N", "threads of each worker's dgemm", "1")
      .add("kernel", "LIB.so",
           "shared library that computes the updates (sim/kernel/starport_kernel.h; default: the "
           "CPU's BLAS)")
      .add("trace", "FILE", "write the real and the predicted traces to a .csv or .json file")
      .add_flag("json", "print the results as JSON")
      .add("time-out", "SECONDS", "give up if a worker does not respond for so long", "60")
      .add("time-limit", "SECONDS", "give up if the run of a heuristic takes longer; 0: no limit",
           "3600");
}

double number(const CommandLine& line, const char* option, double least) {
  return *line.number(option, fmt::format("a number, {} or more", least), least);
}

Platform scaled(Platform platform, double factor) {
  for (Worker& worker : platform.workers) {
    worker.c_s *= factor;
    worker.w_s *= factor;
    worker.latency_s *= factor;
    if (!worker.speeds) continue;
    worker.speeds = std::make_shared<const SpeedFunction>(worker.speeds->scaled_by(1 / factor));
  }
  return platform;
}

/// Returns the sizes in elements: those of --problem, or without it those of whole blocks.
ProductSize product_size(const CommandLine& line, const Problem& problem) {
  const std::int64_t q = problem.block_size;
  ProductSize size{.height = problem.r * q, .depth = problem.t * q, .width = problem.s * q};
  if (const auto text = line.find("problem")) {
    const Problem elements = parse_problem(*text, 1);
    size = {.height = elements.r, .depth = elements.t, .width = elements.s};
  }
  for (const std::int64_t side : {size.height, size.depth, size.width}) {
    if (side > INT32_MAX) {
      throw InputError("--problem", fmt::format("sides of at most {} elements", INT32_MAX),
                       fmt::format("{}", side));
    }
  }
  return size;
}

/// Under SMPI, replaces speed functions by constant speeds, since simulated processors have one
/// speed.
PlatformFile with_simulated_speeds(PlatformFile file, [[maybe_unused]] const CommandLine& line) {
#ifdef STARPORT_SMPI
  if (!line.has("emulate")) return with_constant_speeds(std::move(file));
#endif
  return file;
}

void read_schedule(const CommandLine& line, ExecutionRequest& request) {
  for (const char* option : {"heuristics", "block-size", "plugin"}) {
    if (const auto text = line.find(option)) {
      throw InputError(std::string("--") + option,
                       "no such option with --schedule, since the schedule determines it",
                       "'" + *text + "'");
    }
  }
  const std::string path = line.text("schedule");
  request.schedule = load_schedule(path);
  const Schedule& schedule = *request.schedule;
  request.file =
      with_simulated_speeds(with_element_type(line.platform(), schedule.element_type), line);
  request.context.platform = request.file.at_block_size(schedule.problem.block_size);
  request.context.platform_file = request.file.path;
  request.context.problem = schedule.problem;
  if (const auto text = line.find("problem")) {
    if (!(parse_problem(*text, schedule.problem.block_size) == schedule.problem)) {
      throw InputError("--problem", "the sizes of the schedule's problem", "'" + *text + "'");
    }
  }
  check_rules(schedule, request.context.platform, path);
  request.transfers.emplace(schedule.transfers);
  request.jobs.push_back({schedule.heuristic.empty() ? path : schedule.heuristic,
                          [&list = *request.transfers] { return make_list_plan(list); }});
}

/// Returns true if the algorithms are for distributed products, false if they are for the star.
/// Throws InputError if they are for different models, or for another one.
bool is_distributed(const std::vector<NamedAlgorithm>& algorithms) {
  const std::string_view model = algorithms.front().algorithm->model();
  for (const NamedAlgorithm& named : algorithms) {
    const std::string_view mine = named.algorithm->model();
    if (mine != "star" && mine != "spmd") {
      throw InputError("--heuristics", "a heuristic for the star or for distributed products",
                       "'" + named.name + "'");
    }
    if (mine != model) {
      throw InputError("--heuristics",
                       "heuristics for the star only, or for distributed products only",
                       fmt::format("'{}' and '{}'", algorithms.front().name, named.name));
    }
  }
  return model == "spmd";
}

void read_heuristics(const CommandLine& line, ExecutionRequest& request) {
  load_plugins(line);
  request.heuristics = read_algorithms(line.find("heuristics").value_or("Het"), "--heuristics");
  const bool distributed = is_distributed(request.heuristics);
  Case instance = load_case(line);
  if (!distributed) instance.file = with_simulated_speeds(std::move(instance.file), line);
  request.context.platform = instance.file.star_or_empty(instance.problem.block_size);
  request.file = instance.file;
  request.context.platform_file = instance.file.path;
  request.context.problem = instance.problem;
  if (distributed) {
    request.distributed = instance;
    return;
  }
  const RunOptions options{.limits = line.limits()};
  if (const auto obstacle = StarModel({}).find_obstacle(instance, options, request.heuristics)) {
    throw *obstacle;
  }
  for (const NamedAlgorithm& named : request.heuristics) {
    request.jobs.push_back(
        {named.name, make_planner(named, request.context.platform, request.context.problem)});
  }
}

/// Checks the options that apply to one of the models only.
void check_model(const CommandLine& line, const ExecutionRequest& request) {
  const Platform& platform = request.context.platform;
  if (line.has("require") && (request.distributed || request.context.emulated)) {
    throw InputError("--require",
                     "a heuristic for the star, without --emulate, with this option, since only "
                     "its time is predicted with an interval",
                     request.distributed ? "a distributed product" : "--emulate");
  }
  if (!request.distributed) {
    if (line.has("unequal")) {
      throw InputError("--unequal", "a heuristic for distributed products with this option",
                       "none");
    }
    if (platform.port.kind != Port::Kind::one) {
      throw InputError("/port", "one-port, since rank 0 does one transfer at a time",
                       to_string(platform.port.kind))
          .in_file(request.context.platform_file);
    }
    return;
  }
#ifdef STARPORT_SMPI
  throw InputError("--heuristics",
                   "a heuristic for the star, since under SMPI no route connects the workers",
                   "'" + request.heuristics.front().name + "'");
#endif
  if (line.has("trace")) {
    throw InputError("--trace", "a heuristic for the star with this option",
                     "a distributed product");
  }
  if (line.has("kernel") || element_type_of(request.file) != ElementType::float64) {
    throw InputError(line.has("kernel") ? "--kernel" : "--element-type",
                     "a heuristic for the star with this option", "a distributed product");
  }
  if (line.has("unequal") && request.context.emulated) {
    throw InputError("--unequal",
                     "no --emulate with this option, since the platform file determines the speeds",
                     "both");
  }
  for (const PlatformFile::Entry& entry : request.distributed->file.entries) {
    if (entry.devices.empty()) continue;
    throw InputError(entry.pointer + "/devices", "none, since each rank computes as one device",
                     fmt::format("{}", entry.devices.size()))
        .in_file(request.context.platform_file);
  }
}

/// Throws InputError if C is the same file, and dataset, as A or B, since the product replaces C.
void check_files(const MatrixSources& sources) {
  const auto check = [&](const std::optional<std::string>& other, const char* option) {
    if (!sources.c || !other) return;
    const auto [mine, my_dataset] = parse_matrix_path(*sources.c);
    const auto [file, dataset] = parse_matrix_path(*other);
    if (my_dataset != dataset && !my_dataset.empty() && !dataset.empty()) return;
    if (!are_same_file(mine, file)) return;
    throw InputError("--c",
                     fmt::format("another file than {}, since the product replaces C", option),
                     "the same")
        .in_file(*sources.c);
  };
  check(sources.a, "--a");
  check(sources.b, "--b");
}

/// Throws InputError if --trace is the file of a matrix.
void check_trace(const CommandLine& line, const MatrixSources& sources) {
  const auto trace = line.find("trace");
  if (!trace) return;
  for (const auto* source : {&sources.a, &sources.b, &sources.c}) {
    if (!*source || !are_same_file(*trace, parse_matrix_path(**source).file)) continue;
    throw InputError("--trace", "another file than that of a matrix", "'" + *trace + "'");
  }
}

void read_matrices(const CommandLine& line, ExecutionRequest& request) {
  request.size = product_size(line, request.context.problem);
  const auto& [height, depth, width] = request.size;
  request.context.flops =
      2.0 * static_cast<double>(height) * static_cast<double>(depth) * static_cast<double>(width);
  request.sources = {.a = line.find("a"),
                     .b = line.find("b"),
                     .c = line.find("c"),
                     .seed = static_cast<std::uint64_t>(*line.integer("seed", 0, INT32_MAX)),
                     .type = element_type_of(request.file)};
  if (request.sources.c && request.heuristics.size() > 1) {
    throw InputError("--c", "one heuristic, since the product replaces C",
                     fmt::format("{}", request.heuristics.size()));
  }
  check_files(request.sources);
  check_trace(line, request.sources);
}

std::vector<SlowDown> parse_slow_downs(const CommandLine& line, const ExecutionRequest& request) {
  const auto text = line.find("noise");
  if (!text) return {};
  if (!request.context.emulated || request.distributed) {
    throw InputError("--noise", "--emulate and a heuristic for the star with this option", "none");
  }
  Noise noise = parse_noise(*text, "--noise", 0, &request.file);
  check_workers(noise, std::ssize(request.context.platform.workers), request.context.platform.name,
                "--noise");
  if (!noise.transfers.is_none() || !noise.updates.is_none() || !noise.stops.empty()) {
    throw InputError("--noise", "only slow=, slow_link= and slow_compute=", "'" + *text + "'");
  }
  return noise.slow_downs;
}

}  // namespace

CommandLine execution_command_line() {
  CommandLine line(
      "execute", {"PLATFORM"},
      "Runs the product for real: rank 0 is the master, rank i is worker i of the platform "
      "file.\nChecks C and the trace, and prints predicted and real times side by side.",
      "mpirun -n 3 starport-mpi execute platform.json --problem 1600x1600x3200 "
      "--heuristics Het --trace het.csv",
      "starport-mpi");
  add_options(line);
  add_require(line, "do not run unless the time is predicted to +-SHARE");
  add_plugin_option(line);
  add_unequal(line);
  return line;
}

void report_skipped(const std::string& name, const NotApplicable& reason) {
  print_notice(fmt::format("{} is skipped, since it does not apply: {}", name, reason.what()),
               "starport-mpi");
}

void read_request(const CommandLine& line, ExecutionRequest& request) {
  line.has("schedule") ? read_schedule(line, request) : read_heuristics(line, request);
  request.context.command = line.command();
  request.context.emulated = line.has("emulate");
  if (line.has("time-scale")) {
    if (!request.context.emulated)
      throw InputError("--time-scale", "--emulate with this option", "none");
    request.context.time_scale = number(line, "time-scale", 1e-6);
    request.context.platform = scaled(request.context.platform, request.context.time_scale);
  }
  check_model(line, request);
  read_matrices(line, request);
  request.options = {.emulated = request.context.emulated,
                     .slow_downs = parse_slow_downs(line, request),
                     .kernel = line.find("kernel").value_or(""),
                     .timeout_s = number(line, "time-out", 0.1),
                     .time_limit_s = number(line, "time-limit", 0),
                     .advises_options = true};
  load_kernel(request.options.kernel);  // fails now rather than on the workers
  request.required = required_half_width(line);
  request.json = line.has("json");
  request.workers =
      parse_unequal_workers(static_cast<std::size_t>(request.file.size()),
                            static_cast<int>(*line.integer("threads", 1, kMaxThreads)),
                            line.find("unequal").value_or(""));
  for (const WorkerSettings& worker : request.workers) {
    request.options.threads.push_back(worker.threads);
  }
}

}  // namespace starport::mpi
