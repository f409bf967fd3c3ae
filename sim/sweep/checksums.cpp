#include "sim/sweep/checksums.hpp"

#include "sim/files/error.hpp"
#include "sim/files/text.hpp"
#include "sim/sweep/row_file.hpp"
#include "sim/sweep/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace starport {
namespace {

constexpr std::size_t kDigits = 16;

/// Their first 16 digits, as a number.
std::optional<std::uint64_t> parse_digest(std::string_view digits) {
  std::uint64_t digest = 0;
  const auto [rest, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), digest, 16);
  if (error != std::errc{} || rest != digits.data() + digits.size()) return std::nullopt;
  return digest;
}

std::uint64_t short_digest(std::string_view text) {
  Sha256 fingerprint;
  fingerprint.add(text);
  return fingerprint.first_bytes();
}

std::string line_of(std::int64_t instance, std::uint64_t results, std::uint64_t timings) {
  return fmt::format("{},{:016x},{:016x}\r\n", instance, results, timings);
}

}  // namespace

std::string Checksums::line(std::int64_t instance, std::string_view results,
                            std::string_view timings) {
  return line_of(instance, short_digest(results), short_digest(timings));
}

std::string Checksums::add(std::int64_t instance, std::string_view results,
                           std::string_view timings) {
  sorted_ = sorted_ && (lines_.empty() || lines_.back().instance <= instance);
  lines_.push_back({instance, short_digest(results), short_digest(timings)});
  return line_of(instance, lines_.back().results, lines_.back().timings);
}

std::size_t Checksums::read(const std::string& path) {
  RowReader file(path, kHeader);
  std::size_t end = file.rows_begin();
  while (const auto block = file.next()) {
    std::string_view rest = block->text;
    for (std::int64_t line = block->line; !rest.empty(); ++line) {
      std::string_view row = next_token(rest, '\n');
      row.remove_suffix(1);
      next_token(row, ',');
      const auto results = parse_digest(row.substr(0, kDigits));
      const auto timings = parse_digest(row.substr(std::min(row.size(), kDigits + 1)));
      if (row.size() != 2 * kDigits + 1 || row[kDigits] != ',' || !results || !timings) {
        throw InputError(fmt::format("line {}", line), "an instance and its two checksums",
                         "something else", kDamagedDirectory)
            .in_file(path);
      }
      sorted_ = sorted_ && (lines_.empty() || lines_.back().instance <= block->instance);
      lines_.push_back({block->instance, *results, *timings});
    }
    end = block->end();
  }
  return end;
}

std::pair<std::vector<Checksums::Line>::const_iterator,
          std::vector<Checksums::Line>::const_iterator>
Checksums::lines_of(std::int64_t instance) const {
  const auto less = [](const Line& a, const Line& b) { return a.instance < b.instance; };
  if (!sorted_) std::ranges::stable_sort(lines_, less);
  sorted_ = true;
  return std::equal_range(lines_.cbegin(), lines_.cend(), Line{instance, 0, 0}, less);
}

bool Checksums::has(std::int64_t instance) const {
  const auto [begin, end] = lines_of(instance);
  return begin != end;
}

bool Checksums::prove(Rows rows, std::int64_t instance, std::string_view text) const {
  const std::uint64_t digest = short_digest(text);
  const auto [begin, end] = lines_of(instance);
  return std::any_of(begin, end, [&](const Line& line) {
    return digest == (rows == Rows::results ? line.results : line.timings);
  });
}

}  // namespace starport
