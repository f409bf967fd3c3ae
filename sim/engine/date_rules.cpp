#include "sim/engine/date_rules.hpp"

#include "sim/engine/broken_rule.hpp"
#include "sim/model/ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starport {
namespace {

/// To a relative 1e-9, and what the rounding of the dates themselves takes away.
void check_duration(const char* what, double start_s, double end_s, double expected_s) {
  const double tolerance = kRelativeTolerance * expected_s + 1e-13 * end_s;
  if (std::abs(end_s - start_s - expected_s) > tolerance) {
    broken(fmt::format("the {} lasts {} s, {} in the model", what, end_s - start_s, expected_s));
  }
}

}  // namespace

void DateRules::check(const TracedTransfer& event) {
  const auto& [transfer, dates] = event;
  WorkerDates& state = workers_[static_cast<std::size_t>(transfer.worker)];
  const Worker& worker = platform_.workers[static_cast<std::size_t>(transfer.worker)];
  if (transfer.after_update < 0 ||
      transfer.after_update > static_cast<std::int64_t>(state.update_end_s.size())) {
    broken(fmt::format("the transfer waits for update {} of worker {}, of which {} exist",
                       transfer.after_update, transfer.worker + 1, state.update_end_s.size()));
  }
  for (const double date : {dates.start_s, dates.end_s, dates.update_start_s, dates.update_end_s}) {
    if (!std::isfinite(date) || date < 0) broken("a date that is negative or not finite");
  }
  if (clearly_less(dates.start_s, port_free_s_)) {
    broken(fmt::format("the transfer starts at {} s, the port is busy until {} s", dates.start_s,
                       port_free_s_));
  }
  double due = port_free_s_;
  if (transfer.after_update > 0) {
    const double end = state.update_end_s[static_cast<std::size_t>(transfer.after_update - 1)];
    if (clearly_less(dates.start_s, end)) {
      broken(fmt::format("the transfer starts at {} s, before the end of update {} at {} s",
                         dates.start_s, transfer.after_update, end));
    }
    due = std::max(due, end);
  }
  if (timing_ == Timing::model && clearly_less(due, dates.start_s) &&
      !an_update_ends(dates.start_s)) {
    broken(fmt::format("the transfer starts at {} s, but it was due at {} s", dates.start_s, due));
  }
  if (timing_ == Timing::model) {
    check_duration("transfer", dates.start_s, dates.end_s,
                   worker.transfer_time_s(transfer.blocks()));
  } else if (dates.end_s < dates.start_s) {
    broken("the transfer ends before it starts");
  }
  port_free_s_ = dates.end_s;
  state.known_complete = std::max(state.known_complete, transfer.after_update);
  check_update(event, worker, state);
}

bool DateRules::an_update_ends(double date_s) const {
  return std::any_of(workers_.begin(), workers_.end(), [&](const WorkerDates& state) {
    const auto& ends = state.update_end_s;  // in growing order
    const auto near = std::lower_bound(ends.begin(), ends.end(), date_s * (1 - kRelativeTolerance));
    return near != ends.end() && nearly_equal(*near, date_s);
  });
}

void DateRules::check_update(const TracedTransfer& event, const Worker& worker,
                             WorkerDates& state) {
  const Dates& dates = event.dates;
  if (event.transfer.update.empty()) {
    if (dates.update_start_s != dates.end_s || dates.update_end_s != dates.end_s) {
      broken("dates for an update that does not exist");
    }
    return;
  }
  const double previous_end = state.update_end_s.empty() ? 0 : state.update_end_s.back();
  const double due = std::max(dates.end_s, previous_end);
  if (clearly_less(dates.update_start_s, dates.end_s)) {
    broken("the update starts before its transfer has arrived");
  }
  if (clearly_less(dates.update_start_s, previous_end)) {
    broken("the update starts before the previous one has ended");
  }
  state.update_end_s.push_back(dates.update_end_s);
  if (timing_ == Timing::observed) {
    if (dates.update_end_s < dates.update_start_s) broken("the update ends before it starts");
    return;
  }
  if (clearly_less(due, dates.update_start_s)) {
    broken(fmt::format("the update starts at {} s, but it was due at {} s", dates.update_start_s,
                       due));
  }
  check_duration("update", dates.update_start_s, dates.update_end_s,
                 update_cost(message_of(event.transfer), problem_) * worker.w_s);
}

}  // namespace starport
