#include "heuristics/star/polaris/mode.hpp"

#include "sim/files/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport::polaris {
namespace {

/// Beside the band's part of A: two columns of C and a few blocks of B.
std::int64_t tallest_resident(std::int64_t m, std::int64_t t) { return (m - 6) / (t + 2); }

Mode a_resident(std::int64_t m, std::int64_t t, std::int64_t rows, std::int64_t columns,
                std::int64_t updated) {
  const std::int64_t tallest = std::min({rows, tallest_resident(m, t), updated});
  if (tallest < 1) return {};
  const std::int64_t bands = ceil_div(rows, tallest);
  // Where messages cost, as many columns go into one as memory allows.
  const std::int64_t h = ceil_div(rows, bands);
  const std::int64_t merged = std::clamp<std::int64_t>((m - h * t) / (2 * (h + t)), 1, 8);
  const auto blocks =
      static_cast<double>(rows * t + 2 * rows * columns) + static_cast<double>(bands * columns * t);
  return {.kind = Mode::Kind::a_resident,
          .height = h,
          .updated = updated,
          .messages = bands * (t + 3 * columns) / merged,
          .blocks = blocks};
}

/// How a row of B comes: in so many messages, of which so many, each with a column of A, are there.
struct Buffers {
  std::int64_t pieces;
  std::int64_t messages;
};

/// h v of C, columns of A, parts of rows of B.
std::int64_t stationary_blocks(std::int64_t h, std::int64_t v, const Buffers& buffers) {
  return h * v + buffers.messages * (h + ceil_div(v, buffers.pieces));
}
std::int64_t widest_window(std::int64_t m, std::int64_t h, const Buffers& buffers) {
  std::int64_t v =
      (m - buffers.messages * h) * buffers.pieces / (h * buffers.pieces + buffers.messages);
  while (v > 0 && stationary_blocks(h, v, buffers) > m) --v;
  return v;
}

Mode c_stationary(std::int64_t m, std::int64_t t, std::int64_t rows, std::int64_t columns,
                  std::int64_t bands, const Buffers& buffers, std::int64_t updated) {
  const std::int64_t h = ceil_div(rows, bands);
  std::int64_t v = std::min({columns, widest_window(m, h, buffers), updated / h * buffers.pieces});
  if (v < 1) return {};
  const std::int64_t passes = ceil_div(columns, v);
  // As few columns at a time as the passes allow: the memory left keeps some of A.
  v = ceil_div(columns, passes);
  const std::int64_t kept =
      passes == 1 ? 0 : std::min(t, (m - stationary_blocks(h, v, buffers)) / h);
  const double a = static_cast<double>(rows) *
                   (static_cast<double>(t) + static_cast<double>((passes - 1) * (t - kept)));
  const double rest = static_cast<double>(bands * columns * t + 2 * rows * columns);
  return {.kind = Mode::Kind::c_stationary,
          .height = h,
          .window = v,
          .kept = kept,
          .pieces = buffers.pieces,
          .updated = updated,
          .messages = bands * passes * t * buffers.pieces + bands * columns,
          .blocks = a + rest};
}

double port_s(const Worker& worker, const Mode& mode) {
  return mode.blocks * worker.c_s + static_cast<double>(mode.messages) * worker.latency_s;
}

}  // namespace

double usual_update_s(const Worker& worker, const Mode& mode) {
  const bool resident = mode.kind == Mode::Kind::a_resident;
  return worker.block_update_s(mode.height * (resident ? 1 : ceil_div(mode.window, mode.pieces)));
}

Mode cheapest_mode(const Worker& worker, const Problem& problem, std::int64_t rows,
                   std::int64_t columns, const ModeChoice& choice) {
  const std::int64_t m = worker.m_blocks;
  Mode best;
  double best_s = std::numeric_limits<double>::infinity();
  const auto consider = [&](Mode mode, bool transposed) {
    if (mode.kind == Mode::Kind::none) return;
    mode.transposed = transposed;
    double s = port_s(worker, mode);
    if (worker.speeds) {
      s += static_cast<double>(rows * columns * problem.t) * usual_update_s(worker, mode);
    }
    if (s < best_s) {
      best_s = s;
      best = mode;
    }
  };
  const std::int64_t pieces = worker.latency_s > 0 || !choice.cut_messages ? 1
                              : choice.ahead                               ? 4
                                                                           : 8;
  const Buffers buffers{.pieces = pieces, .messages = choice.ahead ? 2 : 1};
  const auto consider_all = [&](std::int64_t updated) {
    for (const bool transposed : {false, true}) {
      if (transposed && !choice.exchanged) break;
      const std::int64_t high = transposed ? columns : rows;
      const std::int64_t wide = transposed ? rows : columns;
      // No mode of so many bands moves fewer blocks; the more bands, the more blocks.
      const auto may_win = [&](std::int64_t bands) {
        const double least = static_cast<double>(high) * static_cast<double>(problem.t) +
                             static_cast<double>(bands * wide * problem.t + 2 * high * wide);
        return least * worker.c_s < best_s;
      };
      const auto consider_bands = [&](std::int64_t bands) {
        if (!may_win(bands)) return;
        consider(c_stationary(m, problem.t, high, wide, bands, buffers, updated), transposed);
      };
      if (!may_win(1)) continue;
      if (choice.resident) consider(a_resident(m, problem.t, high, wide, updated), transposed);
      if (!may_win(1)) continue;
      // Tiles near a square, or of the full height.
      const auto square = static_cast<std::int64_t>(std::sqrt(static_cast<double>(m)));
      const std::int64_t about =
          std::max<std::int64_t>(1, high / std::max<std::int64_t>(1, square));
      for (std::int64_t bands = std::max<std::int64_t>(1, about - 1);
           bands <= std::min(high, about + 2); ++bands) {
        consider_bands(bands);
      }
      if (about > 2) consider_bands(1);
      if (m < 36) consider_bands(high);
    }
  };
  consider_all(kMostBlocks);
  if (!worker.speeds) return best;
  // Updates may keep to the sizes beyond which the speed falls, each time by a tenth or more.
  double speed = 0;
  const auto& points = worker.speeds->points();
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    speed = std::max(speed, points[i].speed);
    if (points[i + 1].speed > 0.9 * speed) continue;
    speed = points[i + 1].speed;
    consider_all(static_cast<std::int64_t>(points[i].size));
  }
  return best;
}

}  // namespace starport::polaris
