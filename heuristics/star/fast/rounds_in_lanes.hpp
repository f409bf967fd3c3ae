// Runs whose workers have their turns in rounds, in the lanes of vectors.
#pragma once

#include "heuristics/star/chunks.hpp"
#include "heuristics/star/fast/chunk_run.hpp"
#include "heuristics/star/fast/number.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace starport {

/// Rounds of full steps, one of each worker, which overlap.
struct Rounds {
  std::span<ChunkWorker> workers = {};
  std::int64_t count = 0;
};

/// A run in each lane (run_in_lanes). A choice has besides
///   Rounds next_rounds();   // those that come next; none where another message comes before
template <class Number, class Run, class Choice>
class RoundsInLanes {
 public:
  void begin(std::size_t lane, Run& run, Choice& choice) {
    lanes_[lane] = {.run = &run, .choice = &choice};
  }
  /// One without a run: it goes on for ever.
  void leave(std::size_t lane) { lanes_[lane].left = std::numeric_limits<std::int64_t>::max(); }

  std::int64_t send() {
    const std::int64_t turns = std::max<std::int64_t>(1, std::ssize(turns_));
    std::int64_t count = std::max<std::int64_t>(1, kBetweenLooks / turns);
    for (const Lane& lane : lanes_) count = std::min(count, lane.left);
    Number now_s = now_s_;  // which stay in the processor
    Number sends_s = sends_s_;
    for (std::int64_t left = count; left > 0; --left) {
      for (Turn& turn : turns_) {
        const Number start_s = max(turn.before_s, now_s);
        now_s = start_s + turn.step_s;
        sends_s = sends_s + (now_s - start_s);
        const Number update_start_s = max(now_s, turn.ready_s);
        turn.before_s = turn.ready_s;
        turn.ready_s = update_start_s + turn.update_s;
        if constexpr (Run::kWorkers) {
          turn.link_s = turn.link_s + (now_s - start_s);
          turn.compute_s = turn.compute_s + (turn.ready_s - update_start_s);
        }
      }
    }
    now_s_ = now_s;
    sends_s_ = sends_s;
    for (Lane& lane : lanes_) lane.left -= count;
    return count * turns;
  }
  bool stopped(std::size_t lane) const { return lanes_[lane].left == 0; }
  /// To the next rounds.
  [[gnu::noinline]] bool go_on(std::size_t lane) {
    store(lane);
    auto& [run, choice, rounds, left] = lanes_[lane];
    do {
      rounds = choice->next_rounds();
      if (rounds.count == 0) continue;
      left = rounds.count;
      load(lane);
      return true;
    } while (run->serve_one(*choice));
    return false;
  }

 private:
  struct Lane {
    Run* run = nullptr;
    Choice* choice = nullptr;
    Rounds rounds = {};
    std::int64_t left = 0;
  };
  struct Busy {
    Number link_s{0};
    Number compute_s{0};
  };
  struct Nothing {};
  struct Turn : std::conditional_t<Run::kWorkers, Busy, Nothing> {
    Number ready_s{0};
    Number before_s{0};
    Number step_s{0};
    Number update_s{0};
  };

  void load(std::size_t lane) {
    auto& [run, choice, rounds, left] = lanes_[lane];
    if (rounds.workers.size() > turns_.size()) turns_.resize(rounds.workers.size());
    for (std::size_t n = 0; n < turns_.size(); ++n) {
      const bool none = n >= rounds.workers.size();  // it takes no time
      const auto line = none ? typename Run::Line{} : run->line(rounds.workers[n].worker());
      Turn& turn = turns_[n];
      lane_of(turn.ready_s, lane) = line.ready_s;
      lane_of(turn.before_s, lane) = line.before_s;
      lane_of(turn.step_s, lane) = line.step_s;
      lane_of(turn.update_s, lane) = line.update_s;
      if (none) continue;
      rounds.workers[n].send_full_steps(rounds.count);
      if constexpr (Run::kWorkers) {
        const WorkerMetrics& metrics = run->metrics(rounds.workers[n].worker());
        lane_of(turn.link_s, lane) = metrics.link_busy_s;
        lane_of(turn.compute_s, lane) = metrics.compute_busy_s;
      }
    }
    lane_of(now_s_, lane) = run->port().now_s;
    lane_of(sends_s_, lane) = run->port().sends_s;
  }
  void store(std::size_t lane) const {
    const auto& [run, choice, rounds, left] = lanes_[lane];
    if (rounds.count == 0) return;
    for (std::size_t n = 0; n < rounds.workers.size(); ++n) {
      const Turn& turn = turns_[n];
      const int worker = rounds.workers[n].worker();
      auto& line = run->line(worker);
      line.ready_s = lane_of(turn.ready_s, lane);
      line.before_s = lane_of(turn.before_s, lane);
      if constexpr (Run::kWorkers) {
        run->metrics(worker).link_busy_s = lane_of(turn.link_s, lane);
        run->metrics(worker).compute_busy_s = lane_of(turn.compute_s, lane);
      }
    }
    run->port() = {lane_of(now_s_, lane), lane_of(sends_s_, lane)};
  }

  std::array<Lane, kLanes<Number>> lanes_;
  std::vector<Turn> turns_;
  Number now_s_{0};
  Number sends_s_{0};
};

}  // namespace starport
