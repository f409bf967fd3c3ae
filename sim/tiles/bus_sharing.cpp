#include "sim/tiles/bus_sharing.hpp"

#include <algorithm>
#include <utility>

namespace starport::tiles {

BusSharing::BusSharing(const Platform& platform)
    : platform_(platform),
      free_(platform.shared_lines.size()),
      competitors_(platform.shared_lines.size()) {}

void BusSharing::start(int direction, const Transfer& transfer, double tiles, double now_s) {
  flows_.push_back({.direction = direction,
                    .route = &platform_.route(transfer.from, transfer.to),
                    .tiles = tiles,
                    .since_s = now_s});
  is_outdated_ = true;
}

void BusSharing::end(int direction) {
  const auto removed =
      std::erase_if(flows_, [&](const Flow& flow) { return flow.direction == direction; });
  is_outdated_ = is_outdated_ || removed > 0;
}

const std::vector<BusSharing::End>& BusSharing::update(double now_s) {
  changed_.clear();
  if (!std::exchange(is_outdated_, false)) return changed_;
  compute_rates();
  for (Flow& flow : flows_) {
    if (flow.new_rate == flow.rate) continue;  // dates stay free of new rounding errors
    flow.tiles = std::max(flow.tiles - (now_s - flow.since_s) * flow.rate, 0.0);
    flow.since_s = now_s;
    flow.rate = flow.new_rate;
    changed_.push_back({.direction = flow.direction, .date_s = now_s + flow.tiles / flow.rate});
  }
  return changed_;
}

/// Fixes the rates from the lowest to the highest: the next one is that of the slowest route, or
/// the equal share of the line where it is least.
void BusSharing::compute_rates() {
  for (std::size_t line = 0; line < free_.size(); ++line) {
    free_[line] = 1 / platform_.shared_lines[line].tile_s;
    competitors_[line] = 0;
  }
  for (Flow& flow : flows_) {
    flow.is_fixed = false;
    for (const std::int32_t line : flow.route->lines)
      ++competitors_[static_cast<std::size_t>(line)];
  }
  const auto share_of = [&](std::int32_t line) {
    const auto at = static_cast<std::size_t>(line);
    return free_[at] / competitors_[at];
  };
  for (std::size_t fixed = 0; fixed < flows_.size();) {
    double lowest = -1;
    for (Flow& flow : flows_) {
      if (flow.is_fixed) continue;
      flow.new_rate = 1 / flow.route->tile_s;
      for (const std::int32_t line : flow.route->lines) {
        flow.new_rate = std::min(flow.new_rate, share_of(line));
      }
      if (lowest < 0 || flow.new_rate < lowest) lowest = flow.new_rate;
    }
    for (Flow& flow : flows_) {
      if (flow.is_fixed || flow.new_rate > lowest) continue;
      flow.is_fixed = true;
      ++fixed;
      for (const std::int32_t line : flow.route->lines) {
        free_[static_cast<std::size_t>(line)] -= lowest;
        --competitors_[static_cast<std::size_t>(line)];
      }
    }
  }
}

}  // namespace starport::tiles
