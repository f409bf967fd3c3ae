// Chunks and panels: how the heuristics of PPoPP'08 and IPDPS'07 cut C. A panel is a set of
// adjacent block columns that one worker takes; it computes them in chunks of side mu, from the top
// row down (PPoPP'08, sections 4 and 5).
#pragma once

#include "sim/platform/per_worker.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/layout.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace starport {

/// The part of some block columns of C that is left to compute: from a row down to the last.
struct Panel {
  Range columns;
  std::int32_t first_row = 0;
};

/// The block columns of C that no worker has taken yet. Panels returned by workers that stopped are
/// handed out first.
class ColumnCounter {
 public:
  explicit ColumnCounter(const Problem& problem) : columns_(static_cast<std::int32_t>(problem.s)) {}

  bool has_columns_left() const { return next_ < columns_ || !returned_.empty(); }
  /// Takes the next panel of at most `side` columns. has_columns_left() must hold.
  Panel extract_panel(std::int64_t side) {
    if (!returned_.empty()) return extract_returned_panel(side);
    const auto end = static_cast<std::int32_t>(std::min<std::int64_t>(columns_, next_ + side));
    const Range panel{next_, end};
    next_ = end;
    return {.columns = panel};
  }
  /// Adds a panel that a worker took but did not complete.
  void return_panel(const Panel& panel) { returned_.push_back(panel); }

 private:
  Panel extract_returned_panel(std::int64_t side);

  std::int32_t next_ = 0;
  std::int32_t columns_;
  std::vector<Panel> returned_;
};

/// State of one worker in a schedule: which chunk of C it holds, and which message of the sequence
/// SendC, SendAB (once per step), RecvC comes next. Owned by a dispatcher; keeps a pointer to the
/// problem.
class ChunkWorker {
 public:
  /// `side` is the side of a full chunk in blocks; 0 if the worker has too little memory for any.
  ChunkWorker(int worker, std::int64_t side, const MemoryLayout& layout, const Problem& problem)
      : worker_(worker),
        side_(side),
        buffer_sets_(layout.buffer_sets),
        step_depth_(layout.step_depth(side)),
        problem_(&problem) {}

  /// Returns the index of the worker in the platform.
  int worker() const { return worker_; }
  /// Returns true if the worker has memory for a chunk and has not stopped.
  bool is_usable() const { return side_ > 0; }
  /// Returns true from start_chunk() until RecvC is sent.
  bool has_chunk() const { return stage_ != Stage::none; }
  /// Returns true once SendC of the current chunk is sent.
  bool has_received_c() const { return stage_ == Stage::c_sent; }
  /// Returns true if the next message is RecvC: all steps of the current chunk are sent.
  bool is_ready_to_return() const {
    return stage_ == Stage::c_sent && full_steps_left_ == 0 && k_ == problem_->t;
  }

  /// Returns true if the worker holds no chunk and there is none left that it could start.
  bool is_finished(const ColumnCounter& columns) const {
    return !has_chunk() && (!is_usable() || (is_panel_finished() && !columns.has_columns_left()));
  }

  /// Starts the next chunk: further down its panel, or at the top of a panel taken from `columns`.
  /// Returns false if no column is left or the worker is not usable. The worker must not hold a
  /// chunk.
  bool start_chunk(ColumnCounter& columns);

  /// Writes the next message of the current chunk into `message` and counts it as sent. has_chunk()
  /// must hold. (An output parameter: copying a returned message stalls on its partial stores.)
  void send_next(Message& message) {
    const bool step = stage_ == Stage::c_sent && k() < problem_->t;  // SendAB
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
      if (!try_send_full_step()) {
        k_ += depth;
        ++updates_;
      }
    } else if (stage_ == Stage::to_send) {  // SendC
      stage_ = Stage::c_sent;
      full_steps_left_ = problem_->t / step_depth_;
      k_ = full_steps_left_ * step_depth_;
      updates_ += full_steps_left_;
    } else {  // RecvC
      stage_ = Stage::none;
      message.direction = Direction::to_master;
    }
  }
  /// Returns the number of SendAB of full depth left in the current chunk; 0 before SendC is sent.
  std::int64_t full_steps_left() const { return full_steps_left_; }
  /// If the next message is a SendAB of full depth, counts it as sent and returns true. Equivalent
  /// to send_next() without writing the message.
  bool try_send_full_step() {
    if (full_steps_left_ == 0) return false;
    --full_steps_left_;
    return true;
  }
  /// Returns the message of a SendAB of full depth of the current chunk, without `after_update`.
  Message full_step_message() const {
    return {.worker = worker_,
            .allows_update = true,
            .blocks = edges_ * step_depth_,
            .block_updates = blocks_ * step_depth_,
            .updated_blocks = blocks_};
  }
  /// Returns true if a step may be sent while the previous one is computed (two sets of buffers).
  bool has_overlap() const { return buffer_sets_ > 1; }
  /// Returns the transfer of the message sent last. Must be called before the next start_chunk(),
  /// and not after try_send_full_step().
  Transfer transfer() const;
  /// Returns the direction of the next message.
  Direction next_direction() const {
    return is_ready_to_return() ? Direction::to_master : Direction::to_worker;
  }
  /// Returns the chunk of C that the worker holds, or the last one it returned.
  const Rectangle& chunk() const { return chunk_; }
  /// Returns the part of the worker's panel below the chunks that it has started.
  Rectangle remaining_panel() const {
    return is_panel_finished() ? Rectangle{} : Rectangle{{next_row_, last_row_}, panel_};
  }
  /// Replaces the remaining panel, when work is redistributed. `panel` must not be wider than the
  /// worker's chunks.
  void set_remaining_panel(const Rectangle& panel) {
    panel_ = panel.columns;
    next_row_ = panel.rows.begin;
    last_row_ = panel.rows.end;
  }
  /// Marks the worker as stopped for good; it is not usable any more. Returns the panel that others
  /// must compute in its place, from the current chunk on; nullopt if nothing is left.
  /// `is_last_transfer_lost`: its last message did not arrive, so a chunk being returned is lost
  /// too.
  std::optional<Panel> stop(bool is_last_transfer_lost);

  /// Returns the number of the update (from 1 over the run; 0: none) that the next message waits
  /// for. With B sets of buffers, step n uses the set of step n - B, which is free after update n -
  /// B.
  std::int64_t next_after_update() const {
    if (stage_ == Stage::to_send) return 0;
    const std::int64_t sent = updates();
    return k() == problem_->t ? sent : std::max<std::int64_t>(0, sent + 1 - buffer_sets_);
  }

 private:
  /// Progress of the current chunk: none is held; SendC is next; SendC has been sent.
  enum class Stage : std::uint8_t { none, to_send, c_sent };

  bool is_panel_finished() const { return panel_.empty() || next_row_ == last_row_; }
  /// Values of k of the current chunk that have been sent.
  std::int64_t k() const { return k_ - full_steps_left_ * step_depth_; }
  /// Updates sent to the worker since the start of the run.
  std::int64_t updates() const { return updates_ - full_steps_left_; }

  std::int64_t full_steps_left_ = 0;
  int worker_;
  std::int64_t side_;
  std::int64_t buffer_sets_;
  std::int64_t step_depth_;
  const Problem* problem_;

  Range panel_;                ///< columns of the panel
  std::int32_t next_row_ = 0;  ///< first row of the next chunk in the panel
  std::int32_t last_row_ = 0;  ///< end of the panel's rows (exclusive)
  Stage stage_ = Stage::none;
  Rectangle chunk_;          ///< current chunk, or the last one returned
  std::int64_t blocks_ = 0;  ///< blocks of C in the chunk
  std::int64_t edges_ = 0;   ///< blocks of A and B per value of k
  // A full step changes full_steps_left_ only, so both count the full steps left as if sent:
  std::int64_t k_ = 0;        ///< values of k
  std::int64_t updates_ = 0;  ///< updates since the start of the run
};

/// Base class of dispatchers that choose which ChunkWorker sends or receives its next message.
class ChunkDispatcher : public Dispatcher {
 public:
  Transfer transfer() const final { return served_->transfer(); }

 protected:
  /// Returns the next message of `worker`, which must stay at its address and must not start
  /// another chunk until the dispatcher is asked again.
  Decision serve(ChunkWorker& worker) {
    served_ = &worker;
    worker.send_next(message_);
    return &message_;
  }

 private:
  const ChunkWorker* served_ = nullptr;  ///< worker of the last message
  Message message_;
};

/// A choice: the worker whose next message is sent, or null when the schedule is complete; or to
/// wait.
using ChosenWorker = std::variant<ChunkWorker*, Wait>;

/// Makes a ChunkWorker for each worker of the platform, with the largest chunk side that `layout`
/// allows in its memory. The problem must outlive them.
PerWorker<ChunkWorker> make_chunk_workers(const Platform& platform, const Problem& problem,
                                          const MemoryLayout& layout);

/// Returns `platform` with memories reduced such that each worker would cut all s columns of C into
/// panels of nearly equal width, as many as before. Another reading of "full matrix column blocks"
/// (PPoPP'08, section 6.3) for sides that do not divide s.
Platform with_even_panels(const Platform& platform, const Problem& problem,
                          const MemoryLayout& layout);

}  // namespace starport
