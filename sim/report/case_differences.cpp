// Tells whether two runs computed the same product on the same platform.
#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/ties.hpp"
#include "sim/report/run_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

namespace starport {
namespace {

/// A range of block indices along an axis of the product, from 1, both ends included.
struct IndexRange {
  std::string axis;  ///< "rows", "columns", "k"
  std::int64_t first = 1;
  std::int64_t last = 1;
};

/// Parses the index ranges in the text of a slice: "A rows 1-3, k 5; update 2" has two, since
/// "update" is not an axis.
std::vector<IndexRange> parse_ranges(std::string_view text) {
  std::vector<IndexRange> ranges;
  std::string_view axis;
  while (!text.empty()) {
    std::string_view word = next_token(text, ' ');
    word = word.substr(0, word.find_first_of(",;"));
    const auto numbers = parse_numbers<std::int64_t>(word, '-');
    const bool is_axis = axis == "rows" || axis == "columns" || axis == "k";
    if (numbers && is_axis && numbers->size() <= 2) {
      ranges.push_back({std::string(axis), numbers->front(), numbers->back()});
    }
    axis = word;
  }
  return ranges;
}

/// The product and the platform of a run, as far as its slices show them.
struct RunCase {
  std::map<std::string, std::int64_t> product;  ///< largest index of each axis
  /// Shortest duration of the slices of a worker with the same kind and sizes, by a text that names
  /// these: "P1: C sent, 3 rows, 4 columns".
  std::map<std::string, double> durations_s;
};

RunCase infer_case(const Timeline& timeline) {
  // On a multi-port, the duration of a transfer depends on the others that share the link.
  const bool exclusive_links = timeline.port == "one-port" || timeline.port == "two-port";
  RunCase found;
  for (const Slice& slice : timeline.slices) {
    const SliceKind& kind = timeline.kind_of(slice);
    if (kind.role == SliceRole::lost) continue;
    const std::vector<IndexRange> ranges = parse_ranges(format_slice(timeline, slice));
    if (ranges.empty()) continue;
    std::string what = timeline.group_of(slice.lane).name + ": " + kind.name;
    for (const IndexRange& range : ranges) {
      std::int64_t& last = found.product[range.axis];
      last = std::max(last, range.last);
      what += fmt::format(", {} {}", range.last - range.first + 1, range.axis);
    }
    if (!exclusive_links) continue;
    const double duration_s = slice.end_s - slice.start_s;
    const auto [entry, added] = found.durations_s.emplace(what, duration_s);
    if (!added) entry->second = std::min(entry->second, duration_s);
  }
  return found;
}

std::string product_text(const std::map<std::string, std::int64_t>& product) {
  std::string text;
  for (const auto& [axis, name] :
       {std::pair("rows", "r"), std::pair("columns", "s"), std::pair("k", "t")}) {
    const auto found = product.find(axis);
    if (found == product.end()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, found->second);
  }
  return text;
}

/// Describes how the ports or the memories of two runs differ; empty if they agree.
std::string platform_difference(const Timeline& a, const Timeline& b) {
  if (a.port != b.port) return fmt::format("{} and {}", a.port, b.port);
  std::map<std::string, std::int64_t> memories;
  for (const LaneGroup& group : a.groups) {
    if (group.memory_blocks) memories[group.name] = *group.memory_blocks;
  }
  for (const LaneGroup& group : b.groups) {
    const auto found = memories.find(group.name);
    if (!group.memory_blocks || found == memories.end()) continue;
    if (found->second == *group.memory_blocks) continue;
    return fmt::format("{} holds {} and {} blocks", group.name, found->second,
                       *group.memory_blocks);
  }
  return "";
}

/// True if two durations are equal up to the rounding of dates until `end_s`.
bool same_duration(double a_s, double b_s, double end_s) {
  constexpr double rounding = 1e-9;
  return nearly_equal(a_s, b_s) || std::abs(a_s - b_s) < rounding * end_s;
}

}  // namespace

std::vector<std::string> case_differences(const Timeline& a, const Timeline& b) {
  const RunCase case_a = infer_case(a);
  const RunCase case_b = infer_case(b);
  std::vector<std::string> differences;
  if (!case_a.product.empty() && !case_b.product.empty() && case_a.product != case_b.product) {
    differences.push_back(fmt::format("different products ({} and {}, in blocks)",
                                      product_text(case_a.product), product_text(case_b.product)));
  }
  if (const std::string platforms = platform_difference(a, b); !platforms.empty()) {
    differences.push_back(fmt::format("different platforms ({})", platforms));
    return differences;
  }
  for (const auto& [what, a_s] : case_a.durations_s) {
    const auto found = case_b.durations_s.find(what);
    if (found == case_b.durations_s.end()) continue;
    if (same_duration(a_s, found->second, std::max(a.makespan_s, b.makespan_s))) continue;
    differences.push_back(fmt::format("different platforms, or noise ({}: {:.4g} and {:.4g} s)",
                                      what, a_s, found->second));
    return differences;
  }
  return differences;
}

}  // namespace starport
