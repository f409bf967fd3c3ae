// The matrix product C += A.B in square blocks (PPoPP'08, section 2), and the type of the matrix
// elements, which determines the size of a block in bytes.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace starport {

struct PlatformFile;

/// The type of the elements of A, B and C: `float64`, double (8 bytes), or `float32`, float (4
/// bytes).
enum class ElementType : std::uint8_t { float64, float32 };

/// Returns the size of one matrix element in bytes: 8 or 4.
constexpr std::int64_t bytes_of(ElementType type) { return type == ElementType::float64 ? 8 : 4; }
/// Returns the plural of the C++ name of an element type, "doubles" or "floats", for messages; a
/// string literal.
const char* plural_name(ElementType type);
/// Returns the name of an element type in files and options: "float64" or "float32"; a string
/// literal.
const char* to_string(ElementType type);

/// Parses the name of an element type, "float64" or "float32". Throws InputError without a file
/// name, at `place` (an option or JSON pointer, for the message), for any other text, "" included.
ElementType parse_element_type(const std::string& text, const std::string& place);

/// Returns `file` with `type` as the type of the matrix elements; its figures stay as they are and
/// then hold for that type. Unchanged for nullopt, and for double if the file names no type. Throws
/// InputError naming the file when that names another type, with which its speeds were measured.
PlatformFile with_element_type(PlatformFile file, std::optional<ElementType> type);
/// Returns the type of the matrix elements that the speeds and times in a platform file are for:
/// the one in the file, or double when it has none.
ElementType element_type_of(const PlatformFile& file);
/// Returns `file` converted to doubles, in which the models count: a product of doubles takes as
/// long on the result as one of the file's own element type on `file`. The result names no type. If
/// the file is for floats, all bandwidths in bytes/s (links, buses, port, memories) and memory
/// sizes in bytes are doubled; speeds, latencies and figures given per block stay as they are.
PlatformFile convert_to_doubles(PlatformFile file);

/// The size of a matrix product C += A.B in square blocks: A is r x t blocks, B is t x s, C is r x
/// s, and a block is block_size x block_size elements. All four are at least 1; r, s, t fit in 31
/// bits and r*s*t is at most 2^60 (see check_problem).
struct Problem {
  /// Number of rows of A and of C, counted in blocks (block_size x block_size elements); at least
  /// 1.
  std::int64_t r = 1;
  /// Number of columns of B and of C, counted in blocks (block_size x block_size elements); at
  /// least 1.
  std::int64_t s = 1;
  /// Number of columns of A and of rows of B, counted in blocks, which is the number of updates
  /// C_ij += A_ik B_kj of each block of C; at least 1.
  std::int64_t t = 1;
  /// Side q of a block in matrix elements; at least 1.
  std::int64_t block_size = 1;

  /// Returns r*s*t, the number of block updates C_ij += A_ik B_kj, each of 2 block_size^3 flop. At
  /// most 2^60 for a size that check_problem() accepts; other sizes may overflow (undefined
  /// behaviour).
  std::int64_t updates() const { return r * s * t; }
  bool operator==(const Problem&) const = default;
};

/// Largest accepted block size, in matrix elements a side; a larger one in a file or an option
/// causes InputError.
inline constexpr std::int64_t kMaxBlockSize = 1'000'000;
/// Block size, in matrix elements a side, when none is given: 80, as in PPoPP'08 and IPDPS'07.
inline constexpr std::int64_t kDefaultBlockSize = 80;

/// Checks the size of a matrix product: throws InputError without a file name, at `place` (an
/// option or JSON pointer, for the message), unless r, s, t (in blocks) are within 1..2^31-1 and
/// r*s*t is at most 2^60. Does not check block_size.
void check_problem(const Problem& problem, std::string_view place);

/// Parses the size of a matrix product in elements, "nAxnABxnB" (A is nA x nAB, B is nAB x nB) or
/// "N" for NxNxN, and converts it into blocks of `block_size` elements a side, rounding each size
/// up to whole blocks: r from nA, t from nAB, s from nB. Requires block_size >= 1 (not checked).
/// Throws InputError without a file name, at `place` (an option, for the message), when the text
/// has another form, a size is not within 1..2^63-1, or r, s or t exceeds 2^31-1 or r*s*t 2^60.
Problem parse_problem(std::string_view text, std::int64_t block_size,
                      std::string_view place = "--problem");

/// Returns the size of a matrix product as the JSON object {"r": ..., "s": ..., "t": ...,
/// "block_size": ...}, with r, s, t in blocks and block_size in elements.
nlohmann::ordered_json to_json(const Problem& problem);

}  // namespace starport
