// Which instances of a shard there are, in little memory.
#pragma once

#include "sim/sweep/specification.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport {

/// Instances of a shard, a bit for each.
class InstanceSet {
 public:
  InstanceSet() = default;
  InstanceSet(Shard shard, std::int64_t total)
      : shard_(shard), has_(static_cast<std::size_t>(shard.size(total))) {}

  bool has(std::int64_t instance) const { return is_ours(instance) && has_[place(instance)]; }
  /// What is not of the shard is never there.
  void add(std::int64_t instance) { put(instance, true); }
  void remove(std::int64_t instance) { put(instance, false); }
  std::int64_t size() const { return size_; }

 private:
  bool is_ours(std::int64_t instance) const {
    return instance >= shard_.index && shard_.has(instance) && place(instance) < has_.size();
  }
  void put(std::int64_t instance, bool there) {
    if (has(instance) == there || !is_ours(instance)) return;
    has_[place(instance)] = there;
    size_ += there ? 1 : -1;
  }
  std::size_t place(std::int64_t instance) const {
    return static_cast<std::size_t>((instance - shard_.index) / shard_.count);
  }

  Shard shard_;
  std::vector<bool> has_;
  std::int64_t size_ = 0;
};

}  // namespace starport
