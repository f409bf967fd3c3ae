#include "sim/mpi/execution/execution_request.hpp"

#include "sim/app/algorithms.hpp"
#include "sim/cli/calibration_options.hpp"
#include "sim/cli/star/check_schedule.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/mpi/matrices/hdf5.hpp"
#include "sim/platform/noise/noise_text.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace starport::mpi {
namespace {

constexpr int kMostThreads = 1024;

void add_options(CommandLine& line) {
  line.add_problem();
  line.add("heuristic", "LIST",
           "whose decisions to carry out (default: Het); several, or all, one after the other; or "
           "some of FPM, multiple-CPM, single-CPM, homogeneous, for which the workers have the "
           "matrices")
      .add("schedule", "FILE", "carry out a schedule that starport plan has saved, instead")
      .add("a", "FILE",
           "A, native elements by rows, an .npy file or file.h5:/dataset, mapped into memory "
           "(default: "
           "seeded values)")
      .add("b", "FILE", "B, likewise")
      .add("c", "FILE",
           "C, likewise: read, and replaced by the product once that is right; made, of zeros, "
           "where it does "
           "not exist")
      .add("seed", "N", "of the values of the matrices that are not read", "1")
      .add_flag("emulate",
                "make each transfer and update last what the platform says, on whatever machine")
      .add("noise", "SLOW,...",
           "with --emulate: workers that slow down, such as slow=2@1.5:x5: what begins on worker 2 "
           "from 1.5 s on takes five times as long; slow_link=, slow_compute=")
      .add("time-scale", "X", "with --emulate: X times what the platform says (default: 1)")
      .add("threads", "N", "threads of each rank's dgemm", "1")
      .add("kernel", "LIB.so",
           "what computes the workers' updates (sim/kernel/starport_kernel.h; default: the CPU)")
      .add("trace", "FILE",
           "write the transfers and updates of the real run and of the predicted one: .csv or "
           ".json, as starport run does")
      .add_flag(
          "force",
          "run though the prediction will not hold: too few cores, or busy ones, ranks bound "
          "badly or on other machines than the file's, a BLAS that is not for the "
          "processor, figures that are not stable, a machine that changes its speed all the time")
      .add_flag("json", "print one JSON object")
      .add("time-out", "SECONDS",
           "give up when a worker that is waited for gives no sign of life for so long", "60")
      .add("time-limit", "SECONDS", "give up after that time in all; 0: never", "3600");
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
    worker.speeds = std::make_shared<const SpeedFunction>(worker.speeds->faster(1 / factor));
  }
  return platform;
}

/// Without --problem, whole blocks.
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

/// Simulated processors have one speed.
PlatformFile for_star(PlatformFile file, [[maybe_unused]] const CommandLine& line) {
#ifdef STARPORT_SMPI
  if (!line.has("emulate")) return at_constant_speeds(std::move(file));
#endif
  return file;
}

void request_schedule(const CommandLine& line, ExecutionRequest& request) {
  for (const char* option : {"heuristic", "block-size"}) {
    if (const auto text = line.find(option)) {
      throw InputError(std::string("--") + option, "--schedule without it: the schedule says that",
                       "'" + *text + "'");
    }
  }
  const std::string path = line.text("schedule");
  request.schedule = load_schedule(path);
  const Schedule& schedule = *request.schedule;
  request.file = for_star(line.platform(), line);
  request.about.platform = request.file.at_block_size(schedule.problem.block_size);
  request.about.platform_file = request.file.path;
  request.about.problem = schedule.problem;
  if (const auto text = line.find("problem")) {
    if (!(parse_problem(*text, schedule.problem.block_size) == schedule.problem)) {
      throw InputError("--problem", "the sizes of the schedule's problem", "'" + *text + "'");
    }
  }
  check_rules(schedule, request.about.platform, path);
  request.transfers.emplace(schedule.transfers);
  request.jobs.push_back({schedule.heuristic.empty() ? path : schedule.heuristic,
                          [&list = *request.transfers] { return make_list_plan(list); }});
}

/// All of them have one model.
bool is_distributed(const std::vector<NamedAlgorithm>& algorithms) {
  const std::string_view model = algorithms.front().algorithm->model();
  for (const NamedAlgorithm& named : algorithms) {
    const std::string_view mine = named.algorithm->model();
    if (mine != "star" && mine != "spmd") {
      throw InputError("--heuristic", "one for the star or for distributed products",
                       "'" + named.name + "'");
    }
    if (mine != model) {
      throw InputError("--heuristic", "either some for the star or some for distributed products",
                       fmt::format("'{}' and '{}'", algorithms.front().name, named.name));
    }
  }
  return model == "spmd";
}

void request_heuristics(const CommandLine& line, ExecutionRequest& request) {
  load_plugins(line);
  request.heuristics = read_algorithms(line.find("heuristic").value_or("Het"), "--heuristic");
  const bool distributed = is_distributed(request.heuristics);
  Case instance = load_case(line);
  if (!distributed) instance.file = for_star(std::move(instance.file), line);
  request.about.platform = instance.file.star_if_any(instance.problem.block_size);
  request.file = instance.file;
  request.about.platform_file = instance.file.path;
  request.about.problem = instance.problem;
  if (distributed) {
    request.distributed = instance;
    return;
  }
  StarModel({}).check(request.heuristics, instance, {.limits = line.limits()});
  for (const NamedAlgorithm& named : request.heuristics) {
    request.jobs.push_back(
        {named.name, planner_of(named, request.about.platform, request.about.problem)});
  }
}

/// What only one of the models has.
void check_model(const CommandLine& line, const ExecutionRequest& request) {
  const Platform& platform = request.about.platform;
  if (!request.distributed) {
    if (line.has("unequal")) {
      throw InputError("--unequal", "a heuristic for distributed products with it", "none");
    }
    if (platform.port.kind != Port::Kind::one) {
      throw InputError("/port", "one-port: rank 0 is in one transfer at a time",
                       to_string(platform.port.kind))
          .in_file(request.about.platform_file);
    }
    return;
  }
#ifdef STARPORT_SMPI
  throw InputError("--heuristic", "one for the star: here no route connects the workers",
                   "'" + request.heuristics.front().name + "'");
#endif
  if (line.has("trace")) {
    throw InputError("--trace", "a heuristic for the star with it", "a distributed product");
  }
  if (line.has("kernel") || elements_of(request.file) != ElementType::float64) {
    throw InputError(line.has("kernel") ? "--kernel" : "--element-type",
                     "a heuristic for the star with it", "a distributed product");
  }
  if (line.has("unequal") && request.about.emulated) {
    throw InputError("--unequal", "no --emulate, which makes workers what the platform says",
                     "both");
  }
  for (const PlatformFile::Entry& entry : request.distributed->file.entries) {
    if (entry.devices.empty()) continue;
    throw InputError(entry.pointer + "/devices", "none, since each rank computes as one device",
                     fmt::format("{}", entry.devices.size()))
        .in_file(request.about.platform_file);
  }
}

/// The product replaces C: A and B must be other files.
void check_files(const MatrixSources& sources) {
  const auto check = [&](const std::optional<std::string>& other, const char* option) {
    if (!sources.c || !other) return;
    namespace fs = std::filesystem;
    const auto [mine, my_dataset] = parse_matrix_path(*sources.c);
    const auto [file, dataset] = parse_matrix_path(*other);
    std::error_code none;
    if (my_dataset != dataset && !my_dataset.empty() && !dataset.empty()) return;
    if (!fs::equivalent(mine, file, none) &&
        fs::path(mine).lexically_normal() != fs::path(file).lexically_normal()) {
      return;
    }
    throw InputError("--c",
                     fmt::format("another file than {}, since the product replaces C", option),
                     "the same")
        .in_file(*sources.c);
  };
  check(sources.a, "--a");
  check(sources.b, "--b");
}

void request_matrices(const CommandLine& line, ExecutionRequest& request) {
  request.size = product_size(line, request.about.problem);
  request.sources = {.a = line.find("a"),
                     .b = line.find("b"),
                     .c = line.find("c"),
                     .seed = static_cast<std::uint64_t>(*line.integer("seed", 0, INT32_MAX)),
                     .type = elements_of(request.file)};
  if (request.sources.c && request.heuristics.size() > 1) {
    throw InputError("--c", "one heuristic, since the product replaces C",
                     fmt::format("{}", request.heuristics.size()));
  }
  check_files(request.sources);
}

}  // namespace

CommandLine execution_command_line() {
  CommandLine line(
      "execute", {"PLATFORM"},
      "Runs the product for real: rank 0 is the master, rank i the platform's worker i. "
      "Real matrices,\ntransfers in the order of the schedule, or as the heuristic "
      "decides on the workers' requests, real\ndgemm. Checks C and the trace, and "
      "prints predicted and real times side by side.",
      "mpirun -n 3 starport-mpi execute platform.json --problem 1600x1600x3200 "
      "--heuristic Het --trace het.csv",
      "starport-mpi");
  add_options(line);
  add_plugin_option(line);
  add_unequal(line);
  return line;
}

void report_skipped(const std::string& name, const NotApplicable& reason) {
  tell(fmt::format("{} does not apply and is left out: {}", name, reason.what()), "starport-mpi");
}

std::vector<SlowDown> slow_downs(const CommandLine& line, const ExecutionRequest& request) {
  const auto text = line.find("noise");
  if (!text) return {};
  if (!request.about.emulated || request.distributed) {
    throw InputError("--noise", "--emulate with it, and heuristics for the star", "none");
  }
  Noise noise = parse_noise(*text, "--noise");
  check_workers(noise, std::ssize(request.about.platform.workers), request.about.platform.name,
                "--noise");
  if (!noise.transfers.none() || !noise.updates.none() || !noise.stops.empty()) {
    throw InputError("--noise", "slow=, slow_link= or slow_compute= alone", "'" + *text + "'");
  }
  return noise.slow_downs;
}

void read_request(const CommandLine& line, ExecutionRequest& request) {
  line.has("schedule") ? request_schedule(line, request) : request_heuristics(line, request);
  request.about.command = line.command();
  request.about.emulated = line.has("emulate");
  if (line.has("time-scale")) {
    if (!request.about.emulated) throw InputError("--time-scale", "--emulate with it", "none");
    request.about.time_scale = number(line, "time-scale", 1e-6);
    request.about.platform = scaled(request.about.platform, request.about.time_scale);
  }
  check_model(line, request);
  request_matrices(line, request);
  request.options = {.emulated = request.about.emulated,
                     .slow_downs = slow_downs(line, request),
                     .kernel = line.find("kernel").value_or(""),
                     .timeout_s = number(line, "time-out", 0.1),
                     .time_limit_s = number(line, "time-limit", 0)};
  load_kernel(request.options.kernel);  // before the run is begun
  request.force = line.has("force");
  request.workers = unequal_workers(request.about.platform.workers.size(),
                                    static_cast<int>(*line.integer("threads", 1, kMostThreads)),
                                    line.find("unequal").value_or(""));
  for (const WorkerSettings& worker : request.workers) {
    request.options.threads.push_back(worker.threads);
  }
}

}  // namespace starport::mpi
