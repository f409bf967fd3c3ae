#include "sim/mpi/block_store.hpp"

#include "sim/model/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace starport {
namespace {

constexpr const char* kNames[] = {"A", "B", "C", "C"};

std::string name(BlockKind kind, std::int64_t i, std::int64_t j) {
  return fmt::format("{}[{}][{}]", kNames[static_cast<int>(kind)], i, j);
}

}  // namespace

BlockStore::BlockStore(std::int64_t m_blocks, std::int64_t q) : q_(q) {
  const auto block = static_cast<std::size_t>(q * q);
  try {
    memory_.assign(static_cast<std::size_t>(m_blocks) * block, 0);  // touched: it is really there
  } catch (const std::exception&) {  // bad_alloc, or a length beyond a vector's
    throw SimulationError(
        fmt::format("no memory for {} blocks of {} x {} doubles ({:.3g} GiB)", m_blocks, q, q,
                    8.0 * static_cast<double>(m_blocks) * static_cast<double>(block) / 0x1p30));
  }
  free_.reserve(static_cast<std::size_t>(m_blocks));
  for (std::int64_t n = m_blocks; n > 0; --n) {
    free_.push_back(memory_.data() + static_cast<std::size_t>(n - 1) * block);
  }
}

double* BlockStore::take(BlockKind kind, std::int64_t i, std::int64_t j) {
  if (free_.empty()) {
    throw SimulationError(
        fmt::format("no room for {}: all {} blocks are held", name(kind, i, j), held()));
  }
  const auto [place, fresh] = held_.emplace(key(kind, i, j), free_.back());
  if (!fresh) throw SimulationError(name(kind, i, j) + " arrives, but is held already");
  free_.pop_back();
  most_held_ = std::max(most_held_, held());
  return place->second;
}

double* BlockStore::at(BlockKind kind, std::int64_t i, std::int64_t j) const {
  const auto place = held_.find(key(kind, i, j));
  if (place == held_.end()) throw SimulationError(name(kind, i, j) + " is needed, but not held");
  return place->second;
}

void BlockStore::release(BlockKind kind, std::int64_t i, std::int64_t j) {
  free_.push_back(at(kind, i, j));
  held_.erase(key(kind, i, j));
}

}  // namespace starport
