// What happened during a run, as charts and trace files show it: slices of time in named lanes. No
// model in it.
#pragma once

#include "sim/platform/worker_names.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// What a slice is to whoever looks at a chart: it gives the colour.
enum class SliceRole : std::uint8_t {
  send_c,
  send_operands,
  send_all,  ///< C with A or B
  return_c,
  compute,
  reduce,  ///< partial results, added up
  steal,
  lost,  ///< cut off, and of no use
  wait
};
inline constexpr std::array<std::string_view, 9> kSliceRoles{
    "send_c", "send_operands", "send_all", "return_c", "compute",
    "reduce", "steal",         "lost",     "wait"};
inline std::string_view to_string(SliceRole role) {
  return kSliceRoles[static_cast<std::size_t>(role)];
}

/// Which way a transfer goes, as the group of its lane sees it.
enum class Way : std::uint8_t { none, to_group, from_group };

/// What a slice tells beside its dates: an integer, or where it has axes a box of index ranges,
/// such as the blocks of A that a transfer carries, by rows and k. 0 and an empty box tell nothing.
struct SliceArgument {
  std::string name;
  std::vector<std::string> axes;

  /// How many integers it takes: one, else begin and end (behind the last) of each range, from 0.
  std::size_t width() const { return axes.empty() ? 1 : 2 * axes.size(); }
};

/// One of the kinds of slice that a model knows.
struct SliceKind {
  std::string name;  ///< in legends: "C sent"
  std::string what;  ///< "transfer", "update", ...
  SliceRole role;
  Way way;
  std::vector<SliceArgument> arguments;

  std::size_t width() const {
    std::size_t sum = 0;
    for (const SliceArgument& argument : arguments) sum += argument.width();
    return sum;
  }
};

/// Lanes that stand together under one name, such as those of a worker.
struct LaneGroup {
  std::string name;                           ///< "P1"
  std::optional<std::int64_t> worker;         ///< its number, from 1; none: shared, as a port is
  std::optional<std::int64_t> memory_blocks;  ///< that it has
  /// What the time before a slice of its lanes is called when nothing goes on there: "port waits".
  /// Empty: idle time.
  std::string waits;
};

/// At most one slice at a time.
struct Lane {
  std::string name;  ///< within its group: "link"
  std::size_t group = 0;
};

/// From the start or from the end of a slice on, this much of the group's memory is taken.
struct HeldMemory {
  enum class From : std::uint8_t { start, end } from;
  std::int64_t blocks;
};

struct Slice {
  std::size_t lane = 0;
  std::optional<std::size_t> other_lane;  ///< taken at the same time: a port, the other side's link
  std::size_t kind = 0;
  std::size_t label = 0;  ///< what it carries or does
  double start_s = 0;
  double end_s = 0;
  std::optional<HeldMemory> held;
  std::size_t first_value = 0;  ///< of its arguments
};

/// What a piece of a long timeline says of all its pieces, which follow each other.
struct TimelineWhole {
  bool first = false;               ///< this is the first of them
  double end_s = 0;                 ///< the last date of all
  std::vector<bool> groups_in_use;  ///< which take part in any slice
};

struct Timeline {
  std::string name;  ///< who made the schedule
  std::string port;  ///< the platform's: "one-port", ...
  std::vector<SliceKind> kinds;
  std::vector<LaneGroup> groups;  ///< from the top
  std::vector<Lane> lanes;        ///< those of a group from its top
  std::vector<std::string> labels;
  std::vector<Slice> slices;  ///< those of a lane in the order of their dates
  std::vector<std::int64_t> values;
  double makespan_s = 0;
  std::optional<double> bound_s;            ///< the tightest bound that holds for the run
  std::optional<TimelineWhole> whole = {};  ///< where this is a piece

  const SliceKind& kind_of(const Slice& slice) const { return kinds[slice.kind]; }
  const LaneGroup& group_of(std::size_t lane) const { return groups[lanes[lane].group]; }
  /// The integers of its arguments, in their order.
  std::span<const std::int64_t> values_of(const Slice& slice) const {
    return std::span(values).subspan(slice.first_value, kind_of(slice).width());
  }
  /// The lanes of the groups that take part in any slice, in the order of the groups.
  std::vector<std::vector<std::size_t>> lanes_in_use() const;
  double end_s() const;  ///< the last date of all
};

/// The same with the groups of workers called by their names.
Timeline with_names(Timeline timeline, const WorkerNames& names);

/// The integers of one argument of a slice.
struct ArgumentValue {
  const SliceArgument& argument;
  std::span<const std::int64_t> integers;

  std::int64_t size() const;  ///< the integer, or how many indices the box has
};
/// Those of a slice, in their order.
template <class Visit>
void visit_arguments(const Timeline& timeline, const Slice& slice, Visit&& visit) {
  std::span<const std::int64_t> rest = timeline.values_of(slice);
  for (const SliceArgument& argument : timeline.kind_of(slice).arguments) {
    visit(ArgumentValue{argument, rest.first(argument.width())});
    rest = rest.subspan(argument.width());
  }
}
/// Those that tell something, "A rows 1-3, k 5; update 2": ranges count from 1.
std::string arguments_text(const Timeline& timeline, const Slice& slice);
/// The same; else what the slice is labelled.
std::string slice_text(const Timeline& timeline, const Slice& slice);

}  // namespace starport
