#include "sim/star/master_view.hpp"

#include "sim/platform/ties.hpp"

namespace starport {

double MasterView::next_update_end_s() const {
  double next = kUnknown;
  for (const WorkerDates& worker : workers_) {
    next = std::min(next, worker.updates.first_after(now_s_));
  }
  return next;
}

double MasterView::next_transfer_end_s() const {
  double next = kUnknown;
  for (const auto& endings : ports_.endings) {
    if (!endings.empty()) next = std::min(next, endings.front().end_s);
  }
  return next;
}

/// In the order of the schedule: each direction has its port, on which a transfer that waits for
/// its worker holds up those after it, and the transfers of one worker follow each other.
Dates MasterView::advance_two_ports(const Message& message) {
  const std::size_t direction = at(message.direction);
  Ports::Worker& link = ports_.workers[at(message.worker)];
  const double start = std::max({start_s(message), ports_.free_s[direction], link.free_s});
  const double end =
      noise_ == nullptr
          ? start + platform_->workers[at(message.worker)].transfer_time_s(message.blocks)
          : noise_->transfer_end_s(message.worker, transfers(message.worker) + 1, start,
                                   message.blocks);
  const double now = now_s_;
  const Dates dates = record(message, start, end);
  now_s_ = now;
  workers_[at(message.worker)].last_transfer_end_s = kUnknown;
  ports_.free_s[direction] = link.free_s = end;
  ports_.endings[direction].push_back({end, message.worker});
  ++link.under_way;
  ++ports_.under_way;
  return dates;
}

/// Those that end now count as over, and the ports as free, to a rounding: so that both engines
/// decide on the same star.
void MasterView::end_transfers() {
  for (auto& endings : ports_.endings) {
    while (!endings.empty() && !clearly_less(now_s_, endings.front().end_s)) {
      end_of_transfer(endings.front().worker);
      endings.pop_front();
    }
  }
}

void MasterView::end_of_transfer(int worker) {
  Ports::Worker& link = ports_.workers[at(worker)];
  --ports_.under_way;
  if (--link.under_way > 0) return;
  workers_[at(worker)].last_transfer_end_s = link.free_s;
  note_change(worker);
}

void MasterView::decide(const Message& message) {
  Ports::Worker& link = ports_.workers[at(message.worker)];
  ++link.under_way;
  ++ports_.under_way;
  if (message.allows_update) ++link.updates_decided;
  workers_[at(message.worker)].last_transfer_end_s = kUnknown;
}

Dates MasterView::end(const Message& message, double start_s, double end_s) {
  const Dates dates = record(message, start_s, end_s);
  Ports::Worker& link = ports_.workers[at(message.worker)];
  link.free_s = end_s;
  if (message.allows_update) --link.updates_decided;
  workers_[at(message.worker)].last_transfer_end_s = kUnknown;
  end_of_transfer(message.worker);
  return dates;
}

bool MasterView::is_among_stops(int worker) const {
  const auto all = stops();
  return std::any_of(all.begin(), all.end(),
                     [worker](const Stop& stop) { return stop.worker == worker; });
}

Dates MasterView::advance_otherwise(const Message& message) {
  return one_port() ? advance_under_noise(message) : advance_two_ports(message);
}

Dates MasterView::advance_under_noise(const Message& message) {
  const double stop_s = noise_->stop_s(message.worker);
  const double start = std::min(start_s(message), stop_s);
  const double end =
      noise_->transfer_end_s(message.worker, transfers(message.worker) + 1, start, message.blocks);
  if (clearly_less(stop_s, end)) return record_lost(message, start, stop_s);
  return record(message, start, end);
}

Dates MasterView::record_under_noise(const Message& message, double start_s, double end_s) {
  WorkerDates& worker = end_transfer(message, end_s);
  ++transfers_[at(message.worker)].recorded;
  Dates dates{.start_s = start_s,
              .end_s = end_s,
              .update_start_s = end_s,
              .update_end_s = end_s,
              .fate = Fate::complete};
  if (!message.allows_update) return dates;
  const double stop_s = noise_->stop_s(message.worker);
  const std::int64_t n = worker.updates.last() + 1;
  dates.update_start_s = std::min(std::max(end_s, worker.updates[n - 1]), stop_s);
  dates.update_end_s =
      noise_->update_end_s(message.worker, n, dates.update_start_s, update_cost(message, problem_));
  if (clearly_less(stop_s, dates.update_end_s)) {
    dates.fate = Fate::update_lost;
    dates.update_end_s = stop_s;
  }
  worker.updates.push(dates.fate == Fate::complete ? dates.update_end_s : kUnknown);
  return dates;
}

Dates MasterView::record_lost(const Message& message, double start_s, double stop_s) {
  WorkerDates& worker = workers_[at(message.worker)];
  now_s_ = stop_s;
  worker.last_transfer_end_s = stop_s;
  transfers_[at(message.worker)].last_lost = true;
  ++transfers_[at(message.worker)].recorded;
  note_change(message.worker);
  if (message.allows_update) worker.updates.push(kUnknown);
  return {.start_s = start_s,
          .end_s = stop_s,
          .update_start_s = stop_s,
          .update_end_s = stop_s,
          .fate = Fate::lost};
}

}  // namespace starport
