// The matrix product C += A.B in square blocks (PPoPP'08, section 2).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string_view>

namespace starport {

/// The size of a product: A is r x t blocks, B is t x s, C is r x s; a block is block_size x
/// block_size elements. All four are at least 1; r, s, t fit in 31 bits and r*s*t in 60.
struct Problem {
  std::int64_t r = 1;
  std::int64_t s = 1;
  std::int64_t t = 1;
  std::int64_t block_size = 1;  ///< q, in matrix elements

  /// Returns the number of block updates C_ij += A_ik B_kj.
  std::int64_t updates() const { return r * s * t; }
  bool operator==(const Problem&) const = default;
};

/// Largest accepted block size.
inline constexpr std::int64_t kMaxBlockSize = 1'000'000;
/// Block size unless given: that of the papers.
inline constexpr std::int64_t kDefaultBlockSize = 80;

/// Checks the ranges of r, s, t and r*s*t, not that of block_size. Throws InputError at `place`
/// when one is violated.
void check_problem(const Problem& problem, std::string_view place);

/// Parses "nAxnABxnB" (A is nA x nAB elements, B is nAB x nB), or "N" for NxNxN. Sizes are rounded
/// up to whole blocks of `block_size` elements a side, which must be at least 1. Throws InputError
/// at `place` when the text is wrong or check_problem() fails.
Problem parse_problem(std::string_view text, std::int64_t block_size,
                      std::string_view place = "--problem");

/// Returns {"r": ..., "s": ..., "t": ..., "block_size": ...}.
nlohmann::ordered_json to_json(const Problem& problem);

}  // namespace starport
