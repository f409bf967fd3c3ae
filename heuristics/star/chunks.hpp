// Chunks and panels: the way in which all the heuristics of PPoPP'08 and IPDPS'07 cut C and walk
// through it (PPoPP'08 sections 4 and 5).
#pragma once

#include "sim/platform/per_worker.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/layout.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace starport {

/// Columns of C, from a row on down to the last.
struct Panel {
  Range columns;
  std::int32_t first_row = 0;
};

/// The common counter from which workers take panels of whole block columns. What workers that
/// stopped leave of their panels comes first.
class ColumnCounter {
 public:
  explicit ColumnCounter(const Problem& problem) : columns_(static_cast<std::int32_t>(problem.s)) {}

  bool any_left() const { return next_ < columns_ || !left_.empty(); }
  /// The next min(side, columns left) columns.
  Panel take(std::int64_t side) {
    if (!left_.empty()) return take_left(side);
    const auto end = static_cast<std::int32_t>(std::min<std::int64_t>(columns_, next_ + side));
    const Range panel{next_, end};
    next_ = end;
    return {.columns = panel};
  }
  void give_back(const Panel& panel) { left_.push_back(panel); }

 private:
  Panel take_left(std::int64_t side);

  std::int32_t next_ = 0;
  std::int32_t columns_;
  std::vector<Panel> left_;
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

  int worker() const { return worker_; }
  bool usable() const { return side_ > 0; }
  bool holds_chunk() const { return stage_ != Stage::none; }
  /// It has been sent the chunk of C that it holds.
  bool chunk_begun() const { return stage_ == Stage::sent; }
  /// Holds a chunk whose steps have all been sent.
  bool ready_to_return() const {
    return stage_ == Stage::sent && full_steps_left_ == 0 && k_ == problem_->t;
  }

  /// Its sequence is finished: it holds nothing, and there is nothing left for it.
  bool over(const ColumnCounter& columns) const {
    return !holds_chunk() && (!usable() || (panel_over() && !columns.any_left()));
  }

  /// Starts the next chunk: further down its panel, or at the top of the next panel. False when no
  /// column is left, or the worker is not usable. The worker must not hold a chunk.
  bool start_chunk(ColumnCounter& columns);

  /// The next message of the chunk it holds: SendC, then every SendAB, then RecvC. (Each field is
  /// written in its place: to copy the whole right after would wait for all of them.)
  void next(Message& message) {
    const bool step = stage_ == Stage::sent && k() < problem_->t;  // SendAB
    const std::int64_t depth = step ? std::min(problem_->t - k(), step_depth_) : 0;
    message.worker = worker_;
    message.direction = Direction::to_worker;
    message.allows_update = step;
    message.after_update = next_after_update();
    message.blocks = step ? edges_ * depth : blocks_;
    message.block_updates = blocks_ * depth;
    message.updated_blocks = step ? blocks_ : 0;
    message.additions = 0;
    if (step) {
      if (!send_full_step()) {
        k_ += depth;
        ++updates_;
      }
    } else if (stage_ == Stage::to_send) {  // SendC
      stage_ = Stage::sent;
      full_steps_left_ = problem_->t / step_depth_;
      k_ = full_steps_left_ * step_depth_;
      updates_ += full_steps_left_;
    } else {  // RecvC
      stage_ = Stage::none;
      message.direction = Direction::to_master;
    }
  }
  /// The steps of full depth that are left of its chunk, once SendC is sent.
  std::int64_t full_steps_left() const { return full_steps_left_; }
  /// Sends the next step as next() does, without a message, where it is one of full depth: false
  /// where it is not.
  bool send_full_step() {
    if (full_steps_left_ == 0) return false;
    --full_steps_left_;
    return true;
  }
  /// The last step, not as deep, is left besides, once SendC is sent.
  bool short_step_left() const { return k_ < problem_->t; }
  /// Sends so many of them.
  void send_full_steps(std::int64_t count) { full_steps_left_ -= count; }
  /// The message of such a step, but for the update that it waits for.
  Message full_step() const {
    return {.worker = worker_,
            .allows_update = true,
            .blocks = edges_ * step_depth_,
            .block_updates = blocks_ * step_depth_,
            .updated_blocks = blocks_};
  }
  /// Whether a step is sent while the one before it is computed.
  bool overlaps() const { return buffer_sets_ > 1; }
  /// The transfer of the last one, before the next chunk is started.
  Transfer transfer() const;
  Direction next_direction() const {
    return ready_to_return() ? Direction::to_master : Direction::to_worker;
  }
  /// That it holds, or held last.
  const Rectangle& chunk() const { return chunk_; }
  /// What it has not begun of its panel.
  Rectangle rest() const {
    return panel_over() ? Rectangle{} : Rectangle{{next_row_, last_row_}, panel_};
  }
  /// That is less from now on, or another one: the rest of another worker's, no wider than its own
  /// chunks.
  void keep_rest(const Rectangle& rest) {
    panel_ = rest.columns;
    next_row_ = rest.rows.begin;
    last_row_ = rest.rows.end;
  }
  /// The worker has stopped, and will do nothing more: what others must compute in its place.
  /// `last_lost` when its last message was cut off.
  std::optional<Panel> leave(bool last_lost);

  /// The update that the next message waits for. Step n of the worker goes into the buffer set of
  /// step n - B, free once update n - B is complete.
  std::int64_t next_after_update() const {
    if (stage_ == Stage::to_send) return 0;
    const std::int64_t sent = updates();
    return k() == problem_->t ? sent : std::max<std::int64_t>(0, sent + 1 - buffer_sets_);
  }

 private:
  enum class Stage : std::uint8_t { none, to_send, sent };  ///< of its chunk

  bool panel_over() const { return panel_.empty() || next_row_ == last_row_; }
  /// The inner dimension sent so far.
  std::int64_t k() const { return k_ - full_steps_left_ * step_depth_; }
  /// Over the worker's life.
  std::int64_t updates() const { return updates_ - full_steps_left_; }

  std::int64_t full_steps_left_ = 0;
  int worker_;
  std::int64_t side_;
  std::int64_t buffer_sets_;
  std::int64_t step_depth_;
  const Problem* problem_;

  Range panel_;                ///< columns
  std::int32_t next_row_ = 0;  ///< of the panel
  std::int32_t last_row_ = 0;  ///< behind it
  Stage stage_ = Stage::none;
  Rectangle chunk_;           ///< that it holds, or held last
  std::int64_t blocks_ = 0;   ///< of C in the chunk
  std::int64_t edges_ = 0;    ///< of A and B for each value of k
  std::int64_t k_ = 0;        ///< inner dimension sent, with the full steps left
  std::int64_t updates_ = 0;  ///< over the worker's life, with those of the full steps left
};

/// How many full steps each of the workers has left at least; 0 where there is none.
inline std::int64_t full_rounds_left(std::span<const ChunkWorker> workers) {
  if (workers.empty()) return 0;
  std::int64_t least = workers.front().full_steps_left();
  for (const ChunkWorker& worker : workers) least = std::min(least, worker.full_steps_left());
  return least;
}

/// Serves a ChunkWorker: what the dispatchers of this family have in common.
class ChunkDispatcher : public Dispatcher {
 public:
  Transfer transfer() const final { return served_->transfer(); }

 protected:
  /// The worker must not move, nor start its next chunk, before the dispatcher is asked again.
  Decision serve(ChunkWorker& worker) {
    served_ = &worker;
    worker.next(message_);
    return &message_;
  }

 private:
  const ChunkWorker* served_ = nullptr;
  Message message_;
};

/// Whom to serve, nobody where all is over, or to wait.
using Chosen = std::variant<ChunkWorker*, Wait>;

/// A ChunkWorker for each worker, its side given by the layout and the worker's memory.
PerWorker<ChunkWorker> chunk_workers(const Platform& platform, const Problem& problem,
                                     const MemoryLayout& layout);

/// Another reading of "full matrix column blocks" (PPoPP'08 section 6.3), where C is no multiple of
/// a side: as few panels of s columns as before, all of a worker's of one width but for what does
/// not divide. Sides are smaller then, and so is the memory that workers use.
Platform with_even_panels(const Platform& platform, const Problem& problem,
                          const MemoryLayout& layout);

}  // namespace starport
