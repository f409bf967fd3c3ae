#include "sim/engine/validator.hpp"

#include "sim/engine/residency.hpp"
#include "sim/model/ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

namespace starport {
namespace {

std::string shown(const Range& range) { return fmt::format("{}..{}", range.begin, range.end - 1); }
std::string shown(const char* matrix, const Rectangle& blocks) {
  return fmt::format("{}[{}][{}]", matrix, shown(blocks.rows), shown(blocks.columns));
}

struct Broken {
  std::string message;
};

[[noreturn]] void broken(std::string message) { throw Broken{std::move(message)}; }

bool inside(const Range& range, std::int64_t size) {
  return range.begin >= 0 && range.begin < range.end && range.end <= size;
}
bool inside(const Rectangle& blocks, std::int64_t height, std::int64_t width) {
  return inside(blocks.rows, height) && inside(blocks.columns, width);
}

/// What the validator follows of one worker.
struct WorkerState {
  BlockSet a;
  BlockSet b;
  CPieces c;
  std::vector<double> update_end_s;
  std::int64_t known_complete = 0;  ///< the last update that its transfers have waited for
  std::int64_t held_blocks = 0;
  struct Release {
    double date_s;
    std::int64_t blocks;
  };
  std::deque<Release> releases;  ///< by date: the ends of updates
};

class Checker {
 public:
  Checker(const Platform& platform, const Problem& problem)
      : platform_(platform), problem_(problem), states_(platform.workers.size()) {}

  std::optional<Violation> run(const Trace& trace) {
    for (std::size_t i = 0; i < trace.size(); ++i) {
      current_ = i;
      try {
        check(trace[i]);
      } catch (const Broken& fault) {
        const auto repeated = repeated_c();
        return repeated && repeated->transfer < i ? repeated : Violation{i, fault.message};
      }
    }
    if (const auto repeated = repeated_c()) return repeated;
    return missing(trace.size());
  }

 private:
  void check(const TracedTransfer& event) {
    const Transfer& transfer = event.transfer;
    check_form(transfer);
    WorkerState& state = states_[static_cast<std::size_t>(transfer.worker)];
    check_dates(event, state);
    release_until(event.dates.start_s, state);
    if (transfer.direction == Direction::to_worker) {
      arrive(transfer, state);
      compute(event, state);
      check_memory(event, state);
    } else {
      come_home(transfer, state);
    }
  }

  void check_form(const Transfer& transfer) const {
    if (transfer.worker < 0 || transfer.worker >= static_cast<int>(platform_.workers.size())) {
      broken(fmt::format("worker {} is unknown: there are {}", transfer.worker + 1,
                         platform_.workers.size()));
    }
    const auto [r, s, t, q] = problem_;
    if (transfer.blocks() == 0) broken("the transfer carries nothing");
    const Update& update = transfer.update;
    const auto allowed = [](const Rectangle& blocks, std::int64_t height, std::int64_t width) {
      return blocks == Rectangle{} || inside(blocks, height, width);
    };
    const bool no_product =
        update.rows == Range{} && update.columns == Range{} && update.inner == Range{};
    if (!allowed(transfer.a, r, t) || !allowed(transfer.b, t, s) || !allowed(transfer.c, r, s) ||
        !allowed(update.release_a, r, t) || !allowed(update.release_b, t, s) ||
        !(no_product ||
          (inside(update.rows, r) && inside(update.columns, s) && inside(update.inner, t)))) {
      broken("a block outside the matrices");
    }
    if (update.empty() && !(update.release_a.empty() && update.release_b.empty())) {
      broken("blocks are let go of at the end of an update that does not exist");
    }
    if (update.add_c && transfer.c.empty()) broken("C blocks to add, but none is carried");
    if (transfer.direction == Direction::to_master &&
        !(transfer.a.empty() && transfer.b.empty() && update.empty())) {
      broken("only blocks of C go back to the master, and they allow no update");
    }
  }

  void check_dates(const TracedTransfer& event, WorkerState& state) {
    const auto& [transfer, dates] = event;
    const Worker& worker = platform_.workers[static_cast<std::size_t>(transfer.worker)];
    if (transfer.after_update < 0 ||
        transfer.after_update > static_cast<std::int64_t>(state.update_end_s.size())) {
      broken(fmt::format("the transfer waits for update {} of worker {}, of which {} exist",
                         transfer.after_update, transfer.worker + 1, state.update_end_s.size()));
    }
    for (const double date :
         {dates.start_s, dates.end_s, dates.update_start_s, dates.update_end_s}) {
      if (!std::isfinite(date) || date < 0) broken("a date that is negative or not finite");
    }
    if (clearly_less(dates.start_s, port_free_s_)) {
      broken(fmt::format("the transfer starts at {} s, the port is busy until {} s", dates.start_s,
                         port_free_s_));
    }
    double due = port_free_s_;
    if (transfer.after_update > 0) {
      const double end = state.update_end_s[static_cast<std::size_t>(transfer.after_update - 1)];
      if (clearly_less(dates.start_s, end)) {
        broken(fmt::format("the transfer starts at {} s, before the end of update {} at {} s",
                           dates.start_s, transfer.after_update, end));
      }
      due = std::max(due, end);
    }
    if (clearly_less(due, dates.start_s) && !an_update_ends(dates.start_s)) {
      broken(
          fmt::format("the transfer starts at {} s, but it was due at {} s", dates.start_s, due));
    }
    check_duration("transfer", dates.start_s, dates.end_s,
                   worker.transfer_time_s(transfer.blocks()));
    port_free_s_ = dates.end_s;
    state.known_complete = std::max(state.known_complete, transfer.after_update);
    check_update_dates(event, worker, state);
  }

  /// The master may leave its port idle, but it only decides again when an update ends somewhere.
  bool an_update_ends(double date_s) const {
    return std::any_of(states_.begin(), states_.end(), [&](const WorkerState& state) {
      const auto& ends = state.update_end_s;  // in growing order
      const auto near =
          std::lower_bound(ends.begin(), ends.end(), date_s * (1 - kRelativeTolerance));
      return near != ends.end() && nearly_equal(*near, date_s);
    });
  }

  /// To a relative 1e-9, and what the rounding of the dates themselves takes away.
  static void check_duration(const char* what, double start_s, double end_s, double expected_s) {
    const double tolerance = kRelativeTolerance * expected_s + 1e-13 * end_s;
    if (std::abs(end_s - start_s - expected_s) > tolerance) {
      broken(fmt::format("the {} lasts {} s, {} in the model", what, end_s - start_s, expected_s));
    }
  }

  void check_update_dates(const TracedTransfer& event, const Worker& worker, WorkerState& state) {
    const Dates& dates = event.dates;
    if (event.transfer.update.empty()) {
      if (dates.update_start_s != dates.end_s || dates.update_end_s != dates.end_s) {
        broken("dates for an update that does not exist");
      }
      return;
    }
    const double previous_end = state.update_end_s.empty() ? 0 : state.update_end_s.back();
    const double due = std::max(dates.end_s, previous_end);
    if (clearly_less(dates.update_start_s, dates.end_s)) {
      broken("the update starts before its transfer has arrived");
    }
    if (clearly_less(dates.update_start_s, previous_end)) {
      broken("the update starts before the previous one has ended");
    }
    if (clearly_less(due, dates.update_start_s)) {
      broken(fmt::format("the update starts at {} s, but it was due at {} s", dates.update_start_s,
                         due));
    }
    check_duration("update", dates.update_start_s, dates.update_end_s,
                   update_cost(event.transfer, problem_) * worker.w_s);
    state.update_end_s.push_back(dates.update_end_s);
  }

  static void release_until(double date_s, WorkerState& state) {
    while (!state.releases.empty() && !clearly_less(date_s, state.releases.front().date_s)) {
      state.held_blocks -= state.releases.front().blocks;
      state.releases.pop_front();
    }
  }

  void arrive(const Transfer& transfer, WorkerState& state) {
    if (!transfer.a.empty()) {
      if (state.a.overlaps(transfer.a)) {
        broken(fmt::format("{} is sent to worker {}, which holds some of it",
                           shown("A", transfer.a), transfer.worker + 1));
      }
      state.a.add(transfer.a);
    }
    if (!transfer.b.empty()) {
      if (state.b.overlaps(transfer.b)) {
        broken(fmt::format("{} is sent to worker {}, which holds some of it",
                           shown("B", transfer.b), transfer.worker + 1));
      }
      state.b.add(transfer.b);
    }
    state.held_blocks += transfer.blocks();
    if (!transfer.c.empty()) arrive_c(transfer, state);
  }

  /// C comes first, or late to be added to what has been accumulated from zero.
  void arrive_c(const Transfer& transfer, WorkerState& state) {
    const Rectangle& c = transfer.c;
    const std::string name = shown("C", c);
    sent_c_.push_back(c);
    sent_c_at_.push_back(current_);
    if (!transfer.update.add_c) {
      if (state.c.held(c) > 0) {
        broken(fmt::format("{} is sent to worker {}, which works on some of it already", name,
                           transfer.worker + 1));
      }
      state.c.add_missing(c, true);
      return;
    }
    if (state.c.held(c) != c.size()) {
      broken(fmt::format("{} is to be added on worker {}, which has not accumulated all of it",
                         name, transfer.worker + 1));
    }
    for (CPiece* piece : state.c.inside(c)) {
      if (piece->has_value) {
        broken(fmt::format("{} is sent twice to worker {}", shown("C", piece->blocks),
                           transfer.worker + 1));
      }
      piece->has_value = true;
      piece->last_update = static_cast<std::int64_t>(state.update_end_s.size());
    }
  }

  void compute(const TracedTransfer& event, WorkerState& state) {
    const Transfer& transfer = event.transfer;
    const Update& update = transfer.update;
    if (update.empty()) return;
    std::int64_t freed = update.add_c ? transfer.c.size() : 0;
    if (update.block_updates() > 0) {
      const Rectangle needed_a{update.rows, update.inner};
      const Rectangle needed_b{update.inner, update.columns};
      if (!state.a.contains(needed_a)) {
        broken(fmt::format("the update needs {}, not all of it is on worker {}",
                           shown("A", needed_a), transfer.worker + 1));
      }
      if (!state.b.contains(needed_b)) {
        broken(fmt::format("the update needs {}, not all of it is on worker {}",
                           shown("B", needed_b), transfer.worker + 1));
      }
      const Rectangle target{update.rows, update.columns};
      state.held_blocks += state.c.add_missing(target, false);
      for (CPiece* piece : state.c.inside(target)) {
        if (piece->did_any(update.inner)) {
          broken(fmt::format("{} gets an update k in {} twice", shown("C", piece->blocks),
                             shown(update.inner)));
        }
        piece->did(update.inner);
        piece->last_update = static_cast<std::int64_t>(state.update_end_s.size());
      }
    }
    freed += let_go("A", update.release_a, state.a, transfer);
    freed += let_go("B", update.release_b, state.b, transfer);
    if (freed > 0) state.releases.push_back({event.dates.update_end_s, freed});
  }

  static std::int64_t let_go(const char* matrix, const Rectangle& blocks, BlockSet& set,
                             const Transfer& transfer) {
    if (blocks.empty()) return 0;
    if (!set.contains(blocks)) {
      broken(fmt::format("{} is let go of, not all of it is on worker {}", shown(matrix, blocks),
                         transfer.worker + 1));
    }
    set.remove(blocks);
    return blocks.size();
  }

  void check_memory(const TracedTransfer& event, const WorkerState& state) const {
    const int worker = event.transfer.worker;
    const std::int64_t m = platform_.workers[static_cast<std::size_t>(worker)].m_blocks;
    if (state.held_blocks > m) {
      broken(fmt::format("worker {} would hold {} blocks at {} s, its memory is {}", worker + 1,
                         state.held_blocks, event.dates.start_s, m));
    }
  }

  void come_home(const Transfer& transfer, WorkerState& state) {
    const std::string name = shown("C", transfer.c);
    if (state.c.held(transfer.c) != transfer.c.size()) {
      broken(fmt::format("{} comes home from worker {}, which does not hold all of it", name,
                         transfer.worker + 1));
    }
    for (const CPiece* piece : state.c.inside(transfer.c)) {
      if (!piece->complete(problem_.t)) {
        std::int64_t done = 0;
        for (const Range& k : piece->inner) done += k.size();
        broken(fmt::format("{} comes home with {} of its {} updates", shown("C", piece->blocks),
                           done, problem_.t));
      }
      if (!piece->has_value) {
        broken(
            fmt::format("{} comes home without the master's C added", shown("C", piece->blocks)));
      }
      if (piece->last_update > state.known_complete) {
        broken(fmt::format("{} comes home after update {} of worker {}, but update {} changes it",
                           shown("C", piece->blocks), state.known_complete, transfer.worker + 1,
                           piece->last_update));
      }
    }
    state.c.remove(transfer.c);
    state.held_blocks -= transfer.c.size();
    home_c_ += transfer.c.size();
  }

  /// The first C block sent a second time; overlaps only appear as transfers are added, so the
  /// shortest prefix that has one tells which.
  std::optional<Violation> repeated_c() const {
    if (!any_overlap(sent_c_, sent_c_.size())) return std::nullopt;
    std::size_t clean = 0;
    std::size_t faulty = sent_c_.size();
    while (faulty - clean > 1) {
      const std::size_t middle = clean + (faulty - clean) / 2;
      (any_overlap(sent_c_, middle) ? faulty : clean) = middle;
    }
    return Violation{
        sent_c_at_[faulty - 1],
        fmt::format("{} has been sent before, at least in part", shown("C", sent_c_[faulty - 1]))};
  }

  std::optional<Violation> missing(std::size_t end) const {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i].c.all().empty()) continue;
      return Violation{end, fmt::format("{} never comes home from worker {}",
                                        shown("C", states_[i].c.all().front().blocks), i + 1)};
    }
    if (home_c_ != problem_.r * problem_.s) {
      return Violation{end, fmt::format("only {} of the {} blocks of C come home", home_c_,
                                        problem_.r * problem_.s)};
    }
    return std::nullopt;
  }

  const Platform& platform_;
  const Problem& problem_;
  std::vector<WorkerState> states_;
  double port_free_s_ = 0;
  std::int64_t home_c_ = 0;
  std::vector<Rectangle> sent_c_;
  std::vector<std::size_t> sent_c_at_;
  std::size_t current_ = 0;  ///< index of the transfer under check
};

}  // namespace

std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const Trace& trace) {
  return Checker(platform, problem).run(trace);
}

std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const std::vector<Transfer>& transfers) {
  // The recurrence would index a worker that does not exist: the checker says so first.
  const auto unknown = std::find_if(transfers.begin(), transfers.end(), [&](const Transfer& x) {
    return x.worker < 0 || x.worker >= static_cast<int>(platform.workers.size());
  });
  Trace trace = replay(platform, problem, {transfers.begin(), unknown});
  if (unknown != transfers.end()) trace.push_back({*unknown, {}});
  return find_violation(platform, problem, trace);
}

}  // namespace starport
