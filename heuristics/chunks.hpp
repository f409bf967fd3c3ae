// Chunks and panels: the way in which all the heuristics of PPoPP'08 and IPDPS'07 cut C and walk
// through it (PPoPP'08 sections 4 and 5).
#pragma once

#include "sim/model/dispatcher.hpp"
#include "sim/model/layout.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace starport {

/// The common counter from which workers take panels of whole block columns.
class ColumnCounter {
 public:
  explicit ColumnCounter(const Problem& problem) : columns_(static_cast<std::int32_t>(problem.s)) {}

  bool any_left() const { return next_ < columns_; }
  /// The next min(side, columns left) columns.
  Range take(std::int64_t side) {
    const auto end = static_cast<std::int32_t>(std::min<std::int64_t>(columns_, next_ + side));
    const Range panel{next_, end};
    next_ = end;
    return panel;
  }

 private:
  std::int32_t next_ = 0;
  std::int32_t columns_;
};

/// One worker's life as a sequence of chunks: SendC, its SendAB, RecvC, and again.
class ChunkWorker {
 public:
  /// `side` is that of a full chunk, > 0 for a worker that can be enrolled.
  ChunkWorker(int worker, std::int64_t side, const MemoryLayout& layout, const Problem& problem)
      : worker_(worker),
        side_(side),
        buffer_sets_(layout.buffer_sets),
        step_depth_(layout.step_depth(side)),
        problem_(&problem) {}

  bool usable() const { return side_ > 0; }
  bool holds_chunk() const { return !chunk_.empty(); }
  /// Holds a chunk whose steps have all been sent.
  bool ready_to_return() const { return holds_chunk() && chunk_sent_ && k_ == problem_->t; }

  /// Its sequence is finished: it holds nothing, and there is nothing left for it.
  bool over(const ColumnCounter& columns) const {
    return !holds_chunk() && (!usable() || (panel_over() && !columns.any_left()));
  }

  /// Starts the next chunk: further down its panel, or at the top of the next panel. False when no
  /// column is left, or the worker is not usable. The worker must not hold a chunk.
  bool start_chunk(ColumnCounter& columns);

  /// The next transfer of the chunk it holds: SendC, then every SendAB, then RecvC.
  Transfer next();

 private:
  bool panel_over() const { return panel_.empty() || next_row_ == problem_->r; }
  Transfer send_c();
  Transfer send_ab();
  Transfer receive_c();

  int worker_;
  std::int64_t side_;
  std::int64_t buffer_sets_;
  std::int64_t step_depth_;
  const Problem* problem_;

  Range panel_;                ///< columns
  std::int32_t next_row_ = 0;  ///< of the panel
  Rectangle chunk_;
  bool chunk_sent_ = false;
  std::int64_t k_ = 0;        ///< inner dimension sent so far
  std::int64_t updates_ = 0;  ///< over the worker's life
};

/// A ChunkWorker for each worker, its side given by the layout and the worker's memory. Throws
/// InputError that names the memory needed when no worker can be enrolled.
std::vector<ChunkWorker> chunk_workers(const Platform& platform, const Problem& problem,
                                       const MemoryLayout& layout);

/// The sides of the workers under a layout; the same error when all are 0.
std::vector<std::int64_t> chunk_sides(const Platform& platform, const Problem& problem,
                                      const MemoryLayout& layout);

/// The requests of the workers: for each, the next transfer it would take part in.
class Requests {
 public:
  explicit Requests(std::size_t workers) : pending_(workers) {}

  void post(int worker, Transfer transfer) {
    pending_[static_cast<std::size_t>(worker)] = std::move(transfer);
  }
  Transfer take(int worker) {
    Transfer transfer = *pending_[static_cast<std::size_t>(worker)];
    pending_[static_cast<std::size_t>(worker)].reset();
    return transfer;
  }

  struct Earliest {
    int worker;
    double date_s;  ///< kUnknown when no date is known
  };
  /// The request of the earliest date (then the smallest index); nullopt when there is none.
  /// O(p).
  std::optional<Earliest> earliest(const Star& star) const;

 private:
  std::vector<std::optional<Transfer>> pending_;
};

}  // namespace starport
