// Demand-driven runs whose choices are made by an external function: which worker is served next.
#pragma once

#include "sim/star/dispatcher.hpp"
#include "sim/star/heuristic.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace starport {

/// The kind of transfer that a worker requests: `chunk`, the blocks of C of its next chunk (the
/// rectangle of C that it computes); `step`, blocks of A and B for an update of the chunk that it
/// holds; `result`, the return of the finished chunk to the master.
enum class RequestKind : std::uint8_t { chunk, step, result };
/// Names of the request kinds in messages to external heuristics, indexed by the value of
/// RequestKind: "chunk", "step", "result".
inline constexpr std::array<std::string_view, 3> kRequestKindNames{"chunk", "step", "result"};

/// The pending request of a worker for its next transfer, as shown to an external heuristic in a
/// RequestView. A worker has at most one. A plain value; dates are in seconds since the start of
/// the run.
struct OpenRequest {
  /// Index in the platform, from 0, of the worker that requests a transfer.
  int worker = 0;
  /// The kind of transfer requested: C of a new chunk (rectangle of C that the worker computes), A
  /// and B for an update of it, or its return.
  RequestKind kind = RequestKind::chunk;
  /// Earliest date at which the requested transfer can start, in seconds since the start of the
  /// run, possibly in the past; kUnknown (infinity) if it is not known yet.
  double date_s = kUnknown;
  /// Date, in seconds since the start of the run, at which the worker ends the last update for
  /// which it has the data; 0 if it had ended all by the end of its last transfer, or has none;
  /// kUnknown (infinity) if the date is not known yet.
  double works_until_s = kUnknown;
  /// Number of blocks that the requested transfer carries, of C for `chunk` and `result`, of A and
  /// B for `step`.
  std::int64_t blocks = 0;
  /// Number of block updates (products of two blocks) that the transfer enables; 0 unless it
  /// carries blocks of A and B.
  std::int64_t updates = 0;
};

/// State of the run on which an external heuristic bases its choice, at a date when a port of the
/// master is free. Made for each call of a ChooseRequest function and valid during it; a copy of it
/// does not depend on the run.
struct RequestView {
  /// Date at which a request is chosen, in seconds since the start of the run: simulated ones or,
  /// in a real run under MPI, real ones.
  double now_s = 0;
  /// Number of block columns of C that no worker has taken, including those returned by workers
  /// that stopped.
  std::int64_t columns_left = 0;
  /// Pending requests of workers for transfers that a free port of the master can serve, by
  /// ascending worker index; not empty when a choice is asked for. Workers in a transfer, and those
  /// without work left, have none.
  std::vector<OpenRequest> requests;
};

/// Function that chooses the worker's request for a transfer to serve next, called each time that a
/// port is free and has requests: returns its index in `requests` of the view, from 0, or nullopt
/// to wait until an update or a transfer ends. The view is valid only during the call. Choosing a
/// request whose `date_s` is in the future keeps the port reserved until then. An index out of
/// range throws std::out_of_range in the run; nullopt while nothing is under way ends the run with
/// SimulationError. Its exceptions end the run.
using ChooseRequest = std::function<std::optional<std::size_t>(const RequestView&)>;

/// Makes a plan in which `choose`, which the plan owns, selects each transfer among the requests of
/// the workers, each time a port is free; it must not be empty (std::bad_function_call in the run).
/// C is cut into panels (block columns of one worker) and these into square chunks (smaller at the
/// edges), whose side chunk_side() gives for the worker and `layout` (the division of its memory
/// between C, A and B): the largest that fits, or the fastest if its speed depends on the size. A
/// worker takes block columns when its request for a chunk is served, so one that is never served
/// computes nothing; the unfinished columns of a worker that stops are assigned before new ones. A
/// run throws SimulationError if columns are left but no worker with memory for a chunk, and passes
/// on what `choose` throws. The problem must outlive the plan; the platform and `layout` need not.
Plan plan_requests(const Platform& platform, const Problem& problem, const MemoryLayout& layout,
                   ChooseRequest choose);

}  // namespace starport
