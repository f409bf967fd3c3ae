#include "sim/cli/check_schedule.hpp"

#include "sim/engine/validator.hpp"
#include "sim/model/error.hpp"

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

}  // namespace starport
