#include "sim/model/star.hpp"

#include <algorithm>

namespace starport {

Dates Star::record(const Transfer& transfer, double start_s, double end_s) {
  WorkerDates& worker = workers_[at(transfer.worker)];
  auto& pending = worker.pending_end_s;
  now_s_ = end_s;
  worker.last_transfer_end_s = end_s;
  note_change(transfer.worker);
  // The ends of updates do not decrease: those that are over come first.
  const auto first = std::find_if(pending.begin(), pending.end(),
                                  [end_s](double update_end_s) { return update_end_s > end_s; });
  pending.erase(pending.begin(), first);
  Dates dates{.start_s = start_s, .end_s = end_s, .update_start_s = end_s, .update_end_s = end_s};
  if (!transfer.update.empty()) {
    if (!pending.empty()) dates.update_start_s = pending.back();
    dates.update_end_s = dates.update_start_s + update_cost(transfer, problem_) *
                                                    platform_->workers[at(transfer.worker)].w_s;
    pending.push_back(dates.update_end_s);
    ++worker.updates;
  }
  return dates;
}

double Star::next_update_end_s() const {
  double next = kUnknown;
  for (const WorkerDates& worker : workers_) {
    const auto after = std::find_if(worker.pending_end_s.begin(), worker.pending_end_s.end(),
                                    [this](double end_s) { return end_s > now_s_; });
    if (after != worker.pending_end_s.end()) next = std::min(next, *after);
  }
  return next;
}

}  // namespace starport
