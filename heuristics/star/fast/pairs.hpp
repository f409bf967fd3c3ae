// Numbers that are looked at two by two, which is what every processor has vectors for.
#pragma once

#include "sim/star/update_end_dates.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport::fast {

typedef double Pair __attribute__((vector_size(2 * sizeof(double))));
typedef std::int64_t PairBits __attribute__((vector_size(2 * sizeof(double))));

inline Pair lesser(const Pair& x, const Pair& y) { return x < y ? x : y; }
inline Pair greater(const Pair& x, const Pair& y) { return x < y ? y : x; }
inline double lesser(const Pair& x) { return x[0] < x[1] ? x[0] : x[1]; }

/// Changes the number n % 2. The pair is written as a whole: to read it as a whole right after a
/// half was written waits for all that was written before.
inline void set(Pair& pair, std::size_t n, double number) {
  const auto odd = -static_cast<std::int64_t>(n % 2);
  const PairBits its{~odd, odd};
  pair = std::bit_cast<Pair>((std::bit_cast<PairBits>(number - Pair{}) & its) |
                             (std::bit_cast<PairBits>(pair) & ~its));
}

/// So many numbers, in pairs: those given where nothing else was set, and past the last of them.
class Pairs {
 public:
  explicit Pairs(std::size_t size, double number = kUnknown)
      : pairs_((size + 1) / 2, number - Pair{}) {}

  double operator[](std::size_t n) const { return pairs_[n / 2][n % 2]; }
  void set(std::size_t n, double number) { fast::set(pairs_[n / 2], n, number); }

  std::size_t count() const { return pairs_.size(); }
  const Pair& pair(std::size_t n) const { return pairs_[n]; }

 private:
  std::vector<Pair> pairs_;
};

/// Bits for up to 64 of them, from a pair on: wanted(n) tells which of pair n.
template <class Wanted>
std::uint64_t wanted_of(std::size_t begin, std::size_t end, Wanted&& wanted) {
  PairBits found{};
  PairBits here{1, 2};
  for (std::size_t n = begin; n < end; ++n, here <<= 2) found |= wanted(n) & here;
  return static_cast<std::uint64_t>(found[0] | found[1]);
}

}  // namespace starport::fast
