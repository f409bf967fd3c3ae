#include "sim/mpi/execution/chunk_parts.hpp"

#include "sim/star/validator/piece_set.hpp"

#include <vector>

namespace starport::mpi {
namespace {

bool contains(const Rectangle& whole, const Rectangle& part) {
  return intersection(whole, part) == part;
}

}  // namespace

ChunkParts::ChunkParts(const Trace& predicted) {
  struct Part {
    Rectangle blocks;
    Rectangle chunk;
  };
  std::map<std::int32_t, std::vector<Part>> held;  // by worker
  for (const auto& [transfer, dates] : predicted) {
    std::vector<Part>& parts = held[transfer.worker];
    if (transfer.direction == Direction::to_master) {
      std::erase_if(parts,
                    [&c = transfer.c](const Part& part) { return contains(c, part.blocks); });
      continue;
    }
    if (!transfer.c.empty() && !transfer.update.add_c) parts.push_back({transfer.c, transfer.c});
    const Rectangle updated{transfer.update.rows, transfer.update.columns};
    for (Part& part : parts) {
      if (updated.size() <= part.chunk.size() || !contains(updated, part.blocks)) continue;
      part.chunk = updated;
      chunks_[{transfer.worker, part.blocks.rows.begin, part.blocks.columns.begin}] = updated;
    }
  }
}

Rectangle ChunkParts::chunk_of(const Transfer& transfer) const {
  const auto chunk =
      chunks_.find({transfer.worker, transfer.c.rows.begin, transfer.c.columns.begin});
  if (transfer.c.empty() || chunk == chunks_.end() || !contains(chunk->second, transfer.c))
    return {};
  return chunk->second;
}

}  // namespace starport::mpi
