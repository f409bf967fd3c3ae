#include "sim/engine/validator.hpp"

#include "sim/engine/block_rules.hpp"
#include "sim/engine/broken_rule.hpp"
#include "sim/engine/date_rules.hpp"
#include "sim/engine/memory_use.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport {
namespace {

void check_memory(const Platform& platform, const TracedTransfer& event, std::int64_t held_blocks) {
  const int worker = event.transfer.worker;
  const std::int64_t m = platform.workers[static_cast<std::size_t>(worker)].m_blocks;
  if (held_blocks > m) {
    broken(fmt::format("worker {} would hold {} blocks at {} s, its memory is {}", worker + 1,
                       held_blocks, event.dates.start_s, m));
  }
}

}  // namespace

std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const Trace& trace, Timing timing) {
  BlockRules blocks(platform, problem);
  DateRules dates(platform, problem, timing);
  MemoryUse memory(platform.workers.size());
  for (std::size_t i = 0; i < trace.size(); ++i) {
    try {
      blocks.check_form(trace[i].transfer);
      dates.check(trace[i]);
      const Transfer& transfer = trace[i].transfer;
      const auto effect = blocks.check(transfer, dates.known_complete(transfer.worker));
      check_memory(platform, trace[i], memory.count(trace[i], effect));
    } catch (const BrokenRule& fault) {
      const auto repeated = blocks.repeated_c();
      return repeated && repeated->transfer < i ? repeated : Violation{i, fault.message};
    }
  }
  if (const auto repeated = blocks.repeated_c()) return repeated;
  return blocks.missing();
}

std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const std::vector<Transfer>& transfers) {
  // The recurrence would index a worker that does not exist: the checker says so first.
  const auto unknown = std::find_if(transfers.begin(), transfers.end(), [&](const Transfer& x) {
    return x.worker < 0 || x.worker >= static_cast<int>(platform.workers.size());
  });
  Trace trace = replay(platform, problem, {transfers.begin(), unknown});
  if (unknown != transfers.end()) trace.push_back({*unknown, {}});
  return find_violation(platform, problem, trace);
}

}  // namespace starport
