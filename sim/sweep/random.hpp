// Random numbers that are the same on every machine: a fixed engine and our own mapping to reals.
#pragma once

#include <cstdint>
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

/// A seed below 2^53 (exact in a double, so that a table keeps it) from what identifies its use:
/// FNV-1a, then the finalizer of SplitMix64.
inline std::uint64_t seed_of(std::string_view identity) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : identity) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebU;
  return (hash ^ (hash >> 31)) >> 11;
}

}  // namespace starport
