// Tasks in the order in which they were pushed; any of them can be taken out.
#pragma once

#include "sim/tiles/task.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace starport::tiles {

class TaskList {
 public:
  bool empty() const { return head_ == tasks_.size(); }
  std::size_t size() const { return tasks_.size() - head_; }
  const Task& operator[](std::size_t place) const { return tasks_[head_ + place]; }
  const Task* begin() const { return tasks_.data() + head_; }
  const Task* end() const { return tasks_.data() + tasks_.size(); }
  const Task& back() const { return tasks_.back(); }

  void push(const Task& task) {
    if (head_ > 64 && head_ > size()) {
      tasks_.erase(tasks_.begin(), tasks_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
    tasks_.push_back(task);
  }
  /// Moves what stands on the shorter side.
  Task take(std::size_t place) {
    const auto first = tasks_.begin() + static_cast<std::ptrdiff_t>(head_);
    const auto taken = first + static_cast<std::ptrdiff_t>(place);
    const Task task = *taken;
    if (place < size() / 2 || place == 0) {
      std::move_backward(first, taken, taken + 1);
      ++head_;
    } else {
      tasks_.erase(taken);
    }
    return task;
  }
  Task take_front() { return take(0); }
  Task take_back() { return take(size() - 1); }

 private:
  std::vector<Task> tasks_;
  std::size_t head_ = 0;
};

}  // namespace starport::tiles
