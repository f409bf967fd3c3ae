// Demand-driven runs of few workers, several at once: whose request is the earliest is found by
// looking at all, in the lanes of vectors.
#pragma once

#include "heuristics/star/fast/chunk_run.hpp"
#include "heuristics/star/fast/number.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport::fast {

/// A run in each lane (run_in_lanes). A choice is demand-driven: it has the ChunkWorkers, and
/// starts their chunks.
template <class Number, class Run, class Choice>
class RequestsInLanes {
 public:
  void begin(std::size_t lane, Run& run, Choice& choice) {
    runs_[lane] = {&run, &choice};
    const std::size_t p = choice.workers().size();
    if (p > requests_.size()) requests_.resize(p);
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const bool posted = i < p && choice.next_chunk(choice.workers()[i]);
      set(lane, i, {}, posted ? 0 : kNever, 0);
    }
    set_port(lane, {});
  }
  /// One without a run: it goes on for ever.
  void leave(std::size_t lane) {
    for (std::size_t i = 0; i < requests_.size(); ++i) set(lane, i, {}, kNever, kNever);
    lane_of(chosen_, lane) = 0;
  }

  /// Some full steps in each lane, until it has another message to send.
  std::int64_t send() {
    constexpr int some = 4;
    for (int n = 0; n < some; ++n) send_one();
    return some;
  }
  bool stopped(std::size_t lane) const { return lane_of(chosen_, lane) < 0; }
  /// Sends that message; false where the run is over.
  [[gnu::noinline]] bool go_on(std::size_t lane) {
    const auto i = static_cast<std::size_t>(lane_of(first_, lane));
    const Posted& request = requests_[i];
    const auto [run, choice] = runs_[lane];
    run->port() = {lane_of(now_s_, lane), lane_of(sends_s_, lane)};
    if (lane_of(request.date_s, lane) == kNever) return false;
    ChunkWorker& worker = choice->workers()[i];
    worker.send_full_steps(worker.full_steps_left());
    auto& line = run->line(worker.worker());
    line.ready_s = lane_of(request.ready_s, lane);
    line.before_s = lane_of(request.date_s, lane);  // of no use but for what is sent now
    run->carry_out(worker);
    const bool posted = worker.holds_chunk() || choice->next_chunk(worker);
    const auto full = static_cast<double>(worker.full_steps_left());
    set(lane, i, line, posted ? run->request_date_s(worker) : kNever,
        full > 0 && worker.short_step_left() ? full + 0.5 : full);
    lane_of(overlaps_, lane) = worker.overlaps() ? 1 : 0;
    set_port(lane, run->port());
    return true;
  }

 private:
  static constexpr double kNever = 1e300;
  struct Posted {
    Number date_s{kNever};
    Number ready_s{0};
    Number step_s{0};
    Number update_s{0};
    /// Full steps, and a half for one that is none.
    Number left{0};
  };

  void send_one() {
    Number first = 0;
    Number first_s = date_s(requests_[0]);
    Number its_ready_s = requests_[0].ready_s;
    Number its_step_s = requests_[0].step_s;
    Number its_update_s = requests_[0].update_s;
    Number its_left = requests_[0].left;
    Number number = 0;
    for (std::size_t i = 1; i < requests_.size(); ++i) {
      const Posted& request = requests_[i];
      number = number + 1;
      const Number its_date_s = date_s(request);
      const auto earlier = clearly_less(its_date_s, first_s);
      first = where(earlier, number, first);
      first_s = where(earlier, its_date_s, first_s);
      its_ready_s = where(earlier, request.ready_s, its_ready_s);
      its_step_s = where(earlier, request.step_s, its_step_s);
      its_update_s = where(earlier, request.update_s, its_update_s);
      its_left = where(earlier, request.left, its_left);
    }
    const auto other = its_left < Number(1);
    const Number start_s = max(first_s, now_s_);
    const Number end_s = start_s + its_step_s;
    const Number ready_s = max(its_ready_s, end_s) + its_update_s;
    const Number left = its_left - 1;
    const Number next_s = max(where(Number(0) < left * overlaps_, its_ready_s, ready_s), end_s);
    sends_s_ = where(other, sends_s_, sends_s_ + (end_s - start_s));
    now_s_ = where(other, now_s_, end_s);
    first_ = first;
    chosen_ = where(other, Number(-1), first);
    for_chosen(chosen_, requests_.size(), [&](std::size_t i, const auto& here) {
      Posted& request = requests_[i];
      request.date_s = where(here, next_s, request.date_s);
      request.ready_s = where(here, ready_s, request.ready_s);
      request.left = where(here, left, request.left);
    });
  }
  Number date_s(const Posted& request) const {
    if constexpr (Choice::kByIndex) return max(request.date_s, now_s_);
    return request.date_s;
  }

  void set(std::size_t lane, std::size_t i, const typename Run::Line& line, double date_s,
           double left) {
    Posted& request = requests_[i];
    lane_of(request.date_s, lane) = date_s;
    lane_of(request.ready_s, lane) = line.ready_s;
    lane_of(request.step_s, lane) = line.step_s;
    lane_of(request.update_s, lane) = line.update_s;
    lane_of(request.left, lane) = left;
  }
  void set_port(std::size_t lane, const typename Run::Port& port) {
    lane_of(now_s_, lane) = port.now_s;
    lane_of(sends_s_, lane) = port.sends_s;
  }

  struct MeasuredRun {
    Run* run;
    Choice* choice;
  };
  std::array<MeasuredRun, kLanes<Number>> runs_;
  std::vector<Posted> requests_;  ///< of each worker
  Number now_s_{0};
  Number sends_s_{0};
  Number overlaps_{0};
  Number first_{0};   ///< whose the earliest request is,
  Number chosen_{0};  ///< negative where it is not for a full step
};

}  // namespace starport::fast
