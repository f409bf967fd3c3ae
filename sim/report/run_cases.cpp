#include "sim/report/run_cases.hpp"

#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

namespace starport {
namespace {

struct IndexRange {
  std::string axis;  ///< "rows", "columns", "k"
  std::int64_t first = 1;
  std::int64_t last = 1;
};

/// Those of a slice's text: "A rows 1-3, k 5; update 2" has two, since "update" is no axis.
std::vector<IndexRange> ranges_in(std::string_view text) {
  std::vector<IndexRange> ranges;
  std::string_view axis;
  while (!text.empty()) {
    std::string_view word = take_until(text, ' ');
    word = word.substr(0, word.find_first_of(",;"));
    const auto numbers = parse_numbers<std::int64_t>(word, '-');
    const bool of_axis = axis == "rows" || axis == "columns" || axis == "k";
    if (numbers && of_axis && numbers->size() <= 2) {
      ranges.push_back({std::string(axis), numbers->front(), numbers->back()});
    }
    axis = word;
  }
  return ranges;
}

/// What the slices of a run tell of its case.
struct RunCase {
  std::map<std::string, std::int64_t> product;  ///< the last index of each axis
  /// The shortest time that a worker takes for what has the same size, by words for both.
  std::map<std::string, double> durations_s;
};

RunCase case_of(const Timeline& timeline) {
  // Links that several transfers share have no time of their own.
  const bool own_links = timeline.port == "one-port" || timeline.port == "two-port";
  RunCase found;
  for (const Slice& slice : timeline.slices) {
    const SliceKind& kind = timeline.kind_of(slice);
    if (kind.role == SliceRole::lost) continue;
    const std::vector<IndexRange> ranges = ranges_in(slice_text(timeline, slice));
    if (ranges.empty()) continue;
    std::string what = timeline.group_of(slice.lane).name + ": " + kind.name;
    for (const IndexRange& range : ranges) {
      std::int64_t& last = found.product[range.axis];
      last = std::max(last, range.last);
      what += fmt::format(", {} {}", range.last - range.first + 1, range.axis);
    }
    if (!own_links) continue;
    const double duration_s = slice.end_s - slice.start_s;
    const auto [place, added] = found.durations_s.emplace(what, duration_s);
    if (!added) place->second = std::min(place->second, duration_s);
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

/// The workers of a platform and its port; empty: the timelines agree.
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

/// Rounded dates make differences of their own.
bool same_duration(double a_s, double b_s, double until_s) {
  constexpr double rounding = 1e-9;
  return nearly_equal(a_s, b_s) || std::abs(a_s - b_s) < rounding * until_s;
}

}  // namespace

std::vector<std::string> case_differences(const Timeline& a, const Timeline& b) {
  const RunCase of_a = case_of(a);
  const RunCase of_b = case_of(b);
  std::vector<std::string> differences;
  if (!of_a.product.empty() && !of_b.product.empty() && of_a.product != of_b.product) {
    differences.push_back(fmt::format("different products ({} and {}, in blocks)",
                                      product_text(of_a.product), product_text(of_b.product)));
  }
  if (const std::string platforms = platform_difference(a, b); !platforms.empty()) {
    differences.push_back(fmt::format("different platforms ({})", platforms));
    return differences;
  }
  for (const auto& [what, a_s] : of_a.durations_s) {
    const auto found = of_b.durations_s.find(what);
    if (found == of_b.durations_s.end()) continue;
    if (same_duration(a_s, found->second, std::max(a.makespan_s, b.makespan_s))) continue;
    differences.push_back(fmt::format("different platforms, or noise ({}: {:.4g} and {:.4g} s)",
                                      what, a_s, found->second));
    return differences;
  }
  return differences;
}

}  // namespace starport
