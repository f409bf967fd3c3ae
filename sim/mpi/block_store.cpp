#include "sim/mpi/block_store.hpp"

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
    : m_blocks_(m_blocks), q_(q), ready_(std::min(expected, m_blocks)) {
  if (ready_ > 0) runs_.emplace(0, ready_);
  if (ready_ < m_blocks) runs_.emplace(ready_, m_blocks - ready_);
}

void BlockStore::take(BlockKind kind, const Rectangle& blocks) {
  if (blocks.empty()) return;
  check(kind, blocks);
  take_pieces(kind, blocks);
  most_held_ = std::max(most_held_, held());
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

void BlockStore::take_pieces(BlockKind kind, const Rectangle& blocks) {
  if (take_together(kind, blocks)) return;
  if (blocks.size() == 1) return take_spare(kind, blocks.rows.begin, blocks.columns.begin);
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
  const bool from_end = kind != BlockKind::c;
  const auto run = find_run(blocks.size(), from_end);
  if (run == runs_.end()) return false;
  const Slot first = cut_run(run, blocks.size(), from_end);
  slabs_.emplace(first, Slab{.slots = blocks.size()});
  const std::int64_t stride = blocks.columns.size() * q_;
  for (std::int64_t i = blocks.rows.begin; i < blocks.rows.end; ++i) {
    for (std::int64_t j = blocks.columns.begin; j < blocks.columns.end; ++j) {
      const std::int64_t place =
          first * q_ * q_ + (i - blocks.rows.begin) * q_ * stride + (j - blocks.columns.begin) * q_;
      hold(kind, i, j, {.first = place, .stride = stride}, first);
    }
  }
  return true;
}

/// There is one: a run of one slot would have done otherwise.
void BlockStore::take_spare(BlockKind kind, std::int64_t i, std::int64_t j) {
  const auto slab =
      std::ranges::find_if(slabs_, [](const auto& one) { return !one.second.spare.empty(); });
  const BlockPlace place = slab->second.spare.back();
  slab->second.spare.pop_back();
  hold(kind, i, j, place, slab->first);
}

void BlockStore::hold(BlockKind kind, std::int64_t i, std::int64_t j, const BlockPlace& place,
                      Slot slab) {
  held_.emplace(key(kind, i, j), Held{.place = place, .slab = slab});
  ++slabs_.at(slab).used;
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
    slab.spare.push_back(place);
    return;
  }
  const std::int64_t slots = slab.slots;
  slabs_.erase(first);
  give_back(first, slots);
}

}  // namespace starport::mpi
