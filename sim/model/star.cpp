#include "sim/model/star.hpp"

#include <algorithm>

namespace starport {

Dates Star::record(const Transfer& transfer, double start_s, double end_s) {
  WorkerDates& worker = workers_[at(transfer.worker)];
  now_s_ = end_s;
  worker.last_transfer_end_s = end_s;
  note_change(transfer.worker);
  Dates dates{.start_s = start_s, .end_s = end_s, .update_start_s = end_s, .update_end_s = end_s};
  if (!transfer.update.empty()) {
    const double previous_end = worker.update_end_s.empty() ? 0 : worker.update_end_s.back();
    dates.update_start_s = std::max(end_s, previous_end);
    dates.update_end_s = dates.update_start_s + update_cost(transfer, problem_) *
                                                    platform_->workers[at(transfer.worker)].w_s;
    worker.update_end_s.push_back(dates.update_end_s);
  }
  return dates;
}

double Star::next_update_end_s() const {
  double next = kUnknown;
  for (const WorkerDates& worker : workers_) {
    const auto& ends = worker.update_end_s;
    const auto after = std::upper_bound(ends.begin(), ends.end(), now_s_);
    if (after != ends.end()) next = std::min(next, *after);
  }
  return next;
}

}  // namespace starport
