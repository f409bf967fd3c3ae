// The dates at which the updates of a worker end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace starport {

/// A date that is not known yet.
inline constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// The ends f_n of a worker's updates, n from 1, as long as they may delay something. Two are held
/// in place, as many as two buffer sets allow; schedules that send further ahead take more room.
class UpdateEnds {
 public:
  /// The number of the last update.
  std::int64_t last() const { return last_; }

  /// kUnknown for an update to come; 0 for one that is forgotten, and for n <= 0.
  double operator[](std::int64_t n) const {
    if (n > last_) return kUnknown;
    return n > forgotten_ ? at(n) : 0;
  }

  void push(double end_s) {
    if (last_ - forgotten_ == capacity()) grow();
    at(++last_) = end_s;
  }
  /// Nothing happens to an update that is forgotten.
  void correct(std::int64_t n, double end_s) {
    if (n > forgotten_) at(n) = end_s;
  }
  /// Forgets those over at a date. They do not decrease: those that are over come first.
  void forget_until(double date_s) {
    while (forgotten_ < last_ && at(forgotten_ + 1) <= date_s) ++forgotten_;
  }
  /// The first end after a date; kUnknown when there is none.
  double first_after(double date_s) const {
    for (std::int64_t n = forgotten_ + 1; n <= last_; ++n) {
      if (at(n) > date_s) return at(n);
    }
    return kUnknown;
  }

 private:
  // Rings, update n in slot n modulo their size, a power of 2.
  std::int64_t capacity() const {
    return static_cast<std::int64_t>(many_.empty() ? 2 : many_.size());
  }
  double& at(std::int64_t n) {
    const auto number = static_cast<std::size_t>(n);
    return many_.empty() ? two_[number % 2] : many_[number & (many_.size() - 1)];
  }
  double at(std::int64_t n) const { return const_cast<UpdateEnds&>(*this).at(n); }
  void grow() {
    UpdateEnds wider = *this;
    wider.many_.assign(2 * static_cast<std::size_t>(capacity()), 0);
    for (std::int64_t n = forgotten_ + 1; n <= last_; ++n) wider.at(n) = at(n);
    *this = std::move(wider);
  }

  std::int64_t forgotten_ = 0;
  std::int64_t last_ = 0;
  std::array<double, 2> two_{};
  std::vector<double> many_;
};

}  // namespace starport
