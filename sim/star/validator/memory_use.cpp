#include "sim/star/validator/memory_use.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/dates.hpp"
#include "sim/star/validator/block_rules.hpp"
#include "sim/star/validator/broken_rule.hpp"

#include <algorithm>
#include <limits>

namespace starport {

std::int64_t MemoryUse::count(const TracedTransfer& event, const MemoryEffect& effect) {
  const auto& [transfer, dates] = event;
  WorkerMemory& memory = workers_[transfer.worker];
  const bool goes_home = transfer.direction == Direction::to_master;
  // What ends with the start of a transfer makes room for it.
  release_until(goes_home ? dates.end_s : dates.start_s, memory);
  memory.held_blocks += effect.taken_blocks - effect.returned_blocks;
  if (!transfer.update.empty()) {
    memory.releases.push_back({dates.update_end_s, effect.released_blocks, counted_});
  }
  ++counted_;
  return memory.held_blocks;
}

void MemoryUse::finish() {
  for (WorkerMemory& memory : workers_) {
    release_until(std::numeric_limits<double>::infinity(), memory);
  }
}

void MemoryUse::release_until(double date_s, WorkerMemory& memory) const {
  while (!memory.releases.empty() && !clearly_earlier(date_s, memory.releases.front().date_s)) {
    memory.held_blocks -= memory.releases.front().blocks;
    if (after_update_) after_update_(memory.releases.front().transfer, memory.held_blocks);
    memory.releases.pop_front();
  }
}

std::vector<HeldBlocks> held_blocks(const Platform& platform, const Problem& problem,
                                    const Trace& trace) {
  std::vector<HeldBlocks> held(trace.size());
  MemoryUse memory(platform.workers.size(), [&](std::size_t transfer, std::int64_t blocks) {
    held[transfer].update = blocks;
  });
  BlockRules blocks(platform, problem);
  PerWorker<std::int64_t> known_complete(platform.workers.size());
  try {
    for (std::size_t i = 0; i < trace.size(); ++i) {
      const Transfer& transfer = trace[i].transfer;
      blocks.check_form(transfer);
      std::int64_t& known = known_complete[transfer.worker];
      known = std::max(known, transfer.after_update);
      held[i].transfer = memory.count(trace[i], blocks.check(trace[i], known));
    }
  } catch (const BrokenRule& fault) {
    throw SimulationError("the trace breaks the model: " + fault.message);
  }
  memory.finish();
  return held;
}

}  // namespace starport
