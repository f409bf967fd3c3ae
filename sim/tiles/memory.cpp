#include "sim/tiles/memory.hpp"

namespace starport::tiles {

void Memory::pin(Tile tile) {
  const auto [use, fresh] = uses_.try_emplace(tile);
  if (!fresh && use->second.tasks == 0) unused_.erase(use->second.place);
  ++use->second.tasks;
}

void Memory::unpin(Tile tile) {
  Use& use = uses_.at(tile);
  if (--use.tasks == 0) use.place = unused_.insert(unused_.end(), tile);
}

bool Memory::reserve(std::optional<Tile>& left) {
  left.reset();
  if (free_ > 0) {
    --free_;
    return true;
  }
  if (unused_.empty()) return false;
  left = unused_.front();
  unused_.pop_front();
  uses_.erase(*left);
  return true;
}

}  // namespace starport::tiles
