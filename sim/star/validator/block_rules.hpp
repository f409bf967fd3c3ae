// The rules about blocks: what a transfer may carry, what an update needs, and that each block of C
// is sent once, gets its t updates and comes home once. What a transfer does to its worker's memory
// follows.
#pragma once

#include "sim/star/validator/broken_rule.hpp"
#include "sim/star/validator/memory_use.hpp"
#include "sim/star/validator/residency.hpp"
#include "sim/star/validator/validator.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace starport {

/// Follows a trace transfer by transfer.
class BlockRules {
 public:
  BlockRules(const Platform& platform, const Problem& problem)
      : problem_(problem), workers_(platform.workers.size()) {}

  /// A transfer by itself: a known worker, blocks of the matrices, nothing absurd. Throws
  /// BrokenRule.
  void check_form(const Transfer& transfer) const {
    if (transfer.worker < 0 || transfer.worker >= std::ssize(workers_)) {
      broken("worker {} is unknown: there are {}", transfer.worker + 1, workers_.size());
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

  /// The transfer after those before it; of its worker's updates, `known_complete` are complete
  /// when it starts. One that is cut off (Fate::lost) takes memory but brings nothing home. Throws
  /// BrokenRule.
  MemoryEffect check(const TracedTransfer& event, std::int64_t known_complete) {
    const Transfer& transfer = event.transfer;
    WorkerBlocks& state = workers_[transfer.worker];
    const Update& update = transfer.update;
    if (!update.empty()) ++state.updates;
    MemoryEffect effect;
    if (transfer.direction == Direction::to_worker) {
      arrive(transfer, state);
      effect.taken_blocks = transfer.blocks() + compute(transfer, state);
      // What the update lets go of may come again while it goes on, as a second copy.
      let_go("A", update.release_a, state.a, transfer);
      let_go("B", update.release_b, state.b, transfer);
      // C that comes late is added to its accumulators, and then takes no room of its own.
      effect.released_blocks = update.release_a.size() + update.release_b.size() +
                               (update.add_c ? transfer.c.size() : 0);
    } else if (event.dates.fate != Fate::lost) {
      come_home(transfer, state, known_complete);
      effect.returned_blocks = transfer.c.size();
    }
    ++transfers_checked_;
    return effect;
  }

  /// A transfer that has no effect: its worker stopped before it could begin.
  void skip() { ++transfers_checked_; }
  /// All that the worker holds is lost: its blocks of C may be sent again. Throws BrokenRule when
  /// some have been before.
  void lose(int worker) {
    if (const auto repeated = repeated_c()) throw BrokenRule{repeated->message};
    WorkerBlocks& state = workers_[worker];
    state.c.all().for_each([&](const CPiece& piece) {
      std::vector<Rectangle> kept;
      std::vector<std::size_t> kept_at;
      for (std::size_t k = 0; k < sent_c_.size(); ++k) {
        for (const Rectangle& part : difference(sent_c_[k], piece.blocks)) {
          kept.push_back(part);
          kept_at.push_back(sent_c_at_[k]);
        }
      }
      sent_c_ = std::move(kept);
      sent_c_at_ = std::move(kept_at);
    });
    state = {.a = {}, .b = {}, .c = {}, .updates = state.updates};
  }

  /// The first C block sent a second time, among all the transfers checked.
  // Overlaps only appear as transfers are added, so the shortest prefix that has one tells which.
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

  /// What is missing after the last transfer.
  std::optional<Violation> missing() const {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (workers_[i].c.all().empty()) continue;
      return Violation{transfers_checked_,
                       fmt::format("{} never comes home from worker {}",
                                   shown("C", workers_[i].c.all().front().blocks), i + 1)};
    }
    if (home_c_ != problem_.r * problem_.s) {
      return Violation{transfers_checked_, fmt::format("only {} of the {} blocks of C come home",
                                                       home_c_, problem_.r * problem_.s)};
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
    bring("A", transfer.a, state.a, transfer);
    bring("B", transfer.b, state.b, transfer);
    if (!transfer.c.empty()) arrive_c(transfer, state);
  }

  /// C comes first, or late to be added to what has been accumulated from zero.
  void arrive_c(const Transfer& transfer, WorkerBlocks& state) {
    const Rectangle& c = transfer.c;
    const std::string name = shown("C", c);
    sent_c_.push_back(c);
    sent_c_at_.push_back(transfers_checked_);
    if (!transfer.update.add_c) {
      if (state.c.held(c) > 0) {
        broken("{} is sent to worker {}, which works on some of it already", name,
               transfer.worker + 1);
      }
      state.c.add_missing(c, true);
      return;
    }
    if (state.c.held(c) != c.size()) {
      broken("{} is to be added on worker {}, which has not accumulated all of it", name,
             transfer.worker + 1);
    }
    for (CPiece* piece : state.c.inside(c)) {
      if (piece->has_value) {
        broken("{} is sent twice to worker {}", shown("C", piece->blocks), transfer.worker + 1);
      }
      piece->has_value = true;
      piece->last_update = state.updates;
    }
  }

  /// Returns how many accumulators the update is the first to need.
  static std::int64_t compute(const Transfer& transfer, WorkerBlocks& state) {
    const Update& update = transfer.update;
    std::int64_t accumulators = 0;
    if (update.block_updates() > 0) {
      need("A", {update.rows, update.inner}, state.a, transfer);
      need("B", {update.inner, update.columns}, state.b, transfer);
      const Rectangle target{update.rows, update.columns};
      accumulators = state.c.add_missing(target, false);
      for (CPiece* piece : state.c.inside(target)) {
        if (piece->did_any(update.inner)) {
          broken("{} gets an update k in {} twice", shown("C", piece->blocks), shown(update.inner));
        }
        piece->did(update.inner);
        piece->last_update = state.updates;
      }
    }
    return accumulators;
  }

  void come_home(const Transfer& transfer, WorkerBlocks& state, std::int64_t known_complete) {
    const std::string name = shown("C", transfer.c);
    if (state.c.held(transfer.c) != transfer.c.size()) {
      broken("{} comes home from worker {}, which does not hold all of it", name,
             transfer.worker + 1);
    }
    for (const CPiece* piece : state.c.inside(transfer.c)) {
      if (!piece->complete(problem_.t)) {
        std::int64_t done = 0;
        for (const Range& k : piece->inner) done += k.size();
        broken("{} comes home with {} of its {} updates", shown("C", piece->blocks), done,
               problem_.t);
      }
      if (!piece->has_value) {
        broken("{} comes home without the master's C added", shown("C", piece->blocks));
      }
      if (piece->last_update > known_complete) {
        broken("{} comes home after update {} of worker {}, but update {} changes it",
               shown("C", piece->blocks), known_complete, transfer.worker + 1, piece->last_update);
      }
    }
    state.c.remove(transfer.c);
    home_c_ += transfer.c.size();
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

  static void bring(const char* matrix, const Rectangle& blocks, BlockSet& set,
                    const Transfer& transfer) {
    if (blocks.empty()) return;
    if (set.overlaps(blocks)) {
      broken("{} is sent to worker {}, which holds some of it", shown(matrix, blocks),
             transfer.worker + 1);
    }
    set.add(blocks);
  }

  static void need(const char* matrix, const Rectangle& blocks, const BlockSet& set,
                   const Transfer& transfer) {
    if (set.contains(blocks)) return;
    broken("the update needs {}, not all of it is on worker {}", shown(matrix, blocks),
           transfer.worker + 1);
  }

  static void let_go(const char* matrix, const Rectangle& blocks, BlockSet& set,
                     const Transfer& transfer) {
    if (blocks.empty()) return;
    if (!set.contains(blocks)) {
      broken("{} is let go of, not all of it is on worker {}", shown(matrix, blocks),
             transfer.worker + 1);
    }
    set.remove(blocks);
  }

  const Problem& problem_;
  PerWorker<WorkerBlocks> workers_;
  std::size_t transfers_checked_ = 0;
  std::int64_t home_c_ = 0;
  std::vector<Rectangle> sent_c_;       ///< but for those lost since
  std::vector<std::size_t> sent_c_at_;  ///< by which transfer
};

}  // namespace starport
