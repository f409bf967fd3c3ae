#include "heuristics/star/adaptive.hpp"

#include "heuristics/star/chunks.hpp"
#include "heuristics/star/demand_driven.hpp"
#include "sim/files/error.hpp"
#include "sim/star/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace starport {

void MedianOfLast::add(double ratio) {
  constexpr std::size_t size = 5;
  last_.push_back(ratio);
  if (last_.size() > size) last_.pop_front();
}

double MedianOfLast::median() const {
  if (last_.empty()) return 1;
  std::vector<double> sorted(last_.begin(), last_.end());
  const auto middle = sorted.begin() + std::ssize(sorted) / 2;
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

void ObservedPace::observe(const MasterView& star) {
  if (decided_) {
    const auto [message, start_s] = *std::exchange(decided_, std::nullopt);
    const Worker& figures = star.worker(message.worker);
    Observations& observed = workers_[message.worker];
    const double end_s = star.last_transfer_end_s(message.worker);
    observed.transfers.add((end_s - start_s) / figures.transfer_time_s(message.blocks));
    if (message.allows_update) {
      observed.pending.push_back(
          {.number = star.updates_allowed(message.worker),
           .arrived_s = end_s,
           .nominal_s = update_cost(message, problem_, figures) * figures.w_s});
    }
  }
  for (int i = 0; i < static_cast<int>(workers_.size()); ++i) {
    Observations& observed = workers_[i];
    while (!observed.pending.empty()) {
      const auto& [number, arrived_s, nominal_s] = observed.pending.front();
      const double end_s = star.ready_after_update_s(i, number);
      if (end_s == kUnknown || clearly_less(star.now_s(), end_s)) break;
      observed.updates.add((end_s - std::max(arrived_s, observed.last_update_end_s)) / nominal_s);
      observed.last_update_end_s = end_s;
      observed.pending.pop_front();
    }
  }
}

void ObservedPace::record_decision(const MasterView& star, const Message& message) {
  decided_ = Decided{.message = message, .start_s = star.earliest_start_s(message)};
}

namespace {

/// Relative difference of dates between engines, which must not change a rounded result.
constexpr double kRounding = 1e-9;

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
        started_chunks_(platform.workers.size()) {
    for (const Worker& worker : platform.workers) {
      sides_.push_back(chunk_side(worker, kOptimizedOverlapped));
    }
  }

  Decision next(const MasterView& star) override {
    pace_.observe(star);
    auto served = std::exchange(served_, std::nullopt);
    const bool stopped = star.stops().size() > stops_seen_;
    if (stopped) reclaim_panels(star);
    if (served && star.has_stopped(*served)) served.reset();
    if (served && workers_[*served].has_chunk()) {
      post(*served);
      if (stopped) assign_chunks(star);
    } else if (served) {  // a chunk has been returned
      const StartedChunk& chunk = started_chunks_[*served];
      crowding_.add((star.now_s() - chunk.start_s) / chunk.alone_s);
      assign_chunks(star);
    } else if (stopped || !std::exchange(started_, true)) {
      assign_chunks(star);
    }
    const auto request = requests_.find_earliest(star);
    if (!request && blocks_left() > 0) {
      if (star.stops().empty()) throw SimulationError("no worker can hold a chunk");
      throw SimulationError(
          fmt::format("the last worker with memory for a chunk stopped at {:g} s with columns left",
                      star.stops().back().at_s));
    }
    if (!request) return Done{};
    if (clearly_less(star.now_s(), request->date_s)) return Wait{.until_s = request->date_s};
    const int worker = pick_before_slow_link(star, request->worker);
    requests_.withdraw(worker);
    served_ = worker;
    const Decision decision = serve(workers_[worker]);
    const Message& message = *std::get<const Message*>(decision);
    if (message.allows_update) --steps_left_[worker];
    pace_.record_decision(star, message);
    return decision;
  }
  void measure(MetricsRun& run) override { run.execute(*this); }

 private:
  /// Forecast for a worker: when it could start another chunk, and how long that takes.
  struct Outlook {
    double free_s = 0;   ///< date at which its current chunk is returned
    double block_s = 0;  ///< time per block of C, moved and computed
    double chunk = 0;    ///< blocks of C per chunk

    /// Returns when it would end its next chunk, of at most `blocks` blocks.
    double end_s(double blocks) const { return free_s + std::min(chunk, blocks) * block_s; }
  };
  /// A chunk that a worker has started.
  struct StartedChunk {
    double start_s = 0;
    double alone_s = 0;  ///< duration if no other worker used the port
  };

  /// Returns true if worker `i` waits for a chunk.
  bool is_idle(int i) const {
    return workers_[i].is_usable() && !workers_[i].has_chunk() && !requests_.has_request(i);
  }
  void post(int i) {
    requests_.post(i, workers_[i].next_after_update(), workers_[i].next_direction());
  }
  /// Returns the number of blocks of C that are in no chunk yet.
  double blocks_left() const {
    double blocks = static_cast<double>(columns_left_ * problem_.r);
    for (const Rectangle& left : left_) blocks += static_cast<double>(left.size());
    for (const ChunkWorker& worker : workers_)
      blocks += static_cast<double>(worker.remaining_panel().size());
    return blocks;
  }

  /// Adds to left_ what workers that have stopped since the last decision leave.
  void reclaim_panels(const MasterView& star) {
    for (; stops_seen_ < star.stops().size(); ++stops_seen_) {
      const int i = star.stops()[stops_seen_].worker;
      ChunkWorker& worker = workers_[i];
      if (requests_.has_request(i)) requests_.withdraw(i);
      // Two rectangles: since the chunk was started, others may have taken columns of the rest.
      const bool lost = worker.has_chunk() || star.has_lost_last_transfer(i);
      if (lost) left_.push_back(worker.chunk());
      if (!worker.remaining_panel().empty()) left_.push_back(worker.remaining_panel());
      worker.stop(lost);
    }
  }

  /// Returns the time per block of C at the observed speeds, if no other worker used the port.
  double block_alone_s(const MasterView& star, int i) const {
    const Worker& figures = star.worker(i);
    const double c_s = figures.c_s * pace_.transfer_slowdown(i);
    const double update_s =
        figures.block_update_s(sides_[i] * sides_[i]) * pace_.update_slowdown(i);
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

  /// Returns the worker to serve in place of `first`, whose request is the earliest: if the link of
  /// `first` has become slow, a worker that can be served now and whose link has not, which would
  /// otherwise wait for long. Returns `first` if the others would wait for its chunk in the end.
  int pick_before_slow_link(const MasterView& star, int first) const {
    // A slow-down to exactly twice the time is not left to rounding.
    constexpr double slow = 2 * (1 - 1e-6);
    const double pace = pace_.transfer_slowdown(first);
    if (pace < slow) return first;
    for (int i = 0; i < static_cast<int>(workers_.size()); ++i) {
      if (!requests_.has_request(i) || pace < slow * pace_.transfer_slowdown(i)) continue;
      const double date_s = star.request_date_s(i, workers_[i].next_after_update());
      if (clearly_less(star.now_s(), date_s)) continue;
      return would_end_last(star, first) ? first : i;
    }
    return first;
  }
  /// Returns true if the worker would return its chunk later than the others complete all the rest.
  bool would_end_last(const MasterView& star, int worker) const {
    double rate = 0;  // of the other workers, in blocks per second
    for (int i = 0; i < static_cast<int>(workers_.size()); ++i) {
      if (i != worker && workers_[i].is_usable()) rate += 1 / outlook(star, i).block_s;
    }
    return clearly_less(star.now_s() + blocks_left() / rate, outlook(star, worker).free_s);
  }

  /// Starts chunks on the idle workers to which the forecast assigns one. If no request would be
  /// posted although blocks are left, starts one on the fastest idle worker.
  void assign_chunks(const MasterView& star) {
    std::vector<int> order;
    for (int i = 0; i < static_cast<int>(workers_.size()); ++i) {
      if (is_idle(i)) order.push_back(i);
    }
    if (order.empty() || blocks_left() == 0) return;
    PerWorker<Outlook> outlooks;
    for (int i = 0; i < static_cast<int>(workers_.size()); ++i) {
      outlooks.push_back(workers_[i].is_usable() ? outlook(star, i) : Outlook{.free_s = kUnknown});
    }
    std::ranges::stable_sort(order, [&](int i, int j) {
      return clearly_less(outlooks[i].block_s, outlooks[j].block_s);
    });
    PerWorker<char> assigned = assigned_workers(order, outlooks);
    for (const int i : order) {
      if (assigned[i] == 0 || !start_chunk(star, i, outlooks)) continue;
      post(i);
      assigned = assigned_workers(order, outlooks);  // of what is left now
    }
    if (!requests_.is_empty()) return;
    for (const int i : order) {
      if (!start_chunk(star, i, outlooks)) continue;
      post(i);
      return;
    }
  }

  /// Returns for each worker whether it gets one of the chunks left when each goes to the worker
  /// that would end it first, as far as it takes to know that of those in `idle`; all do before a
  /// chunk has been returned, since there is no forecast yet.
  PerWorker<char> assigned_workers(const std::vector<int>& idle,
                                   PerWorker<Outlook> outlooks) const {
    PerWorker<char> assigned(outlooks.size(), crowding_.empty() ? 1 : 0);
    double blocks = crowding_.empty() ? 0 : blocks_left();
    while (blocks > 0 && std::ranges::any_of(idle, [&](int i) { return assigned[i] == 0; })) {
      const auto first = std::min_element(outlooks.begin(), outlooks.end(),
                                          [&](const Outlook& x, const Outlook& y) {
                                            return clearly_less(x.end_s(blocks), y.end_s(blocks));
                                          });
      assigned[first - outlooks.begin()] = 1;
      const double taken = std::min(first->chunk, blocks);
      first->free_s = first->end_s(blocks);
      blocks -= taken;
    }
    return assigned;
  }

  /// Starts a chunk on worker `i`: further down its panel, in returned or new columns, or in the
  /// remaining panel of another worker. Returns false if there is none.
  bool start_chunk(const MasterView& star, int i, const PerWorker<Outlook>& outlooks) {
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
      } else if (!assign_from_last(i, outlooks)) {
        return false;
      }
    }
    worker.start_chunk(columns_);
    steps_left_[i] = problem_.t;
    const auto blocks = static_cast<double>(worker.chunk().size());
    started_chunks_[i] = {.start_s = star.now_s(), .alone_s = blocks * block_alone_s(star, i)};
    return true;
  }

  /// Moves part of the remaining panel of the worker that would end last to worker `i`. Returns
  /// false if there is none.
  bool assign_from_last(int i, const PerWorker<Outlook>& outlooks) {
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

  /// Returns the fraction of `rest`, the remaining panel of `last`, with which both workers end at
  /// the same time; 1 if `last` is idle.
  double share(int i, int last, const Rectangle& rest, const PerWorker<Outlook>& outlooks) const {
    if (is_idle(last)) return 1;
    const Outlook& to = outlooks[i];
    const Outlook& from = outlooks[last];
    const auto blocks = static_cast<double>(rest.size());
    // to.free_s + x blocks to.block_s = from.free_s + (1 - x) blocks from.block_s
    const double x =
        (from.free_s - to.free_s + blocks * from.block_s) / (blocks * (to.block_s + from.block_s));
    return std::clamp(x, 0.0, 1.0);
  }

  /// The two parts of a remaining panel.
  struct Cut {
    Rectangle taken;
    Rectangle kept;
  };
  /// Cuts off a fraction `share` of a remaining panel: its last rows if it is no wider than `side`,
  /// else at most `side` of its last columns.
  static Cut cut(const Rectangle& rest, std::int64_t side, double share) {
    Cut cut{.taken = rest, .kept = rest};
    Range Rectangle::*const along =
        rest.columns.size() <= side ? &Rectangle::rows : &Rectangle::columns;
    const std::int64_t size = (rest.*along).size();
    auto taken =
        static_cast<std::int64_t>(std::floor(share * static_cast<double>(size) + 0.5 + kRounding));
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
  PerWorker<std::int64_t> steps_left_;      ///< steps to send of the current chunk of each
  PerWorker<StartedChunk> started_chunks_;  ///< current chunk of each worker
  MedianOfLast crowding_;                   ///< duration of chunks / their duration alone
  std::vector<Rectangle> left_;             ///< left by workers that have stopped
  std::size_t stops_seen_ = 0;
  std::optional<int> served_;  ///< worker served last, whose next request is not posted yet
  bool started_ = false;
};

}  // namespace

Plan plan_adaptive(const Platform& platform, const Problem& problem) {
  return {.dispatcher = std::make_unique<AdaptiveDispatcher>(platform, problem), .adapts = true};
}

}  // namespace starport
