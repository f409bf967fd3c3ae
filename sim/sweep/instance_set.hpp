// A set of instances of a shard, stored as one bit per instance.
#pragma once

#include "sim/sweep/specification.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport {

/// A set of numbers (from 1) of instances of a sweep, all of one shard (part of the sweep), stored
/// as one bit per instance of the shard. Numbers outside the shard or the sweep are never members:
/// has() is false for them, add() and remove() ignore them. Holds a copy of the shard and refers to
/// nothing.
class InstanceSet {
 public:
  /// Makes a set of instances that can have no members: add() does nothing.
  InstanceSet() = default;
  /// Makes an empty set of instances of `shard`, a part of a sweep that has `total` (at least 0)
  /// instances in all shards. Requires 1 <= shard.index <= shard.count (not checked: undefined
  /// behaviour otherwise).
  InstanceSet(Shard shard, std::int64_t total)
      : shard_(shard), has_(static_cast<std::size_t>(shard.size(total))) {}

  /// Returns true if the instance with this number, from 1, is in the set; false also for numbers
  /// outside the shard or the sweep.
  bool has(std::int64_t instance) const {
    return is_in_shard(instance) && has_[index_of(instance)];
  }
  /// Adds the instance of the sweep with this number, from 1, to the set; does nothing if it is a
  /// member, outside the set's shard or beyond the sweep.
  void add(std::int64_t instance) { set(instance, true); }
  /// Removes the instance of the sweep with this number, from 1, from the set; does nothing if it
  /// is no member.
  void remove(std::int64_t instance) { set(instance, false); }
  /// Returns the number of instances in the set, in constant time.
  std::int64_t size() const { return size_; }

 private:
  bool is_in_shard(std::int64_t instance) const {
    return instance >= shard_.index && shard_.has(instance) && index_of(instance) < has_.size();
  }
  void set(std::int64_t instance, bool member) {
    if (has(instance) == member || !is_in_shard(instance)) return;
    has_[index_of(instance)] = member;
    size_ += member ? 1 : -1;
  }
  std::size_t index_of(std::int64_t instance) const {
    return static_cast<std::size_t>((instance - shard_.index) / shard_.count);
  }

  Shard shard_;
  std::vector<bool> has_;
  std::int64_t size_ = 0;
};

}  // namespace starport
