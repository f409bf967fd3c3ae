// The workers that are busy for long, by when they are ready.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace starport::fast {

/// A queue from which dates are taken in order, and into which only later ones come (a radix heap):
/// O(1) for each, and memory is walked through in order. An entry lies at the first of the 11
/// digits, of six bits each, in which its date is another one than `origin_`, a date up to which
/// none is left; the entries of the next digit are spread over its lower digits once they are
/// wanted.
class LaterWorkers {
 public:
  /// Up to then all have been taken.
  double taken_s() const { return taken_s_; }
  /// None is ready before; infinite when there is none.
  double floor_s() const { return floor_s_; }

  /// Ready later than taken_s().
  void push(double ready_s, std::size_t worker) {
    add({std::bit_cast<std::uint64_t>(ready_s), worker});
    find_floor();
  }

  /// Takes those that are ready by then, in no order. `foresee` is called with some that come next.
  template <class Take, class Foresee>
  void take_until(double date_s, Take&& take, Foresee&& foresee) {
    const auto until = std::bit_cast<std::uint64_t>(date_s);
    while (levels_ != 0 && floor_s_ <= date_s) {
      origin_ = std::bit_cast<std::uint64_t>(floor_s_);
      const auto level = static_cast<std::size_t>(std::countr_zero(levels_));
      const auto digit = static_cast<std::size_t>(std::countr_zero(digits_[level]));
      remove(level, digit);
      std::vector<Entry>& entries = entries_[level][digit];
      for (const Entry& entry : entries) {
        if (entry.date <= until) {
          take(entry.worker);
        } else {
          add(entry);
          foresee(entry.worker);
        }
      }
      entries.clear();
      find_floor();
    }
    taken_s_ = date_s;
  }

 private:
  static constexpr std::size_t kBits = 6;
  static constexpr std::size_t kLevels = (64 + kBits - 1) / kBits;
  static constexpr std::size_t kDigits = std::size_t{1} << kBits;
  /// Dates >= 0 are in the order of their bits, taken as an integer.
  struct Entry {
    std::uint64_t date;
    std::size_t worker;
  };

  void add(const Entry& entry) {
    const std::size_t level = (std::bit_width((entry.date ^ origin_) | 1) - 1) / kBits;
    const std::size_t digit = entry.date >> (kBits * level) & (kDigits - 1);
    entries_[level][digit].push_back(entry);
    digits_[level] |= std::uint64_t{1} << digit;
    levels_ |= 1U << level;
  }
  void remove(std::size_t level, std::size_t digit) {
    digits_[level] &= ~(std::uint64_t{1} << digit);
    if (digits_[level] == 0) levels_ &= ~(1U << level);
  }
  void find_floor() {
    floor_s_ = std::numeric_limits<double>::infinity();
    if (levels_ == 0) return;
    const auto level = static_cast<std::size_t>(std::countr_zero(levels_));
    const std::uint64_t digit = std::countr_zero(digits_[level]);
    const std::uint64_t above = level + 1 == kLevels ? 0 : origin_ >> (kBits * (level + 1));
    floor_s_ = std::bit_cast<double>((above << kBits | digit) << (kBits * level));
  }

  std::uint64_t origin_ = 0;
  double taken_s_ = 0;
  double floor_s_ = std::numeric_limits<double>::infinity();
  std::array<std::array<std::vector<Entry>, kDigits>, kLevels> entries_;
  std::array<std::uint64_t, kLevels> digits_{};  ///< where entries are
  std::uint32_t levels_ = 0;
};

}  // namespace starport::fast
