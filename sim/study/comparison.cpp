#include "sim/study/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace starport {

const char* to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::error:
      return "error";
    case Status::not_applicable:
      return "not applicable";
  }
  return "";
}

void relate(Comparison& comparison) {
  relate_repetitions(comparison);
  double least_makespan = std::numeric_limits<double>::infinity();
  double least_work = std::numeric_limits<double>::infinity();
  const auto work = [](const Result& result) {
    return result.metrics.makespan_s * static_cast<double>(result.metrics.enrolled_workers);
  };
  for (const Result& result : comparison.results) {
    if (result.status != Status::ok) continue;
    least_makespan = std::min(least_makespan, result.metrics.makespan_s);
    least_work = std::min(least_work, work(result));
  }
  const auto updates = static_cast<double>(comparison.problem.updates());
  for (Result& result : comparison.results) {
    if (result.status != Status::ok) continue;
    result.relative_cost = result.metrics.makespan_s / least_makespan;
    result.relative_work = work(result) / least_work;
    result.bound_ratio =
        comparison.bound.throughput_updates_per_s * result.metrics.makespan_s / updates;
    if (comparison.bounds.any_schedule_s) {
      result.times_bound = result.metrics.makespan_s / *comparison.bounds.any_schedule_s;
    }
  }
}

}  // namespace starport
