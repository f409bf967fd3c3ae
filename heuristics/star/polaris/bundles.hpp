// A worker's way through its rectangle of C, message by message.
#pragma once

#include "heuristics/star/polaris/mode.hpp"
#include "sim/star/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace starport::polaris {

/// What the bundles of all workers have in common; several sets are tried.
struct BundleOptions {
  double loading_share = 0.5;  ///< a_resident: of the columns, those of the loading pass, at most
  std::int64_t joining = 2;    ///< c_stationary: columns that join per step, at most; 0: any
  std::int64_t rest = 2;       ///< c_stationary: steps for which a place in the window stays free
  std::int64_t pieces = 4;     ///< a_resident: messages for the B of one column
  std::int64_t depth = 1;      ///< a_resident: values of k in one message of the loading pass
  std::int64_t group = 1;      ///< a_resident: columns in one message, instead of pieces of one
  bool late_c = true;          ///< accumulate from zero where that lets computing start earlier
};

/// A message to the worker, and what it does to its memory.
struct Bundle {
  Transfer transfer;          ///< its after_update is not filled in
  std::int64_t taken = 0;     ///< blocks it brings and accumulators it starts
  std::int64_t released = 0;  ///< blocks let go of when its update ends
  Rectangle finished;         ///< of C, complete when its update ends
};

/// The fixed sequence of messages with which a worker does a rectangle of C.
class Bundles {
 public:
  Bundles(int worker, const Worker& figures, const Problem& problem, const Rectangle& c,
          const Mode& mode, const BundleOptions& options)
      : worker_(worker),
        mode_(mode),
        options_(options),
        t_(static_cast<std::int32_t>(problem.t)),
        rows_(mode.transposed ? c.columns : c.rows),
        columns_(mode.transposed ? c.rows : c.columns),
        m_(figures.m_blocks) {
    band_ = {rows_.begin, rows_.begin};
    start_band();
  }

  bool over() const { return band_.empty(); }
  /// The next message. Only before they are over.
  Bundle next() {
    const Range band = band_;
    Step step;
    if (mode_.kind == Mode::Kind::c_stationary) {
      step = stationary_step();
    } else {
      step = step_ < t_ ? loading_step() : column_step();
    }
    return bundle(step, band);
  }

 private:
  struct Step {  ///< in the coordinates of the mode: rows are those of the bands
    Range a_inner;
    Range b_inner;
    Range b_columns;
    Range c_columns;
    Range columns;  ///< of the update
    Range inner;
    Range release_a;
    Range finished;
    bool add_c = false;
    std::int64_t accumulators = 0;  ///< columns
  };

  void start_band() {
    const auto end = std::min<std::int64_t>(rows_.end, band_.end + mode_.height);
    band_ = {band_.end, static_cast<std::int32_t>(end)};
    step_ = piece_ = late_ = 0;
    column_ = columns_.begin;
    active_.clear();
    resting_.clear();
    if (band_.empty() || mode_.kind != Mode::Kind::a_resident) return;
    // Accumulators of the loading pass stand beside A; two messages of B and of late C in flight.
    const std::int64_t h = band_.size();
    const std::int64_t late_steps = std::max(1, t_ - std::max(1, t_ / 2));
    const auto room_at = [&](std::int64_t depth) {
      const auto fits = [&](std::int64_t v) {
        const std::int64_t late = (v * depth + late_steps - 1) / late_steps;
        return h * t_ + v * (h + 2 * depth) + 2 * h * late <= m_;
      };
      std::int64_t v =
          (m_ - h * t_ - 2 * h) * late_steps / ((h + 2 * depth) * late_steps + 2 * h * depth);
      while (v > 1 && !fits(v)) --v;
      return v;
    };
    depth_ =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(options_.depth, 1, std::max(1, t_ / 2)));
    if (room_at(depth_) < 1) depth_ = 1;
    const std::int64_t room = room_at(depth_);
    const double share = options_.loading_share * static_cast<double>(columns_.size());
    const auto wanted = static_cast<std::int64_t>(std::ceil(share));
    const std::int64_t updated = std::max<std::int64_t>(1, mode_.updated / h);
    loading_ = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(std::min({room, wanted, updated}), 1, columns_.size()));
    // Several columns in a message where two such messages, C and B, fit beside A.
    const std::int64_t fit = std::clamp<std::int64_t>((m_ - h * t_) / (2 * (h + t_)), 1, updated);
    group_ = static_cast<std::int32_t>(std::clamp<std::int64_t>(options_.group, 1, fit));
    // Two messages of B fit beside A and two columns of C.
    const std::int64_t piece = std::max<std::int64_t>(1, (m_ - h * t_ - 2 * h) / 2);
    pieces_ = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(options_.pieces, (t_ + piece - 1) / piece, t_));
    if (group_ > 1) pieces_ = 1;
  }

  Step loading_step() {
    Step step;
    const std::int32_t k = step_;
    step_ = std::min(t_, step_ + depth_);
    const Range columns = take(columns_.begin, loading_);
    step.a_inner = step.b_inner = step.inner = {k, step_};
    step.b_columns = step.columns = columns;
    if (options_.late_c && t_ > 1) {
      if (k == 0) step.accumulators = loading_;
      // C comes in the second half of the pass.
      const std::int32_t first = std::max(1, t_ / 2);
      if (k > 0 && step_ > first) {
        const std::int64_t due =
            (std::int64_t{loading_} * (step_ - first) + t_ - first - 1) / (t_ - first);
        step.c_columns = {columns.begin + late_, static_cast<std::int32_t>(columns.begin + due)};
        late_ = static_cast<std::int32_t>(due);
        step.add_c = !step.c_columns.empty();
      }
    } else if (k == 0) {
      step.c_columns = columns;
    }
    const bool last_use = columns.end == columns_.end;
    if (last_use) step.release_a = step.inner;
    if (step_ == t_) {
      step.finished = columns;
      column_ = columns.end;
      if (last_use) start_band();
    }
    return step;
  }

  Step column_step() {
    Step step;
    const Range column = take(column_, std::min<std::int64_t>(group_, columns_.end - column_));
    step.inner = {static_cast<std::int32_t>(std::int64_t{t_} * piece_ / pieces_),
                  static_cast<std::int32_t>(std::int64_t{t_} * (piece_ + 1) / pieces_)};
    step.b_inner = step.inner;
    step.b_columns = step.columns = column;
    if (piece_ == 0) step.c_columns = column;
    if (column.end == columns_.end) step.release_a = step.inner;
    if (++piece_ == pieces_) {
      piece_ = 0;
      step.finished = column;
      column_ = column.end;
      if (column_ == columns_.end) start_band();
    }
    return step;
  }

  /// The window moves on for step n: finished columns have left, others join.
  void move_window(std::int32_t n) {
    std::int64_t taken = 0;  // places of the window: active, or free too recently
    std::erase_if(resting_, [&](const Group& group) { return group.joined + options_.rest <= n; });
    for (const Group& group : resting_) taken += group.columns.size();
    const bool idle = active_.empty();
    if (idle) taken = 0;
    const std::int32_t first = idle ? column_ : active_.front().columns.begin;
    taken += column_ - first;
    std::int64_t joining = std::min<std::int64_t>(columns_.end - column_, mode_.window - taken);
    if (options_.joining > 0) joining = std::min(joining, options_.joining);
    joining_ = take(column_, std::max<std::int64_t>(0, joining));
    if (!joining_.empty()) active_.push_back({n, joining_});
    column_ = joining_.end;
    window_ = {first, column_};
  }

  Step stationary_step() {
    Step step;
    if (piece_ == 0) move_window(step_);
    const std::int32_t n = step_;
    const std::int32_t k = n % t_;
    const auto pieces = std::min<std::int64_t>(mode_.pieces, window_.size());
    const auto cut = [&](std::int64_t piece) {
      return static_cast<std::int32_t>(window_.begin + window_.size() * piece / pieces);
    };
    step.columns = step.b_columns = {cut(piece_), cut(piece_ + 1)};
    step.inner = step.b_inner = take(k, 1);
    // A stays for the next pass where there is room for it, and a next pass.
    if (piece_ == 0 && !(k < mode_.kept && n >= t_)) step.a_inner = step.inner;
    if (++piece_ < pieces) {
      // C that joins comes with the part of the window that it is in.
      if (joining_.begin < step.columns.end && !joining_.empty()) {
        step.c_columns = {joining_.begin, step.columns.end};
        joining_.begin = step.columns.end;
      }
      return step;
    }
    piece_ = 0;
    ++step_;
    step.c_columns = joining_;
    if (!(k < mode_.kept && column_ < columns_.end)) step.release_a = step.inner;
    if (active_.front().joined + t_ == n + 1) {
      step.finished = active_.front().columns;
      resting_.push_back({n + 1, step.finished});
      active_.erase(active_.begin());
      if (active_.empty() && column_ == columns_.end) start_band();
    }
    return step;
  }

  static Range take(std::int32_t begin, std::int64_t count) {
    return {begin, static_cast<std::int32_t>(begin + count)};
  }

  Bundle bundle(const Step& step, const Range& band) const {
    const auto of_a = [&](const Range& inner) {
      return mode_.transposed ? Rectangle{inner, band} : Rectangle{band, inner};
    };
    const auto of_b = [&](const Range& inner, const Range& columns) {
      return mode_.transposed ? Rectangle{columns, inner} : Rectangle{inner, columns};
    };
    const auto of_c = [&](const Range& columns) {
      return mode_.transposed ? Rectangle{columns, band} : Rectangle{band, columns};
    };
    const Rectangle a = step.a_inner.empty() ? Rectangle{} : of_a(step.a_inner);
    const Rectangle b = step.b_inner.empty() ? Rectangle{} : of_b(step.b_inner, step.b_columns);
    const Rectangle release_a = step.release_a.empty() ? Rectangle{} : of_a(step.release_a);
    const Rectangle release_b = of_b(step.inner, step.columns);
    const Rectangle update = of_c(step.columns);
    Bundle bundle;
    bundle.transfer = {.worker = worker_,
                       .direction = Direction::to_worker,
                       .a = mode_.transposed ? b : a,
                       .b = mode_.transposed ? a : b,
                       .c = step.c_columns.empty() ? Rectangle{} : of_c(step.c_columns),
                       .after_update = 0,
                       .update = {.rows = update.rows,
                                  .columns = update.columns,
                                  .inner = step.inner,
                                  .add_c = step.add_c,
                                  .release_a = mode_.transposed ? release_b : release_a,
                                  .release_b = mode_.transposed ? release_a : release_b}};
    bundle.taken = bundle.transfer.blocks() + step.accumulators * band.size();
    bundle.released =
        release_a.size() + release_b.size() + (step.add_c ? bundle.transfer.c.size() : 0);
    if (!step.finished.empty()) bundle.finished = of_c(step.finished);
    return bundle;
  }

  int worker_;
  Mode mode_;
  BundleOptions options_;
  std::int32_t t_;
  Range rows_;     ///< in the mode's orientation
  Range columns_;  ///< in the mode's orientation
  std::int64_t m_;

  Range band_;                ///< of rows; empty when they are over
  std::int32_t step_ = 0;     ///< loading: k; c_stationary: counted from the start of the band
  std::int32_t piece_ = 0;    ///< of the column
  std::int32_t depth_ = 1;    ///< values of k in a message of the loading pass
  std::int32_t group_ = 1;    ///< columns in a message
  std::int32_t pieces_ = 1;   ///< a column's messages of B
  std::int32_t column_ = 0;   ///< the next one to come
  std::int32_t loading_ = 0;  ///< columns of the loading pass
  std::int32_t late_ = 0;     ///< of them, those whose C has come
  struct Group {
    std::int32_t joined;
    Range columns;
  };
  std::vector<Group> active_;   ///< c_stationary: in the order in which they joined
  Range window_;                ///< c_stationary: the columns of this step
  Range joining_;               ///< of them, those whose C is still to come
  std::vector<Group> resting_;  ///< places that became free, and when
};

}  // namespace starport::polaris
