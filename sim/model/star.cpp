#include "sim/model/star.hpp"

namespace starport {

double Star::next_update_end_s() const {
  double next = kUnknown;
  for (const WorkerDates& worker : workers_) {
    next = std::min(next, worker.updates.first_after(now_s_));
  }
  return next;
}

double Star::next_transfer_end_s() const {
  double next = kUnknown;
  for (const auto& endings : ports_.endings) {
    if (!endings.empty()) next = std::min(next, endings.front().end_s);
  }
  return next;
}

/// In the order of the schedule: each direction has its port, on which a transfer that waits for
/// its worker holds up those after it, and the transfers of one worker follow each other.
Dates Star::advance_two_ports(const Message& message) {
  const std::size_t direction = at(message.direction);
  Ports::Worker& link = ports_.workers[at(message.worker)];
  const double start = std::max({start_s(message), ports_.free_s[direction], link.free_s});
  const double end = start + platform_->workers[at(message.worker)].transfer_time_s(message.blocks);
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
void Star::end_transfers() {
  for (auto& endings : ports_.endings) {
    while (!endings.empty() && !clearly_less(now_s_, endings.front().end_s)) {
      end_of_transfer(endings.front().worker);
      endings.pop_front();
    }
  }
}

void Star::end_of_transfer(int worker) {
  Ports::Worker& link = ports_.workers[at(worker)];
  --ports_.under_way;
  if (--link.under_way > 0) return;
  workers_[at(worker)].last_transfer_end_s = link.free_s;
  note_change(worker);
}

void Star::decide(const Message& message) {
  Ports::Worker& link = ports_.workers[at(message.worker)];
  ++link.under_way;
  ++ports_.under_way;
  if (message.allows_update) ++link.updates_decided;
  workers_[at(message.worker)].last_transfer_end_s = kUnknown;
}

Dates Star::end(const Message& message, double start_s, double end_s) {
  const Dates dates = record(message, start_s, end_s);
  Ports::Worker& link = ports_.workers[at(message.worker)];
  link.free_s = end_s;
  if (message.allows_update) --link.updates_decided;
  workers_[at(message.worker)].last_transfer_end_s = kUnknown;
  end_of_transfer(message.worker);
  return dates;
}

}  // namespace starport
