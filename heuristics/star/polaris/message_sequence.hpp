// The messages that a worker receives for its rectangle of C in a mode
// (heuristics/star/polaris/README.md, "Modes"), in their order.
#pragma once

#include "heuristics/star/polaris/mode.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace starport::polaris {

/// Options of the message sequences of all workers; a search tries several sets of them. Each
/// applies to one kind of mode only: `a_resident` (the band's blocks of A stay in the worker's
/// memory; columns of C come and go, first several at once in the loading pass) or `c_stationary`
/// (a window of columns of C stays; A and B stream past). In transposed modes, rows and columns,
/// and A and B, are exchanged in the meaning of all members.
struct MessageOptions {
  /// For modes a_resident (A stays in memory): largest fraction, from 0 to 1, of the columns of C
  /// that are updated together in the loading pass, during which A arrives. At least one column
  /// takes part.
  double loading_share = 0.5;
  /// For modes c_stationary (a window of columns of C stays in memory): largest number of columns
  /// of C that join the window per step (one value of k); 0: unlimited.
  std::int64_t joining = 2;
  /// For modes c_stationary (columns of C stay in memory): number of steps (values of k), at least
  /// 0, after which the place of a finished column of C is used again; at once if no unfinished
  /// column is left in memory.
  std::int64_t rest = 2;
  /// For modes a_resident (A stays in memory): number of messages per column of B after the loading
  /// pass, in which A arrives; from 1 to t (others count as the nearest). More are sent if memory
  /// is short. Not used if messages have several columns of C (`group`).
  std::int64_t pieces = 4;
  /// For modes a_resident (A stays in memory): number of values of k per message of the loading
  /// pass, in which A arrives; at least 1 (less counts as 1). Fewer are sent if t or the memory is
  /// small.
  std::int64_t depth = 1;
  /// For modes a_resident (A stays in memory): number of block columns of C per message after the
  /// loading pass, in which A arrives; at least 1 (less counts as 1). Fewer are sent if memory or
  /// Mode::max_update is small. If more than 1 are sent, `pieces` is not used.
  std::int64_t group = 1;
  /// For modes a_resident (A stays in memory): true to accumulate the columns of C of the loading
  /// pass (those updated together while A arrives, see `loading_share`) from zero, and to send and
  /// add their blocks of C in the second half of that pass; false to send C first, as is always
  /// done if t is 1.
  bool late_c = true;
};

/// A message to a worker and its effect on the worker's memory: it brings blocks of A, B and C
/// where stated, and triggers an update of C[band, columns]. Made by MessageSequence::next(); a
/// plain value. In the coordinates of the mode: if the mode is transposed, rows and columns, and A
/// and B, are exchanged; MessageSequence::to_transfer() exchanges them back. Ranges are half-open
/// block indices from 0.
struct PlannedMessage {
  /// Block rows of C that the update triggered by the message covers (half-open, from 0); columns
  /// if the mode (way to compute) is transposed.
  Range band = {};
  /// Block columns of C that the update triggered by the message covers (half-open, from 0); rows
  /// if the mode (way to compute) is transposed.
  Range columns = {};
  /// Values of k of the update triggered by the message (half-open, from 0): block columns of A and
  /// block rows of B, whether or not the mode (way to compute) is transposed.
  Range inner = {};
  /// Block columns of C (rows if the mode is transposed) that the message brings, each in the block
  /// rows `band` only: half-open, counted from the first block column of the whole matrix C; empty:
  /// none.
  Range c_columns = {};
  /// Block columns of C (rows if the mode is transposed), each in the block rows `band` only, that
  /// are complete when the update ends and can be returned to the master: half-open, counted from
  /// the first block column of the whole matrix C; empty: none.
  Range finished = {};
  /// Number of block columns of C (rows if the mode is transposed) in which the update starts to
  /// accumulate from zero, as the worker receives their blocks of C later or never; 0: none.
  std::int32_t accumulators = 0;
  /// True if the message also brings the blocks of A in the rows `band` and columns `inner` (if the
  /// mode is transposed, of B in the rows `inner` and columns `band`).
  bool brings_a = false;
  /// True if the message brings the blocks of B in the rows `inner` and the columns `columns` (of
  /// A, exchanged, if the mode is transposed); false if an earlier message has brought them.
  bool brings_b = true;
  /// True if the end of the update frees the worker's memory of the blocks of A that it uses (of B,
  /// if the mode is transposed).
  bool releases_a = false;
  /// True if the end of the update frees the worker's memory of the blocks of B that it uses (of A,
  /// if the mode is transposed).
  bool releases_b = true;
  /// True if the update adds the blocks of C that the message brings to blocks accumulated from
  /// zero (accumulators); false if it brings no C, or C to be updated.
  bool adds_c = false;

  /// Returns the number of blocks of A, B and C that the message carries.
  std::int64_t blocks() const { return (brings_a ? a() : 0) + (brings_b ? b() : 0) + c(); }
  /// Returns the number of blocks of the worker's memory that the message and its new accumulators
  /// occupy (accumulators: blocks of C that start from zero).
  std::int64_t occupied_blocks() const { return blocks() + accumulators * length(band); }
  /// Returns the number of blocks of the worker's memory that the end of the update triggered by
  /// the message frees: B, A if released, and C that was added to accumulators. Finished blocks of
  /// C are not among them; their return frees them.
  std::int64_t released_blocks() const {
    return (releases_a ? a() : 0) + (releases_b ? b() : 0) + additions();
  }
  /// Returns the number of blocks of C that the message brings and the update adds to accumulators
  /// (blocks accumulated from zero).
  std::int64_t additions() const { return adds_c ? c() : 0; }
  /// Returns the number of distinct blocks of C that the update triggered by the message writes; at
  /// least 1, as every message of a MessageSequence triggers an update.
  std::int64_t updated_blocks() const { return length(band) * length(columns); }
  /// Returns the number of block updates C_ij += A_ik B_kj in the update that the message triggers.
  std::int64_t block_updates() const { return updated_blocks() * length(inner); }
  /// Removes the blocks of C from the message. If they were to be updated (`adds_c` is false), the
  /// update starts from zero in their place, and `accumulators` grows by their columns; if they
  /// were to be added to accumulators (`adds_c`), they are never added.
  void omit_c() {
    if (!adds_c) accumulators += static_cast<std::int32_t>(length(c_columns));
    c_columns = {};
    adds_c = false;
  }

 private:
  static std::int64_t length(const Range& range) { return std::int64_t{range.end} - range.begin; }
  std::int64_t a() const { return length(band) * length(inner); }
  std::int64_t b() const { return length(inner) * length(columns); }
  std::int64_t c() const { return length(band) * length(c_columns); }
};

/// Sizes of the messages for one band of rows of a mode (way to compute a rectangle of C) in which
/// the band's blocks of A stay in memory (Mode::Kind::a_resident), as make_resident_band() chooses
/// them. In the loading pass, A arrives while the first columns of C are updated. All sizes are at
/// least 1. If the mode is transposed, rows and columns, and A and B, are exchanged.
struct ResidentBand {
  /// Number of columns of C (rows if the mode is transposed) that are updated together in the
  /// loading pass, in which A (B if transposed) arrives; at least 1.
  std::int32_t loading;
  /// Number of values of k per message of the loading pass, in which A (B if the mode is
  /// transposed) arrives; at least 1.
  std::int32_t depth;
  /// Number of columns of C (rows if the mode is transposed) per message after the loading pass, in
  /// which A (B if transposed) arrives; at least 1.
  std::int32_t group;
  /// Number of messages per column of B (row of A if the mode is transposed) after the loading
  /// pass, in which A (B if transposed) arrives; at least 1, and 1 if `group` is above 1.
  std::int32_t pieces;
};

/// Chooses the message sizes for a band (part of a worker's rectangle of C, whose blocks of A stay
/// in memory) of `h` block rows and `columns` block columns of C, with `t` values of k, on a worker
/// with a memory of `m` blocks: as `options` ask, reduced to what fits beside the band's h x t
/// blocks of A, and to `mode.max_update` blocks of C per update (the only member of `mode` that is
/// used). All sizes must be at least 1 (0: undefined behaviour), and `m` large enough for an
/// a_resident mode of that height, as for those of find_cheapest_mode(); otherwise all results are
/// at least 1, but the messages do not fit into memory. Nothing is checked.
inline ResidentBand make_resident_band(std::int64_t h, std::int64_t columns, std::int64_t t,
                                       std::int64_t m, const Mode& mode,
                                       const MessageOptions& options) {
  // Besides A, the loading pass needs accumulators, two messages of B and two of late C.
  const std::int64_t half = std::max<std::int64_t>(1, t / 2);
  const std::int64_t late_steps = std::max<std::int64_t>(1, t - half);
  const auto max_columns = [&](std::int64_t depth) {
    const auto fits = [&](std::int64_t v) {
      const std::int64_t late = (v * depth + late_steps - 1) / late_steps;
      return h * t + v * (h + 2 * depth) + 2 * h * late <= m;
    };
    std::int64_t v =
        (m - h * t - 2 * h) * late_steps / ((h + 2 * depth) * late_steps + 2 * h * depth);
    while (v > 1 && !fits(v)) --v;
    return v;
  };
  std::int64_t depth = std::clamp<std::int64_t>(options.depth, 1, half);
  if (max_columns(depth) < 1) depth = 1;
  const auto wanted =
      static_cast<std::int64_t>(std::ceil(options.loading_share * static_cast<double>(columns)));
  const std::int64_t max_update = std::max<std::int64_t>(1, mode.max_update / h);
  const std::int64_t loading =
      std::clamp<std::int64_t>(std::min({max_columns(depth), wanted, max_update}), 1, columns);
  // Two messages, with C and B of their columns, must fit beside A.
  const std::int64_t fit = std::clamp<std::int64_t>((m - h * t) / (2 * (h + t)), 1, max_update);
  const std::int64_t group = std::clamp<std::int64_t>(options.group, 1, fit);
  // Two messages of B must fit beside A and two columns of C.
  const std::int64_t piece = std::max<std::int64_t>(1, (m - h * t - 2 * h) / 2);
  const std::int64_t pieces =
      group > 1 ? 1 : std::clamp<std::int64_t>(options.pieces, (t + piece - 1) / piece, t);
  return {.loading = static_cast<std::int32_t>(loading),
          .depth = static_cast<std::int32_t>(depth),
          .group = static_cast<std::int32_t>(group),
          .pieces = static_cast<std::int32_t>(pieces)};
}

/// Generator of the messages to a worker for its rectangle of C, one by one in their fixed order,
/// which does not depend on dates: call next() until is_finished(). Keeps no reference to its
/// arguments; a copy continues independently from the same message.
class MessageSequence {
 public:
  /// Starts the sequence of messages for the rectangle `c` of C on `platform_worker`, whose index
  /// in the platform is `worker` (from 0). `c` must not be empty, and `mode` must come from
  /// find_cheapest_mode() for this worker, this problem and the size of `c` (not checked: undefined
  /// behaviour or messages that do not fit). The sequence is empty if the kind of `mode` is `none`.
  /// If the worker does a part of the updates of `c`, `problem.t` is their number and `first_k` the
  /// first of their values of k. Unless `receives_c`, its blocks of C start from zero and the
  /// master never sends them.
  MessageSequence(int worker, const Worker& platform_worker, const Problem& problem,
                  const Rectangle& c, const Mode& mode, const MessageOptions& options,
                  std::int32_t first_k = 0, bool receives_c = true)
      : worker_(worker),
        mode_(mode),
        options_(options),
        t_(static_cast<std::int32_t>(problem.t)),
        first_k_(first_k),
        receives_c_(receives_c),
        rows_(mode.transposed ? c.columns : c.rows),
        columns_(mode.transposed ? c.rows : c.columns),
        m_(platform_worker.m_blocks) {
    band_ = {rows_.begin, rows_.begin};
    start_band();
  }

  /// Returns the index of the worker in the platform, from 0.
  int worker() const { return worker_; }
  /// Returns true if the mode (way to compute) of the sequence is transposed: rows and columns of
  /// C, and A and B, are exchanged.
  bool is_transposed() const { return mode_.transposed; }
  /// Returns true if all messages of the sequence have been generated.
  bool is_finished() const { return band_.empty(); }
  /// Generates and returns the next message to the worker. is_finished() must be false (not
  /// checked: undefined behaviour).
  PlannedMessage next() {
    PlannedMessage message = mode_.kind == Mode::Kind::c_stationary ? stationary_step()
                             : step_ < t_                           ? loading_step()
                                                                    : column_step();
    if (!receives_c_) message.omit_c();
    message.inner = {message.inner.begin + first_k_, message.inner.end + first_k_};
    return message;
  }

  /// Converts a message that this sequence, or one with the same arguments, has generated to a
  /// transfer with the block indices of the problem, i.e. exchanged back if the mode (way to
  /// compute) is transposed. Leaves `after_update` at 0 (waits for no update): the caller sets it.
  /// Does not advance the sequence.
  Transfer to_transfer(const PlannedMessage& message) const {
    const bool exchanged = mode_.transposed;
    const auto a_if = [&](bool present) {
      if (!present) return Rectangle{};
      return exchanged ? Rectangle{message.inner, message.band}
                       : Rectangle{message.band, message.inner};
    };
    const Rectangle b = exchanged ? Rectangle{message.columns, message.inner}
                                  : Rectangle{message.inner, message.columns};
    const Rectangle sent_b = message.brings_b ? b : Rectangle{};
    const Rectangle release_b = message.releases_b ? b : Rectangle{};
    const Rectangle a = a_if(message.brings_a);
    const Rectangle release_a = a_if(message.releases_a);
    const Rectangle update = c_rectangle(message.band, message.columns);
    return {
        .worker = worker_,
        .direction = Direction::to_worker,
        .a = exchanged ? sent_b : a,
        .b = exchanged ? a : sent_b,
        .c = message.c_columns.empty() ? Rectangle{} : c_rectangle(message.band, message.c_columns),
        .after_update = 0,
        .update = {.rows = update.rows,
                   .columns = update.columns,
                   .inner = message.inner,
                   .add_c = message.adds_c,
                   .release_a = exchanged ? release_b : release_a,
                   .release_b = exchanged ? release_a : release_b}};
  }
  /// Returns the blocks of C in rows `band` and columns `columns` (half-open ranges from 0, in the
  /// coordinates of the mode, the way to compute) as a rectangle in those of the problem, exchanged
  /// if the mode is transposed. Checks nothing.
  Rectangle c_rectangle(const Range& band, const Range& columns) const {
    return mode_.transposed ? Rectangle{columns, band} : Rectangle{band, columns};
  }

  /// Returns true if extend() may add columns: the sequence is in its last band, the band's blocks
  /// of A (B if the mode is transposed) stay in memory after its loading pass (a_resident), and no
  /// message has been generated that releases some of them. With `at_end`, returns true only at the
  /// last occasion, when the next message would release some.
  bool can_extend(bool at_end = false) const {
    if (mode_.kind != Mode::Kind::a_resident || band_.empty() || band_.end < rows_.end)
      return false;
    if (step_ < t_) return !at_end && resident_.loading < columns_.size();
    const bool last = more_.empty() && column_ + resident_.group >= columns_.end;
    return at_end ? last && piece_ == 0 : !last || piece_ == 0;
  }
  /// Returns the block rows of C (columns if the mode is transposed; half-open, from 0) to which
  /// the next message belongs; empty if the sequence is finished. The reference is valid as long as
  /// this object, and its value changes with next().
  const Range& band() const { return band_; }
  /// Adds the block columns `columns` of C (rows if the mode is transposed; half-open, from 0), in
  /// the rows band() only, to the end of the sequence. They must not be empty, and none of them may
  /// be in the sequence already. Requires can_extend(). Nothing is checked.
  void extend(const Range& columns) { more_.push_back(columns); }
  /// Returns the blocks of C of which not all updates have been generated, as disjoint rectangles
  /// in the problem's block indices; none if the sequence is finished.
  std::vector<Rectangle> unfinished() const;
  /// Returns the number of blocks of C, not yet begun, by which cut() can reduce the worker's
  /// rectangle.
  std::int64_t removable_blocks() const;
  /// Returns the rectangle of C, in the problem's block indices, whose last rows or columns cut()
  /// would remove first. Empty if it can remove none.
  Rectangle removable() const;
  /// Removes from the end of the sequence at most `blocks` blocks of C of which no message has been
  /// generated: whole rows of later bands, then, if none is left, whole columns of the current band
  /// (rows and columns exchanged if the mode is transposed). Returns them as rectangles in the
  /// problem's block indices; none if the sequence is finished. Keeps one column of the current
  /// band that is not begun, if there is one, as the worker's A is released with it.
  std::vector<Rectangle> cut(std::int64_t blocks);

 private:
  /// Returns the columns of columns_ and of each range of more_ that cut() may remove.
  std::vector<Range> removable_columns() const;
  void start_band() {
    const auto end = std::min<std::int64_t>(rows_.end, band_.end + mode_.height);
    band_ = {band_.end, static_cast<std::int32_t>(end)};
    step_ = piece_ = cut_ = late_ = 0;
    column_ = columns_.begin;
    active_.clear();
    resting_.clear();
    choose_sizes();
  }
  void choose_sizes() {
    if (band_.empty() || mode_.kind != Mode::Kind::a_resident) return;
    resident_ = make_resident_band(band_.size(), columns_.size(), t_, m_, mode_, options_);
  }

  PlannedMessage loading_step() {
    const std::int32_t k = step_;
    step_ = std::min(t_, step_ + resident_.depth);
    const Range columns = make_range(columns_.begin, resident_.loading);
    PlannedMessage message{
        .band = band_, .columns = columns, .inner = {k, step_}, .brings_a = true};
    if (options_.late_c && t_ > 1) {
      if (k == 0) message.accumulators = resident_.loading;
      // Late C is sent in the second half of the pass.
      const std::int32_t first = std::max(1, t_ / 2);
      if (k > 0 && step_ > first) {
        const std::int64_t due =
            (std::int64_t{resident_.loading} * (step_ - first) + t_ - first - 1) / (t_ - first);
        message.c_columns = {columns.begin + late_, static_cast<std::int32_t>(columns.begin + due)};
        late_ = static_cast<std::int32_t>(due);
        message.adds_c = !message.c_columns.empty();
      }
    } else if (k == 0) {
      message.c_columns = columns;
    }
    message.releases_a = columns.end == columns_.end;
    if (step_ == t_) {
      message.finished = columns;
      column_ = columns.end;
      if (message.releases_a) start_band();
    }
    return message;
  }

  PlannedMessage column_step() {
    const Range column =
        make_range(column_, std::min<std::int64_t>(resident_.group, columns_.end - column_));
    PlannedMessage message{.band = band_,
                           .columns = column,
                           .inner = {cut_, static_cast<std::int32_t>(
                                               std::int64_t{t_} * (piece_ + 1) / resident_.pieces)},
                           .releases_a = column.end == columns_.end && more_.empty()};
    if (piece_ == 0) message.c_columns = column;
    cut_ = message.inner.end;
    if (++piece_ == resident_.pieces) {
      piece_ = cut_ = 0;
      message.finished = column;
      column_ = column.end;
      if (column_ == columns_.end && !more_.empty()) {
        columns_ = more_.front();
        column_ = columns_.begin;
        more_.erase(more_.begin());
      } else if (column_ == columns_.end) {
        start_band();
      }
    }
    return message;
  }

  /// Advances the window to step n: removes columns that have left and adds columns that join.
  void advance_window(std::int32_t n) {
    std::int64_t taken = 0;  // places of the window that are active or were freed too recently
    std::erase_if(resting_, [&](const Group& group) { return group.joined + options_.rest <= n; });
    for (const Group& group : resting_) taken += group.columns.size();
    const bool idle = active_.empty();
    if (idle) taken = 0;
    const std::int32_t first = idle ? column_ : active_.front().columns.begin;
    taken += column_ - first;
    std::int64_t joining = std::min<std::int64_t>(columns_.end - column_, mode_.window - taken);
    if (options_.joining > 0) joining = std::min(joining, options_.joining);
    joining_ = make_range(column_, std::max<std::int64_t>(0, joining));
    if (!joining_.empty()) active_.push_back({n, joining_});
    column_ = joining_.end;
    window_ = {first, column_};
  }

  PlannedMessage stationary_step() {
    if (piece_ == 0 && a_piece_ == 0) advance_window(step_);
    const std::int32_t n = step_;
    const std::int32_t k = n % t_;
    if (piece_ == 0) cut_ = window_.begin;
    const auto pieces = std::min<std::int64_t>(mode_.pieces, window_.size());
    const std::int64_t end = window_.begin + window_.size() * (piece_ + 1) / pieces;
    PlannedMessage message{.band = band_,
                           .columns = {cut_, static_cast<std::int32_t>(end)},
                           .inner = make_range(k, 1)};
    // The first `retained` columns of A stay in memory from one pass to the next.
    message.brings_a = piece_ == 0 && !(k < mode_.retained && n >= t_);
    const bool last = piece_ + 1 == pieces;
    // The C of joining columns comes with the piece of the window that contains them.
    if (!last && joining_.begin < message.columns.end && !joining_.empty())
      message.c_columns = {joining_.begin, message.columns.end};
    if (message.brings_a && !last && mode_.a_pieces > 1) {
      // The first piece of B comes with the first piece of A, and stays until the last one.
      const auto parts = std::min<std::int64_t>(mode_.a_pieces, band_.size());
      message.band = {
          static_cast<std::int32_t>(band_.begin + band_.size() * a_piece_ / parts),
          static_cast<std::int32_t>(band_.begin + band_.size() * (a_piece_ + 1) / parts)};
      message.brings_b = a_piece_ == 0;
      message.releases_b = ++a_piece_ == parts;
      if (!message.releases_b) return message;
      a_piece_ = 0;
    }
    cut_ = message.columns.end;
    if (!last) {
      ++piece_;
      if (!message.c_columns.empty()) joining_.begin = message.columns.end;
      return message;
    }
    piece_ = 0;
    ++step_;
    message.c_columns = joining_;
    message.releases_a = !(k < mode_.retained && column_ < columns_.end);
    if (active_.front().joined + t_ == n + 1) {
      message.finished = active_.front().columns;
      resting_.push_back({n + 1, message.finished});
      active_.erase(active_.begin());
      if (active_.empty() && column_ == columns_.end) start_band();
    }
    return message;
  }

  static Range make_range(std::int32_t begin, std::int64_t count) {
    return {begin, static_cast<std::int32_t>(begin + count)};
  }

  int worker_;
  Mode mode_;
  MessageOptions options_;
  std::int32_t t_;
  std::int32_t first_k_;
  bool receives_c_;
  Range rows_;     ///< in the mode's orientation
  Range columns_;  ///< in the mode's orientation
  std::int64_t m_;

  Range band_;                ///< current rows; empty at the end
  std::int32_t step_ = 0;     ///< loading pass: k; c_stationary: steps since the start of the band
  std::int32_t piece_ = 0;    ///< index of the piece of the column or window
  std::int32_t a_piece_ = 0;  ///< c_stationary: index of the piece of the column of A
  std::int32_t cut_ = 0;      ///< end of the last piece, in k or columns
  ResidentBand resident_{};   ///< a_resident: sizes for this band
  std::int32_t column_ = 0;   ///< next column to send
  std::int32_t late_ = 0;     ///< columns of the loading pass whose C has been sent
  /// Columns of the window that joined, or left, at the same step.
  struct Group {
    std::int32_t joined;  ///< step
    Range columns;
  };
  std::vector<Group> active_;  ///< c_stationary: columns in the window, in the order of joining
  Range window_;               ///< c_stationary: columns of this step
  Range joining_;              ///< c_stationary: joining columns whose C has not been sent
  std::vector<Group>
      resting_;  ///< c_stationary: columns that have left, whose places are not reused yet
  std::vector<Range> more_;  ///< a_resident: columns of the band after columns_
};

}  // namespace starport::polaris
