#include "sim/cli/star/check_schedule.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/engine/simgrid/simgrid_engine.hpp"
#include "sim/star/validator/validator.hpp"

#include <fmt/format.h>

namespace starport {
namespace {

/// By the recurrence, or where there is none, on SimGrid.
Trace trace_of(const Schedule& schedule, const Platform& platform) {
  if (platform.port.kind != Port::Kind::multi) {
    return replay(platform, schedule.problem, schedule.transfers);
  }
  const TransferList list(schedule.transfers);
  return SimgridEngine().run(platform, schedule.problem, [&] { return list_plan(list); }).trace;
}

}  // namespace

Metrics check_schedule(const Schedule& schedule, const Platform& platform,
                       const std::string& path) {
  check_rules(schedule, platform, path);
  const Trace trace = trace_of(schedule, platform);
  if (platform.port.kind == Port::Kind::multi) {
    if (const auto violation = find_violation(platform, schedule.problem, trace)) {
      throw broken_schedule(schedule, *violation, path);
    }
  }
  return metrics_of(platform, trace);
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
