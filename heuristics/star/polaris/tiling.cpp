#include "heuristics/star/polaris/tiling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace starport::polaris {

std::size_t Tiling::enrolled() const {
  std::size_t count = 0;
  for (const Strip& strip : strips) count += strip.parts.size();
  return count;
}

std::vector<RectangleTask> make_tasks(const Tiling& tiling, const Platform& platform,
                                      const Problem& problem, const ModeOptions& modes) {
  std::vector<RectangleTask> tasks;
  std::int32_t across = 0;
  for (const Strip& strip : tiling.strips) {
    const Range wide{across, across + strip.width};
    std::int32_t along = 0;
    for (const Part& part : strip.parts) {
      const Range high{along, along + part.height};
      RectangleTask task{.worker = part.worker,
                         .c = tiling.of_rows ? Rectangle{wide, high} : Rectangle{high, wide},
                         .mode = {}};
      ModeOptions own = modes;
      own.prefetch = part.prefetch.value_or(modes.prefetch);
      task.mode = find_cheapest_mode(platform.workers[part.worker], problem, task.c.rows.size(),
                                     task.c.columns.size(), own);
      tasks.push_back(task);
      along = high.end;
    }
    across = wide.end;
  }
  return tasks;
}

std::vector<std::int32_t> round_shares(const std::vector<double>& shares, std::int64_t whole) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  // If all shares are 0, distribute evenly.
  const auto rest = static_cast<double>(whole - static_cast<std::int64_t>(shares.size()));
  std::vector<std::int32_t> parts;
  std::vector<std::pair<double, std::size_t>> remainders;
  std::int64_t left = whole;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double wanted = sum > 0 ? static_cast<double>(whole) * shares[i] / sum
                                  : 1 + rest / static_cast<double>(shares.size());
    const auto part = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(wanted)));
    parts.push_back(static_cast<std::int32_t>(part));
    left -= part;
    remainders.emplace_back(wanted - static_cast<double>(part), i);
  }
  std::sort(remainders.begin(), remainders.end(), [](const auto& x, const auto& y) {
    return x.first != y.first ? x.first > y.first : x.second < y.second;
  });
  for (std::size_t i = 0; left > 0; i = (i + 1) % remainders.size(), --left) {
    ++parts[remainders[i].second];
  }
  // Parts raised to 1 may have made the sum too large; the largest parts compensate.
  while (left < 0) {
    const auto largest = std::max_element(parts.begin(), parts.end());
    const auto excess = std::max<std::int64_t>(1, std::min<std::int64_t>(-left, *largest / 8));
    *largest -= static_cast<std::int32_t>(excess);
    left += excess;
  }
  return parts;
}

void Shortlist::consider(const Candidate& candidate) {
  if (candidate.makespan_s == kUnknown) return;
  if (candidate.makespan_s < fastest_.makespan_s) fastest_ = candidate;
  const std::size_t enrolled = candidate.tiling.enrolled();
  if (by_enrolled_.size() <= enrolled) by_enrolled_.resize(enrolled + 1);
  Candidate& best = by_enrolled_[enrolled];
  if (candidate.makespan_s < best.makespan_s) best = candidate;
}

Candidate Shortlist::select(Objective objective) const {
  return *std::ranges::min_element(by_enrolled_, {}, [&](const Candidate& candidate) {
    return objective == Objective::work ? candidate.work_s() : candidate.makespan_s;
  });
}

}  // namespace starport::polaris
