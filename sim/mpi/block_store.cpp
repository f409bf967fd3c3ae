#include "sim/mpi/block_store.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

namespace starport::mpi {
namespace {

constexpr const char* kNames[] = {"A", "B", "C", "C"};

std::string name(BlockKind kind, std::int64_t i, std::int64_t j) {
  return fmt::format("{}[{}][{}]", kNames[static_cast<int>(kind)], i, j);
}

}  // namespace

BlockStore::BlockStore(std::int64_t m_blocks, std::int64_t q, std::int64_t expected)
    : bytes_(8 * static_cast<std::size_t>(m_blocks * q * q)), memory_(nullptr) {
  void* memory =
      ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw SimulationError(fmt::format("no memory for {} blocks of {} x {} doubles ({:.3g} GiB)",
                                      m_blocks, q, q, static_cast<double>(bytes_) / 0x1p30));
  }
  memory_ = static_cast<double*>(memory);
  const std::int64_t ready = std::min(expected, m_blocks);
  std::fill_n(memory_, ready * q * q, 0.0);
  free_.reserve(m_blocks);
  for (std::int64_t n = m_blocks; n > 0; --n) free_.push_back(memory_ + (n - 1) * q * q);
}

BlockStore::~BlockStore() { ::munmap(memory_, bytes_); }

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

}  // namespace starport::mpi
