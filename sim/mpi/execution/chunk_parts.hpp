// Finds the chunks of C that a worker receives in several parts.
#pragma once

#include "sim/star/schedule.hpp"
#include "sim/star/trace.hpp"

#include <cstdint>
#include <map>
#include <tuple>

namespace starport::mpi {

/// Maps each part of a chunk of C to the whole chunk, so that a worker can place the part within it
/// before the rest arrives. The chunk of a part is the largest update of the worker that contains
/// the part before it is sent back.
class ChunkParts {
 public:
  /// Maps nothing.
  ChunkParts() = default;
  /// Finds the chunks in the predicted trace of a run.
  explicit ChunkParts(const Trace& predicted);

  /// Returns the chunk that the blocks of C of a transfer are a part of. Returns an empty rectangle
  /// if they are a whole chunk, if there are none, or if the transfer was not predicted.
  Rectangle chunk_of(const Transfer& transfer) const;

 private:
  /// The worker, and the row and column of the first block of the part.
  using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

  std::map<Key, Rectangle> chunks_;
};

}  // namespace starport::mpi
