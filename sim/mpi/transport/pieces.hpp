// A transfer goes in pieces, so that while one is on its way the next is packed and the one before
// it checked and unpacked.
#pragma once

#include "sim/mpi/execution/run.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace starport::mpi {

/// The elements from `begin` to before `end` of a transfer.
struct Piece {
  std::int64_t begin;
  std::int64_t end;

  std::int64_t size() const { return end - begin; }
};

/// Of 256 KiB, which stay in the caches between packing, checksum and sending. Under SMPI all at
/// once, since there a transfer pays its latency once.
inline std::vector<Piece> pieces_of(std::int64_t elements,
                                    [[maybe_unused]] std::int64_t element_bytes) {
#ifdef STARPORT_SMPI
  const std::int64_t most = elements;
#else
  const std::int64_t most = (256 << 10) / element_bytes;
#endif
  std::vector<Piece> pieces;
  for (std::int64_t begin = 0; begin < elements; begin += most) {
    pieces.push_back({.begin = begin, .end = std::min(begin + most, elements)});
  }
  return pieces;
}

/// The part of the runs that a piece is.
inline std::vector<Run> cut(const std::vector<Run>& runs, const Piece& piece) {
  std::vector<Run> part;
  std::int64_t first = 0;
  for (const Run& run : runs) {
    const std::int64_t begin = std::max(piece.begin - first, std::int64_t{0});
    const std::int64_t end = std::min(piece.end - first, run.count);
    if (begin < end) part.push_back({.first = run.first + begin, .count = end - begin});
    first += run.count;
    if (first >= piece.end) break;
  }
  return part;
}

}  // namespace starport::mpi
