#include "sim/study/checksums.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/study/result_directory.hpp"
#include "sim/study/row_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport {
namespace {

constexpr std::size_t kDigits = 16;

std::string short_digest(std::string_view text) { return sha256(text).substr(0, kDigits); }

}  // namespace

std::string Checksums::add(std::int64_t instance, std::string_view results,
                           std::string_view timings) {
  const auto& [number, digests] =
      *digests_.emplace(instance, std::pair(short_digest(results), short_digest(timings)));
  return fmt::format("{},{},{}\r\n", number, digests.first, digests.second);
}

std::size_t Checksums::read(std::string_view text, const std::string& path) {
  const std::string_view header = kHeader;
  if (header.starts_with(text)) return text == header ? header.size() : 0;
  std::size_t at = 0;
  for (std::int64_t line = 1;; ++line) {
    const std::size_t end = text.find("\r\n", at);
    if (end == std::string_view::npos) return at;
    const std::string_view row = text.substr(at, end - at);
    const std::size_t comma = std::min(row.find(','), row.size());
    const auto instance = parse_number<std::int64_t>(row.substr(0, comma));
    const bool whole = instance && row.size() == comma + 2 * (1 + kDigits);
    if (line == 1 ? row != header.substr(0, header.size() - 2) : !whole) {
      throw InputError(fmt::format("line {}", line), "an instance and its two checksums",
                       "something else", kDamagedDirectory)
          .in_file(path);
    }
    if (line > 1) {
      digests_.emplace(*instance, std::pair(row.substr(comma + 1, kDigits),
                                            row.substr(comma + 2 + kDigits, kDigits)));
    }
    at = end + 2;
  }
}

bool Checksums::prove(Rows rows, std::int64_t instance, std::string_view text) const {
  const std::string digest = short_digest(text);
  const auto [begin, end] = digests_.equal_range(instance);
  return std::any_of(begin, end, [&](const auto& entry) {
    return digest == (rows == Rows::results ? entry.second.first : entry.second.second);
  });
}

}  // namespace starport
