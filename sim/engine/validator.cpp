#include "sim/engine/validator.hpp"

#include "sim/engine/block_rules.hpp"
#include "sim/engine/broken_rule.hpp"
#include "sim/engine/date_rules.hpp"

#include <algorithm>

namespace starport {

std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const Trace& trace) {
  BlockRules blocks(platform, problem);
  DateRules dates(platform, problem);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    try {
      blocks.check_form(trace[i].transfer);
      dates.check(trace[i]);
      blocks.check(trace[i], dates.known_complete(trace[i].transfer.worker));
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
