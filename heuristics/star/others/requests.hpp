// Decisions on requests by somebody else: who is served next.
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

/// What a worker asks for: the blocks of C of its next chunk, blocks of A and B for the chunk that
/// it holds, or that the chunk be taken home.
enum class RequestKind : std::uint8_t { chunk, step, result };
inline constexpr std::array<std::string_view, 3> kRequestKinds{"chunk", "step", "result"};

/// A worker that could take part in a transfer. It has no other request.
struct OpenRequest {
  int worker = 0;  ///< from 0
  RequestKind kind = RequestKind::chunk;
  double date_s = kUnknown;         ///< the earliest at which the transfer can start
  double works_until_s = kUnknown;  ///< the end of the last update that it may do; 0: it is idle
  std::int64_t blocks = 0;          ///< that the transfer carries
  std::int64_t updates = 0;         ///< block updates that it allows
};

/// What there is to decide on: the port, or one of two, is free now.
struct RequestView {
  double now_s = 0;
  std::int64_t columns_left = 0;      ///< block columns of C that no worker has taken
  std::vector<OpenRequest> requests;  ///< by worker
};

/// The place of the request that is served, nullopt: none until something has changed. A transfer
/// whose date is not come holds its port until then.
using ChooseRequest = std::function<std::optional<std::size_t>(const RequestView&)>;

/// Chunks and panels are those of the published heuristics, in the memory of the layout. A worker
/// takes block columns when its request for a chunk is served: one that is never served computes
/// nothing. What a worker that stops leaves of its panel is taken before fresh columns.
Plan plan_requests(const Platform& platform, const Problem& problem, const MemoryLayout& layout,
                   ChooseRequest choose);

}  // namespace starport
