#include "sim/study/shard.hpp"

#include "sim/files/error.hpp"

#include <charconv>

namespace starport {

Shard parse_shard(const std::string& text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  if (index.ec == std::errc{} && index.ptr != end && *index.ptr == '/') {
    const auto count = std::from_chars(index.ptr + 1, end, shard.count);
    const bool whole = count.ec == std::errc{} && count.ptr == end;
    if (whole && 1 <= shard.index && shard.index <= shard.count) return shard;
  }
  throw InputError("--shard", "i/n with 1 <= i <= n, such as 2/8", "'" + text + "'");
}

}  // namespace starport
