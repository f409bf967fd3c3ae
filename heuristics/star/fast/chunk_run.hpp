// Runs of chunk dispatchers on one port without noise, for their metrics only. ChunkRun has the
// same dates as OnePortClock (sim/star/port_clock.hpp) but needs no message per transfer, since all
// full steps of a chunk last equally long.
#pragma once

#include "heuristics/star/chunks.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/recurrence.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace starport {

/// Results that a ChunkRun (fast simulated run) computes: only the date of its end (`end`), or also
/// the metrics of all workers (`metrics`), which takes longer. A template argument.
enum class RunResults : std::uint8_t { end, metrics };

/// A simulated run on a master with one port, without noise, in which a Choice (an object of the
/// caller with a function choose()) names the worker whose next message is sent. Much faster than a
/// general engine. Use: construct, call execute() once, then now_s() or, if `results` is
/// RunResults::metrics, totals(). Refers to the platform and the problem, which must outlive it.
/// The master is simulated with one port, whatever its kind of port in the platform. Dates are
/// simulated seconds from the start of the run.
template <RunResults results>
class ChunkRun {
 public:
  /// Starts a simulated run at date 0 with idle workers. Keeps pointers to both arguments, which
  /// must outlive it.
  ChunkRun(const Platform& platform, const Problem& problem)
      : platform_(&platform),
        problem_(&problem),
        states_(platform.workers.size()),
        metrics_(results == RunResults::end ? 0 : platform.workers.size()) {}

  /// Returns the earliest date in seconds, not before now_s(), at which `worker` can take part in
  /// its next transfer (chunk of C, blocks of A and B, or return of C); now_s() if it holds no
  /// chunk. The worker's index must belong to the run's platform; otherwise the behaviour is
  /// undefined.
  double request_date_s(const ChunkWorker& worker) const {
    const State& state = states_[worker.worker()];
    if (worker.full_steps_left() > 0 && worker.has_overlap())
      return std::max(now_s_, state.previous_end_s);
    if (!worker.has_chunk() || !worker.has_received_c()) return now_s_;  // SendC
    const bool waits_for_last = worker.is_ready_to_return() || !worker.has_overlap();
    return std::max(now_s_, waits_for_last ? state.last_end_s : state.previous_end_s);
  }
  /// Returns the date, in seconds, at which the last update sent to `worker` ends; 0 if none has
  /// been sent. `worker` is an index from 0; undefined behaviour if the platform has no such
  /// worker.
  double last_update_end_s(int worker) const { return states_[worker].last_end_s; }
  /// Returns the date at which the last transfer of the run so far ends, in seconds; 0 before the
  /// first. After a run that ends with a return of C this is the makespan.
  double now_s() const { return now_s_; }

  /// Simulates the run to its end: sends the next message of the ChunkWorker that
  /// choice.choose(*this) returns, again and again, until it returns null; does not end if it never
  /// does. Each worker returned must hold a chunk and belong to the run's platform (not checked).
  /// Calls check_limits() every 65536 transfers; an exception of either function aborts the run and
  /// is passed on. Call it once.
  template <class Choice, class CheckLimits>
  void execute(Choice& choice, CheckLimits&& check_limits) {
    constexpr std::int64_t transfers_between_checks = 1 << 16;
    std::int64_t left = transfers_between_checks;
    while (ChunkWorker* worker = choice.choose(*this)) {
      serve(*worker);
      if (--left > 0) continue;
      check_limits();
      left = transfers_between_checks;
    }
  }

  /// Returns the sums over the run: total duration of transfers in each direction and makespan in
  /// seconds, blocks of C returned, and the metrics of each worker of the platform. The run must
  /// have been executed to its end; before, the sums are partial.
  MetricsAccumulator::Totals totals() const requires(results == RunResults::metrics) {
    return {.sends_s = sends_s_,
            .receptions_s = receptions_s_,
            .makespan_s = makespan_s_,
            .returned_blocks = returned_blocks_,
            .workers = metrics_};
  }

 private:
  /// Dates of one worker, and the durations of the full steps of its chunk, in seconds.
  struct alignas(64) State {
    /// Date at which the worker's last update ends, in seconds.
    double last_end_s = 0;
    /// Date at which the update before the last ends, in seconds.
    double previous_end_s = 0;
    /// Duration of a full step on the port, in seconds.
    double step_s = 0;
    /// Duration of the update of a full step on the worker, in seconds.
    double update_s = 0;
  };

  [[gnu::always_inline]] void serve(ChunkWorker& worker) {
    const int index = worker.worker();
    State& state = states_[index];
    const double start_s =
        worker.try_send_full_step() ? send_step(state, worker) : send_message(state, worker);
    if constexpr (results == RunResults::metrics) metrics(index).link_busy_s += now_s_ - start_s;
  }

  /// Simulates the transfer of a step (blocks of A and B for one update) that `worker` has already
  /// counted as sent, and its update, with the durations in `state`; advances now_s() and the dates
  /// in `state`. Returns the date at which the transfer starts, in seconds.
  [[gnu::always_inline]] double send_step(State& state, const ChunkWorker& worker) {
    const double start_s =
        std::max(now_s_, worker.has_overlap() ? state.previous_end_s : state.last_end_s);
    now_s_ = start_s + state.step_s;
    sends_s_ += now_s_ - start_s;
    const double update_start_s = std::max(now_s_, state.last_end_s);
    state.previous_end_s = state.last_end_s;
    state.last_end_s = update_start_s + state.update_s;
    if constexpr (results == RunResults::metrics) {
      metrics(worker.worker()).compute_busy_s += state.last_end_s - update_start_s;
    }
    return start_s;
  }

  /// Sends the next message of `worker`, for which try_send_full_step() has returned false: the
  /// chunk of C to the worker, its return, or a last step with fewer values of the inner index k
  /// than a full one. Returns the date at which the transfer starts, in seconds. With the chunk of
  /// C it also counts the blocks and updates of all full steps of the chunk, which are not counted
  /// when they are sent.
  [[gnu::noinline]] double send_message(State& state, ChunkWorker& worker) {
    Message message;
    worker.send_next(message);
    count(message, 1);
    if (message.allows_update) {  // the last step of a chunk, which covers fewer values of k
      set_step_durations(state, message);
      return send_step(state, worker);
    }
    const bool is_return = message.direction == Direction::to_master;
    const double start_s = is_return ? std::max(now_s_, state.last_end_s) : now_s_;
    now_s_ = start_s + platform_->workers[message.worker].transfer_time_s(message.blocks);
    if (is_return) {
      receptions_s_ += now_s_ - start_s;
      makespan_s_ = std::max(makespan_s_, now_s_);
      returned_blocks_ += message.blocks;
    } else {
      sends_s_ += now_s_ - start_s;
      const Message step = worker.full_step_message();
      set_step_durations(state, step);
      count(step, worker.full_steps_left());
    }
    return start_s;
  }

  void set_step_durations(State& state, const Message& step) const {
    const Worker& worker = platform_->workers[step.worker];
    state.step_s = worker.transfer_time_s(step.blocks);
    state.update_s = update_cost(step, *problem_, worker) * worker.w_s;
  }
  void count(const Message& message, std::int64_t times) {
    if constexpr (results == RunResults::metrics) {
      metrics(message.worker).blocks_moved += times * message.blocks;
      metrics(message.worker).block_updates += times * message.block_updates;
    }
  }
  WorkerMetrics& metrics(int worker) { return metrics_[static_cast<std::size_t>(worker)]; }

  const Platform* platform_;
  const Problem* problem_;
  PerWorker<State> states_;
  std::vector<WorkerMetrics> metrics_;
  double now_s_ = 0;
  double sends_s_ = 0;
  double receptions_s_ = 0;
  double makespan_s_ = 0;
  std::int64_t returned_blocks_ = 0;
};

/// Dispatcher (which decides the next message of a run) that sends the next message of the worker
/// that a `Choice` names. Works in any engine; measures runs on one port without noise faster, by a
/// ChunkRun. Owns the choice, which owns the workers. A Choice has two functions, which must name
/// the same workers: ChosenWorker choose(const MasterView& master), which may also return Wait,
/// and, for each RunResults `results`, ChunkWorker* choose(const ChunkRun<results>& run). Workers
/// named must hold a chunk; null ends the run. An exception of either function ends the run and is
/// passed on. To be used for one run.
template <class Choice>
class ChoiceDispatcher final : public ChunkDispatcher {
 public:
  /// Constructs the `Choice`, which names the worker of each message, from `arguments`; what the
  /// choice refers to, such as the problem, must outlive the dispatcher.
  template <class... Arguments>
  explicit ChoiceDispatcher(Arguments&&... arguments)
      : choice_(std::forward<Arguments>(arguments)...) {}

  Decision next(const MasterView& master) override {
    const ChosenWorker chosen = choice_.choose(master);
    if (const auto* wait = std::get_if<Wait>(&chosen)) return *wait;
    ChunkWorker* worker = std::get<ChunkWorker*>(chosen);
    if (worker == nullptr) return Done{};
    return serve(*worker);
  }
  /// Executes the complete run as a ChunkRun (fast simulation on one port without noise) and stores
  /// its metrics in the sink of `run`, replacing what it holds. The dispatcher must not have been
  /// used before. Passes on what the choice or the sink's check of limits throws; nothing is stored
  /// then.
  void measure(MetricsRun& run) override {
    ChunkRun<RunResults::metrics> chunk_run(run.platform(), run.problem());
    chunk_run.execute(choice_, [&] { run.sink().check_limits(); });
    run.sink().metrics().set_totals(chunk_run.totals());
  }

 private:
  Choice choice_;
};

}  // namespace starport
