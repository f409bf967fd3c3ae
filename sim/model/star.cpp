#include "sim/model/star.hpp"

#include "sim/model/ties.hpp"

namespace starport {

double Star::next_update_end_s() const {
  double next = kUnknown;
  for (const WorkerDates& worker : workers_) {
    next = std::min(next, worker.updates.first_after(now_s_));
  }
  return next;
}

Dates Star::advance_under_noise(const Message& message) {
  const double stop_s = noise_->stop_s(message.worker);
  const double start = std::min(start_s(message), stop_s);
  const double end =
      noise_->transfer_end_s(message.worker, transfers(message.worker) + 1, start, message.blocks);
  if (clearly_less(stop_s, end)) return record_lost(message, start, stop_s);
  return record(message, start, end);
}

void Star::date_update_under_noise(const Message& message, Dates& dates) {
  WorkerDates& worker = workers_[at(message.worker)];
  ++worker.transfers;
  if (!message.allows_update) return;
  const double stop_s = noise_->stop_s(message.worker);
  const std::int64_t n = worker.updates.last() + 1;
  dates.update_start_s = std::min(std::max(dates.end_s, worker.updates[n - 1]), stop_s);
  dates.update_end_s =
      noise_->update_end_s(message.worker, n, dates.update_start_s, update_cost(message, problem_));
  if (clearly_less(stop_s, dates.update_end_s)) {
    dates.fate = Fate::update_lost;
    dates.update_end_s = stop_s;
  }
  worker.updates.push(dates.fate == Fate::complete ? dates.update_end_s : kUnknown);
}

Dates Star::record_lost(const Message& message, double start_s, double stop_s) {
  WorkerDates& worker = workers_[at(message.worker)];
  now_s_ = stop_s;
  worker.last_transfer_end_s = stop_s;
  worker.last_transfer_lost = true;
  ++worker.transfers;
  note_change(message.worker);
  if (message.allows_update) worker.updates.push(kUnknown);
  return {.start_s = start_s,
          .end_s = stop_s,
          .update_start_s = stop_s,
          .update_end_s = stop_s,
          .fate = Fate::lost};
}

}  // namespace starport
