#include "heuristics/star/polaris/shortlist.hpp"

#include <algorithm>

namespace starport::polaris {

void Shortlist::consider(const Candidate& candidate) {
  if (candidate.makespan_s == kUnknown) return;
  if (candidate.makespan_s < fastest_.makespan_s) fastest_ = candidate;
  const std::size_t enrolled = candidate.tiling.enrolled();
  if (by_enrolled_.size() <= enrolled) by_enrolled_.resize(enrolled + 1);
  Candidate& best = by_enrolled_[enrolled];
  if (candidate.makespan_s < best.makespan_s) best = candidate;
}

Candidate Shortlist::chosen(Objective objective, double slowest_s) const {
  if (objective == Objective::work) {
    return *std::min_element(
        by_enrolled_.begin(), by_enrolled_.end(),
        [](const Candidate& x, const Candidate& y) { return x.work_s() < y.work_s(); });
  }
  const double limit_s = std::min(slowest_s, 1.01 * fastest_.makespan_s);
  return *std::find_if(by_enrolled_.begin(), by_enrolled_.end(),
                       [&](const Candidate& candidate) { return candidate.makespan_s <= limit_s; });
}

}  // namespace starport::polaris
