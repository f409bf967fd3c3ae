// The trace of a real product, from what StarPU and the devices have recorded.
#pragma once

#include "sim/starpu/execution/tile_data.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/trace.hpp"

#include <vector>

namespace starport::starpu {

/// A task of a product that StarPU has executed. Dates are in microseconds of starpu_timing_now().
struct RecordedTask {
  /// The update that the task has computed.
  tiles::Task task{};
  /// StarPU's number of the worker.
  int worker = 0;
  /// True if the worker has taken it from those stored for others.
  bool stolen = false;
  /// Date at which the driver of the worker has started the task.
  double start_us = 0;
  /// Date at which the driver has noticed its end.
  double end_us = 0;
};

/// Everything recorded of one product.
struct RecordedRun {
  /// The tasks, in any order.
  std::vector<RecordedTask> tasks{};
  /// The transfers, in the order in which they were submitted.
  std::vector<RecordedTransfer> transfers{};
  /// Date at which the program began to submit tasks.
  double start_us = 0;
  /// StarPU's number of each worker of the platform, in its order.
  std::vector<int> workers{};
  /// StarPU's number of each memory node of the platform; main memory first.
  std::vector<unsigned> nodes{};
};

/// Returns the trace of a product of `graph` on `platform`; dates are seconds since the start. A
/// worker and a direction of a link process one thing after the other in the order of submission:
/// where dates of submission overlap, the later activity starts at the end of the earlier one. The
/// end of a transfer, of which devices report late on a loaded machine, is at most the start of the
/// first task or transfer that used the copy, which StarPU has started after it. StarPU does not
/// report evictions: a copy that was fetched again is evicted when that transfer starts.
tiles::TileTrace make_trace(const RecordedRun& run, const tiles::Platform& platform,
                            const tiles::TaskGraph& graph);

}  // namespace starport::starpu
