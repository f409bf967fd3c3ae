#include "heuristics/star/adaptive.hpp"

#include "heuristics/star/chunks.hpp"
#include "heuristics/star/demand_driven.hpp"
#include "sim/files/error.hpp"
#include "sim/star/metrics_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace starport {

void MedianOfLast::add(double ratio) {
  constexpr std::size_t most = 5;
  last_.push_back(ratio);
  if (last_.size() > most) last_.pop_front();
}

double MedianOfLast::median() const {
  if (last_.empty()) return 1;
  std::vector<double> sorted(last_.begin(), last_.end());
  const auto middle = sorted.begin() + std::ssize(sorted) / 2;
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

void ObservedPace::look(const MasterView& star) {
  if (decided_) {
    const auto [message, start_s] = *std::exchange(decided_, std::nullopt);
    const Worker& figures = star.worker(message.worker);
    Seen& seen = workers_[message.worker];
    const double end_s = star.last_transfer_end_s(message.worker);
    seen.transfers.add((end_s - start_s) / figures.transfer_time_s(message.blocks));
    if (message.allows_update) {
      seen.pending.push_back({.number = star.updates_allowed(message.worker),
                              .arrived_s = end_s,
                              .nominal_s = update_cost(message, problem_, figures) * figures.w_s});
    }
  }
  for (int i = 0; i < static_cast<int>(workers_.size()); ++i) {
    Seen& seen = workers_[i];
    while (!seen.pending.empty()) {
      const auto& [number, arrived_s, nominal_s] = seen.pending.front();
      const double end_s = star.ready_after_update_s(i, number);
      if (end_s == kUnknown || clearly_less(star.now_s(), end_s)) break;
      seen.updates.add((end_s - std::max(arrived_s, seen.last_update_end_s)) / nominal_s);
      seen.last_update_end_s = end_s;
      seen.pending.pop_front();
    }
  }
}

void ObservedPace::note(const MasterView& star, const Message& message) {
  decided_ = Decided{.message = message, .start_s = star.earliest_start_s(message)};
}

namespace {

constexpr double kRounding = 1e-9;  ///< of dates, by which engines may differ

class AdaptiveDispatcher final : public ChunkDispatcher {
 public:
  AdaptiveDispatcher(const Platform& platform, const Problem& problem)
      : problem_(problem),
        pace_(platform, problem),
        workers_(make_chunk_workers(platform, problem, kOptimizedOverlapped)),
        requests_(platform.workers.size()),
        columns_(problem),
        columns_left_(problem.s),
        steps_left_(platform.workers.size()),
        begun_(platform.workers.size()) {
    for (const Worker& worker : platform.workers) {
      sides_.push_back(chunk_side(worker, kOptimizedOverlapped));
    }
  }

  Decision next(const MasterView& star) override {
    pace_.look(star);
    auto served = std::exchange(served_, std::nullopt);
    const bool stopped = star.stops().size() > stops_seen_;
    if (stopped) take_back(star);
    if (served && star.has_stopped(*served)) served.reset();
    if (served && workers_[*served].has_chunk()) {
      post(*served);
      if (stopped) find_work(star);
    } else if (served) {  // a chunk is home
      const Begun& begun = begun_[*served];
      crowding_.add((star.now_s() - begun.at_s) / begun.alone_s);
      find_work(star);
    } else if (stopped || !std::exchange(started_, true)) {
      find_work(star);
    }
    const auto request = requests_.find_earliest(star);
    if (!request && blocks_left() > 0) {
      throw SimulationError(fmt::format("the last worker stopped at {:g} s with columns left",
                                        star.stops().back().at_s));
    }
    if (!request) return Done{};
    if (clearly_less(star.now_s(), request->date_s)) return Wait{.until_s = request->date_s};
    const int worker = before_slow_link(star, request->worker);
    requests_.withdraw(worker);
    served_ = worker;
    const Decision decision = serve(workers_[worker]);
    const Message& message = *std::get<const Message*>(decision);
    if (message.allows_update) --steps_left_[worker];
    pace_.note(star, message);
    return decision;
  }
  void measure(MetricsRun& run) override { run.execute(*this); }

 private:
  /// What a worker has to do before it could begin another chunk, and what one takes of it.
  struct Outlook {
    double free_s = 0;
    double block_s = 0;  ///< for a block of C, moved and computed
    double chunk = 0;    ///< blocks of C

    double end_s(double blocks) const { return free_s + std::min(chunk, blocks) * block_s; }
  };
  /// A chunk that a worker has begun.
  struct Begun {
    double at_s = 0;
    double alone_s = 0;  ///< what it would take with the port to itself
  };

  bool idle(int i) const {
    return workers_[i].is_usable() && !workers_[i].has_chunk() && !requests_.has_request(i);
  }
  void post(int i) {
    requests_.post(i, workers_[i].next_after_update(), workers_[i].next_direction());
  }
  double blocks_left() const {
    double blocks = static_cast<double>(columns_left_ * problem_.r);
    for (const Rectangle& left : left_) blocks += static_cast<double>(left.size());
    for (const ChunkWorker& worker : workers_)
      blocks += static_cast<double>(worker.remaining_panel().size());
    return blocks;
  }

  /// What the workers that have stopped leave to the others.
  void take_back(const MasterView& star) {
    for (; stops_seen_ < star.stops().size(); ++stops_seen_) {
      const int i = star.stops()[stops_seen_].worker;
      ChunkWorker& worker = workers_[i];
      if (requests_.has_request(i)) requests_.withdraw(i);
      // Apart: since the chunk was begun, others may have taken columns of the rest.
      const bool lost = worker.has_chunk() || star.has_lost_last_transfer(i);
      if (lost) left_.push_back(worker.chunk());
      if (!worker.remaining_panel().empty()) left_.push_back(worker.remaining_panel());
      worker.stop(lost);
    }
  }

  /// For a block of C, at the pace seen, with the port to itself.
  double block_alone_s(const MasterView& star, int i) const {
    const Worker& figures = star.worker(i);
    const double c_s = figures.c_s * pace_.of_transfers(i);
    const double update_s = figures.block_update_s(sides_[i] * sides_[i]) * pace_.of_updates(i);
    const double step_s = std::max(update_s, 2 * c_s / static_cast<double>(sides_[i]));
    return static_cast<double>(problem_.t) * step_s + 2 * c_s;
  }

  Outlook outlook(const MasterView& star, int i) const {
    const auto side = static_cast<double>(sides_[i]);
    Outlook outlook{.free_s = star.now_s(),
                    .block_s = block_alone_s(star, i) * crowding_.median(),
                    .chunk = std::min(side, static_cast<double>(problem_.r)) * side};
    if (workers_[i].has_chunk()) {
      const auto steps = static_cast<double>(steps_left_[i] + pace_.updates_under_way(i));
      outlook.free_s += steps / static_cast<double>(problem_.t) * outlook.chunk * outlook.block_s;
    }
    return outlook;
  }

  /// Where the link of the first that asks has become slow: one that asks as well and whose link
  /// has not. It would wait for long, and the first not for long. But not where the first, with the
  /// chunk that it holds, is what the others will wait for in the end.
  int before_slow_link(const MasterView& star, int first) const {
    constexpr double slow = 2;
    const double pace = pace_.of_transfers(first);
    if (pace < slow) return first;
    for (int i = 0; i < static_cast<int>(workers_.size()); ++i) {
      if (!requests_.has_request(i) || pace < slow * pace_.of_transfers(i)) continue;
      const double date_s = star.request_date_s(i, workers_[i].next_after_update());
      if (clearly_less(star.now_s(), date_s)) continue;
      return ends_last(star, first) ? first : i;
    }
    return first;
  }
  /// Whether it has its chunk for longer than the others would take for what nobody has begun.
  bool ends_last(const MasterView& star, int worker) const {
    double others = 0;  // blocks per second
    for (int i = 0; i < static_cast<int>(workers_.size()); ++i) {
      if (i != worker && workers_[i].is_usable()) others += 1 / outlook(star, i).block_s;
    }
    return outlook(star, worker).free_s > star.now_s() + blocks_left() / others;
  }

  /// Gives chunks to those that wait for one. When that is nobody though there are blocks left, to
  /// the one that ends it first.
  void find_work(const MasterView& star) {
    bool any_idle = false;
    for (int i = 0; i < static_cast<int>(workers_.size()); ++i) any_idle = any_idle || idle(i);
    if (!any_idle || blocks_left() == 0) return;
    PerWorker<Outlook> outlooks;
    for (int i = 0; i < static_cast<int>(workers_.size()); ++i) {
      outlooks.push_back(workers_[i].is_usable() ? outlook(star, i) : Outlook{.free_s = kUnknown});
    }
    std::vector<int> order;
    for (int i = 0; i < static_cast<int>(workers_.size()); ++i) {
      if (idle(i)) order.push_back(i);
    }
    std::ranges::stable_sort(order, [&](int i, int j) {
      return clearly_less(outlooks[i].block_s, outlooks[j].block_s);
    });
    for (const int i : order) {
      if (falls_to(i, outlooks) && begin_chunk(star, i, outlooks)) post(i);
    }
    if (!requests_.is_empty()) return;
    for (const int i : order) {
      if (!begin_chunk(star, i, outlooks)) continue;
      post(i);
      return;
    }
  }

  /// Whether a chunk of what is left falls to the worker, when each goes to who would end it first.
  bool falls_to(int i, PerWorker<Outlook> outlooks) const {
    if (crowding_.empty()) return true;  // nobody knows better yet
    double blocks = blocks_left();
    while (blocks > 0) {
      const auto first = std::min_element(
          outlooks.begin(), outlooks.end(), [&](const Outlook& one, const Outlook& other) {
            return clearly_less(one.end_s(blocks), other.end_s(blocks));
          });
      if (first - outlooks.begin() == i) return true;
      const double taken = std::min(first->chunk, blocks);
      first->free_s = first->end_s(blocks);
      blocks -= taken;
    }
    return false;
  }

  /// Further down its panel, in fresh columns, or in what another has not begun.
  bool begin_chunk(const MasterView& star, int i, const PerWorker<Outlook>& outlooks) {
    ChunkWorker& worker = workers_[i];
    if (worker.remaining_panel().empty()) {
      if (!left_.empty()) {
        Rectangle& left = left_.back();
        Rectangle taken = left;
        taken.columns.begin = std::max<std::int32_t>(
            left.columns.begin, left.columns.end - static_cast<std::int32_t>(sides_[i]));
        left.columns.end = taken.columns.begin;
        if (left.empty()) left_.pop_back();
        worker.set_remaining_panel(taken);
      } else if (columns_.has_columns_left()) {
        columns_left_ -= std::min(columns_left_, sides_[i]);
      } else if (!take_over(i, outlooks)) {
        return false;
      }
    }
    worker.start_chunk(columns_);
    steps_left_[i] = problem_.t;
    const auto blocks = static_cast<double>(worker.chunk().size());
    begun_[i] = {.at_s = star.now_s(), .alone_s = blocks * block_alone_s(star, i)};
    return true;
  }

  /// From who would end last with what it has.
  bool take_over(int i, const PerWorker<Outlook>& outlooks) {
    const auto end_s = [&](int j) {
      const Rectangle rest = workers_[j].remaining_panel();
      return rest.empty()
                 ? 0
                 : outlooks[j].free_s + static_cast<double>(rest.size()) * outlooks[j].block_s;
    };
    int last = i;
    for (int j = 0; j < static_cast<int>(workers_.size()); ++j) {
      if (clearly_less(end_s(last), end_s(j))) last = j;
    }
    if (last == i) return false;
    const Rectangle rest = workers_[last].remaining_panel();
    const auto [taken, kept] = cut(rest, sides_[i], share(i, last, rest, outlooks));
    if (taken.empty()) return false;
    workers_[last].set_remaining_panel(kept);
    workers_[i].set_remaining_panel(taken);
    return true;
  }

  /// Of the rest that `last` has, for both to end at once; all of it where that one waits.
  double share(int i, int last, const Rectangle& rest, const PerWorker<Outlook>& outlooks) const {
    if (idle(last)) return 1;
    const Outlook& mine = outlooks[i];
    const Outlook& other = outlooks[last];
    const auto blocks = static_cast<double>(rest.size());
    // mine.free_s + x blocks mine.block_s = other.free_s + (1 - x) blocks other.block_s
    const double x = (other.free_s - mine.free_s + blocks * other.block_s) /
                     (blocks * (mine.block_s + other.block_s));
    return std::clamp(x, 0.0, 1.0);
  }

  struct Cut {
    Rectangle taken;
    Rectangle kept;
  };
  /// The last rows of a panel where it is no wider than the side, else its last columns.
  static Cut cut(const Rectangle& rest, std::int64_t side, double share) {
    Cut cut{.taken = rest, .kept = rest};
    Range Rectangle::*const along =
        rest.columns.size() <= side ? &Rectangle::rows : &Rectangle::columns;
    const std::int64_t all = (rest.*along).size();
    auto taken =
        static_cast<std::int64_t>(std::floor(share * static_cast<double>(all) + 0.5 + kRounding));
    if (along == &Rectangle::columns) taken = std::min(taken, side);
    const auto edge = static_cast<std::int32_t>((rest.*along).end - taken);
    (cut.taken.*along).begin = (cut.kept.*along).end = edge;
    return cut;
  }

  const Problem& problem_;
  ObservedPace pace_;
  PerWorker<ChunkWorker> workers_;
  PerWorker<std::int64_t> sides_;
  ScannedRequests requests_;
  ColumnCounter columns_;
  std::int64_t columns_left_;
  PerWorker<std::int64_t> steps_left_;  ///< to be sent of the chunk that each holds
  PerWorker<Begun> begun_;              ///< likewise
  MedianOfLast crowding_;  ///< how many times as long chunks took as with the port to themselves
  std::vector<Rectangle> left_;  ///< by workers that have stopped
  std::size_t stops_seen_ = 0;
  std::optional<int> served_;  ///< the last worker, whose next request is not posted yet
  bool started_ = false;
};

}  // namespace

Plan plan_adaptive(const Platform& platform, const Problem& problem) {
  return {.dispatcher = std::make_unique<AdaptiveDispatcher>(platform, problem), .adapts = true};
}

}  // namespace starport
