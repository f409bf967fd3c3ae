#include "heuristics/star/polaris/sharing_forecast.hpp"

#include <algorithm>

namespace starport::polaris {

SharingForecast::SharingForecast(const std::vector<WorkerExecution>& workers, double unassigned,
                                 const Rectangle& rest, double now_s)
    : now_s_(now_s), unassigned_(unassigned), least_end_s_(now_s) {
  for (const WorkerExecution& worker : workers) {
    port_s_ += worker.unsent_port_s();
    if (!worker.is_usable()) continue;
    const Share& share = shares_.emplace_back(Share{.worker = &worker,
                                                    .finish_s = worker.finish_s(now_s),
                                                    .loading_s = worker.loading_s(rest),
                                                    .update_s = worker.update_s(),
                                                    .port_s = worker.port_s(),
                                                    .removable = worker.removable_updates()});
    least_end_s_ = std::max(least_end_s_, share.finish_s - share.removable * share.update_s);
  }
  std::ranges::stable_sort(shares_, {}, &Share::port_s);
}

bool SharingForecast::can_end_by(double end_s, const WorkerExecution* without) const {
  if (end_s < least_end_s_) return false;
  double needed = unassigned_;
  double port_s = port_s_;
  for (const Share& share : shares_) {
    const double late = (share.finish_s - end_s) / share.update_s;
    if (late <= 0 || share.worker == without) continue;
    const double removed = std::min(late, share.removable);
    needed += removed;
    port_s -= removed * share.port_s;
  }
  for (const Share& share : shares_) {
    const double spare_s = end_s - share.finish_s - share.loading_s;
    if (needed <= 0 || spare_s <= 0 || share.worker == without) continue;
    const double taken = std::min(needed, spare_s / share.update_s);
    needed -= taken;
    port_s += share.loading_s + taken * share.port_s;
  }
  return needed <= 0 && now_s_ + port_s <= end_s;
}

double SharingForecast::end_s(double resolution_s) const {
  double low_s = least_end_s_;
  double high_s = port_end_s();
  double alone_s = kUnknown;  // for one worker to do all that is left
  for (const Share& share : shares_) {
    high_s = std::max(high_s, share.finish_s);
    alone_s = std::min(alone_s, share.loading_s + unassigned_ * (share.update_s + share.port_s));
  }
  high_s += alone_s;
  // The relative term lets it end at dates of which doubles do not resolve the absolute one.
  while (high_s - low_s > std::max(resolution_s, 1e-9 * high_s)) {
    const double middle_s = (low_s + high_s) / 2;
    (can_end_by(middle_s) ? high_s : low_s) = middle_s;
  }
  return high_s;
}

}  // namespace starport::polaris
