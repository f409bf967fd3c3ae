#include "sim/starpu/execution/real_run.hpp"

#include "sim/files/error.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/platform/random.hpp"
#include "sim/platform/starpu_models.hpp"
#include "sim/process/isolation.hpp"
#include "sim/starpu/execution/fault.hpp"
#include "sim/starpu/execution/tile_update.hpp"

#include <fcntl.h>
#include <starpu_cublas.h>
#include <starpu_profiling.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace starport::starpu {
namespace {

/// Lock on a file in StarPU's folder that a process of this program holds while it starts StarPU,
/// which writes the files of the buses without a lock and aborts if it reads half of one. Locks
/// nothing if the folder is not writable.
class StartLock {
 public:
  StartLock() {
    const std::vector<std::string> directories = starpu_directories();
    if (directories.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(directories.front(), error);
    file_ = ::open((directories.front() + "/starport.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC,
                   0666);
    while (file_ >= 0 && ::flock(file_, LOCK_EX) != 0 && errno == EINTR) continue;
  }
  StartLock(const StartLock&) = delete;
  StartLock& operator=(const StartLock&) = delete;
  ~StartLock() {
    if (file_ >= 0) ::close(file_);
  }

 private:
  int file_ = -1;
};

/// Starts StarPU. Throws SimulationError if it finds no worker.
void start_starpu(struct starpu_conf& conf) {
  const StartLock lock;
  if (starpu_init(&conf) != 0) throw SimulationError("StarPU finds no worker on this machine");
}

/// StarPU, from its start to its end.
class Session {
 public:
  explicit Session(const RealProduct& product) {
    // The user's own settings count. While a task runs, StarPU polls the device, which needs the
    // core if it is a CPU: without a pipeline StarPU sleeps. It copies no tiles of C to main memory
    // in advance, in case it has to evict them.
    if (opencl_uses_cpus()) ::setenv("STARPU_OPENCL_PIPELINE", "0", 0);
    ::setenv("STARPU_MINIMUM_CLEAN_BUFFERS", "0", 0);
    ::setenv("STARPU_TARGET_CLEAN_BUFFERS", "0", 0);
    ::setenv("STARPU_SILENT", "1", 0);
    ::unsetenv("STARPU_SCHED");  // StarPU would prefer it to the scheduler of this run
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    if (product.settings.algorithm) {
      conf.sched_policy = make_policy(product.settings);
    } else if (!product.settings.name.empty()) {
      conf.sched_policy_name = product.settings.name.c_str();
    }
    start_starpu(conf);
    starpu_cublas_init();
    set_blas_threads(1);
    starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    starpu_cublas_shutdown();
    starpu_shutdown();
  }
};

std::vector<int> all_workers() {
  std::vector<int> workers(starpu_worker_get_count());
  std::iota(workers.begin(), workers.end(), 0);
  return workers;
}

/// Returns the workers that can update tiles, and their memory nodes.
Machine find_update_workers() {
  struct starpu_task task;
  starpu_task_init(&task);
  task.cl = &update_codelet();
  const Machine machine = find_machine(all_workers(), &task);
  starpu_task_clean(&task);
  return machine;
}

struct starpu_task* make_task(const TileData& data, tiles::Tile a, tiles::Tile b, tiles::Tile c,
                              std::int64_t q) {
  struct starpu_task* const task = starpu_task_create();
  task->cl = &update_codelet();
  task->handles[0] = data.handle(a);
  task->handles[1] = data.handle(b);
  task->handles[2] = data.handle(c);
  task->flops = 2 * double(q) * double(q) * double(q);
  return task;
}

void submit(struct starpu_task* task) {
  if (starpu_task_submit(task) == 0) return;
  task->destroy = 0;
  throw SimulationError("no worker of StarPU can update tiles");
}

/// Lets each worker update a tile of its own, since the first use of a device compiles its kernels:
/// one worker after another, because pocl does not always compile for two devices at once.
void warm_up(const Machine& machine, std::int64_t q) {
  const auto tile_elements = static_cast<std::size_t>(q * q);
  std::vector<double> tiles(3 * machine.workers.size() * tile_elements);
  TileData data(tiles.data(), static_cast<tiles::Tile>(3 * machine.workers.size()), q);
  tiles::Tile tile = 0;
  for (const int worker : machine.workers) {
    struct starpu_task* const task = make_task(data, tile, tile + 1, tile + 2, q);
    tile += 3;
    task->execute_on_a_specific_worker = 1;
    task->workerid = static_cast<unsigned>(worker);
    submit(task);
    starpu_task_wait_for_all();
  }
}

/// Lets each device fetch all tiles, so that it allocates their memory, which StarPU uses again.
void allocate_tiles(const Machine& machine, double* tiles, tiles::Tile count, std::int64_t q) {
  const TileData data(tiles, count, q);
  for (const unsigned node : std::span(machine.nodes).subspan(1)) {
    for (tiles::Tile tile = 0; tile < count; ++tile) {
      starpu_data_fetch_on_node(data.handle(tile), node, 0);
    }
  }
}

/// Number of updates by which StarPU knows the duration on a worker: it needs ten, and ignores the
/// first one and outliers.
constexpr std::int32_t kMeasuredUpdates = 15;
/// Number of tiles of A, of B, and of C for each worker, that measured updates access in turn, more
/// than caches hold; and the number of updates after which the tile of A changes, as in products.
constexpr tiles::Tile kMeasuredTiles = 8;
constexpr tiles::Tile kUpdatesPerTileOfA = 4;

tiles::Tile count_measured_tiles(tiles::Tile workers) { return (2 + workers) * kMeasuredTiles; }

/// The updates by which StarPU measures one worker, each submitted when the last one has ended.
struct Measurement {
  const TileData* data = nullptr;
  std::int64_t q = 0;
  unsigned worker = 0;
  tiles::Tile first_target = 0;
  std::int32_t updates = 0;                        ///< submitted so far
  std::atomic<tiles::Tile>* unmeasured = nullptr;  ///< workers with too few updates
};

/// Submits the next update of a worker that is measured, until all workers have enough: a worker
/// that is done goes on, since the others share caches and memory with it in real runs, too.
void submit_measured_update(Measurement& own) {
  const tiles::Tile number = own.updates++;
  struct starpu_task* const task = make_task(
      *own.data, number / kUpdatesPerTileOfA % kMeasuredTiles,
      kMeasuredTiles + number % kMeasuredTiles, own.first_target + number % kMeasuredTiles, own.q);
  task->execute_on_a_specific_worker = 1;
  task->workerid = own.worker;
  task->callback_arg = &own;
  task->callback_func = [](void* argument) {
    auto& measurement = *static_cast<Measurement*>(argument);
    if (measurement.updates == kMeasuredUpdates) --*measurement.unmeasured;
    if (*measurement.unmeasured > 0 && !has_fault()) submit_measured_update(measurement);
  };
  submit(task);
}

/// Makes the strategy that schedules the product before the product starts.
void make_strategy(std::int64_t q) {
  struct starpu_task sample;
  starpu_task_init(&sample);
  sample.cl = &update_codelet();
  prepare_product(&sample, static_cast<std::size_t>(q * q) * sizeof(double));
  starpu_task_clean(&sample);
}

/// The data that the callback of a task needs.
struct TaskRecord {
  RecordedTask recorded{};
  starpu_data_handle_t home_bound = nullptr;  ///< tile of C, if this is its last update
};

void on_task_end(void* argument) {
  auto& record = *static_cast<TaskRecord*>(argument);
  const struct starpu_profiling_task_info* const info = starpu_task_get_current()->profiling_info;
  record.recorded.worker = info->workerid;
  record.recorded.start_us =
      starpu_timing_timespec_to_us(const_cast<struct timespec*>(&info->start_time));
  record.recorded.end_us =
      starpu_timing_timespec_to_us(const_cast<struct timespec*>(&info->end_time));
  if (record.home_bound != nullptr) {
    starpu_data_prefetch_on_node(record.home_bound, STARPU_MAIN_RAM, 1);
  }
}

}  // namespace

double measuring_bytes(std::int64_t workers, std::int64_t q) {
  return 8 * double(count_measured_tiles(static_cast<tiles::Tile>(workers))) * double(q) *
         double(q);
}

void measure_updates(std::int64_t q) {
  const Session session({.size = 1});
  const Machine machine = find_update_workers();
  warm_up(machine, q);
  const auto workers = static_cast<tiles::Tile>(machine.workers.size());
  const tiles::Tile count = count_measured_tiles(workers);
  std::vector<double> elements(static_cast<std::size_t>(count * q * q));
  // Devices compute faster with zeros.
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = to_unit_interval(splitmix64_at(1, i)) - 0.5;
  }
  TileData data(elements.data(), count, q);
  std::atomic<tiles::Tile> unmeasured = workers;
  std::vector<Measurement> measurements(machine.workers.size());
  for (tiles::Tile w = 0; w < workers; ++w) {
    const auto worker = static_cast<std::size_t>(w);
    measurements[worker] = {.data = &data,
                            .q = q,
                            .worker = static_cast<unsigned>(machine.workers[worker]),
                            .first_target = (2 + w) * kMeasuredTiles,
                            .unmeasured = &unmeasured};
    submit_measured_update(measurements[worker]);
  }
  starpu_task_wait_for_all();
  if (has_fault()) throw SimulationError(fault_message());
}

FoundMachine find_machine_of_starpu() {
  FoundMachine found;
  const auto look = [](FrameWriter& out) {
    const Session session({.size = 1});
    const Machine machine = find_update_workers();
    FoundMachine here;
    for (const tiles::Worker& worker : machine.platform.workers) {
      ++(worker.node == tiles::kHub ? here.cpu_workers : here.device_workers);
    }
    here.devices = machine.platform.nodes() - 1;
    here.devices_are_cpus = devices_are_cpus();
    for (const unsigned node : std::span(machine.nodes).subspan(1)) {
      const auto bytes = static_cast<double>(starpu_memory_get_total(node));
      if (bytes < 0) continue;
      here.smallest_memory_bytes = std::min(bytes, here.smallest_memory_bytes.value_or(bytes));
    }
    out.write(std::as_bytes(std::span(&here, 1)));
  };
  run_in_child(
      look,
      [&](std::span<const std::byte> frame) {
        if (frame.size() == sizeof found) std::memcpy(&found, frame.data(), sizeof found);
      },
      600);
  return found;
}

RecordedRun execute_product(const RealProduct& product) {
  std::mutex mutex;
  std::string refusal;
  RealProduct observed = product;
  observed.settings.size = product.size;
  observed.settings.report = [&](const std::string& message) {
    const std::lock_guard lock(mutex);
    refusal = message;
  };
  observed.settings.on_start = [](struct starpu_task* task, bool stolen) {
    static_cast<TaskRecord*>(task->callback_arg)->recorded.stolen = stolen;
  };
  const tiles::TileNumbering numbering{product.size};
  std::vector<TaskRecord> records;
  records.reserve(static_cast<std::size_t>(numbering.updates()));
  RecordedRun run;
  {
    const Session session(observed);
    const Machine machine = find_update_workers();
    run.workers = machine.workers;
    run.nodes = machine.nodes;
    warm_up(machine, product.q);
    const tiles::Tile count = numbering.target(numbering.cells());
    // CUDA transfers tiles fast only from pages that stay where they are.
    const std::size_t bytes =
        static_cast<std::size_t>(count * product.q * product.q) * sizeof(double);
    ::madvise(product.tiles, bytes, MADV_POPULATE_WRITE);
    starpu_memory_pin(product.tiles, bytes);
    allocate_tiles(machine, product.tiles, count, product.q);
    TileData data(product.tiles, count, product.q);
    if (product.settings.algorithm) make_strategy(product.q);
    run.start_us = starpu_timing_now();
    for (std::int32_t k = 0; k < numbering.t; ++k) {
      for (std::int32_t cell = 0; cell < numbering.cells(); ++cell) {
        const tiles::Tile c = numbering.target(cell);
        struct starpu_task* const task =
            make_task(data, numbering.a(numbering.row(cell), k),
                      numbering.b(k, numbering.column(cell)), c, product.q);
        TaskRecord& record = records.emplace_back();
        record.recorded.task = {.target = cell, .k = k};
        if (k + 1 == numbering.t) record.home_bound = data.handle(c);
        task->callback_func = on_task_end;
        task->callback_arg = &record;
        submit(task);
      }
    }
    starpu_task_wait_for_all();
    data.unregister();
    run.transfers = data.transfers();
  }
  for (const TaskRecord& record : records) run.tasks.push_back(record.recorded);
  if (has_fault()) throw SimulationError(fault_message());
  if (!refusal.empty()) throw SimulationError(refusal);
  return run;
}

std::vector<std::string> starpu_policies() {
  std::vector<std::string> names;
  for (struct starpu_sched_policy** policy = starpu_sched_get_predefined_policies();
       *policy != nullptr; ++policy) {
    names.emplace_back((*policy)->policy_name);
  }
  return names;
}

}  // namespace starport::starpu
