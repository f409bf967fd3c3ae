#include "sim/starpu/commands.hpp"

#include "sim/app/algorithms.hpp"
#include "sim/app/command_line.hpp"
#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/output.hpp"
#include "sim/platform/starpu_models.hpp"
#include "sim/process/isolation.hpp"
#include "sim/process/machine.hpp"
#include "sim/report/trace_files.hpp"
#include "sim/results/timeline.hpp"
#include "sim/starpu/execution/execution.hpp"
#include "sim/starpu/execution/real_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

namespace starport::starpu {
namespace {

constexpr const char* kProgram = "starport-starpu";
constexpr const char* kDefaultJobs = "EffectiveSteal,DMDA,ZoneGrowth,starpu:dmdar,starpu:lws";
#ifdef STARPORT_HAS_CUDA
constexpr const char* kDevices = "CUDA and OpenCL devices";
#else
constexpr const char* kDevices = "OpenCL devices (built without CUDA)";
#endif

/// Adds the timelines of the first real run and of its prediction to the trace file.
void add_timelines(TraceExporter& exporter, const TileExecution& execution, const Case& instance) {
  const tiles::TaskGraph graph(
      {static_cast<std::int32_t>(instance.problem.r), static_cast<std::int32_t>(instance.problem.s),
       static_cast<std::int32_t>(instance.problem.t)},
      std::nullopt);
  const auto add = [&](const std::string& name, const tiles::TileTrace& trace) {
    exporter.add(with_worker_names(
        make_tile_timeline(name, execution.platform, graph, trace, false), instance.file.names));
  };
  if (!execution.first) return;
  add(execution.name, *execution.first);
  if (execution.predicted) add(execution.name + " predicted", *execution.predicted);
}

/// Name under which StarPU stores the models of this machine.
std::string starpu_host() {
  if (const char* name = std::getenv("STARPU_HOSTNAME")) return name;
  const std::string name = host_name();
  return name.substr(0, name.find('.'));
}

/// Lets StarPU measure tiles of this size in a child process; first the links, too.
void measure(std::int64_t q, bool is_first) {
  const auto run = [&](FrameWriter&) {
    ::setenv("STARPU_CALIBRATE", is_first ? "2" : "1", 1);  // 2: forget what was measured before
    if (is_first) ::setenv("STARPU_BUS_CALIBRATE", "1", 1);
    // Otherwise StarPU forgets durations that differ by more than 50 %, as on a busy machine.
    ::setenv("STARPU_HISTORY_MAX_ERROR", "1000000", 0);  // %
    measure_updates(q);
  };
  run_in_child(
      run, [](std::span<const std::byte>) {}, 3600);
}

std::vector<std::int64_t> read_sizes(const std::string& text) {
  const auto sizes = parse_numbers<std::int64_t>(text, ',');
  if (!sizes || sizes->empty() || std::ranges::min(*sizes) < 1 ||
      std::ranges::max(*sizes) > 10'000) {
    throw InputError("--block-sizes", "sides of tiles from 1 to 10000, such as 480,960",
                     "'" + text + "'");
  }
  return *sizes;
}

/// Throws InputError if the largest of the sizes needs more memory than there is.
void check_sizes(const std::vector<std::int64_t>& sizes, const FoundMachine& found) {
  constexpr const char* option = "--block-sizes";
  const std::int64_t q = std::ranges::max(sizes);
  check_devices(found, q, option);
  const double needed_bytes = measuring_bytes(found.cpu_workers + found.device_workers, q);
  const double left_bytes = std::min(available_memory_bytes(), remaining_limit_bytes());
  if (needed_bytes <= left_bytes) return;
  throw InputError(option,
                   fmt::format("tiles whose measurement fits in the {:.1f} GB of free memory",
                               1e-9 * left_bytes),
                   fmt::format("{}, which needs {:.1f} GB", q, 1e-9 * needed_bytes));
}

/// Throws InputError if the matrices, of `elements` elements, their tiles, of `tiles`, and the
/// check of C need more memory than there is. Linux may grant more, and kill who fills it.
void check_matrices(const Problem& elements, const Problem& tiles) {
  const auto elements_of = [](const Problem& sides) {
    const auto r = static_cast<double>(sides.r);
    const auto s = static_cast<double>(sides.s);
    const auto t = static_cast<double>(sides.t);
    return r * t + t * s + r * s;
  };
  const std::int64_t q = tiles.block_size;
  const double needed_bytes =
      sizeof(double) * (elements_of(elements) + double(q * q) * elements_of(tiles)) +
      mpi::ProductCheck::needed_bytes(elements.r, elements.s, elements.t, q);
  const double left_bytes = std::min(available_memory_bytes(), remaining_limit_bytes());
  if (needed_bytes <= left_bytes) return;
  throw InputError("--problem",
                   fmt::format("a product whose matrices fit in the {:.1f} GB of free memory",
                               1e-9 * left_bytes),
                   fmt::format("one that needs {:.1f} GB", 1e-9 * needed_bytes));
}

}  // namespace

int execute_command(const std::vector<std::string>& arguments) {
  CommandLine line(
      "execute", {"PLATFORM"},
      fmt::format("Multiplies matrices with StarPU on the CPUs and {} of this machine, scheduled "
                  "by each strategy in turn, and compares with the prediction.",
                  kDevices),
      "starport-starpu execute node.json --problem 2880 --heuristics "
      "EffectiveSteal,DMDA,starpu:dmdar",
      kProgram);
  line.add_problem();
  line.add("heuristics", "LIST",
           "strategies of tile tasks, and policies of StarPU as starpu:NAME, separated by commas",
           kDefaultJobs)
      .add("repetitions", "N",
           "runs of each strategy, which take turns; two or more give 95 % intervals", "3")
      .add("seed", "N", "seed of the matrices", "1")
      .add("trace", "FILE", "write the real and the predicted traces to a .csv or .json file")
      .add_flag("json", "print the results as JSON");
  add_plugin_option(line);
  line.add_time_limit();
  if (!line.parse(arguments)) return kSuccess;
  load_plugins(line);

  const Case instance = load_case(line);
  if (element_type_of(instance.file) != ElementType::float64) {
    throw InputError("--element-type", "float64", "float32");
  }
  const std::vector<ExecutionJob> jobs = read_jobs(line.text("heuristics"));
  if (auto obstacle =
          tiles::TileModel().find_obstacle(instance, {.engine = EngineKind::analytic})) {
    throw std::move(*obstacle);
  }
  const std::int64_t q = instance.problem.block_size;
  const tiles::Platform platform = tiles::make_platform(instance.file, q);
  const std::int64_t repetitions = *line.integer("repetitions", 1, 1000);
  const auto seed = static_cast<std::uint64_t>(*line.integer("seed", 0, INT32_MAX));
  std::optional<OutputFile> file;
  std::optional<TraceExporter> exporter;
  if (const auto path = line.find("trace")) {
    const TraceFormat format = trace_format(*path);
    file.emplace(*path, "--trace");
    exporter.emplace(format, [&](std::string_view text) { file->write(text); });
  }
  const Problem elements = parse_problem(line.text("problem"), 1);
  check_matrices(elements, instance.problem);
  const FoundMachine found = find_machine_of_starpu();
  check_machine(found, platform, instance.file, q);
  mpi::Product product(instance.problem,
                       {.height = elements.r, .depth = elements.t, .width = elements.s},
                       {.seed = seed});
  const mpi::ProductCheck check(product, seed);
  SharedTiles tiles(product);
  std::vector<TileExecution> executions;
  const double time_limit_s = line.limits().time_limit_s;
  for (const ExecutionJob& job : jobs)
    executions.push_back(predict(job, instance, found.devices_are_cpus, time_limit_s));
  for (std::int64_t repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      execute(executions[i], jobs[i], instance, tiles, product, check, time_limit_s);
    }
  }
  print(line.has("json") ? execution_json(instance, executions, line.command())
                         : execution_text(instance, executions));
  if (exporter) {
    for (const TileExecution& run : executions) add_timelines(*exporter, run, instance);
    exporter->finish();
    file->commit();
  }
  const bool complete =
      std::ranges::all_of(executions, [](const TileExecution& run) { return run.error.empty(); });
  return complete ? kSuccess : kFailedSimulation;
}

int calibrate_command(const std::vector<std::string>& arguments) {
  CommandLine line(
      "calibrate", {},
      "Measures the updates of tiles on each worker of this machine, and the links and "
      "memories of its devices, with StarPU, and writes a platform file.",
      "starport-starpu calibrate -o node.json", kProgram);
  line.add("output,o", "FILE", "platform file to write")
      .add("block-sizes", "LIST",
           "sides of the tiles to measure; the last one is the block size of the file", "240,480");
  if (!line.parse(arguments)) return kSuccess;
  const std::vector<std::int64_t> sizes = read_sizes(line.text("block-sizes"));
  OutputFile output(line.required("output", "the platform file to write"), "--output");
  const FoundMachine found = find_machine_of_starpu();
  check_sizes(sizes, found);
  for (std::size_t i = 0; i < sizes.size(); ++i) measure(sizes[i], i == 0);
  const std::string host = starpu_host();
  const PlatformFile file =
      read_starpu_models(find_starpu_models(host), host, sizes.back(), found.cpu_workers);
  output.write(to_json(file));
  output.commit();
  return kSuccess;
}

}  // namespace starport::starpu
