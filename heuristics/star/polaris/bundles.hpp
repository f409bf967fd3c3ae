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

/// A message to the worker, and what it does to its memory, in the coordinates of the mode: rows
/// are those of the bands. It brings and allows to update with B[inner, columns].
struct Bundle {
  Range band = {};
  Range columns = {};             ///< of the update
  Range inner = {};               ///< of the update
  Range c_columns = {};           ///< those whose C it brings
  Range finished = {};            ///< columns of C, complete when its update ends
  std::int32_t accumulators = 0;  ///< columns that it starts
  bool brings_a = false;          ///< A[band, inner]
  bool releases_a = false;        ///< the same, when its update ends; B always goes then
  bool adds_c = false;            ///< the C it brings, to accumulators

  std::int64_t blocks() const { return (brings_a ? a() : 0) + b() + c(); }
  /// Blocks it brings and accumulators it starts.
  std::int64_t taken() const { return blocks() + accumulators * length(band); }
  /// Blocks let go of when its update ends.
  std::int64_t released() const { return (releases_a ? a() : 0) + b() + additions(); }
  std::int64_t additions() const { return adds_c ? c() : 0; }
  std::int64_t updated_blocks() const { return length(band) * length(columns); }
  std::int64_t block_updates() const { return updated_blocks() * length(inner); }

 private:
  static std::int64_t length(const Range& range) { return std::int64_t{range.end} - range.begin; }
  std::int64_t a() const { return length(band) * length(inner); }
  std::int64_t b() const { return length(inner) * length(columns); }
  std::int64_t c() const { return length(band) * length(c_columns); }
};

/// How a band of rows is done with its part of A resident.
struct ResidentBand {
  std::int32_t loading;  ///< columns of the loading pass
  std::int32_t depth;    ///< values of k in a message of that
  std::int32_t group;    ///< columns in a message
  std::int32_t pieces;   ///< a column's messages of B
};

/// Of a band of `h` x `columns` on a worker of `m` blocks.
inline ResidentBand resident_band(std::int64_t h, std::int64_t columns, std::int64_t t,
                                  std::int64_t m, const Mode& mode, const BundleOptions& options) {
  // Accumulators of the loading pass stand beside A; two messages of B and of late C in flight.
  const std::int64_t half = std::max<std::int64_t>(1, t / 2);
  const std::int64_t late_steps = std::max<std::int64_t>(1, t - half);
  const auto room_at = [&](std::int64_t depth) {
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
  if (room_at(depth) < 1) depth = 1;
  const auto wanted =
      static_cast<std::int64_t>(std::ceil(options.loading_share * static_cast<double>(columns)));
  const std::int64_t updated = std::max<std::int64_t>(1, mode.updated / h);
  const std::int64_t loading =
      std::clamp<std::int64_t>(std::min({room_at(depth), wanted, updated}), 1, columns);
  // Several columns in a message where two such messages, C and B, fit beside A.
  const std::int64_t fit = std::clamp<std::int64_t>((m - h * t) / (2 * (h + t)), 1, updated);
  const std::int64_t group = std::clamp<std::int64_t>(options.group, 1, fit);
  // Two messages of B fit beside A and two columns of C.
  const std::int64_t piece = std::max<std::int64_t>(1, (m - h * t - 2 * h) / 2);
  const std::int64_t pieces =
      group > 1 ? 1 : std::clamp<std::int64_t>(options.pieces, (t + piece - 1) / piece, t);
  return {.loading = static_cast<std::int32_t>(loading),
          .depth = static_cast<std::int32_t>(depth),
          .group = static_cast<std::int32_t>(group),
          .pieces = static_cast<std::int32_t>(pieces)};
}

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

  int worker() const { return worker_; }
  bool over() const { return band_.empty(); }
  /// The next message. Only before they are over.
  Bundle next() {
    if (mode_.kind == Mode::Kind::c_stationary) return stationary_step();
    return step_ < t_ ? loading_step() : column_step();
  }

  /// What it is in the problem's coordinates, but for its after_update.
  Transfer transfer(const Bundle& bundle) const {
    const bool exchanged = mode_.transposed;
    const auto of_a = [&](bool there) {
      if (!there) return Rectangle{};
      return exchanged ? Rectangle{bundle.inner, bundle.band}
                       : Rectangle{bundle.band, bundle.inner};
    };
    const Rectangle b = exchanged ? Rectangle{bundle.columns, bundle.inner}
                                  : Rectangle{bundle.inner, bundle.columns};
    const Rectangle a = of_a(bundle.brings_a);
    const Rectangle release_a = of_a(bundle.releases_a);
    const Rectangle update = of_c(bundle.band, bundle.columns);
    return {.worker = worker_,
            .direction = Direction::to_worker,
            .a = exchanged ? b : a,
            .b = exchanged ? a : b,
            .c = bundle.c_columns.empty() ? Rectangle{} : of_c(bundle.band, bundle.c_columns),
            .after_update = 0,
            .update = {.rows = update.rows,
                       .columns = update.columns,
                       .inner = bundle.inner,
                       .add_c = bundle.adds_c,
                       .release_a = exchanged ? b : release_a,
                       .release_b = exchanged ? release_a : b}};
  }
  Rectangle of_c(const Range& band, const Range& columns) const {
    return mode_.transposed ? Rectangle{columns, band} : Rectangle{band, columns};
  }

 private:
  void start_band() {
    const auto end = std::min<std::int64_t>(rows_.end, band_.end + mode_.height);
    band_ = {band_.end, static_cast<std::int32_t>(end)};
    step_ = piece_ = cut_ = late_ = 0;
    column_ = columns_.begin;
    active_.clear();
    resting_.clear();
    if (band_.empty() || mode_.kind != Mode::Kind::a_resident) return;
    resident_ = resident_band(band_.size(), columns_.size(), t_, m_, mode_, options_);
  }

  Bundle loading_step() {
    const std::int32_t k = step_;
    step_ = std::min(t_, step_ + resident_.depth);
    const Range columns = take(columns_.begin, resident_.loading);
    Bundle bundle{.band = band_, .columns = columns, .inner = {k, step_}, .brings_a = true};
    if (options_.late_c && t_ > 1) {
      if (k == 0) bundle.accumulators = resident_.loading;
      // C comes in the second half of the pass.
      const std::int32_t first = std::max(1, t_ / 2);
      if (k > 0 && step_ > first) {
        const std::int64_t due =
            (std::int64_t{resident_.loading} * (step_ - first) + t_ - first - 1) / (t_ - first);
        bundle.c_columns = {columns.begin + late_, static_cast<std::int32_t>(columns.begin + due)};
        late_ = static_cast<std::int32_t>(due);
        bundle.adds_c = !bundle.c_columns.empty();
      }
    } else if (k == 0) {
      bundle.c_columns = columns;
    }
    bundle.releases_a = columns.end == columns_.end;
    if (step_ == t_) {
      bundle.finished = columns;
      column_ = columns.end;
      if (bundle.releases_a) start_band();
    }
    return bundle;
  }

  Bundle column_step() {
    const Range column =
        take(column_, std::min<std::int64_t>(resident_.group, columns_.end - column_));
    Bundle bundle{.band = band_,
                  .columns = column,
                  .inner = {cut_, static_cast<std::int32_t>(std::int64_t{t_} * (piece_ + 1) /
                                                            resident_.pieces)},
                  .releases_a = column.end == columns_.end};
    if (piece_ == 0) bundle.c_columns = column;
    cut_ = bundle.inner.end;
    if (++piece_ == resident_.pieces) {
      piece_ = cut_ = 0;
      bundle.finished = column;
      column_ = column.end;
      if (column_ == columns_.end) start_band();
    }
    return bundle;
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

  Bundle stationary_step() {
    if (piece_ == 0) move_window(step_);
    const std::int32_t n = step_;
    const std::int32_t k = n % t_;
    if (piece_ == 0) cut_ = window_.begin;
    const auto pieces = std::min<std::int64_t>(mode_.pieces, window_.size());
    const std::int64_t end = window_.begin + window_.size() * (piece_ + 1) / pieces;
    Bundle bundle{
        .band = band_, .columns = {cut_, static_cast<std::int32_t>(end)}, .inner = take(k, 1)};
    cut_ = bundle.columns.end;
    // A stays for the next pass where there is room for it, and a next pass.
    bundle.brings_a = piece_ == 0 && !(k < mode_.kept && n >= t_);
    if (++piece_ < pieces) {
      // C that joins comes with the part of the window that it is in.
      if (joining_.begin < bundle.columns.end && !joining_.empty()) {
        bundle.c_columns = {joining_.begin, bundle.columns.end};
        joining_.begin = bundle.columns.end;
      }
      return bundle;
    }
    piece_ = 0;
    ++step_;
    bundle.c_columns = joining_;
    bundle.releases_a = !(k < mode_.kept && column_ < columns_.end);
    if (active_.front().joined + t_ == n + 1) {
      bundle.finished = active_.front().columns;
      resting_.push_back({n + 1, bundle.finished});
      active_.erase(active_.begin());
      if (active_.empty() && column_ == columns_.end) start_band();
    }
    return bundle;
  }

  static Range take(std::int32_t begin, std::int64_t count) {
    return {begin, static_cast<std::int32_t>(begin + count)};
  }

  int worker_;
  Mode mode_;
  BundleOptions options_;
  std::int32_t t_;
  Range rows_;     ///< in the mode's orientation
  Range columns_;  ///< in the mode's orientation
  std::int64_t m_;

  Range band_;               ///< of rows; empty when they are over
  std::int32_t step_ = 0;    ///< loading: k; c_stationary: counted from the start of the band
  std::int32_t piece_ = 0;   ///< of the column, or of the window
  std::int32_t cut_ = 0;     ///< where the last piece ended, in k or columns
  ResidentBand resident_{};  ///< a_resident: of this band
  std::int32_t column_ = 0;  ///< the next one to come
  std::int32_t late_ = 0;    ///< of them, those whose C has come
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
