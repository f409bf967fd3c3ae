// Spreading independent pieces of work over processes, so that one that crashes is one piece lost.
#pragma once

#include "sim/files/cause.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace starport {

struct PoolWork {
  /// In a worker process: does piece k and returns what the parent shall get. Must not throw, but
  /// for std::bad_alloc: then the piece is lost.
  std::function<std::string(std::int64_t k)> run;
  /// In the parent, as pieces end, in any order.
  std::function<void(std::int64_t k, std::string_view outcome)> finished;
  /// In the parent: the process that did piece k died, and why. Another one goes on.
  std::function<void(std::int64_t k, const std::string& why, Cause cause)> lost;
  /// A piece that takes longer is lost; 0: no limit.
  double time_limit_s = 0;
  /// In the parent, several times a second. False stops the pool; pieces under way are given up.
  std::function<bool()> go_on;
};

/// Runs pieces 0 .. count-1, each once, in `processes` forked processes that take them in order.
/// False when go_on stopped it. Throws SimulationError when no process can be made.
bool run_in_processes(std::int64_t count, int processes, const PoolWork& work);

}  // namespace starport
