#include "sim/star/validator/validator.hpp"

#include "sim/platform/ties.hpp"
#include "sim/star/recurrence.hpp"
#include "sim/star/validator/block_rules.hpp"
#include "sim/star/validator/broken_rule.hpp"
#include "sim/star/validator/date_rules.hpp"
#include "sim/star/validator/memory_use.hpp"

#include <algorithm>

namespace starport {
namespace {

void check_memory(const Platform& platform, const TracedTransfer& event, std::int64_t held_blocks) {
  const int worker = event.transfer.worker;
  const std::int64_t m = platform.workers[worker].m_blocks;
  if (held_blocks > m) {
    broken("worker {} would hold {} blocks at {} s, its memory is {}", worker + 1, held_blocks,
           event.dates.start_s, m);
  }
}

std::optional<Violation> check(const Platform& platform, const Problem& problem, const Trace& trace,
                               const DrawnNoise* noise, Timing timing) {
  BlockRules blocks(platform, problem);
  DateRules dates(platform, problem, noise, timing);
  MemoryUse memory(platform.workers.size());
  std::size_t stops = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    try {
      const auto& [transfer, when] = trace[i];
      blocks.check_form(transfer);
      dates.check(trace[i]);
      if (noise != nullptr) {
        const auto stopped = noise->stopped_by(when.start_s);
        for (; stops < stopped.size(); ++stops) blocks.lose(stopped[stops].worker);
        // Decided before its worker stopped, but it never began.
        if (!clearly_less(when.start_s, noise->stop_s(transfer.worker))) {
          blocks.skip();
          continue;
        }
      }
      const auto effect = blocks.check(trace[i], dates.known_complete(transfer.worker));
      check_memory(platform, trace[i], memory.count(trace[i], effect));
    } catch (const BrokenRule& fault) {
      const auto repeated = blocks.repeated_c();
      return repeated && repeated->transfer < i ? repeated : Violation{i, fault.message};
    }
  }
  if (const auto repeated = blocks.repeated_c()) return repeated;
  if (const auto missing = blocks.missing()) return missing;
  return dates.finish();
}

}  // namespace

std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const Trace& trace, const Noise& noise) {
  const auto known = drawn(noise, platform);
  return check(platform, problem, trace, known ? &*known : nullptr, Timing::model);
}

std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const Trace& trace, Timing timing) {
  return check(platform, problem, trace, nullptr, timing);
}

std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const std::vector<Transfer>& transfers) {
  // The recurrence would index a worker that does not exist: the checker says so first.
  const auto unknown = std::find_if(transfers.begin(), transfers.end(), [&](const Transfer& x) {
    return x.worker < 0 || x.worker >= std::ssize(platform.workers);
  });
  Platform dated = platform;
  if (!has_recurrence(platform.port)) dated.port = {};
  Trace trace = replay(dated, problem, {transfers.begin(), unknown});
  if (unknown != transfers.end()) trace.push_back({*unknown, {}});
  return find_violation(dated, problem, trace);
}

}  // namespace starport
