// Runs of orders of steps, several at once: while the dates of one wait for each other, the
// processor goes on with the others. (Vectors would have to collect what is known of a worker of
// each run, and to spread it again: that takes longer.)
#pragma once

#include "heuristics/star/fast/chunk_run.hpp"
#include "heuristics/star/fast/number.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace starport {

/// A run in each lane (run_in_lanes), as many as Number has. A choice has besides
///   std::span<const std::int32_t> next_steps();   // the workers of the next steps
///   void sent(std::size_t count);                 // of these
template <class Number, class Run, class Choice>
class StepsInLanes {
 public:
  void begin(std::size_t lane, Run& run, Choice& choice) {
    lanes_[lane] = {.run = &run, .choice = &choice, .lines = run.lines()};
  }
  /// One without a run: it goes on for ever.
  void leave(std::size_t lane) { lanes_[lane] = {.lines = &nobody_, .steps = kNobody}; }

  std::int64_t send() { return send(std::make_index_sequence<kLanes<Number>>()); }
  bool stopped(std::size_t lane) const {
    const Lane& its = lanes_[lane];
    if (its.run == nullptr) return false;
    return its.sent == its.steps.size() || its.lines[its.steps[its.sent]].steps_left == 0;
  }
  /// To the next full steps.
  [[gnu::noinline]] bool go_on(std::size_t lane) {
    Lane& its = lanes_[lane];
    if (its.sent > 0) its.run->port() = its.port;
    its.choice->sent(its.sent);
    its.sent = 0;
    do {
      its.port = its.run->port();
      its.steps = its.choice->next_steps();
      if (!stopped(lane)) return true;
    } while (its.run->serve_one(*its.choice));
    return false;
  }

 private:
  using Line = typename Run::Line;
  struct Lane {
    Run* run = nullptr;
    Choice* choice = nullptr;
    Line* lines = nullptr;
    std::span<const std::int32_t> steps = {};
    std::size_t sent = 0;  ///< of these
    typename Run::Port port = {};
  };
  static constexpr std::array<std::int32_t, 256> kNobody{};

  template <std::size_t... n>
  [[gnu::always_inline]] std::int64_t send(std::index_sequence<n...>) {
    ((lanes_[n].sent = lanes_[n].run == nullptr ? 0 : lanes_[n].sent), ...);
    const std::size_t most = std::min({lanes_[n].steps.size() - lanes_[n].sent...});
    // Which stay in the processor:
    typename Run::Port ports[] = {lanes_[n].port...};
    Line* const lines[] = {lanes_[n].lines...};
    const std::int32_t* const steps[] = {lanes_[n].steps.data() + lanes_[n].sent...};
    std::size_t sent = 0;
    for (; sent < most; ++sent) {
      Line* const at[] = {lines[n] + steps[n][sent]...};
      const std::int64_t left[] = {at[n]->steps_left - 1 ...};
      if ((left[n] | ...) < 0) break;  // one branch for all
      (send_one(n, *at[n], left[n], ports[n]), ...);
    }
    ((lanes_[n].port = ports[n], lanes_[n].sent += sent), ...);
    return static_cast<std::int64_t>(sent) + 1;  // something goes on where none is sent, too
  }
  [[gnu::always_inline]] void send_one(std::size_t lane, Line& line, std::int64_t left,
                                       typename Run::Port& port) {
    line.steps_left = left;
    const double start_s = max(line.before_s, port.now_s);
    port.now_s = start_s + line.step_s;
    port.sends_s += port.now_s - start_s;
    const double update_start_s = max(port.now_s, line.ready_s);
    line.before_s = line.ready_s;
    line.ready_s = update_start_s + line.update_s;
    if constexpr (Run::kWorkers) {
      WorkerMetrics& metrics =
          lanes_[lane].run->metrics(static_cast<int>(&line - lanes_[lane].lines));
      metrics.link_busy_s += port.now_s - start_s;
      metrics.compute_busy_s += line.ready_s - update_start_s;
    }
  }

  std::array<Lane, kLanes<Number>> lanes_;
  Line nobody_{.steps_left = std::numeric_limits<std::int64_t>::max()};
};

}  // namespace starport
