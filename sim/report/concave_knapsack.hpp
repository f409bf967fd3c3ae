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
  };

  void add(const Interval& interval, const std::array<Chord, 2>& chords) {
    const std::size_t i = points_.size();
    points_.push_back(interval.begin);
    const auto& [one, two] = chords;
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
/// function has at(x) and chords(begin, end), two lines below it there. False when that is not so,
/// or not proved within so many nodes.
template <class Function>
bool surely_above(const std::vector<Function>& functions, const std::vector<double>& most,
                  double total, double limit, int nodes) {
  using Interval = ChordRelaxation::Interval;
  std::vector<std::vector<Interval>> open(1);
  for (const double end : most) open.front().push_back({0, end});
  while (!open.empty()) {
    if (nodes-- == 0) return false;
    std::vector<Interval> box = std::move(open.back());
    open.pop_back();
    ChordRelaxation relaxation;
    for (std::size_t i = 0; i < box.size(); ++i) {
      relaxation.add(box[i], functions[i].chords(box[i].begin, box[i].end));
    }
    if (!relaxation.solve(total) || relaxation.least() > limit) continue;
    // Cut where the relaxation is furthest from the function.
    double sum = 0;
    double widest = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < box.size(); ++i) {
      const double x = relaxation.points()[i];
      const auto [one, two] = functions[i].chords(box[i].begin, box[i].end);
      const double width = box[i].end - box[i].begin;
      const double share = width > 0 ? (x - box[i].begin) / width : 0;
      const double below = std::max(one.at_begin + share * (one.at_end - one.at_begin),
                                    two.at_begin + share * (two.at_end - two.at_begin));
      const double value = functions[i].at(x);
      sum += value;
      if (value - below > widest && x > box[i].begin && x < box[i].end) {
        widest = value - below;
        at = i;
      }
    }
    if (sum <= limit || widest == 0) return false;
    const double x = relaxation.points()[at];
    open.push_back(box);
    open.back()[at].begin = x;
    open.push_back(std::move(box));
    open.back()[at].end = x;
  }
  return true;
}

}  // namespace starport
