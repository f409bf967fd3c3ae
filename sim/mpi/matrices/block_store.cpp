#include "sim/mpi/matrices/block_store.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace starport::mpi {
namespace {

constexpr const char* kNames[] = {"A", "B", "C", "C"};

std::string name(BlockKind kind, std::int64_t i, std::int64_t j) {
  return fmt::format("{}[{}][{}]", kNames[static_cast<int>(kind)], i, j);
}

}  // namespace

BlockStore::BlockStore(std::int64_t m_blocks, std::int64_t q, std::int64_t expected)
    : m_blocks_(m_blocks), q_(q), ready_(places(std::min(expected, m_blocks))) {
  const std::int64_t others = places(m_blocks) - ready_;
  if (ready_ > 0) runs_.emplace(0, ready_);
  if (others > 0) runs_.emplace(ready_, others);
}

void BlockStore::take(BlockKind kind, const Rectangle& blocks, const Rectangle& chunk) {
  if (blocks.empty()) return;
  check(kind, blocks);
  if (chunk.size() <= blocks.size() || !take_within(kind, blocks, chunk)) take_pieces(kind, blocks);
  most_held_ = std::max(most_held_, held());
}

HeldBlock BlockStore::held_block(std::uint64_t key) {
  constexpr std::uint64_t index = (std::uint64_t{1} << 31) - 1;
  return {.kind = static_cast<BlockKind>(key >> 62),
          .i = static_cast<std::int64_t>(key >> 31 & index),
          .j = static_cast<std::int64_t>(key & index)};
}

void BlockStore::check(BlockKind kind, const Rectangle& blocks) const {
  if (blocks.size() > free()) {
    throw SimulationError(
        fmt::format("no room for {} blocks from {} on: {} of {} are held", blocks.size(),
                    name(kind, blocks.rows.begin, blocks.columns.begin), held(), m_blocks_));
  }
  for (std::int64_t i = blocks.rows.begin; i < blocks.rows.end; ++i) {
    for (std::int64_t j = blocks.columns.begin; j < blocks.columns.end; ++j) {
      if (holds(kind, i, j))
        throw SimulationError(name(kind, i, j) + " arrives, but is held already");
    }
  }
}

bool BlockStore::take_within(BlockKind kind, const Rectangle& blocks, const Rectangle& chunk) {
  const auto found = slab_for(chunk);
  if (found == slabs_.end()) return false;
  found->second.expected -= blocks.size();
  return take_at(kind, blocks, found->first, corner_of(*found, blocks, chunk));
}

/// Where the chunk comes to already; else where one no smaller has come whole, and is leaving.
BlockStore::Slabs::const_iterator BlockStore::find_slab(const Rectangle& chunk) const {
  const auto same = std::ranges::find_if(slabs_, [&](const auto& one) {
    return one.second.chunk == chunk && one.second.expected > 0;
  });
  if (same != slabs_.end()) return same;
  return std::ranges::find_if(slabs_, [&](const auto& one) {
    const Rectangle& other = one.second.chunk;
    return one.second.expected == 0 && other.rows.size() >= chunk.rows.size() &&
           other.columns.size() >= chunk.columns.size();
  });
}

/// That, or a new one.
BlockStore::Slabs::iterator BlockStore::slab_for(const Rectangle& chunk) {
  const auto found = find_slab(chunk);
  const auto slab = found == slabs_.end() ? add_slab(chunk, false) : slabs_.find(found->first);
  if (slab != slabs_.end() && slab->second.expected == 0) {
    slab->second.chunk = chunk;
    slab->second.expected = chunk.size();
  }
  return slab;
}

std::vector<HeldBlock> BlockStore::in_the_way(const Rectangle& blocks,
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
  std::vector<HeldBlock> others;
  if (places.empty()) return others;
  for (const auto& [key, held] : held_) {
    if (places.contains(held.place.first)) others.push_back(held_block(key));
  }
  return others;
}

/// Room for a matrix of that shape, its places spare; if so much lies together.
BlockStore::Slabs::iterator BlockStore::add_slab(const Rectangle& shape, bool from_end) {
  const auto run = find_run(shape.size(), from_end);
  if (run == runs_.end()) return slabs_.end();
  const Slot first = cut_run(run, shape.size(), from_end);
  Slab slab{.slots = shape.size(), .stride = shape.columns.size() * q_};
  for (std::int64_t i = 0; i < shape.rows.size(); ++i) {
    for (std::int64_t j = 0; j < shape.columns.size(); ++j) {
      slab.spare.insert(slab.spare.end(), first * q_ * q_ + i * q_ * slab.stride + j * q_);
    }
  }
  return slabs_.emplace(first, std::move(slab)).first;
}

void BlockStore::take_pieces(BlockKind kind, const Rectangle& blocks) {
  if (take_together(kind, blocks) || take_spare(kind, blocks)) return;
  Rectangle first = blocks;
  Rectangle second = blocks;
  Range Rectangle::*const longer =
      blocks.rows.size() > blocks.columns.size() ? &Rectangle::rows : &Rectangle::columns;
  const auto half = static_cast<std::int32_t>((blocks.*longer).size() / 2);
  (first.*longer).end = (second.*longer).begin = (blocks.*longer).begin + half;
  take_pieces(kind, first);
  take_pieces(kind, second);
}

bool BlockStore::take_together(BlockKind kind, const Rectangle& blocks) {
  // Chunks of C from one end, what streams past them from the other: the room of a chunk stays
  // whole.
  const auto slab = add_slab(blocks, kind != BlockKind::c);
  return slab != slabs_.end() && take_at(kind, blocks, slab->first, slab->first * q_ * q_);
}

/// Of the places within other matrices that no block has, the last that lie as these do.
bool BlockStore::take_spare(BlockKind kind, const Rectangle& blocks) {
  for (auto& [first, slab] : slabs_) {
    for (auto corner = slab.spare.rbegin(); corner != slab.spare.rend(); ++corner) {
      if (take_at(kind, blocks, first, *corner)) return true;
    }
  }
  return false;
}

/// If these places are spare.
bool BlockStore::take_at(BlockKind kind, const Rectangle& blocks, Slot first, std::int64_t corner) {
  Slab& slab = slabs_.at(first);
  // Behind the end of a row of blocks lie others' rows of elements.
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

/// Among the slots that are ready; where these have no room, among the others.
std::map<BlockStore::Slot, std::int64_t>::iterator BlockStore::find_run(std::int64_t slots,
                                                                        bool from_end) {
  const auto fits = [&](const auto& run) { return run.second >= slots; };
  const auto others = runs_.lower_bound(ready_);
  if (from_end) {
    for (auto run = others; run != runs_.begin();) {
      if (fits(*--run)) return run;
    }
    return std::find_if(others, runs_.end(), fits);
  }
  return std::find_if(runs_.begin(), runs_.end(), fits);
}

BlockStore::Slot BlockStore::cut_run(std::map<Slot, std::int64_t>::iterator run, std::int64_t slots,
                                     bool at_end) {
  const auto [first, count] = *run;
  if (at_end && first < ready_) {
    run->second -= slots;
    if (run->second == 0) runs_.erase(run);
    return first + count - slots;
  }
  runs_.erase(run);
  if (count > slots) runs_.emplace(first + slots, count - slots);
  return first;
}

/// Runs join those beside them, but for those that are ready and the others.
void BlockStore::give_back(Slot first, std::int64_t slots) {
  auto next = runs_.lower_bound(first);
  if (next != runs_.end() && next->first == first + slots && next->first != ready_) {
    slots += next->second;
    next = runs_.erase(next);
  }
  if (next != runs_.begin() && first != ready_) {
    const auto before = std::prev(next);
    if (before->first + before->second == first) {
      before->second += slots;
      return;
    }
  }
  runs_.emplace(first, slots);
}

BlockPlace BlockStore::at(BlockKind kind, std::int64_t i, std::int64_t j) const {
  const auto block = held_.find(key(kind, i, j));
  if (block == held_.end()) throw SimulationError(name(kind, i, j) + " is needed, but not held");
  return block->second.place;
}

void BlockStore::add_runs(BlockKind kind, const Rectangle& blocks, std::vector<Run>& runs) const {
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
  if (block == held_.end()) throw SimulationError(name(kind, i, j) + " is let go of, but not held");
  const auto [place, first] = block->second;
  held_.erase(block);
  Slab& slab = slabs_.at(first);
  if (--slab.used > 0) {
    slab.spare.insert(place.first);
    return;
  }
  const std::int64_t slots = slab.slots;
  slabs_.erase(first);
  give_back(first, slots);
}

}  // namespace starport::mpi
