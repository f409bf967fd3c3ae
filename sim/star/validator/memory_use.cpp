#include "sim/star/validator/memory_use.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/validator/block_rules.hpp"
#include "sim/star/validator/validator.hpp"

#include <algorithm>
#include <limits>

namespace starport {

std::int64_t MemoryUse::add(const TracedTransfer& event, const MemoryEffect& effect) {
  const auto& [transfer, dates] = event;
  WorkerMemory& memory = workers_[transfer.worker];
  const bool goes_home = transfer.direction == Direction::to_master;
  // Blocks released at the start of the transfer make room for it.
  release_until(goes_home ? dates.end_s : dates.start_s, memory);
  memory.held_blocks += effect.taken_blocks - effect.returned_blocks;
  if (!transfer.update.empty()) {
    memory.releases.push_back({dates.update_end_s, effect.released_blocks, added_});
  }
  ++added_;
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

HeldBlocksTracker::HeldBlocksTracker(const Platform& platform, const Problem& problem,
                                     Consumer consumer)
    : platform_(platform),
      consumer_(std::move(consumer)),
      blocks_(std::make_unique<BlockRules>(platform, problem)),
      memory_(platform.workers.size(),
              [this](std::size_t transfer, std::int64_t blocks) {
                Pending& waiting = pending_[transfer - flushed_];
                waiting.held.update = blocks;
                waiting.is_known = true;
              }),
      last_awaited_update_(platform.workers.size()) {}

HeldBlocksTracker::~HeldBlocksTracker() = default;

void HeldBlocksTracker::add(const TracedTransfer& event) {
  const Transfer& transfer = event.transfer;
  // Appended first: adding it to memory_ reports the ends of earlier updates.
  pending_.push_back({.event = event, .held = {}, .is_known = transfer.update.empty()});
  try {
    blocks_->check_form(transfer);
    std::int64_t& awaited = last_awaited_update_[transfer.worker];
    awaited = std::max(awaited, transfer.after_update);
    pending_.back().held.transfer = memory_.add(event, blocks_->check(event, awaited));
  } catch (const BrokenRule& fault) {
    throw SimulationError("the trace breaks the model: " + fault.message);
  }
  flush();
}

void HeldBlocksTracker::finish() {
  memory_.finish();
  flush();
}

void HeldBlocksTracker::flush() {
  while (!pending_.empty()) {
    // On one port transfers start one after the other: later ones start no earlier than the last
    // one.
    if (!pending_.front().is_known && platform_.port.kind == Port::Kind::one) {
      memory_.release_until(pending_.back().event.dates.start_s,
                            pending_.front().event.transfer.worker);
    }
    if (!pending_.front().is_known) return;
    consumer_(pending_.front().event, pending_.front().held);
    pending_.pop_front();
    ++flushed_;
  }
}

std::vector<HeldBlocks> compute_held_blocks(const Platform& platform, const Problem& problem,
                                            const Trace& trace) {
  std::vector<HeldBlocks> held;
  held.reserve(trace.size());
  HeldBlocksTracker memory(platform, problem, [&](const TracedTransfer&, const HeldBlocks& blocks) {
    held.push_back(blocks);
  });
  for (const TracedTransfer& event : trace) memory.add(event);
  memory.finish();
  return held;
}

}  // namespace starport
