// The workers that are busy for long.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace starport::fast {

class LaterWorkers {
 public:
  /// Up to when they have been taken.
  double taken_s() const { return taken_s_; }
  /// None is ready before.
  double floor_s() const { return queue_.empty() ? std::numeric_limits<double>::infinity() : queue_.top().first; }
  void push(double ready_s, std::size_t worker) { queue_.emplace(ready_s, worker); }
  template <class Take>
  void take_until(double date_s, Take&& take) {
    while (floor_s() <= date_s) {
      take(queue_.top().second);
      queue_.pop();
    }
    taken_s_ = date_s;
  }

 private:
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  double taken_s_ = 0;
};

}  // namespace starport::fast
