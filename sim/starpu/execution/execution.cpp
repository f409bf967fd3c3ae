#include "sim/starpu/execution/execution.hpp"

#include "heuristics/registry.hpp"
#include "sim/app/algorithms.hpp"
#include "sim/files/error.hpp"
#include "sim/files/text.hpp"
#include "sim/starpu/execution/real_run.hpp"
#include "sim/tiles/event_engine.hpp"
#include "sim/tiles/validator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

namespace starport::starpu {
namespace {

constexpr std::string_view kStarpuPrefix = "starpu:";

tiles::ProductSize size_of(const Problem& problem) {
  return {static_cast<std::int32_t>(problem.r), static_cast<std::int32_t>(problem.s),
          static_cast<std::int32_t>(problem.t)};
}

/// Returns the trace that `simulate` passes on in a child process.
tiles::TileTrace trace_of_child(const std::function<void(const tiles::TraceSink&)>& simulate,
                                const tiles::TaskGraph& graph, double time_limit_s) {
  tiles::TileTrace trace;
  tiles::simulate_in_child([&](const tiles::TraceSink& sink, const auto&) { simulate(sink); },
                           graph, time_limit_s,
                           [&](const tiles::TraceRecord& record) { trace.add(record); });
  return trace;
}

/// Runs `action`. If it fails, stores why in `execution`, without the real runs until then.
template <class Action>
void guard(TileExecution& execution, const Action& action) {
  try {
    action();
  } catch (const NotApplicable& error) {
    execution.error = error.what();
  } catch (const SimulationError& error) {
    execution.error = error.what();
  }
  if (execution.error.empty()) return;
  execution.first.reset();
  execution.real.clear();
  execution.check.clear();
}

/// Throws SimulationError if the trace of a real run breaks a rule of the tile model other than its
/// durations.
void validate(const tiles::TileTrace& trace, const tiles::Platform& platform,
              const tiles::TaskGraph& graph) {
  const std::string violation =
      find_violation(platform, graph, trace,
                     {.relay = true,
                      .limited_memory = false,
                      .tolerance = std::numeric_limits<double>::infinity()});
  if (!violation.empty()) {
    throw SimulationError("the trace of the real run breaks the model: " + violation);
  }
}

}  // namespace

std::vector<ExecutionJob> read_jobs(std::string_view list) {
  constexpr const char* option = "--heuristics";
  std::vector<ExecutionJob> jobs;
  for (const std::string& item : split_list(list)) {
    if (item.starts_with(kStarpuPrefix)) {
      const std::string name = item.substr(kStarpuPrefix.size());
      const auto known = starpu_policies();
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        throw InputError(option, fmt::format("a policy of StarPU: {}", fmt::join(known, ", ")),
                         "'" + item + "'");
      }
      jobs.push_back({.name = item});
      continue;
    }
    for (NamedAlgorithm& algorithm : read_algorithms(item, option)) {
      if (algorithm.algorithm->model() != "tiles") {
        throw InputError(option, "strategies of tile tasks or starpu:POLICY",
                         "'" + algorithm.name + "'");
      }
      jobs.push_back({.name = algorithm.name, .strategy = std::move(algorithm)});
    }
  }
  return jobs;
}

SharedTiles::SharedTiles(mpi::Product& product)
    : product_(product),
      size_(size_of(product.problem())),
      tile_elements_(
          static_cast<std::size_t>(product.problem().block_size * product.problem().block_size)),
      bytes_(static_cast<std::size_t>(tiles::TileNumbering{size_}.target(size_.cells())) *
             tile_elements_ * sizeof(double)) {
  void* const memory =
      ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw SimulationError(
        fmt::format("not enough memory for the tiles: {:.3g} GB", 1e-9 * double(bytes_)));
  }
  elements_ = static_cast<double*>(memory);
  const tiles::TileNumbering numbering{size_};
  const std::int64_t q = product.problem().block_size;
  const auto copy = [&](const mpi::Matrix& matrix, std::int32_t rows, std::int32_t columns,
                        tiles::Tile first) {
    for (std::int32_t place = 0; place < rows * columns; ++place) {
      matrix.read(
          {.row = place / columns * q, .column = place % columns * q, .height = q, .width = q},
          elements_ + static_cast<std::size_t>(first + place) * tile_elements_);
    }
  };
  copy(product.a(), size_.r, size_.t, numbering.a(0, 0));
  copy(product.b(), size_.t, size_.s, numbering.b(0, 0));
}

SharedTiles::~SharedTiles() { ::munmap(elements_, bytes_); }

template <class Copy>
void SharedTiles::for_each_tile_of_c(const Copy& copy) {
  const std::int64_t q = product_.problem().block_size;
  for (std::int32_t cell = 0; cell < size_.cells(); ++cell) {
    copy(
        mpi::MatrixArea{
            .row = size_.row(cell) * q, .column = size_.column(cell) * q, .height = q, .width = q},
        elements_ +
            static_cast<std::size_t>(tiles::TileNumbering{size_}.target(cell)) * tile_elements_);
  }
}

void SharedTiles::fill_c() {
  product_.restore_c();
  for_each_tile_of_c(
      [&](const mpi::MatrixArea& area, double* tile) { product_.c().read(area, tile); });
}

void SharedTiles::store_c() {
  for_each_tile_of_c(
      [&](const mpi::MatrixArea& area, const double* tile) { product_.c().write(area, tile); });
}

void check_devices(const FoundMachine& found, std::int64_t q, const char* option) {
  const double needed_bytes = 3 * 8 * double(q) * double(q);
  if (found.smallest_memory_bytes.value_or(needed_bytes) >= needed_bytes) return;
  throw InputError(option, "tiles of which three fit in the memory of each device",
                   fmt::format("{} ({:.0f} MB of {:.0f} MB)", q, 1e-6 * needed_bytes,
                               1e-6 * *found.smallest_memory_bytes));
}

void check_machine(const FoundMachine& found, const tiles::Platform& platform,
                   const PlatformFile& file, std::int64_t q) {
  const auto text = [](std::int64_t cpus, std::int64_t workers, std::int64_t devices) {
    return format_count(cpus, "CPU worker") + " and " +
           (workers == devices ? "" : format_count(workers, "worker") + " on ") +
           format_count(devices, "device");
  };
  const std::int64_t cpus =
      std::count_if(platform.workers.begin(), platform.workers.end(),
                    [](const tiles::Worker& worker) { return worker.node == tiles::kHub; });
  const std::int64_t workers = std::ssize(platform.workers) - cpus;
  const std::int64_t devices = platform.nodes() - 1;
  if (cpus != found.cpu_workers || workers != found.device_workers || devices != found.devices) {
    throw InputError(
        "/workers",
        text(found.cpu_workers, found.device_workers, found.devices) +
            ", as StarPU finds on this machine",
        text(cpus, workers, devices),
        "STARPU_NCPU, STARPU_NCUDA and STARPU_NOPENCL choose what StarPU uses; starport-starpu "
        "calibrate writes a file for that")
        .in_file(file.path);
  }
  check_devices(found, q, "--block-size");
}

TileExecution predict(const ExecutionJob& job, const Case& instance, bool devices_are_cpus,
                      double time_limit_s) {
  TileExecution execution{
      .name = job.name,
      .platform = tiles::make_platform(instance.file, instance.problem.block_size)};
  if (!job.strategy.algorithm) return execution;
  guard(execution, [&] {
    tiles::TilePlan plan =
        tiles::make_plan(job.strategy, instance, {.limits = {.time_limit_s = time_limit_s}});
    plan.options.runtime.relay = true;
    plan.options.runtime.cuda_order = false;
    plan.options.runtime.transfers_between_tasks = devices_are_cpus;
    plan.options.runtime.fetches_for_one_task = false;
    execution.predicted = trace_of_child(
        [&](const tiles::TraceSink& sink) {
          run_event_engine(plan.platform, plan.work, plan.strategy, plan.options, sink);
        },
        plan.work, time_limit_s);
    execution.platform = plan.platform;
  });
  return execution;
}

void execute(TileExecution& execution, const ExecutionJob& job, const Case& instance,
             SharedTiles& tiles, mpi::Product& product, const mpi::ProductCheck& check,
             double time_limit_s) {
  if (!execution.error.empty()) return;
  const tiles::TaskGraph graph(size_of(instance.problem), std::nullopt);
  RealProduct real{.size = graph.numbering(), .q = instance.problem.block_size};
  if (job.strategy.algorithm) {
    real.settings.name = job.name;
    real.settings.algorithm =
        std::static_pointer_cast<const tiles::TileAlgorithm>(job.strategy.algorithm);
    real.settings.durations = [&](Machine& machine, struct starpu_task*, double) {
      if (machine.platform.workers.size() != execution.platform.workers.size() ||
          machine.platform.links.size() != execution.platform.links.size()) {
        throw SimulationError("not all workers can update tiles");
      }
      machine.platform = execution.platform;
    };
  } else {
    real.settings.name = job.name.substr(kStarpuPrefix.size());
  }
  guard(execution, [&] {
    tiles.fill_c();
    real.tiles = tiles.elements();
    tiles::TileTrace trace = trace_of_child(
        [&](const tiles::TraceSink& sink) {
          send_records(make_trace(execute_product(real), execution.platform, graph), sink);
        },
        graph, time_limit_s);
    validate(trace, execution.platform, graph);
    tiles.store_c();
    const mpi::CheckOutcome outcome = check.check(product.c());
    if (!outcome.error.empty()) throw SimulationError(outcome.error);
    execution.check = outcome.method;
    execution.real.push_back(summarise(trace, execution.platform, instance));
    if (!execution.first) execution.first = std::move(trace);
  });
}

}  // namespace starport::starpu
