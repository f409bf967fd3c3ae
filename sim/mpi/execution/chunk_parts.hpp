// Finds the chunks of C that a worker receives in several parts.
#pragma once

#include "sim/star/schedule.hpp"
#include "sim/star/trace.hpp"

#include <cstdint>
#include <map>
#include <tuple>

namespace starport::mpi {

/// Maps each part of a chunk of C to the whole chunk (rectangle of C that a worker updates as a
/// whole), so that the worker can place the part within it before the rest arrives. The chunk of a
/// part is the largest update of the worker that contains the part before it is sent back. Holds no
/// reference to the trace.
class ChunkParts {
 public:
  /// Knows no chunks: chunk_of() always returns an empty rectangle.
  ChunkParts() = default;
  /// Finds the chunks in the predicted trace of a run, whose transfers must be in the order in
  /// which they are carried out. Dates are ignored.
  explicit ChunkParts(const Trace& predicted);

  /// Returns the chunk that the blocks of C of a transfer are a part of, in block rows and columns
  /// of C from 0. Returns an empty rectangle if they are a whole chunk, if the transfer has none,
  /// or if it was not predicted.
  Rectangle chunk_of(const Transfer& transfer) const;

 private:
  /// The worker, and the row and column of the first block of the part.
  using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

  std::map<Key, Rectangle> chunks_;
};

}  // namespace starport::mpi
