#include "sim/cli/check_schedule.hpp"

#include "sim/engine/validator.hpp"
#include "sim/model/error.hpp"
#include "sim/model/ties.hpp"

#include <fmt/format.h>

namespace starport {

Metrics check_schedule(const Schedule& schedule, const Platform& platform,
                       const std::string& path) {
  if (const auto violation = find_violation(platform, schedule.problem, schedule.transfers)) {
    throw InputError(violation->transfer == schedule.transfers.size()
                         ? std::string("/transfers")
                         : fmt::format("/transfers/{}", violation->transfer),
                     "a schedule that obeys the model", violation->message)
        .in_file(path);
  }
  return metrics_of(platform, replay(platform, schedule.problem, schedule.transfers));
}

void check_makespan(const Schedule& schedule, const Metrics& metrics, const std::string& path) {
  if (schedule.makespan_s && !nearly_equal(*schedule.makespan_s, metrics.makespan_s)) {
    throw InputError("/makespan_s",
                     fmt::format("{}, what the schedule takes on its platform", metrics.makespan_s),
                     fmt::format("{}", *schedule.makespan_s))
        .in_file(path);
  }
}

}  // namespace starport
