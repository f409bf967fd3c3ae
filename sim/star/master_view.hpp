// The star while a schedule runs: what the master knows of its port and its workers, and the exact
// recurrence of their dates (README, "What is modelled").
#pragma once

#include "sim/platform/noise.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/message.hpp"
#include "sim/star/update_ends.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace starport {

/// What became of a transfer and of the update it allows, when its worker stops.
enum class Fate : std::uint8_t {
  complete,
  update_lost,  ///< the transfer ended before, its update did not
  lost          ///< neither did
};

/// The dates of one transfer and of the update it allows, in seconds. A transfer that allows no
/// update has update_start_s = update_end_s = end_s. What a stop of the worker cuts off ends there;
/// what it prevents starts and ends there.
struct Dates {
  double start_s = 0;
  double end_s = 0;
  double update_start_s = 0;
  double update_end_s = 0;
  Fate fate = Fate::complete;
};

/// The requests of the workers, as an engine posts them and dispatchers read them: the end of each
/// one's last transfer, and of its updates as the worker expects them. The platform must outlive
/// it, and so must the noise, if any.
class MasterView {
 public:
  MasterView(const Platform& platform, const Problem& problem, const NoiseClock* noise = nullptr)
      : platform_(&platform),
        noise_(noise),
        plain_(noise == nullptr && platform.port.kind == Port::Kind::one),
        problem_(problem),
        workers_(platform.workers.size()),
        changed_(std::bit_ceil(std::max<std::size_t>(workers_.size(), 1))) {
    if (platform.port.kind != Port::Kind::one) ports_.workers.resize(workers_.size());
    if (noise != nullptr) transfers_.resize(workers_.size());
  }

  const Platform& platform() const { return *platform_; }
  const Problem& problem() const { return problem_; }

  bool one_port() const { return ports_.workers.empty(); }

  /// The date of the next decision: from which the port, or one of several, is free.
  double now_s() const { return now_s_; }

  /// Whether a transfer that way would find its port free. One that does not waits for it, and
  /// those decided after it behind it: a ready-made list need not ask.
  bool free(Direction direction) const {
    return plain_ || platform_->port.kind != Port::Kind::two ||
           !clearly_less(now_s_, ports_.free_s[at(direction)]);
  }
  /// Whether transfers decided before are not over: on one port they always are.
  bool under_way() const { return ports_.under_way > 0; }

  /// How many updates the transfers to a worker have allowed so far.
  std::int64_t updates_allowed(int worker) const {
    const std::int64_t started = workers_[at(worker)].updates.last();
    return plain_ || one_port() ? started : started + ports_.workers[at(worker)].updates_decided;
  }

  /// f_n, the end of the worker's n-th update, maybe in the future: kUnknown when the update has
  /// not been allowed or an engine cannot tell yet. 0 for n <= 0, and once the worker has taken
  /// part in a transfer since: such a date delays nothing any more.
  double update_end_s(int worker, std::int64_t n) const { return workers_[at(worker)].updates[n]; }

  /// The end of the worker's last transfer; 0 at first, kUnknown while one decided is not over:
  /// the worker posts its next request then.
  double last_transfer_end_s(int worker) const { return workers_[at(worker)].last_transfer_end_s; }

  /// The earliest date at which the worker could take part in a transfer that waits for its
  /// `after_update`-th update: the date of its request.
  double request_date_s(int worker, std::int64_t after_update) const {
    return std::max(last_transfer_end_s(worker), update_end_s(worker, after_update));
  }

  /// The workers that have stopped by now, in the order of the dates.
  std::span<const Stop> stops() const {
    return noise_ == nullptr ? std::span<const Stop>{} : noise_->stopped_by(now_s_);
  }
  bool has_stopped(int worker) const { return !plain_ && is_among_stops(worker); }
  /// Whether a stop has cut off the worker's last transfer, or prevented it once it was decided.
  bool last_transfer_lost(int worker) const { return transfers_[at(worker)].last_lost; }

  /// When the message would start, were the port given to it now: kUnknown when its worker stops
  /// before the update that it names ends.
  double start_s(const Message& message) const {
    return std::max(now_s_, update_end_s(message.worker, message.after_update));
  }

  /// The earliest end of an update after now; kUnknown when there is none.
  double next_update_end_s() const;
  /// The same of the transfers under way, as far as they are dated.
  double next_transfer_end_s() const;
  /// When the next of two ports has nothing left to do.
  double next_free_s() const { return std::min(ports_.free_s[0], ports_.free_s[1]); }
  /// When the last transfer ends of those that have been dated.
  double last_end_s() const {
    return one_port() ? now_s_ : std::max(ports_.free_s[0], ports_.free_s[1]);
  }

  /// Who follows the dates need not look at those of all workers again: each change of one worker's
  /// dates has a number, from 0, and the workers of the last p changes at least are remembered.
  std::int64_t changes() const { return changes_; }
  bool remembers_changes_since(std::int64_t n) const {
    return changes_ - n <= static_cast<std::int64_t>(changed_.size());
  }
  int changed_worker(std::int64_t n) const { return changed_[slot(n)]; }

  /// Records a message from the dates at which it went through the port. The end of the update
  /// it allows follows: it starts when its data is there and the previous one has ended.
  Dates record(const Message& message, double start_s, double end_s) {
    return noise_ == nullptr ? record_nominal(message, start_s, end_s)
                             : record_under_noise(message, start_s, end_s);
  }

  /// Records the next message with the dates that the model gives it: the recurrence. On two ports
  /// those dates may lie ahead; what dispatchers see of them is what `observe_time` has reached.
  Dates advance(const Message& message) {
    if (!plain_) [[unlikely]]
      return advance_otherwise(message);
    const double start = start_s(message);
    return record_nominal(
        message, start,
        start + platform_->workers[at(message.worker)].transfer_time_s(message.blocks));
  }

  /// The same of one that a stop of its worker cuts off at a date; start_s may be that date.
  Dates record_lost(const Message& message, double start_s, double stop_s);

  /// For engines, which know what is to come: the next stop of a worker after now; kUnknown when
  /// there is none.
  double next_stop_s() const { return noise_ == nullptr ? kUnknown : noise_->next_stop_s(now_s_); }
  /// The same: how many messages of the worker have been recorded, under noise.
  std::int64_t transfers(int worker) const { return transfers_[at(worker)].recorded; }

  /// An engine that observes its workers corrects a predicted date, and tells the time.
  void observe_update_end(int worker, std::int64_t n, double date_s) {
    workers_[at(worker)].updates.correct(n, date_s);
    note_change(worker);
  }
  void observe_time(double now_s) {
    now_s_ = now_s;
    if (!one_port()) end_transfers();
  }
  /// On many ports, whose transfers end when SimGrid says so: decided, and over.
  void decide(const Message& message);
  Dates end(const Message& message, double start_s, double end_s);

 private:
  struct WorkerDates {
    double last_transfer_end_s = 0;
    UpdateEnds updates;  ///< those over at last_transfer_end_s are forgotten
  };

  /// Under noise.
  struct WorkerTransfers {
    std::int64_t recorded = 0;
    bool last_lost = false;
  };

  /// Of a master that may be in several transfers at once.
  struct Ports {
    struct Worker {
      double free_s = 0;                 ///< the end of its last transfer decided
      std::int32_t under_way = 0;        ///< transfers decided and not over
      std::int64_t updates_decided = 0;  ///< those whose transfers are not over on many ports
    };
    struct Ending {
      double end_s;
      int worker;
    };
    std::vector<Worker> workers;                ///< empty on one port
    std::array<double, 2> free_s{};             ///< two ports: by direction
    std::array<std::deque<Ending>, 2> endings;  ///< two ports: of the transfers under way
    std::int64_t under_way = 0;
  };

  bool is_among_stops(int worker) const;
  Dates advance_two_ports(const Message& message);
  void end_transfers();
  void end_of_transfer(int worker);

  static std::size_t at(int worker) { return static_cast<std::size_t>(worker); }
  static std::size_t at(Direction direction) { return static_cast<std::size_t>(direction); }
  std::size_t slot(std::int64_t n) const {
    return static_cast<std::size_t>(n) & (changed_.size() - 1);
  }
  Dates advance_under_noise(const Message& message);
  Dates record_nominal(const Message& message, double start_s, double end_s) {
    WorkerDates& worker = end_transfer(message, end_s);
    Dates dates{.start_s = start_s,
                .end_s = end_s,
                .update_start_s = end_s,
                .update_end_s = end_s,
                .fate = Fate::complete};
    if (message.allows_update) {
      dates.update_start_s = std::max(end_s, worker.updates[worker.updates.last()]);
      dates.update_end_s = dates.update_start_s + update_cost(message, problem_) *
                                                      platform_->workers[at(message.worker)].w_s;
      worker.updates.push(dates.update_end_s);
    }
    return dates;
  }
  Dates advance_otherwise(const Message& message);
  Dates record_under_noise(const Message& message, double start_s, double end_s);
  WorkerDates& end_transfer(const Message& message, double end_s) {
    WorkerDates& worker = workers_[at(message.worker)];
    now_s_ = end_s;
    worker.last_transfer_end_s = end_s;
    note_change(message.worker);
    worker.updates.forget_until(end_s);
    return worker;
  }
  void note_change(int worker) { changed_[slot(changes_++)] = worker; }

  const Platform* platform_;
  const NoiseClock* noise_;  ///< nullptr: none
  bool plain_;               ///< one port, no noise
  Problem problem_;
  double now_s_ = 0;
  std::vector<WorkerDates> workers_;
  std::vector<WorkerTransfers> transfers_;  ///< empty without noise
  std::vector<int> changed_;                ///< a ring, its size a power of 2
  std::int64_t changes_ = 0;
  Ports ports_;
};

}  // namespace starport
