#include "sim/star/c_stationary.hpp"

#include "sim/platform/per_worker.hpp"

#include <algorithm>

namespace starport {
namespace {

bool holds(const Range& outer, const Range& inner) {
  return inner.empty() || (outer.begin <= inner.begin && inner.end <= outer.end);
}

/// What has happened to the rectangle that a worker keeps.
class KeptRectangle {
 public:
  /// False when it is not kept as it should be.
  bool receive(const Transfer& transfer, const Problem& problem) {
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
  bool at_home() const { return home_ == blocks_.size(); }

 private:
  bool send_home(const Transfer& transfer, const Problem& problem) {
    home_ += transfer.c.size();
    return updates_ == blocks_.size() * problem.t && a_ >= blocks_.rows.size() * problem.t &&
           b_ >= blocks_.columns.size() * problem.t && home_ <= blocks_.size();
  }

  Rectangle blocks_;
  std::int64_t home_ = 0;  ///< so many of them
  std::int64_t a_ = 0;     ///< blocks that came
  std::int64_t b_ = 0;
  std::int64_t updates_ = 0;
};

}  // namespace

bool keeps_one_rectangle(const Trace& trace, const Problem& problem) {
  std::size_t workers = 0;
  for (const TracedTransfer& event : trace) {
    workers = std::max(workers, static_cast<std::size_t>(event.transfer.worker) + 1);
  }
  PerWorker<KeptRectangle> kept(workers);
  return std::ranges::all_of(trace,
                             [&](const TracedTransfer& event) {
                               return kept[event.transfer.worker].receive(event.transfer, problem);
                             }) &&
         std::ranges::all_of(kept, &KeptRectangle::at_home);
}

}  // namespace starport
