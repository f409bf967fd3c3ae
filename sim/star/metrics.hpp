// Metrics of a run (PPoPP'08, section 6.3), computed from its messages and their dates, and a run
// that computes only its metrics: on one port, without noise or trace.
#pragma once

#include "sim/star/port_clock.hpp"
#include "sim/star/trace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace starport {

/// Metrics of one worker in a run: the blocks of matrices moved over its link, the block updates
/// C_ij += A_ik B_kj that it did, and its busy times in simulated seconds (real ones for a run
/// under MPI). Part of Metrics.
struct WorkerMetrics {
  /// Number of blocks of A, B and C sent to the worker or returned by it; those of lost transfers
  /// (noise) do not count.
  std::int64_t blocks_moved = 0;
  /// Number of block updates C_ij += A_ik B_kj that the worker completed: lost ones (noise) are not
  /// counted, repeated ones each time.
  std::int64_t block_updates = 0;
  /// Total duration of the worker's transfers, in both directions, in simulated seconds (real ones
  /// for a run under MPI), lost ones (noise) included.
  double link_busy_s = 0;
  /// Total duration of the worker's updates (computations) in simulated seconds (real ones for a
  /// run under MPI), lost ones (noise) included.
  double compute_busy_s = 0;
};

/// Metrics of a whole run of a schedule on a star platform, in simulated seconds (real ones for a
/// run under MPI), blocks and ratios. A value returned by MetricsAccumulator::metrics() and
/// compute_metrics().
struct Metrics {
  /// Makespan of the run: the date in simulated seconds (real ones for a run under MPI) at which
  /// the last transfer of C to the master ends or is lost; 0 if there is none.
  double makespan_s = 0;
  /// Number of enrolled workers: those that were sent or returned at least one block, lost
  /// transfers not counted.
  std::int64_t enrolled_workers = 0;
  /// Number of blocks of A, B and C moved between the master and all workers, in both directions,
  /// without those of lost transfers.
  std::int64_t blocks_moved = 0;
  /// Number of block updates C_ij += A_ik B_kj completed by all workers; repeated ones count each
  /// time.
  std::int64_t block_updates = 0;
  /// Total duration of all transfers, lost ones included, divided by the makespan: the mean number
  /// of simultaneous transfers. For a one-port master, the share of the makespan in which transfers
  /// take place: at most 1 unless one ends after the last return of C. NaN or infinite if the
  /// makespan is 0.
  double port_utilisation = 0;
  /// Total duration of the transfers to workers, lost ones included, divided by the makespan: the
  /// mean number of simultaneous ones, at most 1 unless the master is multi-port or one of them
  /// ends after the last return of C. NaN or infinite if the makespan is 0.
  double send_utilisation = 0;
  /// Total duration of the transfers to the master, lost ones included, divided by the makespan:
  /// the mean number of simultaneous ones, at most 1 unless the master is multi-port. NaN if the
  /// makespan is 0.
  double receive_utilisation = 0;
  /// Communication-to-computation ratio: number of blocks moved, in both directions, per block
  /// update, over all workers. NaN or infinite if there is no block update.
  double ccr = 0;
  /// Number of blocks of C returned to the master as partial sums, which it adds up, without those
  /// of lost transfers; 0 unless several workers share the updates of one block.
  std::int64_t partial_sums = 0;
  /// Metrics of each worker of the platform, also of those without transfers, by index from 0.
  std::vector<WorkerMetrics> workers;
};

/// Accumulator of the Metrics of a run on a star platform (makespan, blocks moved, utilisation of
/// the port, busy times of the workers) from its messages (dated transfers): pass each to add()
/// once, in any order; metrics() returns the metrics of those added so far, at first zeros and NaN.
/// Refers to no other object; copies are independent.
class MetricsAccumulator {
 public:
  /// Creates an accumulator without messages for a platform of `workers` workers.
  explicit MetricsAccumulator(std::size_t workers) { metrics_.workers.resize(workers); }
  /// Adds to the metrics a message whose transfer was carried out or lost, with its dates in
  /// simulated seconds. Requires 0 <= message.worker < `workers` of the constructor (not checked:
  /// undefined behaviour).
  void add(const Message& message, const Dates& dates) {
    WorkerMetrics& worker = metrics_.workers[static_cast<std::size_t>(message.worker)];
    const double link_s = dates.end_s - dates.start_s;
    if (dates.fate != Fate::lost) worker.blocks_moved += message.blocks;
    if (dates.fate == Fate::complete) worker.block_updates += message.block_updates;
    if (dates.fate == Fate::complete && message.direction == Direction::to_master) {
      (message.partial_sums ? metrics_.partial_sums : returned_blocks_) += message.blocks;
    }
    worker.link_busy_s += link_s;
    worker.compute_busy_s += dates.update_end_s - dates.update_start_s;
    if (message.direction == Direction::to_worker) {
      sends_s_ += link_s;
    } else {
      receptions_s_ += link_s;
      metrics_.makespan_s = std::max(metrics_.makespan_s, dates.end_s);
    }
  }
  /// Sums over all transfers and updates of a complete run, which a dispatcher computed itself
  /// instead of passing messages to add(); argument of set_totals(). Durations are in simulated
  /// seconds.
  struct Totals {
    /// Total duration of the transfers to workers in simulated seconds, lost ones (noise) included.
    double sends_s = 0;
    /// Total duration of the transfers to the master in simulated seconds, lost ones (noise)
    /// included.
    double receptions_s = 0;
    /// Makespan of the run: the date in simulated seconds at which the last transfer to the master
    /// ends or is lost; 0 if there is none.
    double makespan_s = 0;
    /// Number of blocks of C with all their updates that reached the master in the run; partial
    /// sums do not count.
    std::int64_t returned_blocks = 0;
    /// Metrics of each worker, by index from 0; one for each worker of the platform.
    std::vector<WorkerMetrics> workers = {};
  };
  /// Replaces everything accumulated so far, except the number of partial sums, by the sums over a
  /// complete run. `totals.workers` must have one entry for each worker of the platform (not
  /// checked: undefined behaviour in a later add()). Messages may be added afterwards.
  void set_totals(Totals totals) {
    sends_s_ = totals.sends_s;
    receptions_s_ = totals.receptions_s;
    returned_blocks_ = totals.returned_blocks;
    metrics_.makespan_s = totals.makespan_s;
    metrics_.workers = std::move(totals.workers);
  }
  /// Returns the number of blocks of C in complete transfers to the master so far; lost ones and
  /// partial sums do not count. A block that is returned twice counts twice.
  std::int64_t returned_blocks() const { return returned_blocks_; }
  /// Returns the metrics of the messages added so far, set_totals() included; more may be added
  /// afterwards. Utilisations (durations divided by the makespan) are NaN or infinite if nothing
  /// was returned to the master, and so is the communication-to-computation ratio if nothing was
  /// computed. O(p) for p workers.
  Metrics metrics() const {
    Metrics metrics = metrics_;
    for (const WorkerMetrics& worker : metrics.workers) {
      metrics.enrolled_workers += worker.blocks_moved > 0;
      metrics.blocks_moved += worker.blocks_moved;
      metrics.block_updates += worker.block_updates;
    }
    metrics.send_utilisation = sends_s_ / metrics.makespan_s;
    metrics.receive_utilisation = receptions_s_ / metrics.makespan_s;
    metrics.port_utilisation = (sends_s_ + receptions_s_) / metrics.makespan_s;
    metrics.ccr =
        static_cast<double>(metrics.blocks_moved) / static_cast<double>(metrics.block_updates);
    return metrics;
  }

 private:
  Metrics metrics_;
  double sends_s_ = 0;
  double receptions_s_ = 0;
  std::int64_t returned_blocks_ = 0;
};

/// Returns the metrics of a run from its trace, i.e. all its transfers with their dates, in any
/// order; for an empty trace numbers and durations are 0 and ratios NaN. Requires that every
/// transfer names a worker of `platform`, that of the run (not checked: undefined behaviour).
inline Metrics compute_metrics(const Platform& platform, const Trace& trace) {
  MetricsAccumulator meter(platform.workers.size());
  for (const auto& [transfer, dates] : trace) meter.add(to_message(transfer), dates);
  return meter.metrics();
}

/// Function object that receives the messages (transfers) of a run with their dates, adds them to a
/// MetricsAccumulator, and checks limits such as the time limit every 65536 messages. Made by an
/// engine for one run; refers to the accumulator, which must outlive it.
class MetricsSink {
 public:
  /// Makes an object that adds to `metrics`, which must outlive it. `check_limits` is called every
  /// 65536 messages; it must not be null (std::bad_function_call at the first call) and may throw
  /// to stop the run.
  MetricsSink(MetricsAccumulator& metrics, std::function<void()> check_limits)
      : metrics_(metrics), check_limits_(std::move(check_limits)) {}

  /// Adds a message, i.e. a transfer that was carried out or lost, with its dates in simulated
  /// seconds to the accumulated metrics; every 65536 messages calls `check_limits` of the
  /// constructor and lets its exceptions pass.
  void operator()(const Message& message, const Dates& dates) {
    metrics_.add(message, dates);
    if (--left_ > 0) return;
    left_ = kMessagesBetweenChecks;
    check_limits_();
  }

  /// Calls `check_limits` of the constructor at once and lets its exceptions pass. For dispatchers
  /// that compute the metrics of their run themselves, without passing messages to this sink.
  void check_limits() const { check_limits_(); }
  /// Returns the accumulator given to the constructor, so that dispatchers that compute the metrics
  /// of their run themselves can store their totals (MetricsAccumulator::set_totals()).
  MetricsAccumulator& metrics() { return metrics_; }

 private:
  static constexpr std::int64_t kMessagesBetweenChecks = 1 << 16;

  MetricsAccumulator& metrics_;
  std::function<void()> check_limits_;
  std::int64_t left_ = kMessagesBetweenChecks;
};

/// Description of a run without noise on a platform with a one-port master, of which only the
/// metrics are wanted. An engine makes one and passes it to Dispatcher::measure(), which calls
/// execute(), or computes the metrics itself and stores them in sink(). Refers to platform, problem
/// and sink, which must outlive it.
class MetricsRun {
 public:
  /// Describes a run of which `sink` is to receive the metrics; keeps references to all arguments,
  /// which must outlive it. The master of `platform` must have one port (not checked: any other is
  /// simulated as if it had).
  MetricsRun(const Platform& platform, const Problem& problem, MetricsSink& sink)
      : platform_(platform), problem_(problem), sink_(sink) {}

  /// Returns the platform of the run that this object describes, the one given to the constructor.
  const Platform& platform() const { return platform_; }
  /// Returns the matrix product of the run that this object describes, the one given to the
  /// constructor.
  const Problem& problem() const { return problem_; }
  /// Returns the sink given to the constructor, which receives the results of the run. A dispatcher
  /// does one of two things with it: it passes each message with its dates to the sink, as
  /// execute() does, or it stores the totals of the run, computed by itself, by
  /// metrics().set_totals(). Not owned.
  MetricsSink& sink() { return sink_; }

  /// Runs `dispatcher`, the object that decides the transfers of a schedule, from date 0 to its
  /// end, computes the dates of its messages by the recurrence of the model, and passes both to the
  /// sink. The dispatcher must not have been used before. Throws SimulationError on an invalid
  /// decision (check_decision()) or if the dispatcher waits although nothing can change or until a
  /// date that is not in the future, and what the dispatcher or the sink's check of limits throws;
  /// the messages so far have been added then. Does not check that the schedule is complete.
  template <class AnyDispatcher>
  void execute(AnyDispatcher& dispatcher) {
    MasterView master(platform_, problem_);
    OnePortClock clock(master);
    run_dispatcher(dispatcher, clock, master,
                   [&](const Message& message) { sink_(message, clock.advance(message)); });
  }

 private:
  const Platform& platform_;
  const Problem& problem_;
  MetricsSink& sink_;
};

}  // namespace starport
