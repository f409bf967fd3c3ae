// The dates at which the updates of a worker end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace starport {

/// A date that is not known yet.
inline constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// The ends f_n of a worker's updates, n from 1, as long as they may delay something: they do not
/// decrease. Two are held in place, as many as two buffer sets allow; schedules that send further
/// ahead take more room.
class UpdateEnds {
 public:
  UpdateEnds() = default;
  UpdateEnds(const UpdateEnds&) = delete;
  UpdateEnds& operator=(const UpdateEnds&) = delete;

  /// The number of the last update.
  std::int64_t last() const { return last_; }

  /// kUnknown for an update to come; 0 for one that is forgotten, and for n <= 0.
  double operator[](std::int64_t n) const {
    const double end_s = end_or_past(n);
    return end_s > forgotten_s_ ? end_s : 0;
  }
  /// The same, but of one that is forgotten any date up to which they are.
  double end_or_past(std::int64_t n) const {
    if (n > last_) return kUnknown;
    return n < last_ - mask_ ? 0 : at(n);
  }

  void push(double end_s) {
    if (at(last_ + 1) > forgotten_s_) grow();  // the one whose slot it takes
    at(++last_) = end_s;
  }
  /// Nothing happens to an update that is forgotten.
  void correct(std::int64_t n, double end_s) {
    if (n >= last_ - mask_ && at(n) > forgotten_s_) at(n) = end_s;
  }
  /// Forgets those over at a date, which must not fall.
  void forget_until(double date_s) { forgotten_s_ = date_s; }
  /// The first end after a date; kUnknown when there is none.
  double first_after(double date_s) const {
    const double from_s = std::max(date_s, forgotten_s_);
    for (std::int64_t n = std::max<std::int64_t>(1, last_ - mask_); n <= last_; ++n) {
      if (at(n) > from_s) return at(n);
    }
    return kUnknown;
  }

 private:
  // A ring, update n in slot n modulo its size, a power of 2.
  double& at(std::int64_t n) { return slots_[n & mask_]; }
  double at(std::int64_t n) const { return slots_[n & mask_]; }
  void grow() {
    const std::int64_t mask = 2 * mask_ + 1;
    auto wider = std::make_unique<double[]>(static_cast<std::size_t>(mask) + 1);
    for (std::int64_t n = last_ - mask_; n <= last_; ++n) wider[n & mask] = at(n);
    many_ = std::move(wider);
    slots_ = many_.get();
    mask_ = mask;
  }

  double forgotten_s_ = 0;  ///< the date up to which they are
  std::int64_t last_ = 0;
  std::int64_t mask_ = 1;  ///< the size of the ring less 1
  std::array<double, 2> two_{};
  double* slots_ = two_.data();
  std::unique_ptr<double[]> many_;
};

}  // namespace starport
