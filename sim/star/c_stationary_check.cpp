#include "sim/star/c_stationary_check.hpp"

#include <algorithm>

namespace starport {
namespace {

bool holds(const Range& outer, const Range& inner) {
  return inner.empty() || (outer.begin <= inner.begin && inner.end <= outer.end);
}

}  // namespace

bool KeptRectangle::receive(const Transfer& transfer, const Problem& problem) {
  if (transfer.direction == Direction::to_master) return send_home(transfer, problem);
  if (!transfer.c.empty()) {
    if (home_ < blocks_.size()) return false;
    *this = {};
    blocks_ = transfer.c;
  }
  a_ += transfer.a.size();
  b_ += transfer.b.size();
  updates_ += transfer.update.block_updates();
  return holds(blocks_.rows, transfer.update.rows) &&
         holds(blocks_.columns, transfer.update.columns);
}

bool KeptRectangle::send_home(const Transfer& transfer, const Problem& problem) {
  home_ += transfer.c.size();
  return updates_ == blocks_.size() * problem.t && a_ >= blocks_.rows.size() * problem.t &&
         b_ >= blocks_.columns.size() * problem.t && home_ <= blocks_.size();
}

bool CStationaryCheck::one_at_a_time() const {
  return so_far_ && std::ranges::all_of(kept_, &KeptRectangle::at_home);
}

bool is_c_stationary(const Trace& trace, const Problem& problem) {
  std::size_t workers = 0;
  for (const TracedTransfer& event : trace) {
    workers = std::max(workers, static_cast<std::size_t>(event.transfer.worker) + 1);
  }
  CStationaryCheck kept(workers, problem);
  for (const TracedTransfer& event : trace) kept.add(event.transfer);
  return kept.one_at_a_time();
}

}  // namespace starport
