// The product C += A.B, cut into square blocks (PPoPP'08, section 2).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string_view>

namespace starport {

/// A is r x t blocks, B is t x s, C is r x s; a block is block_size x block_size doubles.
/// All four are at least 1; r, s, t fit in 31 bits and r*s*t in 60.
struct Problem {
  std::int64_t r = 1;
  std::int64_t s = 1;
  std::int64_t t = 1;
  std::int64_t block_size = 1;  ///< q, in matrix elements

  std::int64_t updates() const { return r * s * t; }  ///< block updates C_ij += A_ik B_kj
  bool operator==(const Problem&) const = default;
};

inline constexpr std::int64_t kLargestBlockSize = 1'000'000;
inline constexpr std::int64_t kDefaultBlockSize = 80;  ///< that of the papers

/// Checks the ranges above; throws InputError with the given place.
void check(const Problem& problem, std::string_view place);

/// Reads "nAxnABxnB" (A is nA x nAB elements, B is nAB x nB), or "N" for NxNxN. A size that q does
/// not divide is rounded up to whole blocks. Throws InputError that names the place.
Problem parse_problem(std::string_view text, std::int64_t block_size,
                      std::string_view place = "--problem");

/// {"r": ..., "s": ..., "t": ..., "block_size": ...}
nlohmann::ordered_json to_json(const Problem& problem);

}  // namespace starport
