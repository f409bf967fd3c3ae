#include "sim/report/run_difference.hpp"

#include "sim/files/text.hpp"
#include "sim/platform/ties.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace starport {
namespace {

using Intervals = std::vector<std::pair<double, double>>;

/// Returns the length of the union of intervals, in seconds.
double covered_s(Intervals intervals) {
  std::ranges::sort(intervals);
  double sum_s = 0;
  double until_s = 0;
  for (const auto& [start_s, end_s] : intervals) {
    sum_s += std::max(0.0, end_s - std::max(start_s, until_s));
    until_s = std::max(until_s, end_s);
  }
  return sum_s;
}

/// Returns `whole_s` minus `part_s`, and 0 if they are equal up to rounding.
double rest_s(double whole_s, double part_s) {
  return nearly_equal(whole_s, part_s) ? 0 : std::max(0.0, whole_s - part_s);
}

/// Returns how each group of a run spends its time, in the order of the groups.
std::vector<TimeSpent> measure_times(const Timeline& timeline) {
  std::vector<Intervals> computing(timeline.groups.size());
  std::vector<Intervals> busy(timeline.groups.size());
  for (const Slice& slice : timeline.slices) {
    const std::size_t group = timeline.lanes[slice.lane].group;
    const std::pair dates_s{slice.start_s, std::min(slice.end_s, timeline.makespan_s)};
    busy[group].push_back(dates_s);
    if (timeline.kind_of(slice).what == "update") computing[group].push_back(dates_s);
    if (slice.other_lane) busy[timeline.lanes[*slice.other_lane].group].push_back(dates_s);
  }
  std::vector<TimeSpent> times;
  for (std::size_t group = 0; group < timeline.groups.size(); ++group) {
    const double computing_s = covered_s(std::move(computing[group]));
    const double busy_s = covered_s(std::move(busy[group]));
    times.push_back({.computing_s = computing_s,
                     .transferring_s = rest_s(busy_s, computing_s),
                     .idle_s = rest_s(timeline.makespan_s, busy_s)});
  }
  return times;
}

/// Pairs the times of the groups of both runs by name.
std::vector<GroupTimes> pair_group_times(const Timeline& a, const Timeline& b) {
  std::vector<GroupTimes> groups;
  std::map<std::string, std::size_t> indices;  // by name
  const auto add = [&](const Timeline& timeline, std::optional<TimeSpent> GroupTimes::*side) {
    const std::vector<TimeSpent> times = measure_times(timeline);
    for (std::size_t i = 0; i < times.size(); ++i) {
      const std::string& name = timeline.groups[i].name;
      const auto [entry, added] = indices.emplace(name, groups.size());
      if (added) groups.push_back({.name = name, .a = {}, .b = {}});
      groups[entry->second].*side = times[i];
    }
  };
  add(a, &GroupTimes::a);
  add(b, &GroupTimes::b);
  return groups;
}

/// Iterates over the slices of a run and counts them by kind.
class RunSteps {
 public:
  explicit RunSteps(const Timeline& timeline) : timeline_(timeline) {}

  bool at_end() const { return next_ == timeline_.slices.size(); }
  const Slice& slice() const { return timeline_.slices[next_]; }
  void advance() { ++numbers_[timeline_.kind_of(slice()).what], ++next_; }

  /// Describes the current slice without its dates: "C sent, P2: rows 1-8".
  std::string text() const {
    const SliceKind& kind = timeline_.kind_of(slice());
    const std::string details = format_slice(timeline_, slice());
    return fmt::format("{}, {}{}{}", kind.name, timeline_.group_of(slice().lane).name,
                       details.empty() ? "" : ": ", details);
  }
  std::optional<RunStep> step() const {
    if (at_end()) return std::nullopt;
    const std::string& kind = timeline_.kind_of(slice()).what;
    const auto earlier = numbers_.find(kind);
    return RunStep{.kind = kind,
                   .number = earlier == numbers_.end() ? 1 : earlier->second + 1,
                   .text = text(),
                   .start_s = slice().start_s,
                   .end_s = slice().end_s};
  }

 private:
  const Timeline& timeline_;
  std::size_t next_ = 0;
  std::map<std::string, std::int64_t> numbers_;  ///< of the earlier slices, by kind
};

std::string step_text(const std::optional<RunStep>& step) {
  if (!step) return "no further step";
  return fmt::format("{} {}, from {:.6g} to {:.6g} s: {}", step->kind, step->number, step->start_s,
                     step->end_s, step->text);
}

std::string first_differences_text(const RunDifference& difference) {
  if (!difference.first_other_step && !difference.first_other_dates)
    return "The same steps at the same dates.\n";
  std::string text;
  const auto add = [&](const char* head, const StepPair& pair) {
    text += fmt::format("{}\n  A: {}\n  B: {}\n", head, step_text(pair.a), step_text(pair.b));
  };
  if (difference.first_other_dates)
    add("The same steps, at other dates from here on:", *difference.first_other_dates);
  if (difference.first_other_step)
    add("The first step that differs:", *difference.first_other_step);
  return text;
}

/// Appends a time of both runs and its difference to a row; "-" for a run without this group.
void add_cells(const GroupTimes& group, double TimeSpent::*part, std::vector<std::string>& row) {
  const auto cell = [&](const std::optional<TimeSpent>& times) {
    return times ? fmt::format("{:.4g}", (*times).*part) : "-";
  };
  row.insert(row.end(), {cell(group.a), cell(group.b)});
  if (!group.a || !group.b) {
    row.push_back("-");
  } else if (nearly_equal((*group.a).*part, (*group.b).*part)) {
    row.push_back("0");
  } else {
    row.push_back(fmt::format("{:+.4g}", (*group.b).*part - (*group.a).*part));
  }
}

/// Returns by how many seconds the times of a group differ, in total.
double total_difference_s(const GroupTimes& group) {
  const TimeSpent a = group.a.value_or(TimeSpent{});
  const TimeSpent b = group.b.value_or(TimeSpent{});
  return std::abs(a.computing_s - b.computing_s) + std::abs(a.transferring_s - b.transferring_s) +
         std::abs(a.idle_s - b.idle_s);
}

std::string groups_table(const std::vector<GroupTimes>& groups) {
  constexpr std::size_t most_rows = 24;
  std::vector<const GroupTimes*> shown;
  for (const GroupTimes& group : groups) shown.push_back(&group);
  if (shown.size() > most_rows) {
    std::ranges::stable_sort(shown, std::greater<>(),
                             [](const GroupTimes* group) { return total_difference_s(*group); });
    shown.resize(most_rows);
  }
  std::vector<std::vector<std::string>> rows{
      {"", "computing (s)", "B", "B-A", "only transfers (s)", "B", "B-A", "idle (s)", "B", "B-A"}};
  for (const GroupTimes* group : shown) {
    rows.push_back({group->name});
    for (const auto part :
         {&TimeSpent::computing_s, &TimeSpent::transferring_s, &TimeSpent::idle_s}) {
      add_cells(*group, part, rows.back());
    }
  }
  std::string text = align(rows);
  if (shown.size() < groups.size()) {
    text += fmt::format("... and {} that differ less (--json lists all)\n",
                        groups.size() - shown.size());
  }
  return text;
}

nlohmann::ordered_json to_json(const std::optional<RunStep>& step) {
  if (!step) return nullptr;
  return {{"kind", step->kind},
          {"number", step->number},
          {"text", step->text},
          {"start_s", step->start_s},
          {"end_s", step->end_s}};
}

nlohmann::ordered_json to_json(const std::optional<StepPair>& pair) {
  if (!pair) return nullptr;
  return {{"a", to_json(pair->a)}, {"b", to_json(pair->b)}};
}

nlohmann::ordered_json to_json(const std::optional<TimeSpent>& times) {
  if (!times) return nullptr;
  return {{"computing_s", times->computing_s},
          {"transferring_s", times->transferring_s},
          {"idle_s", times->idle_s}};
}

}  // namespace

RunDifference find_run_difference(const Timeline& a, const Timeline& b) {
  RunDifference difference{.cases = case_differences(a, b)};
  RunSteps in_a(a);
  RunSteps in_b(b);
  for (; !in_a.at_end() && !in_b.at_end(); in_a.advance(), in_b.advance()) {
    if (in_a.text() != in_b.text()) break;
    const bool same = nearly_equal(in_a.slice().start_s, in_b.slice().start_s) &&
                      nearly_equal(in_a.slice().end_s, in_b.slice().end_s);
    if (!same && !difference.first_other_dates)
      difference.first_other_dates = StepPair{in_a.step(), in_b.step()};
  }
  if (!in_a.at_end() || !in_b.at_end())
    difference.first_other_step = StepPair{in_a.step(), in_b.step()};
  difference.groups = pair_group_times(a, b);
  return difference;
}

std::string to_table(const Timeline& a, const Timeline& b, const RunDifference& difference) {
  const auto run = [](const char* letter, const Timeline& timeline) {
    return fmt::format("{}: {}, {:.6g} s", letter, timeline.name, timeline.makespan_s);
  };
  const double more = b.makespan_s / a.makespan_s - 1;
  std::string text = run("A", a) + "\n" + run("B", b);
  if (nearly_equal(a.makespan_s, b.makespan_s)) {
    text += ", the same makespan\n";
  } else {
    text += fmt::format(", {:.2f}% {}\n", 100 * std::abs(more), more > 0 ? "longer" : "shorter");
  }
  for (const std::string& item : difference.cases) text += "A and B: " + item + "\n";
  return text + "\n" + first_differences_text(difference) +
         "\nWhere the time goes, in A, in B and between them:\n" + groups_table(difference.groups);
}

nlohmann::ordered_json to_json(const Timeline& a, const Timeline& b,
                               const RunDifference& difference) {
  const auto run = [](const Timeline& timeline) -> nlohmann::ordered_json {
    return {{"heuristic", timeline.name}, {"makespan_s", timeline.makespan_s}};
  };
  nlohmann::ordered_json json{{"schema_version", 1},
                              {"a", run(a)},
                              {"b", run(b)},
                              {"different", difference.cases},
                              {"first_other_dates", to_json(difference.first_other_dates)},
                              {"first_other_step", to_json(difference.first_other_step)},
                              {"groups", nlohmann::ordered_json::array()}};
  for (const GroupTimes& group : difference.groups) {
    json["groups"].push_back(
        {{"name", group.name}, {"a", to_json(group.a)}, {"b", to_json(group.b)}});
  }
  return json;
}

Timeline join_timelines(const Timeline& a, const Timeline& b) {
  Timeline both;
  both.name = a.name + " and " + b.name;
  both.port = a.port;
  both.makespan_s = std::max(a.makespan_s, b.makespan_s);
  if (a.bound_s && b.bound_s && nearly_equal(*a.bound_s, *b.bound_s)) both.bound_s = a.bound_s;
  for (const auto& [letter, run] : {std::pair("A", &a), std::pair("B", &b)}) {
    const std::size_t groups = both.groups.size();
    const std::size_t lanes = both.lanes.size();
    const std::size_t kinds = both.kinds.size();
    const std::size_t labels = both.labels.size();
    const std::size_t values = both.values.size();
    for (LaneGroup group : run->groups) {
      group.name = fmt::format("{} {}", letter, group.name);
      both.groups.push_back(std::move(group));
    }
    for (const Lane& lane : run->lanes) both.lanes.push_back({lane.name, lane.group + groups});
    both.kinds.insert(both.kinds.end(), run->kinds.begin(), run->kinds.end());
    both.labels.insert(both.labels.end(), run->labels.begin(), run->labels.end());
    both.values.insert(both.values.end(), run->values.begin(), run->values.end());
    for (Slice slice : run->slices) {
      slice.lane += lanes;
      if (slice.other_lane) *slice.other_lane += lanes;
      slice.kind += kinds;
      slice.label += labels;
      slice.first_value += values;
      both.slices.push_back(slice);
    }
  }
  return both;
}

}  // namespace starport
