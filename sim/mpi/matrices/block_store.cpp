#include "sim/mpi/matrices/block_store.hpp"

#include "sim/files/error.hpp"
#include "sim/star/validator/residency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace starport::mpi {
namespace {

constexpr const char* kNames[] = {"A", "B", "C", "C"};

std::string name(BlockKind kind, std::int64_t i, std::int64_t j) {
  return fmt::format("{}[{}][{}]", kNames[static_cast<int>(kind)], i, j);
}

bool contains(const Rectangle& whole, const Rectangle& part) {
  return intersection(whole, part) == part;
}

}  // namespace

BlockStore::BlockStore(std::int64_t m_blocks, std::int64_t q, std::int64_t expected)
    : m_blocks_(m_blocks), q_(q), preferred_(places(std::min(expected, m_blocks))) {
  const std::int64_t beyond = places(m_blocks) - preferred_;
  if (preferred_ > 0) free_runs_.emplace(0, preferred_);
  if (beyond > 0) free_runs_.emplace(preferred_, beyond);
}

void BlockStore::allocate(BlockKind kind, const Rectangle& blocks, const Rectangle& chunk) {
  if (blocks.empty()) return;
  check(kind, blocks);
  if (chunk.size() <= blocks.size() || !allocate_in_chunk(kind, blocks, chunk))
    allocate_in_parts(kind, blocks);
  peak_blocks_ = std::max(peak_blocks_, held());
}

HeldBlock BlockStore::held_block(std::uint64_t key) {
  constexpr std::uint64_t index = (std::uint64_t{1} << 31) - 1;
  return {.kind = static_cast<BlockKind>(key >> 62),
          .i = static_cast<std::int64_t>(key >> 31 & index),
          .j = static_cast<std::int64_t>(key & index)};
}

void BlockStore::check(BlockKind kind, const Rectangle& blocks) const {
  if (blocks.size() > free()) {
    throw SimulationError(fmt::format(
        "there is no memory for {} blocks from {} on: the worker holds {} of {}", blocks.size(),
        name(kind, blocks.rows.begin, blocks.columns.begin), held(), m_blocks_));
  }
  for (std::int64_t i = blocks.rows.begin; i < blocks.rows.end; ++i) {
    for (std::int64_t j = blocks.columns.begin; j < blocks.columns.end; ++j) {
      if (!holds(kind, i, j)) continue;
      throw SimulationError(name(kind, i, j) + " arrives although the worker holds it already");
    }
  }
}

bool BlockStore::allocate_in_chunk(BlockKind kind, const Rectangle& blocks,
                                   const Rectangle& chunk) {
  const auto found = slab_for(chunk);
  if (found == slabs_.end()) return false;
  found->second.expected -= blocks.size();
  return allocate_at(kind, blocks, found->first, corner_of(*found, blocks, chunk));
}

/// Returns the slab that holds earlier parts of the chunk. Otherwise one whose chunk is at least as
/// large, has arrived as a whole, and is being sent back.
BlockStore::Slabs::const_iterator BlockStore::find_slab(const Rectangle& chunk) const {
  const auto same = std::ranges::find_if(slabs_, [&](const auto& slab) {
    return slab.second.chunk == chunk && slab.second.expected > 0;
  });
  if (same != slabs_.end()) return same;
  return std::ranges::find_if(slabs_, [&](const auto& slab) {
    const Rectangle& other = slab.second.chunk;
    return slab.second.expected == 0 && other.rows.size() >= chunk.rows.size() &&
           other.columns.size() >= chunk.columns.size();
  });
}

/// Returns the slab of find_slab(), or a new one, for the parts of the chunk; the end if there is
/// no contiguous memory.
BlockStore::Slabs::iterator BlockStore::slab_for(const Rectangle& chunk) {
  const auto found = find_slab(chunk);
  const auto slab = found == slabs_.end() ? add_slab(chunk, false) : slabs_.find(found->first);
  if (slab != slabs_.end() && slab->second.expected == 0) {
    slab->second.chunk = chunk;
    slab->second.expected = chunk.size();
  }
  return slab;
}

std::vector<HeldBlock> BlockStore::find_obstacles(const Rectangle& blocks,
                                                  const Rectangle& chunk) const {
  if (blocks.empty() || chunk.size() <= blocks.size()) return {};
  const auto found = find_slab(chunk);
  if (found == slabs_.end()) return {};
  const Slab& slab = found->second;
  std::set<std::int64_t> places;
  for (std::int64_t i = 0; i < blocks.rows.size(); ++i) {
    for (std::int64_t j = 0; j < blocks.columns.size(); ++j) {
      const std::int64_t place = corner_of(*found, blocks, chunk) + i * q_ * slab.stride + j * q_;
      if (!slab.spare.contains(place)) places.insert(place);
    }
  }
  std::vector<HeldBlock> obstacles;
  if (places.empty()) return obstacles;
  for (const auto& [key, held] : held_) {
    if (places.contains(held.place.first)) obstacles.push_back(held_block(key));
  }
  return obstacles;
}

/// Makes a slab for a matrix of that shape, without blocks; the end if there is no contiguous
/// memory.
BlockStore::Slabs::iterator BlockStore::add_slab(const Rectangle& shape, bool from_end) {
  const auto run = find_free_run(shape.size(), from_end);
  if (run == free_runs_.end()) return slabs_.end();
  const Slot first = split_free_run(run, shape.size(), from_end);
  Slab slab{.slots = shape.size(), .stride = shape.columns.size() * q_};
  for (std::int64_t i = 0; i < shape.rows.size(); ++i) {
    for (std::int64_t j = 0; j < shape.columns.size(); ++j) {
      slab.spare.insert(slab.spare.end(), first * q_ * q_ + i * q_ * slab.stride + j * q_);
    }
  }
  return slabs_.emplace(first, std::move(slab)).first;
}

void BlockStore::allocate_in_parts(BlockKind kind, const Rectangle& blocks) {
  if (allocate_contiguously(kind, blocks) || allocate_in_gap(kind, blocks)) return;
  Rectangle first = blocks;
  Rectangle second = blocks;
  Range Rectangle::*const longer =
      blocks.rows.size() > blocks.columns.size() ? &Rectangle::rows : &Rectangle::columns;
  const auto half = static_cast<std::int32_t>((blocks.*longer).size() / 2);
  (first.*longer).end = (second.*longer).begin = (blocks.*longer).begin + half;
  allocate_in_parts(kind, first);
  allocate_in_parts(kind, second);
}

bool BlockStore::allocate_contiguously(BlockKind kind, const Rectangle& blocks) {
  // Chunks of C are allocated from the start and operands from the end, so that the free memory of
  // a chunk stays contiguous.
  const auto slab = add_slab(blocks, kind != BlockKind::c);
  return slab != slabs_.end() && allocate_at(kind, blocks, slab->first, slab->first * q_ * q_);
}

/// Allocates the blocks in the last unused places of another slab that have their shape.
bool BlockStore::allocate_in_gap(BlockKind kind, const Rectangle& blocks) {
  for (auto& [first, slab] : slabs_) {
    for (auto corner = slab.spare.rbegin(); corner != slab.spare.rend(); ++corner) {
      if (allocate_at(kind, blocks, first, *corner)) return true;
    }
  }
  return false;
}

/// Allocates the blocks in the slab `first`, from element `corner` on; returns false if one of
/// these places is in use.
bool BlockStore::allocate_at(BlockKind kind, const Rectangle& blocks, Slot first,
                             std::int64_t corner) {
  Slab& slab = slabs_.at(first);
  // Places behind the end of a row of blocks belong to its next row.
  const std::int64_t column = (corner - first * q_ * q_) % slab.stride / q_;
  if (column + blocks.columns.size() > slab.stride / q_) return false;
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < blocks.rows.size(); ++i) {
    for (std::int64_t j = 0; j < blocks.columns.size(); ++j) {
      places.push_back(corner + i * q_ * slab.stride + j * q_);
      if (!slab.spare.contains(places.back())) return false;
    }
  }
  for (std::int64_t n = 0; n < blocks.size(); ++n) {
    const std::int64_t place = places[static_cast<std::size_t>(n)];
    slab.spare.erase(place);
    held_.emplace(key(kind, blocks.rows.begin + n / blocks.columns.size(),
                      blocks.columns.begin + n % blocks.columns.size()),
                  Held{.place = {.first = place, .stride = slab.stride}, .slab = first});
  }
  slab.used += blocks.size();
  return true;
}

/// Returns a free run of at least `slots` slots, from the preferred ones if possible; the last or
/// the first of them.
std::map<BlockStore::Slot, std::int64_t>::iterator BlockStore::find_free_run(std::int64_t slots,
                                                                             bool from_end) {
  const auto fits = [&](const auto& run) { return run.second >= slots; };
  const auto beyond = free_runs_.lower_bound(preferred_);
  if (from_end) {
    for (auto run = beyond; run != free_runs_.begin();) {
      if (fits(*--run)) return run;
    }
    return std::find_if(beyond, free_runs_.end(), fits);
  }
  return std::find_if(free_runs_.begin(), free_runs_.end(), fits);
}

BlockStore::Slot BlockStore::split_free_run(std::map<Slot, std::int64_t>::iterator run,
                                            std::int64_t slots, bool at_end) {
  const auto [first, count] = *run;
  if (at_end && first < preferred_) {
    run->second -= slots;
    if (run->second == 0) free_runs_.erase(run);
    return first + count - slots;
  }
  free_runs_.erase(run);
  if (count > slots) free_runs_.emplace(first + slots, count - slots);
  return first;
}

/// Adds free slots, and joins them with the free runs beside them. Runs of preferred slots are not
/// joined with others.
void BlockStore::release_slots(Slot first, std::int64_t slots) {
  auto next = free_runs_.lower_bound(first);
  if (next != free_runs_.end() && next->first == first + slots && next->first != preferred_) {
    slots += next->second;
    next = free_runs_.erase(next);
  }
  if (next != free_runs_.begin() && first != preferred_) {
    const auto before = std::prev(next);
    if (before->first + before->second == first) {
      before->second += slots;
      return;
    }
  }
  free_runs_.emplace(first, slots);
}

BlockPlace BlockStore::at(BlockKind kind, std::int64_t i, std::int64_t j) const {
  const auto block = held_.find(key(kind, i, j));
  if (block == held_.end())
    throw SimulationError(name(kind, i, j) + " is needed but the worker does not hold it");
  return block->second.place;
}

void BlockStore::add_runs(BlockKind kind, const Rectangle& blocks,
                          std::vector<ElementRun>& runs) const {
  if (blocks.empty()) return;
  const std::int64_t width = blocks.columns.size() * q_;
  const BlockPlace first = at(kind, blocks.rows.begin, blocks.columns.begin);
  bool together = true;
  for (std::int64_t i = blocks.rows.begin; i < blocks.rows.end; ++i) {
    for (std::int64_t j = blocks.columns.begin; j < blocks.columns.end; ++j) {
      const std::int64_t place =
          first.first + (i - blocks.rows.begin) * q_ * width + (j - blocks.columns.begin) * q_;
      together = together && at(kind, i, j) == BlockPlace{.first = place, .stride = width};
    }
  }
  if (together) return runs.push_back({.first = first.first, .count = blocks.size() * q_ * q_});
  for (std::int64_t i = blocks.rows.begin; i < blocks.rows.end; ++i) {
    for (std::int64_t row = 0; row < q_; ++row) {
      for (std::int64_t j = blocks.columns.begin; j < blocks.columns.end; ++j) {
        const BlockPlace block = at(kind, i, j);
        const std::int64_t place = block.first + row * block.stride;
        if (!runs.empty() && runs.back().first + runs.back().count == place) {
          runs.back().count += q_;
        } else {
          runs.push_back({.first = place, .count = q_});
        }
      }
    }
  }
}

void BlockStore::release(BlockKind kind, std::int64_t i, std::int64_t j) {
  const auto block = held_.find(key(kind, i, j));
  if (block == held_.end())
    throw SimulationError(name(kind, i, j) + " is released but the worker does not hold it");
  const auto [place, first] = block->second;
  held_.erase(block);
  Slab& slab = slabs_.at(first);
  if (--slab.used > 0) {
    slab.spare.insert(place.first);
    return;
  }
  const std::int64_t slots = slab.slots;
  slabs_.erase(first);
  release_slots(first, slots);
}

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
