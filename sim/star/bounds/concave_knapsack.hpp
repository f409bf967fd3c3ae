// Sharing a sum between concave costs: a relaxation by chords, and branch and bound on it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace starport {

/// A line over an interval, by its values at the ends.
struct Chord {
  double at_begin = 0;
  double at_end = 0;
};

/// The least of a sum of functions that are each the larger of two chords, at points that sum up to
/// a total.
class ChordRelaxation {
 public:
  struct Interval {
    double begin = 0;
    double end = 0;
    std::array<Chord, 2> chords{};
  };

  void add(const Interval& interval) {
    const std::size_t i = points_.size();
    points_.push_back(interval.begin);
    const auto& [one, two] = interval.chords;
    const double width = interval.end - interval.begin;
    least_ += std::max(one.at_begin, two.at_begin);
    if (width <= 0) return;
    // The larger of two lines is convex: at most two pieces, the steeper one behind.
    const double gap_begin = one.at_begin - two.at_begin;
    const double gap_end = one.at_end - two.at_end;
    const double first = std::max(one.at_begin, two.at_begin);
    const double last = std::max(one.at_end, two.at_end);
    if ((gap_begin > 0) != (gap_end > 0) && gap_begin != gap_end) {
      const double share = std::clamp(gap_begin / (gap_begin - gap_end), 0.0, 1.0);
      const double middle = one.at_begin + share * (one.at_end - one.at_begin);
      add_piece(i, share * width, middle - first);
      add_piece(i, (1 - share) * width, last - middle);
    } else {
      add_piece(i, width, last - first);
    }
  }

  /// False when the intervals cannot reach the total.
  bool solve(double total) {
    for (const double point : points_) total -= point;
    if (total < 0) return false;
    std::sort(pieces_.begin(), pieces_.end(),
              [](const Piece& x, const Piece& y) { return x.slope < y.slope; });
    for (const Piece& piece : pieces_) {
      const double taken = std::min(total, piece.width);
      points_[piece.function] += taken;
      least_ += taken * piece.slope;
      total -= taken;
    }
    return total <= 0;
  }

  void clear() {
    points_.clear();
    pieces_.clear();
    least_ = 0;
  }

  double least() const { return least_; }
  const std::vector<double>& points() const { return points_; }

 private:
  struct Piece {
    std::size_t function;
    double width;
    double slope;
  };
  void add_piece(std::size_t function, double width, double rise) {
    if (width > 0) pieces_.push_back({function, width, rise / width});
  }

  std::vector<double> points_;
  std::vector<Piece> pieces_;
  double least_ = 0;
};

/// Whether sum f_i(x_i) > limit for all x with sum x_i = total and 0 <= x_i <= most_i. Each
/// function has at(x), a point with x and value, and chords(begin, end), two lines below it between
/// two points, of which the first one touches it at the begin and the second one at the end. False
/// when that is not so, or not proved within so many nodes.
template <class Function>
bool surely_above(const std::vector<Function>& functions, const std::vector<double>& most,
                  double total, double limit, int nodes) {
  using Point = decltype(functions[0].at(0));
  struct Interval {
    Point begin;
    Point end;
    std::array<Chord, 2> chords;

    Interval(const Function& function, const Point& begin, const Point& end)
        : begin(begin), end(end), chords(function.chords(begin, end)) {}
  };
  const std::size_t n = functions.size();
  std::vector<Interval> open;  // boxes, an interval of each function after another
  for (std::size_t i = 0; i < n; ++i) {
    open.emplace_back(functions[i], functions[i].at(0), functions[i].at(most[i]));
  }
  ChordRelaxation relaxation;
  while (!open.empty()) {
    if (nodes-- == 0) return false;
    const std::size_t box = open.size() - n;
    relaxation.clear();
    for (std::size_t i = 0; i < n; ++i) {
      const auto& [begin, end, chords] = open[box + i];
      relaxation.add({begin.x, end.x, chords});
    }
    if (!relaxation.solve(total) || relaxation.least() > limit) {
      open.resize(box, open.front());
      continue;
    }
    // Cut where the relaxation is furthest from the function.
    double sum = 0;
    double widest = 0;
    std::size_t cut = 0;
    Point at;
    for (std::size_t i = 0; i < n; ++i) {
      const auto& [begin, end, chords] = open[box + i];
      const auto& [one, two] = chords;
      const double x = relaxation.points()[i];
      const double share = end.x > begin.x ? (x - begin.x) / (end.x - begin.x) : 0;
      const double below = std::max(one.at_begin + share * (one.at_end - one.at_begin),
                                    two.at_begin + share * (two.at_end - two.at_begin));
      const Point point = x == begin.x ? begin : x == end.x ? end : functions[i].at(x);
      sum += point.value;
      if (point.value - below > widest && x > begin.x && x < end.x) {
        widest = point.value - below;
        cut = i;
        at = point;
      }
    }
    if (sum <= limit || widest == 0) return false;
    open.resize(box + 2 * n, open.front());
    std::copy_n(&open[box], n, &open[box + n]);
    open[box + cut] = {functions[cut], at, open[box + cut].end};
    open[box + n + cut] = {functions[cut], open[box + n + cut].begin, at};
  }
  return true;
}

}  // namespace starport
