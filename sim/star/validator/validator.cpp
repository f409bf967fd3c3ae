#include "sim/star/validator/validator.hpp"

#include "sim/platform/noise.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/validator/block_rules.hpp"
#include "sim/star/validator/broken_rule.hpp"
#include "sim/star/validator/date_rules.hpp"
#include "sim/star/validator/memory_use.hpp"

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

std::optional<Violation> check(const Platform& platform, const Problem& problem, const Trace& trace,
                               const NoiseClock* clock, Timing timing) {
  BlockRules blocks(platform, problem);
  DateRules dates(platform, problem, clock, timing);
  MemoryUse memory(platform.workers.size());
  std::size_t stops = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    try {
      const auto& [transfer, when] = trace[i];
      blocks.check_form(transfer);
      dates.check(trace[i]);
      if (clock != nullptr) {
        const auto stopped = clock->stopped_by(when.start_s);
        for (; stops < stopped.size(); ++stops) blocks.lose(stopped[stops].worker);
        // Decided before its worker stopped, but it never began.
        if (!clearly_less(when.start_s, clock->stop_s(transfer.worker))) {
          blocks.skip();
          continue;
        }
      }
      const auto effect =
          blocks.check(transfer, dates.known_complete(transfer.worker), when.fate == Fate::lost);
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
  const auto clock =
      noise.none() ? std::nullopt : std::optional<NoiseClock>(std::in_place, noise, platform);
  return check(platform, problem, trace, clock ? &*clock : nullptr, Timing::model);
}

std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const Trace& trace, Timing timing) {
  return check(platform, problem, trace, nullptr, timing);
}

std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const std::vector<Transfer>& transfers) {
  // The recurrence would index a worker that does not exist: the checker says so first.
  const auto unknown = std::find_if(transfers.begin(), transfers.end(), [&](const Transfer& x) {
    return x.worker < 0 || x.worker >= static_cast<int>(platform.workers.size());
  });
  Platform dated = platform;
  if (platform.port.kind == Port::Kind::multi) dated.port = {};
  Trace trace = replay(dated, problem, {transfers.begin(), unknown});
  if (unknown != transfers.end()) trace.push_back({*unknown, {}});
  return find_violation(dated, problem, trace);
}

}  // namespace starport
