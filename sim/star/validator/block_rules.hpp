// Validator rules about blocks: what a transfer may carry, which blocks an update needs, and that
// each block of C is sent once, gets its t updates, on one worker or on several that return partial
// sums, and is returned once by each of these.
#pragma once

#include "sim/star/validator/memory_use.hpp"
#include "sim/star/validator/residency.hpp"
#include "sim/star/validator/validator.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace starport {

/// Checker of the rules about blocks for one trace (all transfers of a run with their dates),
/// transfer by transfer: what a transfer may carry, which blocks an update needs, and that each
/// block of C is sent once, gets each of its updates C_ij += A_ik B_kj once, and is returned once,
/// or as partial sums that together contain each update once. Tracks the blocks on every worker.
/// Part of the validator. For each transfer, in the order of the trace, call check_form(), then
/// check() or skip(); before the first one that starts at or after the date at which a worker stops
/// (noise), lose_worker_blocks(); after the last one find_repeated_c() and find_missing_c(). Worker
/// indices are from 0. Refers to the problem, which must outlive it.
class BlockRules {
 public:
  /// Makes a checker for an empty trace, with no blocks on any worker. `problem` must outlive this
  /// object; of `platform` only the number of workers is kept.
  BlockRules(const Platform& platform, const Problem& problem)
      : problem_(problem), workers_(platform.workers.size()) {}

  /// Checks a transfer without regard to earlier ones: its worker exists, it carries at least one
  /// block, its blocks and those of its update are inside the matrices (if there are none, they
  /// must equal Rectangle{} or Range{}), a transfer to the master has only blocks of C and no
  /// update, only one to the master is marked as partial sums, only an update that exists releases
  /// blocks, and one that adds blocks of C has some in its transfer. Throws BrokenRule if not.
  /// Changes nothing.
  void check_form(const Transfer& transfer) const {
    if (transfer.worker < 0 || transfer.worker >= std::ssize(workers_)) {
      throw_broken_rule("worker {} is unknown: there are {}", transfer.worker + 1, workers_.size());
    }
    const auto [r, s, t, q] = problem_;
    if (transfer.blocks() == 0) throw_broken_rule("the transfer carries nothing");
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
      throw_broken_rule("a block is outside the matrices");
    }
    if (update.empty() && !(update.release_a.empty() && update.release_b.empty())) {
      throw_broken_rule("blocks are released at the end of an update that does not exist");
    }
    if (update.add_c && transfer.c.empty())
      throw_broken_rule("the update adds blocks of C, but the transfer carries none");
    if (transfer.direction == Direction::to_master &&
        !(transfer.a.empty() && transfer.b.empty() && update.empty())) {
      throw_broken_rule("a transfer to the master carries only blocks of C and allows no update");
    }
    if (transfer.partial_sums && transfer.direction == Direction::to_worker)
      throw_broken_rule("only a transfer to the master carries partial sums");
  }

  /// Checks the next transfer of the trace against the blocks on its worker, records there what it
  /// and its update bring, release and return, and returns the effect on the worker's memory. The
  /// transfer must have passed check_form() (not checked: undefined behaviour). The worker's
  /// updates 1 to `last_awaited_update` (0: none) are complete when it starts; it must not return
  /// blocks of C that later ones change. A transfer lost at a stop takes memory but returns no
  /// blocks. Throws BrokenRule if a rule is broken; no more transfers may be checked then. A block
  /// of C sent again, to another worker or after its return, is found only by find_repeated_c().
  MemoryEffect check(const TracedTransfer& event, std::int64_t last_awaited_update) {
    const Transfer& transfer = event.transfer;
    WorkerBlocks& state = workers_[transfer.worker];
    const Update& update = transfer.update;
    if (!update.empty()) ++state.updates;
    MemoryEffect effect;
    if (transfer.direction == Direction::to_worker) {
      arrive(transfer, state);
      effect.taken_blocks = transfer.blocks() + compute(transfer, state);
      // Blocks that the update releases may be sent again while it runs, as second copies.
      release("A", update.release_a, state.a, transfer);
      release("B", update.release_b, state.b, transfer);
      // Blocks of C added to accumulators need no memory of their own after the addition.
      effect.released_blocks = update.release_a.size() + update.release_b.size() +
                               (update.add_c ? transfer.c.size() : 0);
    } else if (event.dates.fate != Fate::lost) {
      return_c(transfer, state, last_awaited_update);
      effect.returned_blocks = transfer.c.size();
    }
    ++transfers_checked_;
    return effect;
  }

  /// Counts the next transfer of the trace without checking it: to be called instead of check() for
  /// one that has no effect, since its worker stopped (noise) before it could start.
  void skip() { ++transfers_checked_; }
  /// Removes all blocks on a worker that has stopped (noise), so that its blocks of C may be sent
  /// again, to other workers. `worker` is an index from 0, which must exist (not checked: undefined
  /// behaviour). Throws BrokenRule if a block of C was sent twice before. Takes O(n log n) time,
  /// plus O(n) for each rectangle of C on the worker, with n rectangles of C sent so far.
  void lose_worker_blocks(int worker) {
    if (const auto repeated = find_repeated_c()) throw BrokenRule{repeated->message};
    WorkerBlocks& state = workers_[worker];
    state.c.all().for_each([&](const CPiece& piece) {
      if (!piece.has_value) return;  // accumulated from zero: the value may be on another worker
      std::vector<Rectangle> remaining;
      std::vector<std::size_t> remaining_at;
      for (std::size_t k = 0; k < sent_c_.size(); ++k) {
        for (const Rectangle& part : difference(sent_c_[k], piece.blocks)) {
          remaining.push_back(part);
          remaining_at.push_back(sent_c_at_[k]);
        }
      }
      sent_c_ = std::move(remaining);
      sent_c_at_ = std::move(remaining_at);
    });
    state = {.a = {}, .b = {}, .c = {}, .updates = state.updates};
  }

  /// Returns the violation of the first transfer so far that sends to a worker a block of C that
  /// was sent before, other than after a stop (lose_worker_blocks()); nullopt if none does.
  /// Violation::transfer is its index in the trace, from 0: the number of calls of check() and
  /// skip() before. O(n log^2 n) for n transfers of C so far if there is one, else O(n log n).
  // Adding transfers never removes an overlap: bisection finds the shortest prefix that has one.
  std::optional<Violation> find_repeated_c() const {
    if (!has_overlap(sent_c_, sent_c_.size())) return std::nullopt;
    std::size_t valid = 0;
    std::size_t faulty = sent_c_.size();
    while (faulty - valid > 1) {
      const std::size_t middle = valid + (faulty - valid) / 2;
      (has_overlap(sent_c_, middle) ? faulty : valid) = middle;
    }
    return Violation{
        sent_c_at_[faulty - 1],
        fmt::format("{} has been sent before, at least in part", shown("C", sent_c_[faulty - 1]))};
  }

  /// Returns a violation if blocks of C have not been returned to the master, or if the partial
  /// sums of a block, added up, lack one of its updates or the master's initial value of the block;
  /// nullopt if all are complete. To be called after the last transfer of the trace;
  /// Violation::transfer is the number of transfers in it.
  std::optional<Violation> find_missing_c() const {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (workers_[i].c.all().empty()) continue;
      return Violation{transfers_checked_,
                       fmt::format("{} is never returned by worker {}",
                                   shown("C", workers_[i].c.all().front().blocks), i + 1)};
    }
    std::int64_t returned = returned_c_;
    std::string incomplete;
    partial_sums_.all().for_each([&](const CPiece& sum) {
      returned += sum.blocks.size();
      if (!sum.is_complete(problem_.t)) {
        incomplete = fmt::format("the partial sums of {} have {} of its {} updates",
                                 shown("C", sum.blocks), count_updates(sum), problem_.t);
      } else if (!sum.has_value) {
        incomplete = fmt::format("none of the partial sums of {} has the master's C",
                                 shown("C", sum.blocks));
      }
    });
    if (!incomplete.empty()) return Violation{transfers_checked_, incomplete};
    if (returned != problem_.r * problem_.s) {
      return Violation{transfers_checked_, fmt::format("only {} of the {} blocks of C are returned",
                                                       returned, problem_.r * problem_.s)};
    }
    return std::nullopt;
  }

 private:
  struct WorkerBlocks {
    BlockSet a;
    BlockSet b;
    CPieces c;
    std::int64_t updates = 0;
  };

  void arrive(const Transfer& transfer, WorkerBlocks& state) {
    deliver("A", transfer.a, state.a, transfer);
    deliver("B", transfer.b, state.b, transfer);
    if (!transfer.c.empty()) arrive_c(transfer, state);
  }

  // C is sent before its updates, or after some of them to be added to the accumulators.
  void arrive_c(const Transfer& transfer, WorkerBlocks& state) {
    const Rectangle& c = transfer.c;
    const std::string name = shown("C", c);
    sent_c_.push_back(c);
    sent_c_at_.push_back(transfers_checked_);
    if (!transfer.update.add_c) {
      if (state.c.count_held(c) > 0) {
        throw_broken_rule("{} is sent to worker {}, which already has some of it", name,
                          transfer.worker + 1);
      }
      state.c.add_missing(c, true);
      return;
    }
    if (state.c.count_held(c) != c.size()) {
      throw_broken_rule("{} is to be added on worker {}, which has not accumulated all of it", name,
                        transfer.worker + 1);
    }
    for (CPiece* piece : state.c.cut_inside(c)) {
      if (piece->has_value) {
        throw_broken_rule("{} is sent twice to worker {}", shown("C", piece->blocks),
                          transfer.worker + 1);
      }
      piece->has_value = true;
      piece->last_update = state.updates;
    }
  }

  /// Applies an update and returns how many accumulators it is the first to need.
  static std::int64_t compute(const Transfer& transfer, WorkerBlocks& state) {
    const Update& update = transfer.update;
    std::int64_t accumulators = 0;
    if (update.block_updates() > 0) {
      require("A", {update.rows, update.inner}, state.a, transfer);
      require("B", {update.inner, update.columns}, state.b, transfer);
      const Rectangle target{update.rows, update.columns};
      accumulators = state.c.add_missing(target, false);
      for (CPiece* piece : state.c.cut_inside(target)) {
        if (piece->has_any_update(update.inner)) {
          throw_broken_rule("{} gets an update k in {} twice", shown("C", piece->blocks),
                            shown(update.inner));
        }
        piece->add_updates(update.inner);
        piece->last_update = state.updates;
      }
    }
    return accumulators;
  }

  void return_c(const Transfer& transfer, WorkerBlocks& state, std::int64_t last_awaited_update) {
    const std::string name = shown("C", transfer.c);
    if (state.c.count_held(transfer.c) != transfer.c.size()) {
      throw_broken_rule("{} is returned by worker {}, which does not hold all of it", name,
                        transfer.worker + 1);
    }
    for (const CPiece* piece : state.c.cut_inside(transfer.c)) {
      if (!transfer.partial_sums) check_complete(*piece);
      if (piece->last_update > last_awaited_update) {
        throw_broken_rule("{} is returned after update {} of worker {}, but update {} changes it",
                          shown("C", piece->blocks), last_awaited_update, transfer.worker + 1,
                          piece->last_update);
      }
      if (transfer.partial_sums) add_partial_sums(*piece);
    }
    state.c.remove(transfer.c);
    if (!transfer.partial_sums) returned_c_ += transfer.c.size();
  }

  void check_complete(const CPiece& piece) const {
    if (!piece.is_complete(problem_.t)) {
      throw_broken_rule("{} is returned with {} of its {} updates", shown("C", piece.blocks),
                        count_updates(piece), problem_.t);
    }
    if (!piece.has_value) {
      throw_broken_rule("{} is returned without the master's C added", shown("C", piece.blocks));
    }
    if (partial_sums_.count_held(piece.blocks) > 0) {
      throw_broken_rule("{} is returned with all its updates, but partial sums of it have been too",
                        shown("C", piece.blocks));
    }
  }

  /// Adds the updates of returned blocks to those of the partial sums that the master already has.
  /// Blocks that were returned with all their updates before are found at the end: the master's C
  /// was sent to one worker only, so that their partial sums lack it.
  void add_partial_sums(const CPiece& piece) {
    partial_sums_.add_missing(piece.blocks, false);
    for (CPiece* sum : partial_sums_.cut_inside(piece.blocks)) {
      for (const Range& k : piece.inner) {
        if (sum->has_any_update(k)) {
          throw_broken_rule("the partial sums of {} get an update k in {} twice",
                            shown("C", sum->blocks), shown(k));
        }
        sum->add_updates(k);
      }
      sum->has_value = sum->has_value || piece.has_value;
    }
  }

  static std::int64_t count_updates(const CPiece& piece) {
    std::int64_t done = 0;
    for (const Range& k : piece.inner) done += k.size();
    return done;
  }

  static std::string shown(const Range& range) {
    return fmt::format("{}..{}", range.begin, range.end - 1);
  }
  static std::string shown(const char* matrix, const Rectangle& blocks) {
    return fmt::format("{}[{}][{}]", matrix, shown(blocks.rows), shown(blocks.columns));
  }

  static bool inside(const Range& range, std::int64_t size) {
    return range.begin >= 0 && range.begin < range.end && range.end <= size;
  }
  static bool inside(const Rectangle& blocks, std::int64_t height, std::int64_t width) {
    return inside(blocks.rows, height) && inside(blocks.columns, width);
  }

  static void deliver(const char* matrix, const Rectangle& blocks, BlockSet& set,
                      const Transfer& transfer) {
    if (blocks.empty()) return;
    if (set.overlaps(blocks)) {
      throw_broken_rule("{} is sent to worker {}, which holds some of it", shown(matrix, blocks),
                        transfer.worker + 1);
    }
    set.add(blocks);
  }

  static void require(const char* matrix, const Rectangle& blocks, const BlockSet& set,
                      const Transfer& transfer) {
    if (set.contains(blocks)) return;
    throw_broken_rule("the update needs {}, not all of it is on worker {}", shown(matrix, blocks),
                      transfer.worker + 1);
  }

  static void release(const char* matrix, const Rectangle& blocks, BlockSet& set,
                      const Transfer& transfer) {
    if (blocks.empty()) return;
    if (!set.contains(blocks)) {
      throw_broken_rule("{} is released, but not all of it is on worker {}", shown(matrix, blocks),
                        transfer.worker + 1);
    }
    set.remove(blocks);
  }

  const Problem& problem_;
  PerWorker<WorkerBlocks> workers_;
  std::size_t transfers_checked_ = 0;
  std::int64_t returned_c_ = 0;         ///< with all their updates
  CPieces partial_sums_;                ///< returned
  std::vector<Rectangle> sent_c_;       ///< sent and not lost since
  std::vector<std::size_t> sent_c_at_;  ///< indices of their transfers
};

}  // namespace starport
