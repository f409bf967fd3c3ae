// A run by chunks, on one port and without noise: what plans and sweeps are made of. It has the
// dates of OnePortClock (sim/star/port_clock.hpp) without a message for each transfer: the steps of
// a chunk last equally long.
#pragma once

#include "heuristics/star/chunks.hpp"
#include "heuristics/star/fast/number.hpp"
#include "sim/star/recurrence.hpp"
#include "sim/star/metrics_run.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>

namespace starport {

/// What is wanted of a run: its end, what is reported of it, or that of each worker too.
enum class Kept : std::uint8_t { end, totals, workers };

/// Transfers between two looks at the time, about.
inline constexpr std::int64_t kBetweenLooks = 1 << 16;

/// A run on one port and without noise: all dates are known as soon as a transfer is decided, and
/// nothing needs to be waited for.
template <Kept kept>
class ChunkRun {
 public:
  static constexpr bool kWorkers = kept == Kept::workers;

  /// What dates depend on, of a worker.
  struct alignas(64) Line {
    double ready_s = 0;           ///< the end of its last update
    double before_s = 0;          ///< and of the one before
    double step_s = 0;            ///< how long a full step of its chunk takes the port
    double update_s = 0;          ///< and the worker
    std::int64_t steps_left = 0;  ///< of those, where the run counts them
  };
  struct Port {
    double now_s = 0;
    double sends_s = 0;
  };

  ChunkRun(const Platform& platform, const Problem& problem)
      : platform_(&platform),
        problem_(&problem),
        lines_(platform.workers.size()),
        workers_(kept == Kept::end ? 0 : platform.workers.size()) {}

  /// When the worker that was served last can take part in its next transfer.
  double request_date_s(const ChunkWorker& served) const {
    const Line& line = lines_[served.worker()];
    if (served.full_steps_left() > 0 && served.overlaps())
      return std::max(port_.now_s, line.before_s);
    if (!served.holds_chunk() || !served.chunk_begun()) return port_.now_s;  // SendC
    const bool next_home = served.ready_to_return();
    return std::max(port_.now_s, next_home || !served.overlaps() ? line.ready_s : line.before_s);
  }
  /// When its last update ends.
  double ready_s(int worker) const { return lines_[worker].ready_s; }
  double now_s() const { return port_.now_s; }

  /// Serves whom a choice says; false when the run is over.
  template <class Choice>
  [[gnu::always_inline]] bool serve_one(Choice& choice) {
    ChunkWorker* worker = choice.choose(*this);
    if (worker == nullptr) return false;
    carry_out(*worker);
    return true;
  }

  [[gnu::always_inline]] void carry_out(ChunkWorker& worker) {
    const int number = worker.worker();
    Line& line = lines_[number];
    const double start_s =
        worker.send_full_step() ? send_step(line, worker) : carry_out_message(line, worker);
    if constexpr (kept == Kept::workers) metrics(number).link_busy_s += port_.now_s - start_s;
  }

  /// What the run has sent of those that a choice named.
  void tell(ChunkWorker& worker) const {
    worker.send_full_steps(worker.full_steps_left() - lines_[worker.worker()].steps_left);
  }

  // For who sends full steps in its place:
  Port& port() { return port_; }
  Line& line(int worker) { return lines_[worker]; }
  Line* lines() { return lines_.data(); }
  WorkerMetrics& metrics(int worker) requires(kept != Kept::end) {
    return workers_[static_cast<std::size_t>(worker)];
  }
  /// Serves to the end.
  template <class Choice, class Look>
  void by(Choice& choice, Look&& look) {
    for (std::int64_t next_look = kBetweenLooks; serve_one(choice);) {
      if (--next_look > 0) continue;
      look();
      next_look = kBetweenLooks;
    }
  }

  /// When the last transfer ends.
  double last_end_s() const { return port_.now_s; }

  /// To one that has added up nothing yet.
  void give_to(MetricsAccumulator& meter) const requires(kept != Kept::end) {
    meter.set_totals({.sends_s = port_.sends_s,
                .receptions_s = receptions_s_,
                .makespan_s = makespan_s_,
                .returned_blocks = blocks_home_,
                .workers = workers_});
  }

 private:
  /// When it starts.
  [[gnu::always_inline]] double send_step(Line& line, const ChunkWorker& worker) {
    const double start_s = std::max(port_.now_s, worker.overlaps() ? line.before_s : line.ready_s);
    port_.now_s = start_s + line.step_s;
    port_.sends_s += port_.now_s - start_s;
    begin_update(worker.worker(), line, port_.now_s);
    line.steps_left = worker.full_steps_left();
    return start_s;
  }
  [[gnu::always_inline]] void begin_update(int worker, Line& line, double arrival_s) {
    const double start_s = std::max(arrival_s, line.ready_s);
    line.before_s = line.ready_s;
    line.ready_s = start_s + line.update_s;
    if constexpr (kept == Kept::workers) {
      metrics(worker).compute_busy_s += line.ready_s - start_s;
    }
  }

  /// One that is no full step: once in a while. What the full steps after it move is counted with
  /// SendC.
  [[gnu::noinline]] double carry_out_message(Line& line, ChunkWorker& worker) {
    Message message;
    worker.next(message);
    count(message, 1);
    if (message.allows_update) {  // the last step of a chunk, not as deep as the others
      measure(line, message);
      return send_step(line, worker);
    }
    const bool home = message.direction == Direction::to_master;
    const double start_s = home ? std::max(port_.now_s, line.ready_s) : port_.now_s;
    port_.now_s = start_s + figures(worker).transfer_time_s(message.blocks);
    if (home) {
      receptions_s_ += port_.now_s - start_s;
      makespan_s_ = std::max(makespan_s_, port_.now_s);
      blocks_home_ += message.blocks;
    } else {
      port_.sends_s += port_.now_s - start_s;
      const Message step = worker.full_step();
      measure(line, step);
      line.steps_left = worker.full_steps_left();
      count(step, worker.full_steps_left());
    }
    return start_s;
  }

  /// What such a step takes.
  void measure(Line& line, const Message& step) const {
    const Worker& figures = platform_->workers[step.worker];
    line.step_s = figures.transfer_time_s(step.blocks);
    line.update_s = update_cost(step, *problem_, figures) * figures.w_s;
  }
  void count(const Message& message, std::int64_t times) {
    if constexpr (kept != Kept::end) {
      metrics(message.worker).blocks_moved += times * message.blocks;
      metrics(message.worker).block_updates += times * message.block_updates;
    }
  }
  const Worker& figures(const ChunkWorker& worker) const {
    return platform_->workers[worker.worker()];
  }

  const Platform* platform_;
  const Problem* problem_;
  PerWorker<Line> lines_;
  std::vector<WorkerMetrics> workers_;
  Port port_;
  double receptions_s_ = 0;
  double makespan_s_ = 0;
  std::int64_t blocks_home_ = 0;
};

/// Carries out runs to their ends in the lanes of vectors, one in each; a lane whose run is over
/// takes the next one. Nothing goes from one lane to another. `look` is called now and then; it may
/// throw. Choice::InLanes has
///   void begin(lane, run, choice);
///   std::int64_t send();             // some full steps in each lane, so many; none from where a
///                                    // lane has stopped
///   bool stopped(lane) const;
///   bool go_on(lane);                // past a message that is no full step; false: it is over
///   void leave(lane);                // to be without a run
template <class Number, class Run, class Choice, class Look>
void run_in_lanes(std::span<Run> runs, std::span<Choice* const> choices, Look&& look) {
  typename Choice::template InLanes<Number, Run> in_lanes;
  constexpr std::size_t lanes = kLanes<Number>;
  std::size_t next = 0;
  std::size_t open = 0;
  const auto begin_next = [&](std::size_t lane) {
    while (next < runs.size()) {
      in_lanes.begin(lane, runs[next], *choices[next]);
      ++next;
      if (in_lanes.go_on(lane)) return true;
    }
    in_lanes.leave(lane);
    return false;
  };
  for (std::size_t lane = 0; lane < lanes; ++lane) open += begin_next(lane) ? 1 : 0;
  std::int64_t next_look = kBetweenLooks;
  while (open > 0) {
    next_look -= in_lanes.send();
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (in_lanes.stopped(lane) && !in_lanes.go_on(lane) && !begin_next(lane)) --open;
    }
    if (next_look > 0) continue;
    look();
    next_look = kBetweenLooks;
  }
}

/// So many runs beside each other, at most.
inline constexpr std::size_t kBeside = 8;

/// Carries out runs to their ends, each by its choice: while one waits for a date, the processor
/// goes on with the others. `look` is called now and then; it may throw.
template <class Run, class Choice, class Look>
void run_beside(std::span<Run> runs, std::span<Choice* const> choices, Look&& look) {
  struct Open {
    Run* run;
    Choice* choice;
  };
  std::array<Open, kBeside> open;
  std::size_t left = 0;
  std::size_t next = 0;
  for (; left < open.size() && next < runs.size(); ++left, ++next) {
    open[left] = {&runs[next], choices[next]};
  }
  for (std::int64_t next_look = kBetweenLooks; left > 0; --next_look) {
    for (std::size_t n = 0; n < left;) {
      if (open[n].run->serve_one(*open[n].choice)) {
        ++n;
      } else if (next < runs.size()) {
        open[n] = {&runs[next], choices[next]};
        ++next;
      } else {
        open[n] = open[--left];
      }
    }
    if (next_look > 0) continue;
    look();
    next_look = kBetweenLooks;
  }
}

/// Carries out runs over at most p workers to their ends, each by its choice.
template <class Run, class Choice, class Look>
void carry_out_runs(std::span<Run> runs, std::span<Choice* const> choices, std::size_t p,
                    Look&& look) {
  constexpr bool one_lane = requires { Choice::kOneLane; };
  const bool in_lanes = p <= Choice::kMostInLanes;
  if (in_lanes || one_lane) {
    const std::size_t width = in_lanes ? std::min({runs.size(), widest(), Choice::kMostAtOnce}) : 1;
    return work_at_width(width, [&]<class Number>() { run_in_lanes<Number>(runs, choices, look); });
  }
  if constexpr (!one_lane) run_beside(runs, choices, look);
}

/// Serves whom a choice says: the dispatchers of this family. A choice has
///   Chosen choose(const MasterView& master);
///   template <Kept kept> ChunkWorker* choose(const ChunkRun<kept>& run);   // or nobody
/// and where runs of at most so many workers go in lanes (run_in_lanes), or a single one too,
/// template InLanes<Number, Run>, kMostInLanes and kOneLane.
template <class Choice>
class ChoiceDispatcher final : public ChunkDispatcher {
 public:
  template <class... Arguments>
  explicit ChoiceDispatcher(Arguments&&... arguments)
      : choice_(std::forward<Arguments>(arguments)...) {}

  Decision next(const MasterView& master) override {
    const Chosen chosen = choice_.choose(master);
    if (const auto* wait = std::get_if<Wait>(&chosen)) return *wait;
    ChunkWorker* worker = std::get<ChunkWorker*>(chosen);
    if (worker == nullptr) return Done{};
    return serve(*worker);
  }
  void measure(MetricsRun& run) override {
    ChunkRun<Kept::workers> chunks(run.platform(), run.problem());
    const auto look = [&] { run.sink().check_limits(); };
    if constexpr (requires { Choice::kOneLane; }) {
      Choice* const choice = &choice_;
      run_in_lanes<double>(std::span(&chunks, 1), std::span(&choice, 1), look);
    } else {
      chunks.by(choice_, look);
    }
    chunks.give_to(run.sink().metrics());
  }
  void measure_batch(std::span<const MeasuredRun> runs) override {
    std::vector<const MeasuredRun*> alike;
    for (const MeasuredRun& driven : runs) {
      if (dynamic_cast<ChoiceDispatcher*>(driven.dispatcher) != nullptr) {
        alike.push_back(&driven);
      } else {
        driven.dispatcher->measure(*driven.run);
      }
    }
    if (!alike.empty()) drive_beside(alike);
  }

 private:
  static void drive_beside(std::span<const MeasuredRun* const> together) {
    std::vector<ChunkRun<Kept::totals>> runs;
    std::vector<Choice*> choices;
    std::size_t p = 0;
    for (const MeasuredRun* driven : together) {
      runs.emplace_back(driven->run->platform(), driven->run->problem());
      choices.push_back(&static_cast<ChoiceDispatcher&>(*driven->dispatcher).choice_);
      p = std::max(p, driven->run->platform().workers.size());
    }
    carry_out_runs(std::span(runs), std::span<Choice* const>(choices), p,
                   [&] { together.front()->run->sink().check_limits(); });
    for (std::size_t n = 0; n < runs.size(); ++n) {
      runs[n].give_to(together[n]->run->sink().metrics());
    }
  }
  Choice choice_;
};

}  // namespace starport
