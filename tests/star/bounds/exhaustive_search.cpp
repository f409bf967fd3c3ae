#include "tests/star/bounds/exhaustive_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <unordered_set>
#include <vector>

namespace starport::test {
namespace {

enum Kind : std::uint8_t { kNothing, kA, kB, kC, kReturn };

struct WorkerState {
  std::uint8_t a = 0;  ///< blocks held, in flight too
  std::uint8_t b = 0;
  std::uint8_t c = 0;     ///< values of C blocks held: partial sums, with the master's C or without
  std::uint8_t left = 0;  ///< of the update in progress; 0: none
  std::uint8_t update = 0;
};

struct State {
  std::uint16_t done = 0;              ///< updates begun
  std::array<std::uint8_t, 6> home{};  ///< values of each C block on the master: 1 at first
  std::array<WorkerState, 2> workers{};
  std::uint8_t kind = kNothing;  ///< of the transfer in progress
  std::uint8_t worker = 0;
  std::uint8_t block = 0;
  std::uint8_t left = 0;

  bool operator==(const State&) const = default;
};

bool operator==(const WorkerState& x, const WorkerState& y) {
  return std::memcmp(&x, &y, sizeof x) == 0;
}

struct StateHash {
  std::size_t operator()(const State& state) const {
    static_assert(std::has_unique_object_representations_v<State>);
    std::uint64_t hash = 0xcbf29ce484222325U;
    unsigned char bytes[sizeof state];
    std::memcpy(bytes, &state, sizeof state);
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3U;
    return hash ^ (hash >> 29);
  }
};

class ExhaustiveSearch {
 public:
  ExhaustiveSearch(const Platform& platform, const Problem& problem, int limit,
                   std::size_t most_states)
      : r_(static_cast<int>(problem.r)),
        s_(static_cast<int>(problem.s)),
        t_(static_cast<int>(problem.t)),
        limit_(limit),
        most_states_(most_states) {
    for (const Worker& worker : platform.workers) {
      c_.push_back(static_cast<int>(worker.c_s));
      w_.push_back(static_cast<int>(worker.w_s));
      m_.push_back(static_cast<int>(worker.m_blocks));
    }
    least_c_ = *std::min_element(c_.begin(), c_.end());
    least_w_ = *std::min_element(w_.begin(), w_.end());
  }

  /// With growing limits, as what is certainly still to come tells which states are of no use.
  std::optional<int> run() {
    State start;
    for (int b = 0; b < r_ * s_; ++b) start.home[static_cast<std::size_t>(b)] = 1;
    const int last = limit_;
    for (limit_ = at_least(start); limit_ <= last; ++limit_) {
      seen_.clear();
      if (const auto found = run(start)) return found;
      if (seen_.size() > most_states_) break;
    }
    return std::nullopt;
  }

 private:
  std::optional<int> run(const State& start) {
    by_date_.assign(static_cast<std::size_t>(limit_) + 1, {});
    add(start, 0);
    for (int date = 0; date <= limit_; ++date) {
      // States of the same date lead to others of it: the list grows while it is gone through.
      auto& states = by_date_[static_cast<std::size_t>(date)];
      for (std::size_t i = 0; i < states.size(); ++i) {
        const State state = states[i];
        if (!seen_.insert(state).second) continue;
        if (over(state)) return date;
        if (seen_.size() > most_states_) return std::nullopt;
        act(state, date);
        let_time_pass(state, date);
      }
      states = {};
    }
    return std::nullopt;
  }

  int updates() const { return r_ * s_ * t_; }
  std::size_t workers() const { return c_.size(); }

  bool over(const State& state) const {
    if (std::popcount(state.done) < updates() || state.kind != kNothing) return false;
    for (std::size_t i = 0; i < workers(); ++i) {
      if (state.workers[i].c != 0 || state.workers[i].left > 0) return false;
    }
    for (int b = 0; b < r_ * s_; ++b) {
      if (state.home[static_cast<std::size_t>(b)] != 1) return false;
    }
    return true;
  }

  /// What is certainly still to come.
  int at_least(const State& state) const {
    const int left = updates() - std::popcount(state.done);
    const auto p = static_cast<int>(workers());
    const int computing = left > 0 ? (left + p - 1) / p * least_w_ + least_c_ : 0;
    int port = state.left;
    std::uint8_t held_a = 0;
    std::uint8_t held_b = 0;
    std::array<int, 6> values = {};
    for (std::size_t i = 0; i < workers(); ++i) {
      held_a |= state.workers[i].a;
      held_b |= state.workers[i].b;
      port += c_[i] * std::popcount(state.workers[i].c);
      for (std::size_t c = 0; c < 6; ++c) values[c] += state.workers[i].c >> c & 1;
    }
    if (state.kind == kReturn) port -= c_[state.worker];
    if (state.kind == kC) ++values[state.block];
    std::uint8_t needed_a = 0;
    std::uint8_t needed_b = 0;
    for (int c = 0; c < r_ * s_; ++c) {
      const auto block = static_cast<std::size_t>(c);
      const unsigned done = state.done >> (c * t_);
      bool open = false;
      for (int k = 0; k < t_; ++k) {
        if ((done >> k & 1) != 0) continue;
        open = true;
        needed_a |= static_cast<std::uint8_t>(1U << (c / s_ * t_ + k));
        needed_b |= static_cast<std::uint8_t>(1U << (k * s_ + c % s_));
      }
      // One value more is made, and goes home, where nobody holds one; all but one are added to
      // another, and go out for that.
      const int made = open && values[block] == 0 ? 1 : 0;
      port += least_c_ * (made + state.home[block] + values[block] + made - 1);
    }
    port += least_c_ * (std::popcount(static_cast<std::uint8_t>(needed_a & ~held_a)) +
                        std::popcount(static_cast<std::uint8_t>(needed_b & ~held_b)));
    return std::max(computing, port);
  }

  void add(const State& state, int date) {
    if (date + at_least(state) <= limit_ && !seen_.contains(state)) {
      by_date_[static_cast<std::size_t>(date)].push_back(state);
    }
  }

  int held(const State& state, std::size_t i) const {
    const WorkerState& worker = state.workers[i];
    int blocks = std::popcount(worker.a) + std::popcount(worker.b) + std::popcount(worker.c);
    if (state.kind == kC && state.worker == i) ++blocks;  // not in c before it has arrived
    return blocks;
  }

  bool busy(const State& state, std::size_t i, Kind kind, int block) const {
    const WorkerState& worker = state.workers[i];
    if (state.kind != kNothing && state.worker == i && state.block == block &&
        (state.kind == kind || (kind == kC && state.kind == kReturn))) {
      return true;
    }
    if (worker.left == 0) return false;
    const int k = worker.update % t_;
    const int c = worker.update / t_;
    return (kind == kA && block == c / s_ * t_ + k) || (kind == kB && block == k * s_ + c % s_) ||
           (kind == kC && block == c);
  }

  void act(const State& state, int date) {
    for (std::size_t i = 0; i < workers(); ++i) {
      drop(state, date, i);
      if (state.workers[i].left == 0) compute(state, date, i);
      if (state.kind == kNothing) transfer(state, date, i);
    }
  }

  /// Only when there is no room: a block is let go of as late as possible.
  void drop(const State& state, int date, std::size_t i) {
    if (held(state, i) < m_[i]) return;
    for (int block = 0; block < 6; ++block) {
      const auto bit = static_cast<std::uint8_t>(1U << block);
      if ((state.workers[i].a & bit) != 0 && !busy(state, i, kA, block)) {
        State next = state;
        next.workers[i].a ^= bit;
        add(next, date);
      }
      if ((state.workers[i].b & bit) != 0 && !busy(state, i, kB, block)) {
        State next = state;
        next.workers[i].b ^= bit;
        add(next, date);
      }
    }
  }

  void compute(const State& state, int date, std::size_t i) {
    for (int update = 0; update < updates(); ++update) {
      if ((state.done >> update & 1) != 0) continue;
      const int k = update % t_;
      const int c = update / t_;
      const int a = c / s_ * t_ + k;
      const int b = k * s_ + c % s_;
      const WorkerState& worker = state.workers[i];
      const auto in_flight = [&](Kind kind, int block) {
        return state.kind == kind && state.worker == i && state.block == block;
      };
      if ((worker.a >> a & 1) == 0 || in_flight(kA, a)) continue;
      if ((worker.b >> b & 1) == 0 || in_flight(kB, b)) continue;
      if (in_flight(kReturn, c)) continue;
      State next = state;
      if ((worker.c >> c & 1) == 0) {
        if (held(state, i) >= m_[i]) continue;
        next.workers[i].c |= static_cast<std::uint8_t>(1U << c);  // from zero
      }
      next.done |= static_cast<std::uint16_t>(1U << update);
      next.workers[i].update = static_cast<std::uint8_t>(update);
      next.workers[i].left = static_cast<std::uint8_t>(w_[i]);
      add(next, date);
    }
  }

  void begin(State next, int date, std::size_t i, Kind kind, int block) {
    next.kind = kind;
    next.worker = static_cast<std::uint8_t>(i);
    next.block = static_cast<std::uint8_t>(block);
    next.left = static_cast<std::uint8_t>(c_[i]);
    add(next, date);
  }

  void transfer(const State& state, int date, std::size_t i) {
    const WorkerState& worker = state.workers[i];
    const bool room = held(state, i) < m_[i];
    for (int block = 0; block < r_ * t_ && room; ++block) {
      if ((worker.a >> block & 1) != 0) continue;
      State next = state;
      next.workers[i].a |= static_cast<std::uint8_t>(1U << block);
      begin(next, date, i, kA, block);
    }
    for (int block = 0; block < t_ * s_ && room; ++block) {
      if ((worker.b >> block & 1) != 0) continue;
      State next = state;
      next.workers[i].b |= static_cast<std::uint8_t>(1U << block);
      begin(next, date, i, kB, block);
    }
    for (int block = 0; block < r_ * s_; ++block) {
      const auto at = static_cast<std::size_t>(block);
      if (room && state.home[at] > 0) {
        State next = state;
        --next.home[at];
        begin(next, date, i, kC, block);
      }
      if ((worker.c >> block & 1) != 0 && !busy(state, i, kC, block)) {
        begin(state, date, i, kReturn, block);
      }
    }
  }

  void let_time_pass(const State& state, int date) {
    int step = state.kind != kNothing ? state.left : 255;
    for (std::size_t i = 0; i < workers(); ++i) {
      if (state.workers[i].left > 0) step = std::min<int>(step, state.workers[i].left);
    }
    if (step == 255) return;
    State next = state;
    for (std::size_t i = 0; i < workers(); ++i) {
      WorkerState& worker = next.workers[i];
      if (worker.left == 0) continue;
      worker.left = static_cast<std::uint8_t>(worker.left - step);
      if (worker.left == 0) worker.update = 0;
    }
    if (next.kind != kNothing) {
      next.left = static_cast<std::uint8_t>(next.left - step);
      if (next.left == 0) {
        const auto bit = static_cast<std::uint8_t>(1U << next.block);
        WorkerState& worker = next.workers[next.worker];
        if (next.kind == kC) worker.c |= bit;
        if (next.kind == kReturn) {
          worker.c ^= bit;
          ++next.home[next.block];
        }
        next.kind = kNothing;
        next.worker = next.block = 0;
      }
    }
    if (date + step <= limit_) add(next, date + step);
  }

  int r_;
  int s_;
  int t_;
  int limit_;
  std::size_t most_states_;
  std::vector<int> c_;
  std::vector<int> w_;
  std::vector<int> m_;
  int least_c_ = 0;
  int least_w_ = 0;
  std::vector<std::vector<State>> by_date_;
  std::unordered_set<State, StateHash> seen_;
};

}  // namespace

std::optional<int> least_makespan(const Platform& platform, const Problem& problem, int limit,
                                  std::size_t most_states) {
  return ExhaustiveSearch(platform, problem, limit, most_states).run();
}

}  // namespace starport::test
