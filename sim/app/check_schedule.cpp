#include "sim/app/check_schedule.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/validator/validator.hpp"

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

Metrics check_schedule(const Schedule& schedule, const Platform& platform,
                       const std::string& path) {
  const Metrics metrics = check_rules(schedule, platform, path);
  if (has_recurrence(platform.port)) return metrics;
  const Trace trace = replay(platform, schedule.problem, schedule.transfers);
  if (const auto violation = find_violation(platform, schedule.problem, trace)) {
    throw invalid_schedule_error(schedule, *violation, path);
  }
  return compute_metrics(platform, trace);
}

void check_makespan(const Schedule& schedule, const Metrics& metrics, const std::string& path) {
  if (schedule.makespan_s && !nearly_equal(*schedule.makespan_s, metrics.makespan_s)) {
    throw InputError(
        "/makespan_s",
        fmt::format("{}, the makespan of the schedule on its platform", metrics.makespan_s),
        fmt::format("{}", *schedule.makespan_s))
        .in_file(path);
  }
}

void correct_makespan(Schedule& schedule) {
  const double listed_s = check_schedule(schedule, schedule.platform, "").makespan_s;
  if (!schedule.makespan_s || !nearly_equal(listed_s, *schedule.makespan_s)) {
    schedule.makespan_s = listed_s;
  }
}

}  // namespace starport
