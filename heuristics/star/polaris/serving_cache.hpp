// A cache of simulated schedules.
#pragma once

#include "heuristics/star/polaris/serving.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace starport::polaris {

/// Cache of simulated schedules: returns the results of serve_tasks() without simulating again when
/// a search reaches the same rectangles, or changes an option that has no effect on them. Limited
/// to about 12 MB, then cleared. The platform and the problem must outlive it. Not thread-safe.
class ServingCache {
 public:
  /// Creates an empty cache for schedules on `platform` of `problem`; both must outlive it.
  ServingCache(const Platform& platform, const Problem& problem)
      : platform_(platform), problem_(problem) {}

  /// Simulates the schedule of the tasks, at most one per worker and each with a possible mode, or
  /// returns the cached result, bit by bit the same as serve_tasks() would return, except that
  /// `order` and `ends_s` are empty. The makespan is kUnknown (infinity) if a transfer ends at
  /// `limit_s` (simulated seconds) or later, or a message never fits into the memory of its worker.
  ServedSchedule serve(const std::vector<RectangleTask>& tasks, const ServingOptions& options,
                       double limit_s);
  /// Returns the order of the transfers of the complete schedule of the tasks, simulating it if
  /// needed. Each element is 2 * (index of the task), plus 1 if the transfer returns blocks of C to
  /// the master. Ends early if a message never fits into its worker's memory. Valid until the next
  /// call of serve() or order().
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
