// Whether a trace keeps the rules of the model. It replays the trace alone and knows no engine.
#pragma once

#include "sim/tiles/durations.hpp"
#include "sim/tiles/trace.hpp"
#include "sim/tiles/work.hpp"

#include <string>

namespace starport::tiles {

struct Expectations {
  Noise noise{};
  bool relay = false;  ///< nothing moves from GPU to GPU
  bool limited_memory = false;
  double tolerance = 1e-9;  ///< of dates, relative
};

/// The first rule that the trace breaks, with its date; empty when it keeps them all:
/// a worker runs one task at a time, and none once it has stopped; a direction carries one
/// transfer; both take their time; a task runs with the valid copies of its tiles beside it; a
/// target's tasks run in the order of k, each once; a transfer takes a valid copy that nobody
/// writes; memory suffices; at the end every tile of C is at the hub with all its updates.
std::string find_broken_rule(const Platform& platform, const Work& work, const Trace& trace,
                             const Expectations& expectations);

}  // namespace starport::tiles
