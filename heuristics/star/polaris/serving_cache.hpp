// A cache of simulated schedules.
#pragma once

#include "heuristics/star/polaris/serving.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace starport::polaris {

/// Caches the results of serve_tasks(), since a search often reaches the same rectangles again or
/// changes an option that has no effect on them.
class ServingCache {
 public:
  /// Keeps references to `platform` and `problem`.
  ServingCache(const Platform& platform, const Problem& problem)
      : platform_(platform), problem_(problem) {}

  /// Returns the same as serve_tasks(), bit by bit, except that `order` and `ends_s` are empty. As
  /// there, the makespan is kUnknown if a transfer ends at `limit_s` (seconds) or later.
  ServedSchedule serve(const std::vector<RectangleTask>& tasks, const ServingOptions& options,
                       double limit_s);
  /// Returns the order of the transfers of the complete schedule, see ServedSchedule::order. Valid
  /// until the next call.
  const std::vector<std::uint32_t>& order(const std::vector<RectangleTask>& tasks,
                                          const ServingOptions& options) {
    return find_or_serve(tasks, options, kUnknown).order;
  }

 private:
  using Key = std::vector<std::int64_t>;
  /// Returns what a schedule depends on: the sizes and modes of rectangles, not their positions,
  /// and only those options that have an effect.
  Key make_key(const std::vector<RectangleTask>& tasks, const ServingOptions& options) const;
  /// Returns the cached schedule, simulated at least until `limit_s`.
  const ServedSchedule& find_or_serve(const std::vector<RectangleTask>& tasks,
                                      const ServingOptions& options, double limit_s);

  const Platform& platform_;
  const Problem& problem_;
  std::map<Key, ServedSchedule> runs_;  ///< as far as they have been simulated
  std::size_t dates_ = 0;               ///< number of dates in the cache
};

}  // namespace starport::polaris
