#include "sim/star/recurrence.hpp"

#include "sim/platform/ties.hpp"

namespace starport {

Dates NoisyRecurrence::advance(MasterView& master, const Message& message, double start_s) {
  const int worker = message.worker;
  const double stop_s = noise_->stop_s(worker);
  start_s = std::min(start_s, stop_s);
  transfers_.resize(master.platform().workers.size());
  const double end_s =
      noise_->transfer_end_s(worker, ++transfers_[worker], start_s, message.blocks);
  return clearly_less(stop_s, end_s) ? record_lost(master, message, start_s, stop_s)
                                     : record(master, message, start_s, end_s);
}

Dates NoisyRecurrence::record(MasterView& master, const Message& message, double start_s,
                              double end_s) const {
  const int worker = message.worker;
  master.end_transfer(worker, end_s);
  Dates dates = make_transfer_dates(start_s, end_s);
  if (!message.allows_update) return dates;
  const double stop_s = noise_->stop_s(worker);
  const std::int64_t n = master.updates_allowed(worker) + 1;
  dates.update_start_s = std::min(update_start_s(master, worker, n, end_s), stop_s);
  dates.update_end_s = noise_->update_end_s(
      worker, n, dates.update_start_s,
      update_cost(message, master.problem(), master.platform().workers[worker]));
  if (clearly_less(stop_s, dates.update_end_s)) {
    dates.fate = Fate::update_lost;
    dates.update_end_s = stop_s;
  }
  master.allow_update(worker, dates.fate == Fate::complete ? dates.update_end_s : kUnknown);
  return dates;
}

Dates record_lost(MasterView& master, const Message& message, double start_s, double stop_s) {
  master.lose_transfer(message.worker, stop_s);
  if (message.allows_update) master.allow_update(message.worker, kUnknown);
  Dates dates = make_transfer_dates(start_s, stop_s);
  dates.fate = Fate::lost;
  return dates;
}

}  // namespace starport
