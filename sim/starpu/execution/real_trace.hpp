// The trace of a real product, from what StarPU and the devices have recorded.
#pragma once

#include "sim/starpu/execution/tile_data.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/trace.hpp"

#include <vector>

namespace starport::starpu {

/// A task (tile update) of a product as StarPU has executed it: the update, the worker, and the
/// dates. Made by execute_product(). Dates are in microseconds of StarPU's clock
/// (starpu_timing_now()).
struct RecordedTask {
  /// The update C_ij += A_ik . B_kj that the task has computed.
  tiles::Task task{};
  /// StarPU's number of the worker that executed the task.
  int worker = 0;
  /// True if the worker took the task from those that the strategy stored for other workers; false
  /// for all tasks under StarPU's own policies.
  bool stolen = false;
  /// Date, in microseconds of StarPU's clock (starpu_timing_now()), at which the driver of the
  /// worker started the task.
  double start_us = 0;
  /// Date, in microseconds of StarPU's clock, at which the driver has noticed that the task has
  /// ended.
  double end_us = 0;
};

/// Record of one product that StarPU executed, made by execute_product(): tasks, transfers and
/// their dates, and StarPU's numbers of workers and memory nodes; make_trace() makes a trace of it.
/// Dates are in microseconds of StarPU's clock. Owns its data.
struct RecordedRun {
  /// The tasks, one for each update of the product, in any order.
  std::vector<RecordedTask> tasks{};
  /// The transfers, in the order in which they were submitted.
  std::vector<RecordedTransfer> transfers{};
  /// Date, in microseconds of StarPU's clock (starpu_timing_now()), at which the program began to
  /// submit tasks.
  double start_us = 0;
  /// StarPU's number of each worker: workers[i] is that of worker i, from 0, of the tile model's
  /// platform.
  std::vector<int> workers{};
  /// StarPU's number of each memory node: nodes[m] is that of memory node m of the tile model's
  /// platform (0: main memory, from 1: devices).
  std::vector<unsigned> nodes{};
};

/// Makes the trace of a real product of `graph` on `platform`, with dates in seconds since
/// RecordedRun::start_us. Where recorded dates overlap on a worker or a direction of a link, the
/// later task (by its start) or transfer (by its submission) starts at the end of the earlier one.
/// The end of a transfer, of which devices report late on a loaded machine, is at most the start of
/// the first task or transfer that used the copy. StarPU does not report evictions: if a device
/// fetches a tile of which it has a valid copy, that copy is evicted when the transfer starts. The
/// run must be one of that graph and platform (not checked: undefined behaviour).
tiles::TileTrace make_trace(const RecordedRun& run, const tiles::Platform& platform,
                            const tiles::TaskGraph& graph);

}  // namespace starport::starpu
