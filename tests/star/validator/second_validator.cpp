#include "tests/star/validator/second_validator.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace starport::test {
namespace {

using Date = boost::multiprecision::cpp_rational;

enum class Matrix { a, b, c };

/// One copy of a block on one worker, from the start of the transfer that brings it, or whose
/// update first needs it, until a date that is known once it has been decided.
struct Copy {
  Matrix matrix;
  std::int32_t i;
  std::int32_t j;
  bool has_c = false;     ///< of C: what the master had is in it
  bool is_late = false;   ///< of C: waits for its addition to the accumulator
  bool let_go = false;    ///< it leaves at `until`
  std::size_t last = 0;   ///< of C: the number, from 1, of the last update of it
  std::int64_t sums = 0;  ///< of C: how many values of k it has
  Date until = 0;
};

struct Fault {
  std::string reason;
};

template <class... Values>
void require(bool holds, fmt::format_string<Values...> reason, Values&&... values) {
  if (!holds) throw Fault{fmt::format(reason, std::forward<Values>(values)...)};
}

template <class Visit>
void each(const Rectangle& blocks, Visit visit) {
  if (blocks.empty()) return;
  for (std::int32_t i = blocks.rows.begin; i < blocks.rows.end; ++i) {
    for (std::int32_t j = blocks.columns.begin; j < blocks.columns.end; ++j) visit(i, j);
  }
}

/// The rules of the model (sim/manual/explanation.md and sim/star/schedules.md), one transfer
/// after the other.
class SecondValidator {
 public:
  SecondValidator(const Platform& platform, const Problem& problem)
      : platform_(platform), problem_(problem), workers_(platform.workers.size()) {}

  void take(const TracedTransfer& event) {
    const Transfer& transfer = event.transfer;
    check_ranges(transfer);
    State& state = workers_[static_cast<std::size_t>(transfer.worker)];
    require(transfer.after_update >= 0 && transfer.after_update <= std::ssize(state.update_ends),
            "it names update {}, of {}", transfer.after_update, state.update_ends.size());
    state.waited_for = std::max(state.waited_for, transfer.after_update);
    date(transfer, state);
    transfer.direction == Direction::to_worker ? bring(transfer, state)
                                               : take_home(transfer, state);
    compare(event.dates);
    port_free_ = end_;
    ++steps_;
  }

  void end() const {
    for (const State& state : workers_) {
      for (const Copy& copy : state.copies) {
        require(copy.matrix != Matrix::c || copy.let_go, "C[{}][{}] is not taken home", copy.i,
                copy.j);
      }
    }
    require(std::ssize(done_) == problem_.updates(), "{} of {} updates are done", done_.size(),
            problem_.updates());
    require(std::ssize(sent_) == problem_.r * problem_.s, "C is sent of {} blocks", sent_.size());
  }

  std::int64_t peak_blocks(std::int32_t worker) const {
    return workers_[static_cast<std::size_t>(worker)].peak;
  }

 private:
  struct State {
    std::vector<Copy> copies;
    std::vector<Date> update_ends;  ///< of all its updates
    std::int64_t waited_for = 0;    ///< the latest of them that any transfer has
    std::int64_t peak = 0;
  };

  void check_ranges(const Transfer& transfer) const {
    const auto inside = [](const Rectangle& blocks, std::int64_t rows, std::int64_t columns) {
      return blocks.empty() || (blocks.rows.begin >= 0 && blocks.rows.end <= rows &&
                                blocks.columns.begin >= 0 && blocks.columns.end <= columns);
    };
    const auto& [r, s, t, q] = problem_;
    const Update& update = transfer.update;
    require(inside(transfer.a, r, t) && inside(transfer.b, t, s) && inside(transfer.c, r, s) &&
                inside(update.release_a, r, t) && inside(update.release_b, t, s) &&
                (update.block_updates() == 0 || (inside({update.rows, update.columns}, r, s) &&
                                                 inside({update.inner, update.inner}, t, t))),
            "blocks outside of the matrices");
    require(!transfer.partial_sums || transfer.direction == Direction::to_master,
            "partial sums go to a worker");
  }

  /// A transfer of b blocks takes b c_i, after the port is free and the update that it names has
  /// ended. Its update starts when it has arrived and the previous one has ended, and takes w_i for
  /// each block, and the q-th part of that for each addition of a block.
  void date(const Transfer& transfer, const State& state) {
    const Worker& worker = platform_.workers[static_cast<std::size_t>(transfer.worker)];
    start_ = port_free_;
    if (transfer.after_update > 0) {
      start_ =
          std::max(start_, state.update_ends[static_cast<std::size_t>(transfer.after_update) - 1]);
    }
    end_ = start_ + Date(worker.latency_s) + Date(transfer.blocks()) * Date(worker.c_s);
    update_start_ = update_end_ = end_;
    if (transfer.update.empty()) return;
    if (!state.update_ends.empty()) update_start_ = std::max(end_, state.update_ends.back());
    Date cost = transfer.update.block_updates();
    if (transfer.update.add_c) cost += Date(transfer.c.size(), problem_.block_size);
    update_end_ = update_start_ + cost * Date(worker.w_s);
  }

  static Copy* find(State& state, Matrix matrix, std::int32_t i, std::int32_t j,
                    bool late = false) {
    const auto found = std::ranges::find_if(state.copies, [&](const Copy& copy) {
      return !copy.let_go && copy.matrix == matrix && copy.i == i && copy.j == j &&
             copy.is_late == late;
    });
    return found == state.copies.end() ? nullptr : &*found;
  }

  void bring(const Transfer& transfer, State& state) {
    const Update& update = transfer.update;
    bring_input(state, Matrix::a, transfer.a);
    bring_input(state, Matrix::b, transfer.b);
    each(transfer.c, [&](auto i, auto j) {
      require(sent_.emplace(i, j).second, "C[{}][{}] is sent twice", i, j);
      for (const State& other : workers_) {
        for (const Copy& copy : other.copies) {
          require(
              copy.matrix != Matrix::c || copy.let_go || copy.i != i || copy.j != j || !copy.has_c,
              "C[{}][{}] is sent while a worker has it", i, j);
        }
      }
      // Blocks accumulate from zero, and receive C later.
      const bool accumulates = find(state, Matrix::c, i, j) != nullptr;
      require(accumulates == update.add_c,
              "C[{}][{}] is sent beside its accumulator, or added to none", i, j);
      state.copies.push_back(
          {.matrix = Matrix::c, .i = i, .j = j, .has_c = true, .is_late = update.add_c});
    });
    if (!update.empty()) compute(transfer, state);
    check_memory(transfer, state);
    if (!update.empty()) state.update_ends.push_back(update_end_);
  }

  static void bring_input(State& state, Matrix matrix, const Rectangle& blocks) {
    each(blocks, [&](auto i, auto j) {
      require(find(state, matrix, i, j) == nullptr, "a block is sent that is there");
      state.copies.push_back({.matrix = matrix, .i = i, .j = j});
    });
  }

  void compute(const Transfer& transfer, State& state) {
    const Update& update = transfer.update;
    const std::size_t number = state.update_ends.size() + 1;
    if (update.block_updates() > 0) {
      each({update.rows, update.columns}, [&](auto i, auto j) {
        if (find(state, Matrix::c, i, j) == nullptr) {
          state.copies.push_back({.matrix = Matrix::c, .i = i, .j = j});
        }
        find(state, Matrix::c, i, j)->last = number;
        find(state, Matrix::c, i, j)->sums += update.inner.size();
        for (std::int32_t k = update.inner.begin; k < update.inner.end; ++k) {
          require(find(state, Matrix::a, i, k) != nullptr, "A[{}][{}] is not there", i, k);
          require(find(state, Matrix::b, k, j) != nullptr, "B[{}][{}] is not there", k, j);
          require(done_.emplace(i, j, k).second, "update {} {} {} is done twice", i, j, k);
        }
      });
    }
    if (update.add_c) {
      each(transfer.c, [&](auto i, auto j) {
        Copy* const sum = find(state, Matrix::c, i, j);
        require(sum != nullptr, "C[{}][{}] has nothing to be added to", i, j);
        sum->has_c = true;
        sum->last = number;
        let_go(state, Matrix::c, i, j, true);
      });
    }
    each(update.release_a, [&](auto i, auto j) { let_go(state, Matrix::a, i, j); });
    each(update.release_b, [&](auto i, auto j) { let_go(state, Matrix::b, i, j); });
  }

  /// Until the end of the update of this transfer.
  void let_go(State& state, Matrix matrix, std::int32_t i, std::int32_t j,
              bool late = false) const {
    Copy* const copy = find(state, matrix, i, j, late);
    require(copy != nullptr, "a block is let go of that is not there");
    copy->let_go = true;
    copy->until = update_end_;
  }

  /// Copies that have left by the start of the transfer take no room in it.
  void check_memory(const Transfer& transfer, State& state) const {
    std::erase_if(state.copies,
                  [&](const Copy& copy) { return copy.let_go && copy.until <= start_; });
    const auto held = std::ssize(state.copies);
    state.peak = std::max(state.peak, held);
    const auto room = platform_.workers[static_cast<std::size_t>(transfer.worker)].m_blocks;
    require(held <= room, "{} blocks are held, there is room for {}", held, room);
  }

  void take_home(const Transfer& transfer, State& state) const {
    require(
        transfer.a.empty() && transfer.b.empty() && !transfer.c.empty() && transfer.update.empty(),
        "a return is of C alone");
    each(transfer.c, [&](auto i, auto j) {
      Copy* const copy = find(state, Matrix::c, i, j);
      require(copy != nullptr, "C[{}][{}] is not there to be taken home", i, j);
      require(transfer.partial_sums || (copy->has_c && copy->sums == problem_.t),
              "C[{}][{}] is taken home with {} of its updates", i, j, copy->sums);
      // That it has ended in time by its dates is not enough: it must have been waited for.
      require(std::cmp_less_equal(copy->last, state.waited_for),
              "C[{}][{}] is taken home before its last update is complete", i, j);
      copy->let_go = true;
      copy->until = end_;
    });
  }

  /// A date is the sum of the durations before it, each rounded, and so is each sum.
  void compare(const Dates& traced) const {
    constexpr double half_ulp = std::numeric_limits<double>::epsilon() / 2;
    const Date allowed = Date(half_ulp) * 8 * (steps_ + 1);
    for (const auto& [found, exact] :
         {std::pair(traced.start_s, start_), std::pair(traced.end_s, end_),
          std::pair(traced.update_start_s, update_start_),
          std::pair(traced.update_end_s, update_end_)}) {
      require(std::isfinite(found) && abs(Date(found) - exact) <= allowed * exact,
              "a date is {}, not {}", found, exact.convert_to<double>());
    }
  }

  const Platform& platform_;
  const Problem& problem_;
  std::vector<State> workers_;
  std::set<std::tuple<std::int32_t, std::int32_t, std::int32_t>> done_;
  std::set<std::pair<std::int32_t, std::int32_t>> sent_;  ///< blocks of the master's C
  Date port_free_ = 0;
  Date start_ = 0;  ///< of this transfer, and so on
  Date end_ = 0;
  Date update_start_ = 0;
  Date update_end_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace

std::optional<Verdict> second_opinion(const Platform& platform, const Problem& problem,
                                      const Trace& trace) {
  SecondValidator validator(platform, problem);
  std::size_t n = 0;
  try {
    for (; n < trace.size(); ++n) validator.take(trace[n]);
    validator.end();
  } catch (const Fault& fault) {
    return Verdict{n, fault.reason};
  }
  return std::nullopt;
}

std::int64_t exact_peak_blocks(const Platform& platform, const Problem& problem, const Trace& trace,
                               std::int32_t worker) {
  SecondValidator validator(platform, problem);
  for (const TracedTransfer& event : trace) validator.take(event);
  return validator.peak_blocks(worker);
}

}  // namespace starport::test
