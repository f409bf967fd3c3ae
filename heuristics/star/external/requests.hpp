// Demand-driven runs whose choices are made by an external function: which worker is served next.
#pragma once

#include "sim/star/dispatcher.hpp"
#include "sim/star/layout.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace starport {

/// The transfer that a worker requests: the blocks of C of its next chunk (chunk), blocks of A and
/// B for the chunk that it holds (step), or the return of the finished chunk to the master
/// (result).
enum class RequestKind : std::uint8_t { chunk, step, result };
/// Names of the request kinds in messages, indexed by RequestKind.
inline constexpr std::array<std::string_view, 3> kRequestKindNames{"chunk", "step", "result"};

/// The one pending request of a worker.
struct OpenRequest {
  int worker = 0;  ///< index in the platform, from 0
  RequestKind kind = RequestKind::chunk;
  double date_s = kUnknown;         ///< the earliest start of the transfer
  double works_until_s = kUnknown;  ///< end of the last update it has data for; 0: none
  std::int64_t blocks = 0;          ///< blocks that the transfer carries
  std::int64_t updates = 0;         ///< block updates that the transfer enables
};

/// The state on which a choice is based, at a date when a port of the master is free.
struct RequestView {
  double now_s = 0;
  std::int64_t columns_left = 0;      ///< block columns of C that no worker has taken
  std::vector<OpenRequest> requests;  ///< at most one per worker, by worker index
};

/// Returns the index in `requests` of the request to serve, or nullopt to wait until the state
/// changes. Choosing a request whose `date_s` is in the future keeps the port reserved until then.
using ChooseRequest = std::function<std::optional<std::size_t>(const RequestView&)>;

/// Makes a plan in which `choose` selects each transfer among the requests of the workers. C is cut
/// into chunks and panels as by the published heuristics, sized by `layout`. A worker takes block
/// columns when its request for a chunk is served, so one that is never served computes nothing;
/// the unfinished columns of a worker that stops are assigned before new ones. The platform and the
/// problem must outlive the plan.
Plan plan_requests(const Platform& platform, const Problem& problem, const MemoryLayout& layout,
                   ChooseRequest choose);

}  // namespace starport
