#include "heuristics/star/polaris/mode.hpp"

#include "sim/files/numbers.hpp"
#include "sim/star/heuristic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport::polaris {
namespace {

/// Returns the largest height of a band whose part of A fits into m blocks beside two columns of C
/// and a few blocks of B.
std::int64_t max_resident_height(std::int64_t m, std::int64_t t) { return (m - 6) / (t + 2); }

/// Returns the a_resident mode of the tallest bands that fit; kind `none` if none do.
Mode a_resident(std::int64_t m, std::int64_t t, std::int64_t rows, std::int64_t columns,
                std::int64_t max_update) {
  const std::int64_t height = std::min({rows, max_resident_height(m, t), max_update});
  if (height < 1) return {};
  const std::int64_t bands = ceil_div(rows, height);
  // With latencies, a message contains as many columns as memory allows.
  const std::int64_t h = ceil_div(rows, bands);
  const std::int64_t merged = std::clamp<std::int64_t>((m - h * t) / (2 * (h + t)), 1, 8);
  const auto blocks =
      static_cast<double>(rows * t + 2 * rows * columns) + static_cast<double>(bands * columns * t);
  return {.kind = Mode::Kind::a_resident,
          .height = h,
          .max_update = max_update,
          .messages = bands * (t + 3 * columns) / merged,
          .blocks = blocks};
}

/// The messages into which a c_stationary mode cuts rows of B and columns of A, and how many of
/// them the memory must hold ahead.
struct Buffers {
  std::int64_t pieces;    ///< messages per row of B
  std::int64_t a_pieces;  ///< messages per column of A
  std::int64_t ahead;     ///< pieces of A and of B that can arrive while others are in use
};

/// Returns the buffers; `whole`: rows of B are not cut.
Buffers make_buffers(Prefetch prefetch, bool whole) {
  if (prefetch == Prefetch::none) return {.pieces = whole ? 1 : 8, .a_pieces = 1, .ahead = 0};
  if (whole) return {.pieces = 1, .a_pieces = 1, .ahead = 1};
  if (prefetch == Prefetch::pieces) return {.pieces = 8, .a_pieces = 4, .ahead = 1};
  return {.pieces = 4, .a_pieces = 1, .ahead = 1};
}

/// Returns the memory in blocks for the buffers of A beside a window of h rows of C.
std::int64_t a_blocks(std::int64_t h, const Buffers& buffers) {
  return h + buffers.ahead * ceil_div(h, buffers.a_pieces);
}
/// Returns the memory in blocks for a window of h x v blocks of C and its buffers.
std::int64_t stationary_blocks(std::int64_t h, std::int64_t v, const Buffers& buffers) {
  return h * v + a_blocks(h, buffers) + (1 + buffers.ahead) * ceil_div(v, buffers.pieces);
}
/// Returns the largest window, in columns, for which m blocks suffice.
std::int64_t max_window(std::int64_t m, std::int64_t h, const Buffers& buffers) {
  std::int64_t v =
      (m - a_blocks(h, buffers)) * buffers.pieces / (h * buffers.pieces + 1 + buffers.ahead);
  while (v > 0 && stationary_blocks(h, v, buffers) > m) --v;
  return v;
}

/// Returns the c_stationary mode with this number of bands; kind `none` if its window is empty.
Mode c_stationary(std::int64_t m, std::int64_t t, std::int64_t rows, std::int64_t columns,
                  std::int64_t bands, const Buffers& buffers, std::int64_t spare_columns,
                  std::int64_t max_update) {
  const std::int64_t h = ceil_div(rows, bands);
  std::int64_t v = std::min({columns, max_window(m, h, buffers), max_update / h * buffers.pieces});
  if (v < 1) return {};
  const std::int64_t passes = ceil_div(columns, v);
  // The smallest window for this number of passes; the remaining memory retains columns of A.
  v = ceil_div(columns, passes);
  const std::int64_t fit = (m - stationary_blocks(h, v, buffers)) / h;
  const std::int64_t retained =
      passes == 1 ? 0 : std::clamp<std::int64_t>(fit - spare_columns, 0, t);
  const double a = static_cast<double>(rows) *
                   (static_cast<double>(t) + static_cast<double>((passes - 1) * (t - retained)));
  const double rest = static_cast<double>(bands * columns * t + 2 * rows * columns);
  return {
      .kind = Mode::Kind::c_stationary,
      .height = h,
      .window = v,
      .retained = retained,
      .pieces = buffers.pieces,
      .a_pieces = std::min(buffers.a_pieces, h),
      .max_update = max_update,
      .messages = bands * passes * t * (buffers.pieces + buffers.a_pieces - 1) + bands * columns,
      .blocks = a + rest};
}

/// Returns the time of the port in seconds.
double port_time_s(const Worker& worker, const Mode& mode) {
  return mode.blocks * worker.c_s + static_cast<double>(mode.messages) * worker.latency_s;
}

}  // namespace

double typical_update_s(const Worker& worker, const Mode& mode) {
  const bool resident = mode.kind == Mode::Kind::a_resident;
  return worker.block_update_s(mode.height * (resident ? 1 : ceil_div(mode.window, mode.pieces)));
}

Mode find_cheapest_mode(const Worker& worker, const Problem& problem, std::int64_t rows,
                        std::int64_t columns, const ModeOptions& options) {
  const std::int64_t m = worker.m_blocks;
  Mode best;
  double best_s = std::numeric_limits<double>::infinity();
  const auto consider = [&](Mode mode, bool transposed) {
    if (mode.kind == Mode::Kind::none) return;
    mode.transposed = transposed;
    double s = port_time_s(worker, mode);
    if (worker.speeds) {
      s += static_cast<double>(rows * columns * problem.t) * typical_update_s(worker, mode);
    }
    if (s < best_s) {
      best_s = s;
      best = mode;
    }
  };
  const bool whole = worker.latency_s > 0 || !options.cut_messages;
  const std::int64_t side = options.chunks ? chunk_side(worker, kOptimizedOverlapped) : 0;
  const Buffers buffers = make_buffers(side > 0 ? Prefetch::column : options.prefetch, whole);
  if (side > 0) {
    return c_stationary(m, problem.t, rows, columns, ceil_div(rows, side), buffers,
                        options.spare_columns, kMaxBlocks);
  }
  const auto consider_all = [&](std::int64_t max_update) {
    for (const bool transposed : {false, true}) {
      if (transposed && !options.exchanged) break;
      const std::int64_t high = transposed ? columns : rows;
      const std::int64_t wide = transposed ? rows : columns;
      // Lower bound on the traffic of modes with `bands` bands or more.
      const auto can_be_best = [&](std::int64_t bands) {
        const double min_blocks = static_cast<double>(high) * static_cast<double>(problem.t) +
                                  static_cast<double>(bands * wide * problem.t + 2 * high * wide);
        return min_blocks * worker.c_s < best_s;
      };
      const auto consider_bands = [&](std::int64_t bands) {
        if (!can_be_best(bands)) return;
        consider(c_stationary(m, problem.t, high, wide, bands, buffers, options.spare_columns,
                              max_update),
                 transposed);
      };
      if (!can_be_best(1)) continue;
      if (options.resident) consider(a_resident(m, problem.t, high, wide, max_update), transposed);
      if (!can_be_best(1)) continue;
      // Nearly square windows, and bands of the full height.
      const auto square = static_cast<std::int64_t>(std::sqrt(static_cast<double>(m)));
      const std::int64_t square_bands =
          std::max<std::int64_t>(1, high / std::max<std::int64_t>(1, square));
      for (std::int64_t bands = std::max<std::int64_t>(1, square_bands - 1);
           bands <= std::min(high, square_bands + 2); ++bands) {
        consider_bands(bands);
      }
      if (square_bands > 2) consider_bands(1);
      if (m < 36) consider_bands(high);
    }
  };
  consider_all(kMaxBlocks);
  if (!worker.speeds) return best;
  // Limit updates, too, to the sizes beyond which the speed is a tenth or more below the highest.
  double speed = 0;
  const auto& points = worker.speeds->points();
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    speed = std::max(speed, points[i].speed);
    if (points[i + 1].speed <= 0.9 * speed) consider_all(static_cast<std::int64_t>(points[i].size));
  }
  return best;
}

}  // namespace starport::polaris
