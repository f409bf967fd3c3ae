// Ports, and small platforms to try them on.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/trace.hpp"
#include "tests/star/star_support.hpp"

#include <algorithm>
#include <cstdint>

namespace starport::test {

inline constexpr Port kTwo{.kind = Port::Kind::two, .max_transfers = 0, .c_s = 0};
constexpr Port many(std::int64_t max_transfers = 0, double c_s = 0) {
  return {.kind = Port::Kind::multi, .max_transfers = max_transfers, .c_s = c_s};
}

inline Platform with_port(Platform platform, const Port& port) {
  platform.port = port;
  return platform;
}

inline double end_of(const Trace& trace) {
  double end_s = 0;
  for (const TracedTransfer& event : trace) end_s = std::max(end_s, event.dates.end_s);
  return end_s;
}

// Two workers with c = 1, one block of C at a time (m = 5), w = 2 and 3; r = t = 1, s = 4: each
// does two blocks. ORROML emits C1 C2 AB1 AB2 R1 R2, twice.
inline const Platform& two_workers() {
  static const Platform platform = star({{1, 2, 5, 0}, {1, 3, 5, 0}});
  return platform;
}
inline constexpr Problem kFourBlocks{.r = 1, .s = 4, .t = 1, .block_size = 1};

// Links of 1 and 1/2 block a second; m = 5.
inline const Platform& uneven_links() {
  static const Platform platform = star({{1, 1, 5, 0}, {2, 3, 5, 0}});
  return platform;
}

}  // namespace starport::test
