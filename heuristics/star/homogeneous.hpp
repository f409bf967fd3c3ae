// The homogeneous algorithm and its uses: HoLM (IPDPS'07 section 4), Hom and HomI (PPoPP'08
// section 6.2).
#pragma once

#include "heuristics/star/heuristic.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace starport {

/// Algorithm 1 of both papers on `workers`, in that order, with one common chunk side: each gets
/// the next panel; then, row of chunks by row of chunks, SendC to each in turn, for k = 1..t
/// SendAB to each in turn, RecvC from each in turn. O(1) per transfer; the problem must outlive it.
std::unique_ptr<Dispatcher> algorithm_1(const std::vector<int>& workers, std::int64_t side,
                                        const Problem& problem);

/// The number of workers that saturates the master's port:
/// P = min(p, ceil(mu w / (2 c))), at least 1 (PPoPP'08 section 4).
std::int64_t saturating_workers(std::int64_t side, double c_s, double w_s, std::int64_t p);

/// HoLM: Algorithm 1 on a homogeneous platform, with the first P of its workers.
class HomogeneousMaster final : public Heuristic {
 public:
  /// `enrolled` overrides P when given.
  explicit HomogeneousMaster(std::optional<std::int64_t> enrolled) : enrolled_(enrolled) {}

  Plan plan(const Platform& platform, const Problem& problem) const override;
  const MemoryLayout& layout() const override { return kOptimizedOverlapped; }

 private:
  std::optional<std::int64_t> enrolled_;
};

/// Hom and HomI extract a virtual homogeneous platform from a heterogeneous one, estimate on it
/// the makespan of Algorithm 1, keep the best, and run Algorithm 1 there on real workers.
/// See virtual_platform.hpp for the cost of the choice and where HomI cannot try every triple.
class HomogeneousExtraction final : public Heuristic {
 public:
  enum class Thresholds {
    memory,  ///< Hom: one virtual platform for each memory size present
    all      ///< HomI: one for each triple (memory, link, speed) of sizes present
  };
  explicit HomogeneousExtraction(Thresholds thresholds) : thresholds_(thresholds) {}

  Plan plan(const Platform& platform, const Problem& problem) const override;
  const MemoryLayout& layout() const override { return kOptimizedOverlapped; }

 private:
  Thresholds thresholds_;
};

}  // namespace starport
