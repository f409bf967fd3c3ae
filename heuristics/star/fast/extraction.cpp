#include "heuristics/star/fast/for_many.hpp"
#include "sim/files/numbers.hpp"
#include "sim/platform/ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace starport::fast {

namespace {

/// Finds the candidate of smallest estimate.
class BestEstimate {
 public:
  explicit BestEstimate(const Problem& problem) : problem_(&problem) {}

  void add(const VirtualPlatform& candidate) {
    if (candidate.enrolled == 0) return;
    const double estimate = estimate_s(candidate, *problem_);
    if (clearly_less(best_s_, estimate)) return;
    if (clearly_less(estimate, best_s_)) near_.clear();
    best_s_ = std::min(best_s_, estimate);
    near_.push_back({.platform = candidate, .estimate_s = estimate});
  }

  VirtualPlatform best() {
    std::erase_if(near_, [&](const Candidate& x) { return clearly_less(best_s_, x.estimate_s); });
    return std::min_element(
               near_.begin(), near_.end(),
               [](const auto& x, const auto& y) { return x.platform.preferred_to(y.platform); })
        ->platform;
  }

 private:
  struct Candidate {
    VirtualPlatform platform;
    double estimate_s;
  };

  const Problem* problem_;
  std::vector<Candidate> near_;  ///< to the best when they came
  double best_s_ = kUnknown;     ///< estimate so far
};

void add_memory_thresholds(const Platform& platform, BestEstimate& search) {
  PerWorker<Worker> workers = platform.workers;
  std::sort(workers.begin(), workers.end(),
            [](const Worker& x, const Worker& y) { return x.m_blocks > y.m_blocks; });
  Worker worst;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    worst = {.c_s = std::max(worst.c_s, workers[i].c_s),
             .w_s = std::max(worst.w_s, workers[i].w_s),
             .m_blocks = workers[i].m_blocks,
             .latency_s = std::max(worst.latency_s, workers[i].latency_s)};
    if (i + 1 < workers.size() && workers[i + 1].m_blocks == worst.m_blocks) continue;
    search.add({worst, static_cast<std::int64_t>(i) + 1});
  }
}

/// At most `most` >= 2 of the values, at even distances in their order; the extremes stay.
template <class Value>
std::vector<Value> thin(const std::vector<Value>& values, std::size_t most) {
  if (values.size() <= most) return values;
  std::vector<Value> some;
  for (std::size_t i = 0; i < most; ++i)
    some.push_back(values[i * (values.size() - 1) / (most - 1)]);
  return some;
}

struct AllThresholds {
  std::vector<std::int64_t> memories;
  std::vector<double> links;
  std::vector<double> speeds;
  std::size_t platform_size;

  explicit AllThresholds(const Platform& platform)
      : memories(distinct(platform, &Worker::m_blocks)),
        links(distinct(platform, &Worker::c_s)),
        speeds(distinct(platform, &Worker::w_s)),
        platform_size(platform.workers.size()) {}

  double triples() const {
    return static_cast<double>(memories.size()) * static_cast<double>(links.size()) *
           static_cast<double>(speeds.size());
  }

  /// The same with the longest lists thinned, until the triples can all be looked at.
  AllThresholds thinned_to(double most_triples) const {
    AllThresholds thinned = *this;
    for (std::size_t most = platform_size; thinned.triples() > most_triples;
         most = most * 15 / 16) {
      thinned.memories = thin(memories, most);
      thinned.links = thin(links, most);
      thinned.speeds = thin(speeds, most);
    }
    return thinned;
  }
};

/// For given M and C, P grows with W, and of the W that give the same P the smallest has the
/// smallest estimate and the preference.
void add_all_thresholds(const AllThresholds& thresholds, const Platform& platform,
                        BestEstimate& search) {
  PerWorker<Worker> workers = platform.workers;
  std::sort(workers.begin(), workers.end(),
            [](const Worker& x, const Worker& y) { return x.c_s < y.c_s; });
  struct Class {  // the eligible workers whose smallest threshold of speed is this one
    std::int64_t workers = 0;
    double latency_s = 0;
  };
  for (const std::int64_t memory : thresholds.memories) {
    std::vector<Class> classes(thresholds.speeds.size());
    auto worker = workers.begin();
    for (const double link : thresholds.links) {
      for (; worker != workers.end() && worker->c_s <= link; ++worker) {
        if (worker->m_blocks < memory) continue;
        const auto speed =
            std::lower_bound(thresholds.speeds.begin(), thresholds.speeds.end(), worker->w_s);
        Class& its_class = classes[static_cast<std::size_t>(speed - thresholds.speeds.begin())];
        ++its_class.workers;
        its_class.latency_s = std::max(its_class.latency_s, worker->latency_s);
      }
      Class eligible;
      std::int64_t enrolled = 0;
      for (std::size_t i = 0; i < classes.size(); ++i) {
        eligible.workers += classes[i].workers;
        eligible.latency_s = std::max(eligible.latency_s, classes[i].latency_s);
        if (eligible.workers == 0) continue;
        const VirtualPlatform candidate({.c_s = link,
                                         .w_s = thresholds.speeds[i],
                                         .m_blocks = memory,
                                         .latency_s = eligible.latency_s},
                                        eligible.workers);
        if (candidate.enrolled == enrolled) continue;
        enrolled = candidate.enrolled;
        search.add(candidate);
      }
    }
  }
}

}  // namespace

Extraction best_virtual_platform(const Platform& platform, const Problem& problem,
                                 Thresholds thresholds, double most_triples) {
  BestEstimate search(problem);
  std::string thinned;
  if (thresholds == Thresholds::memory) {
    add_memory_thresholds(platform, search);
  } else if (thresholds == Thresholds::own) {
    for (const Worker& own : own_thresholds(platform)) search.add(extract(platform, own));
  } else {
    const AllThresholds all(platform);
    const AllThresholds some = all.thinned_to(most_triples);
    if (some.triples() < all.triples()) {
      thinned = fmt::format("{} of {} memories, {} of {} links, {} of {} speeds",
                            some.memories.size(), all.memories.size(), some.links.size(),
                            all.links.size(), some.speeds.size(), all.speeds.size());
    }
    add_all_thresholds(some, platform, search);
  }
  return {.best = search.best(), .thinned = thinned};
}

}  // namespace starport::fast
