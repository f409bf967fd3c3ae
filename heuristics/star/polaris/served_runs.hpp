// What serving gave before: a search often comes by the same rectangles again, or changes an option
// that makes no difference to them.
#pragma once

#include "heuristics/star/polaris/serving.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace starport::polaris {

class ServedRuns {
 public:
  /// Both outlive it.
  ServedRuns(const Platform& platform, const Problem& problem)
      : platform_(platform), problem_(problem) {}

  /// As serve_tasks, to the last bit, but for `order` and `ends_s`.
  ServedTasks serve(const std::vector<Task>& tasks, const ServingOptions& options, double limit_s);
  /// The order in which the transfers of a whole run are served.
  const std::vector<std::uint32_t>& order(const std::vector<Task>& tasks,
                                          const ServingOptions& options) {
    return run(tasks, options, kUnknown).order;
  }

 private:
  using Key = std::vector<std::int64_t>;
  /// All that a run depends on: sizes, not places, and options where they make a difference.
  Key key(const std::vector<Task>& tasks, const ServingOptions& options) const;
  /// Up to the limit, or farther.
  const ServedTasks& run(const std::vector<Task>& tasks, const ServingOptions& options,
                         double limit_s);

  const Platform& platform_;
  const Problem& problem_;
  std::map<Key, ServedTasks> runs_;  ///< as far as they went
  std::size_t dates_ = 0;            ///< in all of them
};

}  // namespace starport::polaris
