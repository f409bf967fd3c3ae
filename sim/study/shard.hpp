// A share of a sweep's instances, for one of several machines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace starport {

/// Shard i of n has every n-th instance, from the i-th on.
struct Shard {
  std::int64_t index = 1;  ///< from 1
  std::int64_t count = 1;

  bool has(std::int64_t instance) const { return (instance - 1) % count == index - 1; }
  /// How many of `total` instances are in it.
  std::int64_t size(std::int64_t total) const { return (total - index + count) / count; }
  bool operator==(const Shard&) const = default;
};

/// Reads "i/n", 1 <= i <= n. Throws InputError naming --shard.
Shard parse_shard(const std::string& text);

}  // namespace starport
