// Which workers' dates have changed lately.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport {

/// Who follows the dates of p workers need not look at all of them again: each change of one
/// worker's dates has a number, from 0, and the workers of the last p changes at least are
/// remembered.
class ChangeLog {
 public:
  explicit ChangeLog(std::size_t workers)
      : workers_(std::bit_ceil(std::max<std::size_t>(workers, 1))) {}

  std::int64_t count() const { return count_; }
  bool remembers_since(std::int64_t n) const { return count_ - n <= std::ssize(workers_); }
  int worker(std::int64_t n) const { return workers_[slot(n)]; }
  void note(int worker) { workers_[slot(count_++)] = worker; }

 private:
  std::size_t slot(std::int64_t n) const {
    return static_cast<std::size_t>(n) & (workers_.size() - 1);
  }

  std::vector<int> workers_;  ///< a ring, its size a power of 2
  std::int64_t count_ = 0;
};

}  // namespace starport
