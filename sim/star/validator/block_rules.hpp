// The rules about blocks: what a transfer may carry, what an update needs, and that each block of C
// is sent once, gets its t updates and comes home once. What a transfer does to its worker's memory
// follows.
#pragma once

#include "sim/star/validator/memory_use.hpp"
#include "sim/star/validator/residency.hpp"
#include "sim/star/validator/validator.hpp"

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
  void check_form(const Transfer& transfer) const;
  /// The transfer after those before it; of its worker's updates, `known_complete` are complete
  /// when it starts. One that is cut off (`lost`) takes memory but brings nothing home. Throws
  /// BrokenRule.
  MemoryEffect check(const Transfer& transfer, std::int64_t known_complete, bool lost = false);

  /// A transfer that has no effect: its worker stopped before it could begin.
  void skip() { ++transfers_checked_; }
  /// All that the worker holds is lost: its blocks of C may be sent again. Throws BrokenRule when
  /// some have been before.
  void lose(int worker);

  /// The first C block sent a second time, among all the transfers checked.
  std::optional<Violation> repeated_c() const;
  /// What is missing after the last transfer.
  std::optional<Violation> missing() const;

 private:
  struct WorkerBlocks {
    BlockSet a;
    BlockSet b;
    CPieces c;
    std::int64_t updates = 0;
  };

  void arrive(const Transfer& transfer, WorkerBlocks& state);
  void arrive_c(const Transfer& transfer, WorkerBlocks& state);
  /// Returns how many accumulators the update is the first to need.
  static std::int64_t compute(const Transfer& transfer, WorkerBlocks& state);
  void come_home(const Transfer& transfer, WorkerBlocks& state, std::int64_t known_complete);

  const Problem& problem_;
  PerWorker<WorkerBlocks> workers_;
  std::size_t transfers_checked_ = 0;
  std::int64_t home_c_ = 0;
  std::vector<Rectangle> sent_c_;       ///< but for those lost since
  std::vector<std::size_t> sent_c_at_;  ///< by which transfer
};

}  // namespace starport
