// Chunks of C that come to their worker part by part.
#pragma once

#include "sim/star/schedule.hpp"
#include "sim/star/trace.hpp"

#include <cstdint>
#include <map>
#include <tuple>

namespace starport::mpi {

/// For each part, the chunk that it belongs to: the largest update of its worker that contains it
/// until it goes home. Known before it comes, it says where the part should lie.
class ChunkParts {
 public:
  ChunkParts() = default;
  explicit ChunkParts(const Trace& predicted);

  /// Empty for a transfer that brings no part, but the whole of a chunk, or what was not predicted.
  Rectangle chunk_of(const Transfer& transfer) const;

 private:
  /// The worker, and the first block of the part.
  using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

  std::map<Key, Rectangle> chunks_;
};

}  // namespace starport::mpi
