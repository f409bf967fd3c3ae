#include "sim/app/check_schedule.hpp"

#include "sim/app/simgrid_engines.hpp"
#include "sim/files/error.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/validator/validator.hpp"

#include <fmt/format.h>

namespace starport {
namespace {

/// Simulates the schedule on SimGrid, for ports without a recurrence of dates, and checks its
/// trace.
Metrics check_on_simgrid(const Schedule& schedule, const Platform& platform,
                         const std::string& path) {
  const TransferList list(schedule.transfers);
  const Trace trace =
      simgrid_engines()
          .star_engine({})
          ->run(
              platform, schedule.problem, [&] { return make_list_plan(list); }, Noise{})
          .trace;
  if (const auto violation = find_violation(platform, schedule.problem, trace)) {
    throw invalid_schedule_error(schedule, *violation, path);
  }
  return compute_metrics(platform, trace);
}

}  // namespace

Metrics check_schedule(const Schedule& schedule, const Platform& platform,
                       const std::string& path) {
  const Metrics metrics = check_rules(schedule, platform, path);
  if (platform.port.kind == Port::Kind::multi) return check_on_simgrid(schedule, platform, path);
  return metrics;
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

}  // namespace starport
