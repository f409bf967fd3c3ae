// Lower bounds on sums of concave functions whose arguments have a given sum: a convex relaxation
// by chords, with branch and bound.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace starport {

/// A linear function over an interval of arguments, given by its values at both ends (the interval
/// is stored elsewhere). A plain value.
struct Chord {
  /// Value of the linear function at the lower end of the interval, in a unit of the caller's
  /// choice, the same for all chords.
  double at_begin = 0;
  /// Value of the linear function at the upper end of the interval, in a unit of the caller's
  /// choice, the same for all chords.
  double at_end = 0;
};

/// The maximum of two lines over an interval: a convex function of at most two linear pieces. Input
/// of ChordRelaxation::set().
class ChordBound {
 public:
  /// A linear piece of the maximum of two lines, over a part of the interval.
  struct Piece {
    /// Length of the part of the interval that the piece covers; 0 if the piece is unused.
    double width = 0;
    /// Increase of the linear piece per unit of its argument; the largest double if the piece is
    /// unused.
    double slope = std::numeric_limits<double>::max();
  };

  /// Computes the linear pieces of the maximum of two lines, `chords`, over an interval of length
  /// `width`. If `width` is 0 or less, both pieces are unused.
  ChordBound(double width, const std::array<Chord, 2>& chords)
      : chords_(chords), at_begin_(std::max(chords[0].at_begin, chords[1].at_begin)) {
    if (width <= 0) return;
    const auto& [one, two] = chords;
    const double gap_begin = one.at_begin - two.at_begin;
    const double gap_end = one.at_end - two.at_end;
    const double last = std::max(one.at_end, two.at_end);
    if ((gap_begin > 0) != (gap_end > 0) && gap_begin != gap_end) {
      const double share = std::clamp(gap_begin / (gap_begin - gap_end), 0.0, 1.0);
      const double middle = one.at_begin + share * (one.at_end - one.at_begin);
      add(share * width, middle - at_begin_);
      add((1 - share) * width, last - middle);
    } else {
      add(width, last - at_begin_);
    }
  }

  /// Returns the value of the function (the maximum of two lines) at the begin of the interval.
  double at_begin() const { return at_begin_; }
  /// Returns the value of the function (the maximum of two lines) at `share` of the interval's
  /// width; 0 is its begin, 1 its end.
  double at(double share) const {
    const auto& [one, two] = chords_;
    return std::max(one.at_begin + share * (one.at_end - one.at_begin),
                    two.at_begin + share * (two.at_end - two.at_begin));
  }
  /// Returns the linear pieces of the function (the maximum of two lines) from left to right, by
  /// growing slope; unused ones come last and have width 0. The reference is valid as long as this
  /// object.
  const std::array<Piece, 2>& pieces() const { return pieces_; }

 private:
  void add(double width, double rise) {
    if (width > 0) pieces_[count_++] = {width, rise / width};
  }

  std::array<Chord, 2> chords_;
  double at_begin_;
  std::array<Piece, 2> pieces_{};
  std::size_t count_ = 0;
};

/// Solver that minimises a sum of convex piecewise linear functions, each on an interval of its
/// own, whose arguments have a given sum. For each problem call begin(), then set() for every
/// function, then solve(), then least() and points(). May be used for any number of problems, one
/// after another.
class ChordRelaxation {
 public:
  /// Allocates memory for problems whose sum has `functions` functions; use another object for
  /// another number.
  explicit ChordRelaxation(std::size_t functions) : points_(functions), pieces_(2 * functions) {
    for (std::size_t i = 0; i < pieces_.size(); ++i) order_.push_back(i);
  }

  /// Starts a new problem, i.e. a new sum of functions to be minimised. Call set() for each
  /// function afterwards.
  void begin() { least_ = 0; }
  /// Sets the function with index `function` (from 0, below the number given to the constructor,
  /// not checked) of the sum to be minimised: it is `bound`, over an interval of arguments that
  /// starts at `begin`. Call it once per function after begin().
  void set(std::size_t function, double begin, const ChordBound& bound) {
    points_[function] = begin;
    least_ += bound.at_begin();
    std::copy_n(bound.pieces().begin(), 2, &pieces_[2 * function]);
  }

  /// Finds arguments, each in the interval of its function, whose sum is `total` and for which the
  /// sum of the (convex, piecewise linear) functions is least: points() and least(). Returns false
  /// if there are none (without tolerance: at the ends rounding decides); both are meaningless
  /// then. Call it once after each begin() and set() for every function. O(n log n) for n
  /// functions.
  bool solve(double total) {
    for (const double point : points_) total -= point;
    if (total < 0) return false;
    // Nearly sorted already: successive problems differ little.
    std::sort(order_.begin(), order_.end(), [&](std::size_t x, std::size_t y) {
      const double slope_x = pieces_[x].slope;
      const double slope_y = pieces_[y].slope;
      return slope_x != slope_y ? slope_x < slope_y : x < y;
    });
    double least = least_;
    for (const std::size_t i : order_) {
      if (total <= 0) break;
      const double taken = std::min(total, pieces_[i].width);
      points_[i / 2] += taken;
      least += taken * pieces_[i].slope;
      total -= taken;
    }
    least_ = least;
    return total <= 0;
  }

  /// Returns the least sum of the functions for arguments of the given sum, after solve() has
  /// returned true.
  double least() const { return least_; }
  /// Returns the arguments for which the sum of the functions is least, by index of the function,
  /// after solve() has returned true. The reference is valid as long as this object, its values
  /// until the next set().
  const std::vector<double>& points() const { return points_; }

 private:
  std::vector<double> points_;
  std::vector<ChordBound::Piece> pieces_;  ///< two per function
  std::vector<std::size_t> order_;         ///< indices of pieces_ by slope
  double least_ = 0;
};

/// Prover, by branch and bound, of lower bounds on a sum of functions f_i(x_i), such as concave
/// ones, over all arguments with a given total and 0 <= x_i <= most[i]; see surely_above(). Owns
/// the functions. A Function has at(x), which returns a default-constructible point with members x
/// and value, and chords(begin, end), which returns two lines (an array of Chord) that are nowhere
/// above the function between two such points; the first touches it at `begin`, the second at
/// `end`. Lines above the function give wrong proofs, which is not noticed. Not for concurrent use:
/// the search changes the object.
template <class Function>
class ConcaveKnapsack {
 public:
  /// Takes over the functions f_i of the sum, one for each argument x_i. There should be at least
  /// one: without any, surely_above() returns true.
  explicit ConcaveKnapsack(std::vector<Function> functions)
      : functions_(std::move(functions)), relaxation_(functions_.size()) {}

  /// Returns the functions of the sum, as given to the constructor. The reference is valid as long
  /// as this object.
  const std::vector<Function>& functions() const { return functions_; }
  /// Returns the functions of the sum, as given to the constructor, which may be changed between
  /// calls of surely_above(). The reference is valid as long as this object.
  std::vector<Function>& functions() { return functions_; }

  /// Returns true if sum f_i(x_i) > limit is proved for all x with sum x_i = total and 0 <= x_i <=
  /// most[i], also if there is no such x; false if it does not hold, or is not proved within
  /// `nodes` nodes of the branch and bound search (at least 0, not checked; 1: without branching).
  /// f_i are the functions given to the constructor; `most` has one value, at least 0, for each
  /// (not checked). O(nodes * n log n) for n functions.
  bool surely_above(const std::vector<double>& most, double total, double limit, int nodes) {
    const std::size_t n = functions_.size();
    intervals_.clear();
    open_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      open_.push_back(add(i, functions_[i].at(0), functions_[i].at(most[i])));
    }
    while (!open_.empty()) {
      if (nodes-- == 0) return false;
      const std::size_t box = open_.size() - n;
      relaxation_.begin();
      for (std::size_t i = 0; i < n; ++i) {
        const Interval& interval = intervals_[open_[box + i]];
        relaxation_.set(i, interval.begin.x, interval.bound);
      }
      if (!relaxation_.solve(total) || relaxation_.least() > limit) {
        open_.resize(box);
        continue;
      }
      if (nodes == 0) return false;
      // Cut where the relaxation is furthest from the function.
      double sum = 0;
      double widest = 0;
      std::size_t cut = 0;
      Point at;
      for (std::size_t i = 0; i < n; ++i) {
        const auto& [begin, end, bound] = intervals_[open_[box + i]];
        const double x = relaxation_.points()[i];
        const Point point = x == begin.x ? begin : x == end.x ? end : functions_[i].at(x);
        sum += point.value;
        if (!(x > begin.x && x < end.x)) continue;
        const double below = bound.at((x - begin.x) / (end.x - begin.x));
        if (point.value - below <= widest) continue;
        widest = point.value - below;
        cut = i;
        at = point;
      }
      if (sum <= limit || widest == 0) return false;
      const auto [begin, end, bound] = intervals_[open_[box + cut]];
      open_.resize(box + 2 * n);
      std::copy_n(&open_[box], n, &open_[box + n]);
      open_[box + cut] = add(cut, at, end);
      open_[box + n + cut] = add(cut, begin, at);
    }
    return true;
  }

 private:
  using Point = decltype(std::declval<Function>().at(0));
  struct Interval {
    Point begin;
    Point end;
    ChordBound bound;
  };
  std::size_t add(std::size_t function, const Point& begin, const Point& end) {
    intervals_.push_back(
        {begin, end, ChordBound(end.x - begin.x, functions_[function].chords(begin, end))});
    return intervals_.size() - 1;
  }

  std::vector<Function> functions_;
  std::vector<Interval> intervals_;
  std::vector<std::size_t> open_;  ///< boxes, an interval of each function after another
  ChordRelaxation relaxation_;
};

}  // namespace starport
