#include "sim/app/check_schedule.hpp"

#include <fmt/format.h>

namespace starport {

InputError invalid_schedule_error(const Schedule& schedule, const Violation& violation,
                                  const std::string& path) {
  return InputError(violation.transfer == schedule.transfers.size()
                        ? std::string("/transfers")
                        : fmt::format("/transfers/{}", violation.transfer),
                    "a schedule that obeys the model", violation.message)
      .in_file(path);
}

Metrics check_rules(const Schedule& schedule, const Platform& platform, const std::string& path) {
  MetricsAccumulator meter(platform.workers.size());
  if (const auto violation =
          find_violation(platform, schedule.problem, schedule.transfers, &meter)) {
    throw invalid_schedule_error(schedule, *violation, path);
  }
  return meter.metrics();
}

}  // namespace starport
