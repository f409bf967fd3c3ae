#include "sim/results/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport {
namespace {

void append(std::string& text, std::int64_t number) {
  const fmt::format_int digits(number);
  text.append(digits.data(), digits.size());
}

/// Appends a value as "3" or "rows 1-3, k 5".
void append(std::string& text, const ArgumentValue& value) {
  const std::vector<std::string>& axes = value.argument.axes;
  if (axes.empty()) return append(text, value.integers[0]);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t first = value.integers[2 * i] + 1;
    const std::int64_t last = value.integers[2 * i + 1];
    if (i > 0) text += ", ";
    text += axes[i];
    text += ' ';
    append(text, first);
    if (last <= first) continue;
    text += '-';
    append(text, last);
  }
}

}  // namespace

std::vector<std::vector<std::size_t>> Timeline::lanes_in_use() const {
  std::vector<bool> used = summary ? summary->groups_in_use : std::vector<bool>(groups.size());
  for (const Slice& slice : slices) {
    used[lanes[slice.lane].group] = true;
    if (slice.other_lane) used[lanes[*slice.other_lane].group] = true;
  }
  std::vector<std::vector<std::size_t>> in_use(groups.size());
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    if (used[lanes[lane].group]) in_use[lanes[lane].group].push_back(lane);
  }
  return in_use;
}

double Timeline::end_s() const {
  double end_s = summary ? summary->end_s : 0;
  for (const Slice& slice : slices) end_s = std::max(end_s, slice.end_s);
  return end_s;
}

Timeline with_worker_names(Timeline timeline, const WorkerNames& names) {
  for (LaneGroup& group : timeline.groups) {
    if (group.worker) group.name = names[static_cast<std::size_t>(*group.worker - 1)];
  }
  return timeline;
}

std::int64_t ArgumentValue::size() const {
  if (argument.axes.empty()) return integers[0];
  std::int64_t size = 1;
  for (std::size_t i = 0; i < integers.size(); i += 2) {
    size *= std::max<std::int64_t>(integers[i + 1] - integers[i], 0);
  }
  return size;
}

std::string format_arguments(const Timeline& timeline, const Slice& slice) {
  std::string text;
  visit_arguments(timeline, slice, [&](const ArgumentValue& value) {
    if (value.size() == 0) return;
    if (!text.empty()) text += "; ";
    text += value.argument.name;
    text += ' ';
    append(text, value);
  });
  return text;
}

std::string format_slice(const Timeline& timeline, const Slice& slice) {
  std::string text = format_arguments(timeline, slice);
  return text.empty() ? timeline.labels[slice.label] : text;
}

}  // namespace starport
