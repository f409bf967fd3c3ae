#include "sim/files/error.hpp"
#include "sim/platform/ties.hpp"
#include "sim/spmd/validator.hpp"

#include <fmt/format.h>

#include <array>

namespace starport::spmd {
namespace {

constexpr double kBulkPrecision = 1e-9;  // of the makespan

class BulkValidator {
 public:
  BulkValidator(const TwoProcessors& problem, const BulkPlan& plan, const BulkRun& run,
                const Durations& durations)
      : problem_(problem),
        plan_(plan),
        run_(run),
        durations_(durations),
        slack_s_(kBulkPrecision * run.makespan_s) {}

  void check_messages() const {
    std::array<double, 2> free_s{};  // of the link, each way
    for (std::size_t k = 0; k < run_.messages.size(); ++k) {
      const BulkMessage& message = run_.messages[k];
      double& mine_s = free_s[plan_.both_directions ? static_cast<std::size_t>(message.from) : 0];
      const double least_s = message_s(problem_, plan_, k, message.start_s, durations_);
      if (clearly_earlier(message.end_s, message.start_s + least_s * (1 - kBulkPrecision))) {
        throw SimulationError(fmt::format("message {} is faster than the link", k + 1));
      }
      if (clearly_earlier(message.start_s, mine_s)) {
        throw SimulationError(fmt::format("message {} meets another on the link", k + 1));
      }
      mine_s = message.end_s;
    }
  }

  void check_processor(std::int64_t processor, const BulkWork& work, const BulkDates& dates) const {
    const double local_s = update_s(problem_, processor, 1, work.local_flops, 0, durations_);
    const double rest_s =
        update_s(problem_, processor, 2, work.rest_flops, dates.rest_start_s, durations_);
    const bool waits = work.rest_flops > 0;
    if (waits && dates.rest_start_s < run_.communication_s - slack_s_) {
      throw SimulationError(fmt::format("P{} computes before its data are there", processor + 1));
    }
    if (dates.local_end_s < local_s - slack_s_ ||
        (waits && dates.rest_start_s < dates.local_end_s - slack_s_) ||
        dates.end_s < (waits ? dates.rest_start_s + rest_s : dates.local_end_s) - slack_s_) {
      throw SimulationError(
          fmt::format("P{} ends before it can have computed its part", processor + 1));
    }
  }

  void check_stops(std::int64_t processor, double end_s) const {
    const double stop_s = durations_.noise()->stop_s(static_cast<int>(problem_.worker(processor)));
    if (stop_s >= end_s - slack_s_) return;
    throw SimulationError(fmt::format("worker {} stopped at {:.6g} s before its part was done",
                                      problem_.worker(processor) + 1, stop_s));
  }

 private:
  const TwoProcessors& problem_;
  const BulkPlan& plan_;
  const BulkRun& run_;
  const Durations& durations_;
  double slack_s_;
};

}  // namespace

void validate(const TwoProcessors& problem, const BulkPlan& plan, const BulkRun& run,
              const Durations& durations) {
  const BulkValidator validator(problem, plan, run, durations);
  validator.check_messages();
  validator.check_processor(0, plan.fast, run.fast);
  validator.check_processor(1, plan.slow, run.slow);
  if (!durations.has_noise()) return;
  validator.check_stops(0, run.fast.end_s);
  validator.check_stops(1, run.slow.end_s);
}

}  // namespace starport::spmd
