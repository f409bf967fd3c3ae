#include "sim/app/check_schedule.hpp"

#include "sim/app/simgrid_engines.hpp"
#include "sim/files/error.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/validator/validator.hpp"

#include <fmt/format.h>

namespace starport {
namespace {

/// Where there is no recurrence.
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
    throw broken_schedule(schedule, *violation, path);
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
    throw InputError("/makespan_s",
                     fmt::format("{}, what the schedule takes on its platform", metrics.makespan_s),
                     fmt::format("{}", *schedule.makespan_s))
        .in_file(path);
  }
}

}  // namespace starport
