#include "sim/star/validator/memory_use.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/ties.hpp"
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

HeldBlocksTracker::HeldBlocksTracker(const Platform& platform, const Problem& problem, Take take)
    : platform_(platform),
      take_(std::move(take)),
      blocks_(std::make_unique<BlockRules>(platform, problem)),
      memory_(platform.workers.size(),
              [this](std::size_t transfer, std::int64_t blocks) {
                Waiting& waiting = waiting_[transfer - handed_over_];
                waiting.held.update = blocks;
                waiting.known = true;
              }),
      known_complete_(platform.workers.size()) {}

HeldBlocksTracker::~HeldBlocksTracker() = default;

void HeldBlocksTracker::add(const TracedTransfer& event) {
  const Transfer& transfer = event.transfer;
  // Its own update ends later than what this transfer ends.
  waiting_.push_back({.event = event, .held = {}, .known = transfer.update.empty()});
  try {
    blocks_->check_form(transfer);
    std::int64_t& known = known_complete_[transfer.worker];
    known = std::max(known, transfer.after_update);
    waiting_.back().held.transfer = memory_.count(event, blocks_->check(event, known));
  } catch (const BrokenRule& fault) {
    throw SimulationError("the trace breaks the model: " + fault.message);
  }
  hand_over();
}

void HeldBlocksTracker::finish() {
  memory_.finish();
  hand_over();
}

void HeldBlocksTracker::hand_over() {
  while (!waiting_.empty()) {
    // On one port transfers start one after the other: none comes before the last of them.
    if (!waiting_.front().known && platform_.port.kind == Port::Kind::one) {
      memory_.pass(waiting_.back().event.dates.start_s, waiting_.front().event.transfer.worker);
    }
    if (!waiting_.front().known) return;
    take_(waiting_.front().event, waiting_.front().held);
    waiting_.pop_front();
    ++handed_over_;
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
