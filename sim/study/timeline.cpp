#include "sim/study/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport {

std::vector<std::vector<std::size_t>> Timeline::lanes_in_use() const {
  std::vector<bool> used = whole ? whole->groups_in_use : std::vector<bool>(groups.size());
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
  double end_s = whole ? whole->end_s : 0;
  for (const Slice& slice : slices) end_s = std::max(end_s, slice.end_s);
  return end_s;
}

Timeline with_names(Timeline timeline, const WorkerNames& names) {
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

std::string ArgumentValue::text() const {
  if (argument.axes.empty()) return fmt::format("{}", integers[0]);
  std::string text;
  for (std::size_t i = 0; i < argument.axes.size(); ++i) {
    const std::int64_t first = integers[2 * i] + 1;
    const std::int64_t last = integers[2 * i + 1];
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", argument.axes[i], first);
    if (last > first) text += fmt::format("-{}", last);
  }
  return text;
}

std::vector<ArgumentValue> arguments_of(const Timeline& timeline, const Slice& slice) {
  std::vector<ArgumentValue> values;
  std::span<const std::int64_t> rest = timeline.values_of(slice);
  for (const SliceArgument& argument : timeline.kind_of(slice).arguments) {
    values.push_back({argument, rest.first(argument.width())});
    rest = rest.subspan(argument.width());
  }
  return values;
}

std::string slice_text(const Timeline& timeline, const Slice& slice) {
  std::string text;
  for (const ArgumentValue& value : arguments_of(timeline, slice)) {
    if (value.size() == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", value.argument.name, value.text());
  }
  return text.empty() ? timeline.labels[slice.label] : text;
}

}  // namespace starport
