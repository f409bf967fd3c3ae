// A run by chunks, on one port and without noise: what plans and sweeps are made of. It has the
// dates of OnePortClock (sim/star/port_clock.hpp) without a message for each transfer: the steps of
// a chunk last equally long.
#pragma once

#include "heuristics/star/chunks.hpp"
#include "sim/star/date_recurrence.hpp"
#include "sim/star/plain_run.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>

namespace starport {

/// What is wanted of a run: its end, or all that is reported.
enum class Kept : std::uint8_t { end, metrics };

/// What a choice sees of it is what it sees of a MasterView.
template <Kept kept>
class ChunkRun {
 public:
  /// Before the date of the earliest request nothing happens that would change it: a choice need
  /// not wait for it.
  static constexpr bool kNoNeedToWait = true;

  ChunkRun(const Platform& platform, const Problem& problem)
      : platform_(&platform), problem_(&problem), lines_(platform.workers.size()) {}

  double now_s() const { return now_s_; }
  static bool free(Direction) { return true; }
  static bool under_way() { return false; }
  static std::span<const Stop> stops() { return {}; }
  static bool last_transfer_lost(int) { return false; }
  double last_transfer_end_s(int worker) const { return lines_[worker].last_transfer_end_s; }
  double request_date_s(int worker, std::int64_t after_update) const {
    const Line& line = lines_[worker];
    const double delay_s = after_update == line.updates       ? line.ready_s
                           : after_update == line.updates - 1 ? line.before_s
                                                              : 0;
    return std::max(line.last_transfer_end_s, delay_s);
  }

  /// Only the last change is remembered: that of the last transfer.
  struct LastChange {
    std::int64_t transfers = 0;
    int last = 0;

    std::int64_t count() const { return transfers; }
    bool remembers_since(std::int64_t n) const { return transfers - n <= 1; }
    int worker(std::int64_t) const { return last; }
  };
  const LastChange& changes() const { return changes_; }

  /// Serves whom choice.choose() says, to the end. `look` is called now and then; it may throw.
  template <class Choice, class Look>
  void by(Choice& choice, Look&& look) {
    constexpr std::int64_t between_looks = 1 << 16;
    for (std::int64_t next_look = between_looks;;) {
      const Chosen chosen = choice.choose(*this);
      if (const auto* worker = std::get_if<ChunkWorker*>(&chosen)) {
        carry_out(**worker);
        if (changes_.transfers < next_look) continue;
        look();
        next_look += between_looks;
      } else if (const auto* wait = std::get_if<Wait>(&chosen)) {
        now_s_ = wait->until_s;
      } else {
        return;
      }
    }
  }

  /// When the last transfer ends.
  double last_end_s() const { return now_s_; }

  /// To one that has added up nothing yet.
  void give_to(MetricsMeter& meter) const requires(kept == Kept::metrics) {
    MetricsMeter::Totals totals{.sends_s = sends_s_,
                                .receptions_s = receptions_s_,
                                .makespan_s = makespan_s_,
                                .blocks_home = blocks_home_};
    for (const Line& line : lines_) totals.workers.push_back(line.metrics);
    meter.take(std::move(totals));
  }

 private:
  /// All that concerns a worker.
  struct alignas(64) Line {
    double ready_s = 0;   ///< the end of its last update
    double before_s = 0;  ///< and of the one before
    double last_transfer_end_s = 0;
    std::int64_t updates = 0;  ///< that its steps have allowed
    double step_s = 0;         ///< how long a full step of its chunk takes the port
    double update_s = 0;       ///< and the worker
    std::int64_t step_blocks = 0;
    std::int64_t step_updates = 0;
    WorkerMetrics metrics;
  };

  [[gnu::always_inline]] void carry_out(ChunkWorker& worker) {
    Line& line = lines_[worker.worker()];
    const double start_s = worker.send_full_step() ? send_step(line, worker.overlaps())
                                                   : carry_out_message(line, worker);
    if constexpr (kept == Kept::metrics) line.metrics.link_busy_s += now_s_ - start_s;
    line.last_transfer_end_s = now_s_;
    ++changes_.transfers;
    changes_.last = worker.worker();
  }

  /// When it starts.
  [[gnu::always_inline]] double send_step(Line& line, bool overlaps) {
    const double start_s = std::max(now_s_, overlaps ? line.before_s : line.ready_s);
    now_s_ = start_s + line.step_s;
    const double update_start_s = std::max(now_s_, line.ready_s);
    line.before_s = line.ready_s;
    line.ready_s = update_start_s + line.update_s;
    ++line.updates;
    if constexpr (kept == Kept::metrics) {
      sends_s_ += now_s_ - start_s;
      line.metrics.compute_busy_s += line.ready_s - update_start_s;
      line.metrics.blocks_moved += line.step_blocks;
      line.metrics.block_updates += line.step_updates;
    }
    return start_s;
  }

  /// One that is no full step: once in a while.
  [[gnu::noinline]] double carry_out_message(Line& line, ChunkWorker& worker) {
    Message message;
    worker.next(message);
    if (message.allows_update) {  // the last step of a chunk, not as deep as the others
      measure(line, message);
      const double start_s = send_step(line, worker.overlaps());
      measure(line, worker.full_step());
      return start_s;
    }
    const double transfer_s = figures(worker).transfer_time_s(message.blocks);
    const bool home = message.direction == Direction::to_master;
    const double start_s = home ? std::max(now_s_, line.ready_s) : now_s_;
    now_s_ = start_s + transfer_s;
    line.metrics.blocks_moved += message.blocks;
    if (home) {
      receptions_s_ += now_s_ - start_s;
      makespan_s_ = std::max(makespan_s_, now_s_);
      blocks_home_ += message.blocks;
    } else {
      sends_s_ += now_s_ - start_s;
      measure(line, worker.full_step());
    }
    return start_s;
  }

  /// What such a step takes.
  void measure(Line& line, const Message& step) const {
    const Worker& figures = platform_->workers[step.worker];
    line.step_s = figures.transfer_time_s(step.blocks);
    line.update_s = update_cost(step, *problem_, figures) * figures.w_s;
    line.step_blocks = step.blocks;
    line.step_updates = step.block_updates;
  }
  const Worker& figures(const ChunkWorker& worker) const {
    return platform_->workers[worker.worker()];
  }

  const Platform* platform_;
  const Problem* problem_;
  PerWorker<Line> lines_;
  LastChange changes_;
  double now_s_ = 0;
  double sends_s_ = 0;
  double receptions_s_ = 0;
  double makespan_s_ = 0;
  std::int64_t blocks_home_ = 0;
};

/// Serves whom a choice says: the dispatchers of this family. A choice has
///   template <class View> Chosen choose(const View& master);
template <class Choice>
class ChoiceDispatcher final : public ChunkDispatcher {
 public:
  template <class... Arguments>
  explicit ChoiceDispatcher(Arguments&&... arguments)
      : choice_(std::forward<Arguments>(arguments)...) {}

  Decision next(const MasterView& master) override {
    const Chosen chosen = choice_.choose(master);
    if (const auto* worker = std::get_if<ChunkWorker*>(&chosen)) return serve(**worker);
    if (const auto* wait = std::get_if<Wait>(&chosen)) return *wait;
    return Done{};
  }
  void drive(PlainRun& run) override {
    ChunkRun<Kept::metrics> chunks(run.platform(), run.problem());
    chunks.by(choice_, [&] { run.sink().look(); });
    chunks.give_to(run.sink().meter());
  }

 private:
  Choice choice_;
};

}  // namespace starport
