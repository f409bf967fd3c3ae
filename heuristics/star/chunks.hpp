// Chunks and panels: how the heuristics of PPoPP'08 and IPDPS'07 cut C. A panel is a set of
// adjacent block columns that one worker takes; it computes them in chunks of side mu, from the top
// row down (PPoPP'08, sections 4 and 5).
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/heuristic.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace starport {

/// A part of some adjacent block columns of C that is left to compute by one worker: from one block
/// row down to the last row of C. A plain value, handed out by ColumnCounter.
struct Panel {
  /// The block columns of C in this panel (the part of C that one worker computes): a half-open
  /// range of indices from 0.
  Range columns;
  /// First block row of C, from 0, of this panel, which goes from there to the last row of C: above
  /// 0 if a worker has returned the rows before it and then stopped.
  std::int32_t first_row = 0;
};

/// Counter of the block columns of C that are left to compute; hands them out to workers in panels
/// (groups of adjacent columns), from left to right. Panels returned by workers that stopped are
/// handed out again before new columns. Refers to no other object; copies are independent.
class ColumnCounter {
 public:
  /// Starts with all block columns of C, problem.s of them (less than 2^31, not checked), to be
  /// handed out. Keeps no reference to the problem.
  explicit ColumnCounter(const Problem& problem) : columns_(static_cast<std::int32_t>(problem.s)) {}

  /// Returns true if extract_panel() has block columns of C to hand out: new ones or returned
  /// panels.
  bool has_columns_left() const { return next_ < columns_ || !returned_.empty(); }
  /// Removes and returns the next panel (adjacent block columns of C for one worker): at most
  /// `side` columns of the panel that was returned first, if there is one, from that panel's first
  /// row; otherwise of the new columns, from row 0. The panel is empty if has_columns_left() is
  /// false. Requires side >= 1 (not checked; 0 removes nothing).
  Panel extract_panel(std::int64_t side) {
    if (!returned_.empty()) return extract_returned_panel(side);
    const auto end = static_cast<std::int32_t>(std::min<std::int64_t>(columns_, next_ + side));
    const Range panel{next_, end};
    next_ = end;
    return {.columns = panel};
  }
  /// Adds a panel (adjacent block columns of C) that a worker took but did not complete, to be
  /// handed out again; returned panels are handed out in the order of returning. It must not be
  /// empty (not checked: a worker would get a chunk without blocks).
  void return_panel(const Panel& panel) { returned_.push_back(panel); }

 private:
  Panel extract_returned_panel(std::int64_t side);

  std::int32_t next_ = 0;
  std::int32_t columns_;
  std::vector<Panel> returned_;
};

/// Progress of one worker in a schedule: which chunk of C (at most `side` x `side` blocks) it
/// holds, and which message comes next. The messages of a chunk are: SendC (the chunk to the
/// worker), one SendAB per step (blocks of A and B that allow an update), RecvC (the chunk back).
/// Owned by a dispatcher, which calls start_chunk() and then send_next() until the chunk is
/// returned. Keeps a pointer to the problem, which must outlive it. Copies are independent.
class ChunkWorker {
 public:
  /// Creates the record of a worker that holds no chunk (rectangle of C). `worker` is its index in
  /// the platform, from 0; `side` the side of a full square chunk in blocks, or 0 if the worker has
  /// too little memory and is never used. Keeps a pointer to `problem`, the product, which must
  /// outlive this object; `layout` (the buffers for A and B) is not kept.
  ChunkWorker(int worker, std::int64_t side, const MemoryLayout& layout, const Problem& problem)
      : worker_(worker),
        side_(side),
        buffer_sets_(layout.buffer_sets),
        step_depth_(layout.step_depth(side)),
        problem_(&problem) {}

  /// Returns the index of the worker in the platform, from 0.
  int worker() const { return worker_; }
  /// Returns true if the worker has memory for a chunk (rectangle of C with its buffers) and has
  /// not been stopped by stop().
  bool is_usable() const { return side_ > 0; }
  /// Returns true while the worker holds a chunk of C: from a start_chunk() that returned true
  /// until send_next() has sent the return of the chunk (RecvC) or stop() has given the chunk up.
  bool has_chunk() const { return stage_ != Stage::none; }
  /// Returns true from the send_next() that writes the message with the blocks of C of the worker's
  /// current chunk until the one that writes their return, or stop(); both transfers may still be
  /// under way. False without a chunk.
  bool has_received_c() const { return stage_ == Stage::c_sent; }
  /// Returns true if the next message returns the worker's chunk of C to the master (RecvC), as the
  /// messages with A and B for all its updates have been counted as sent, even if the updates have
  /// not ended; false without a chunk.
  bool is_ready_to_return() const {
    return stage_ == Stage::c_sent && full_steps_left_ == 0 && k_ == problem_->t;
  }

  /// Returns true if the worker holds no chunk of C and start_chunk(columns) would find none to
  /// start: its panel is finished and `columns` has no more, or the worker is not usable.
  bool is_finished(const ColumnCounter& columns) const {
    return !has_chunk() && (!is_usable() || (is_panel_finished() && !columns.has_columns_left()));
  }

  /// Starts the worker's next chunk (rectangle of C): further down its panel (the block columns it
  /// has taken) or, if that is finished, at the top of a panel removed from `columns`. Returns
  /// false, without any change, if no column is left or the worker is not usable. The worker must
  /// not hold a chunk (not checked), which would be overwritten.
  bool start_chunk(ColumnCounter& columns);

  /// Overwrites `message`, except Message::partial_sums, with the next message for the worker's
  /// current chunk of C and counts it as sent: C to the worker, then one step (blocks of A and B
  /// that allow an update) after another, then C back, after which no chunk is held. has_chunk()
  /// must hold (not checked: the message would be meaningless).
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
  /// Returns the number of steps (messages SendAB with blocks of A and B) of full depth, i.e. with
  /// as many values of the inner index k as one set of the worker's buffers holds, that the current
  /// chunk still needs; 0 before its C has been sent and without a chunk.
  std::int64_t full_steps_left() const { return full_steps_left_; }
  /// If the next message is a step (SendAB: blocks of A and B) of full depth, i.e. with as many
  /// values of the inner index k as one set of the worker's buffers holds, counts it as sent, as
  /// send_next() would, but without writing a message, and returns true. Otherwise returns false
  /// and does nothing.
  bool try_send_full_step() {
    if (full_steps_left_ == 0) return false;
    --full_steps_left_;
    return true;
  }
  /// Returns the message of a step (SendAB: blocks of A and B for as many values of the inner index
  /// k as one set of the worker's buffers holds) of its current chunk of C, or of the last one if
  /// none is held, with `after_update` left at 0; before the first chunk it carries 0 blocks. Does
  /// not count it as sent.
  Message full_step_message() const {
    return {.worker = worker_,
            .allows_update = true,
            .blocks = edges_ * step_depth_,
            .block_updates = blocks_ * step_depth_,
            .updated_blocks = blocks_};
  }
  /// Returns true if the worker has two sets of buffers for A and B, so that the blocks of one
  /// update may be sent while the previous one is computed.
  bool has_overlap() const { return buffer_sets_ > 1; }
  /// Returns the transfer, with its block indices, of the message that send_next() wrote last.
  /// Meaningless before the first message and after a later start_chunk(), try_send_full_step() or
  /// stop().
  Transfer transfer() const;
  /// Returns the direction of the next message for the worker: to the master if it returns the
  /// chunk of C, else to the worker (also without a chunk).
  Direction next_direction() const {
    return is_ready_to_return() ? Direction::to_master : Direction::to_worker;
  }
  /// Returns the blocks of C (half-open ranges of block rows and columns, from 0) of the worker's
  /// current chunk or, if it holds none, of its last one; empty before the first. The reference is
  /// valid as long as this object, and its value changes with start_chunk().
  const Rectangle& chunk() const { return chunk_; }
  /// Returns the blocks of C (half-open ranges of block rows and columns, from 0) in the worker's
  /// panel (the block columns it has taken) below the chunks that it has started; empty if there
  /// are none.
  Rectangle remaining_panel() const {
    return is_panel_finished() ? Rectangle{} : Rectangle{{next_row_, last_row_}, panel_};
  }
  /// Replaces the part of the worker's panel (the block columns it has taken) that it has not
  /// started by `panel` (block rows and columns of C, from 0), which may end above the last row of
  /// C; empty: nothing is left. It must not be wider than the worker's chunks nor lie beyond C (not
  /// checked). The current chunk is not affected; the result of a later stop() is meaningless.
  void set_remaining_panel(const Rectangle& panel) {
    panel_ = panel.columns;
    next_row_ = panel.rows.begin;
    last_row_ = panel.rows.end;
  }
  /// Marks the worker as stopped for good; is_usable() and has_chunk() are false from now on.
  /// Returns the panel (block columns and first block row of C) that others must compute in its
  /// place, from the current chunk on, or nullopt if nothing is left. `is_last_transfer_lost`: its
  /// last message did not arrive, so that a chunk being returned is lost too. Must be called at
  /// most once. After set_remaining_panel() the result is meaningless, as the panel may have
  /// changed since the chunk was started.
  std::optional<Panel> stop(bool is_last_transfer_lost);

  /// Returns the number of the worker's update (from 1, counted over the run; 0: none) that must
  /// end before the next message for its current chunk of C is sent: for blocks of A and B the one
  /// that used the same buffers last, for the return of the chunk the last one. has_chunk() must
  /// hold; otherwise the result is meaningless.
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
  std::int32_t next_row_ = 0;  ///< first block row of the next chunk in the panel
  std::int32_t last_row_ = 0;  ///< end of the panel's rows (exclusive)
  Stage stage_ = Stage::none;
  Rectangle chunk_;          ///< current chunk, or the last one returned
  std::int64_t blocks_ = 0;  ///< blocks of C in the chunk
  std::int64_t edges_ = 0;   ///< blocks of A and B per value of k
  // A full step changes full_steps_left_ only, so both count the full steps left as if sent:
  std::int64_t k_ = 0;        ///< values of k
  std::int64_t updates_ = 0;  ///< updates since the start of the run
};

/// Base class of dispatchers (which decide the next message of a run) that choose the ChunkWorker
/// whose next message is sent. A derived class owns the workers and implements next() by returning
/// serve(worker), Wait or Done. Keeps a pointer to the worker served last.
class ChunkDispatcher : public Dispatcher {
 public:
  /// Returns the transfer, with its block indices, of the message that serve() returned last;
  /// called by engines that record transfers. Before the first serve() the behaviour is undefined.
  Transfer transfer() const final { return served_->transfer(); }

 protected:
  /// Counts the next message of `worker` as sent and returns it as the decision of next(); the
  /// message is valid until the next call. `worker` must hold a chunk, stay at its address, and not
  /// start another chunk until the dispatcher is asked again (not checked).
  Decision serve(ChunkWorker& worker) {
    served_ = &worker;
    worker.send_next(message_);
    return &message_;
  }

 private:
  const ChunkWorker* served_ = nullptr;  ///< worker of the last message
  Message message_;
};

/// Choice of a dispatcher at one date: the ChunkWorker whose next message is sent, which must hold
/// a chunk; a null pointer when the schedule is complete; or Wait to send nothing now. Does not own
/// the worker.
using ChosenWorker = std::variant<ChunkWorker*, Wait>;

/// Creates a ChunkWorker (progress of one worker), without a chunk of C, for each worker of the
/// platform, in its order, with the side in blocks of its square chunks that chunk_side() gives for
/// `layout`: the largest that fits in its memory, or the fastest if its speed depends on the size;
/// 0 (not usable) if the memory is too small. The problem must outlive them; the platform and the
/// layout need not.
PerWorker<ChunkWorker> make_chunk_workers(const Platform& platform, const Problem& problem,
                                          const MemoryLayout& layout);

/// Returns a copy of `platform` with memories reduced such that the chunks of each worker are as
/// narrow as they can be while all s block columns of C still make as few panels (groups of
/// adjacent columns, as wide as a chunk): the panels then have nearly equal widths. `layout` says
/// how a memory is divided between C, A and B. Workers without memory for a chunk are unchanged;
/// others whose speed depends on the size of updates get that of their new chunks for all sizes.
/// Another reading of "full matrix column blocks" (PPoPP'08, section 6.3). Requires s >= 1 (not
/// checked: division by zero).
Platform with_even_panels(const Platform& platform, const Problem& problem,
                          const MemoryLayout& layout);

}  // namespace starport
