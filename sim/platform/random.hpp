// Random numbers that are the same on every machine: the standard library's distributions are not.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string_view>

namespace starport {

/// A pseudo-random generator with the same numbers on every machine: the 64-bit Mersenne Twister
/// with portable mappings to numbers. Not safe for use by several threads at once.
class Random {
 public:
  /// Starts the sequence of random numbers of `seed`; the same seed gives the same numbers on every
  /// machine.
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Returns a uniform real number in [low, high); rounding may give `high` for narrow ranges.
  /// Requires low <= high (not checked).
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  /// Returns a uniform integer in [low, high], with a negligible bias for ranges far below 2^64.
  /// Requires low <= high and high - low < 2^63 - 1 (not checked: undefined behaviour).
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::mt19937_64 engine_;
};

/// Mixes 64 bits by the finalizer of SplitMix64, a bijection: each bit of the result depends on all
/// bits of `bits`. For deriving independent seeds from counters and other seeds.
inline std::uint64_t mix_bits(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

/// Returns the n-th number, from 0, of the SplitMix64 pseudo-random sequence with seed `state`, in
/// constant time.
inline std::uint64_t splitmix64_at(std::uint64_t state, std::uint64_t n) {
  return mix_bits(state + (n + 1) * 0x9e3779b97f4a7c15U);
}

/// Maps 64 uniformly random bits to a uniform number in [0, 1), a multiple of 2^-53; the lowest 11
/// bits do not count.
inline double to_unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// Maps two independent, uniform 64-bit random numbers to a normal one of mean 0 and variance 1
/// (Box-Muller transform). The result is finite; its last bits may differ between machines.
inline double standard_normal(std::uint64_t first, std::uint64_t second) {
  const double above_0 = to_unit_interval(first) + 0x1p-54;
  return std::sqrt(-2 * std::log(above_0)) *
         std::cos(2 * std::numbers::pi * to_unit_interval(second));
}

/// Returns a seed that depends only on the bytes of `identity`, a text that says what it is for:
/// FNV-1a, then the finalizer of SplitMix64. It is below 2^53, so that a double in a table
/// represents it exactly.
inline std::uint64_t seed_from_identity(std::string_view identity) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : identity) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return mix_bits(hash) >> 11;
}

}  // namespace starport
