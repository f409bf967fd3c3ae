// Dates at which the updates of a worker end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace starport {

/// A simulated date in seconds that is not known yet or that never comes: infinity, later than
/// every known date.
inline constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// Sequence of the dates f_n, in simulated seconds, at which the updates (computations) of one
/// worker end, numbered n = 1, 2, ... and non-decreasing. Part of the MasterView, the state of a
/// run. Dates that can no longer delay anything can be discarded (discard_until()), so that memory
/// stays small: for up to two dates none is allocated. Starts empty.
class UpdateEndDates {
 public:
  UpdateEndDates() = default;
  UpdateEndDates(const UpdateEndDates&) = delete;
  UpdateEndDates& operator=(const UpdateEndDates&) = delete;

  /// Returns the number, from 1, of the last update whose end date, known or not, was appended; 0
  /// if none.
  std::int64_t last() const { return last_; }

  /// Returns the simulated date in seconds at which update n (from 1) ends: kUnknown if update n
  /// has not been appended yet or was appended as kUnknown, 0 if its date has been discarded or n
  /// <= 0.
  double operator[](std::int64_t n) const {
    const double end_s = end_or_earlier_s(n);
    return end_s > discarded_until_s_ ? end_s : 0;
  }
  /// Returns the simulated date in seconds at which update n (from 1) ends; if it has been
  /// discarded, that date itself or 0 (operator[] always gives 0): cheaper, and enough for a
  /// maximum with a date not before that of discard_until(). Returns kUnknown if update n has not
  /// been appended yet or was appended as kUnknown, 0 for n <= 0.
  double end_or_earlier_s(std::int64_t n) const {
    if (n > last_) return kUnknown;
    return n < last_ - mask_ ? 0 : at(n);
  }

  /// Appends the simulated date in seconds at which the next update ends, kUnknown if it is not
  /// known yet. Must not be before the previous one (not checked): after kUnknown, only kUnknown
  /// may follow until correct() gives that date. Allocates memory if the space is full of dates
  /// that are not discarded.
  void append(double end_s) {
    if (at(last_ + 1) > discarded_until_s_) grow();  // its slot is still in use
    at(++last_) = end_s;
  }
  /// Replaces the end date of update n (from 1) by `end_s` simulated seconds; no effect if it has
  /// been discarded. Requires 1 <= n <= last() (not checked: another date would be overwritten) and
  /// dates that are still non-decreasing afterwards (not checked: wrong results).
  void correct(std::int64_t n, double end_s) {
    if (n >= last_ - mask_ && at(n) > discarded_until_s_) at(n) = end_s;
  }
  /// Discards the end dates of updates up to `date_s` simulated seconds, included: those updates
  /// delay nothing from then on, and operator[] returns 0 for them. No effect if an earlier call
  /// had a later date.
  void discard_until(double date_s) { discarded_until_s_ = std::max(discarded_until_s_, date_s); }
  /// Returns the first end date of an update, in simulated seconds, that is after `date_s` and has
  /// not been discarded; kUnknown if there is none. Logarithmic in the number of dates stored.
  double first_after(double date_s) const {
    const double from_s = std::max(date_s, discarded_until_s_);
    std::int64_t first = std::max<std::int64_t>(1, last_ - mask_);
    for (std::int64_t end = last_ + 1; first < end;) {
      const std::int64_t middle = first + (end - first) / 2;
      if (at(middle) > from_s)
        end = middle;
      else
        first = middle + 1;
    }
    return first <= last_ ? at(first) : kUnknown;
  }

 private:
  // A ring, update n in slot n modulo its size, a power of 2.
  double& at(std::int64_t n) { return slots_[n & mask_]; }
  double at(std::int64_t n) const { return slots_[n & mask_]; }
  void grow() {
    const std::int64_t mask = 2 * mask_ + 1;
    auto wider = std::make_unique<double[]>(static_cast<std::size_t>(mask) + 1);
    for (std::int64_t n = last_ - mask_; n <= last_; ++n) wider[n & mask] = at(n);
    heap_slots_ = std::move(wider);
    slots_ = heap_slots_.get();
    mask_ = mask;
  }

  double discarded_until_s_ = 0;
  std::int64_t last_ = 0;
  std::int64_t mask_ = 1;  ///< size of the ring - 1
  std::array<double, 2> inline_slots_{};
  double* slots_ = inline_slots_.data();
  std::unique_ptr<double[]> heap_slots_;
};

}  // namespace starport
