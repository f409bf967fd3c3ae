// Random numbers that are the same on every machine: a fixed engine and our own mapping to reals.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string_view>

namespace starport {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// In [low, high).
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  /// In [low, high].
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::mt19937_64 engine_;
};

/// The finalizer of SplitMix64: each bit of the result depends on all of those of `bits`.
inline std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

/// The n-th number of a sequence, without those before it: SplitMix64 from `state`.
inline std::uint64_t nth_of_sequence(std::uint64_t state, std::uint64_t n) {
  return mixed(state + (n + 1) * 0x9e3779b97f4a7c15U);
}

/// In [0, 1), a multiple of 2^-53.
inline double unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// A standard normal number from two independent ones of 64 bits (Box and Muller).
inline double normal(std::uint64_t first, std::uint64_t second) {
  const double above_0 = unit_interval(first) + 0x1p-54;
  return std::sqrt(-2 * std::log(above_0)) * std::cos(2 * std::numbers::pi * unit_interval(second));
}

/// A seed below 2^53 (exact in a double, so that a table keeps it) from what identifies its use:
/// FNV-1a, then the finalizer of SplitMix64.
inline std::uint64_t seed_of(std::string_view identity) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : identity) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return mixed(hash) >> 11;
}

}  // namespace starport
