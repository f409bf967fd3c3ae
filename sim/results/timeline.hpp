// Timelines: the activities of a run as slices of time in named lanes, in the same form for all
// models. Charts and trace files are made from them.
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

/// The role of a slice in charts, which determines its colour.
enum class SliceRole : std::uint8_t {
  send_c,
  send_operands,
  send_all,  ///< C together with A or B
  return_c,
  compute,
  reduce,  ///< adds up partial results
  steal,
  lost,  ///< interrupted by a failure; its result is not used
  wait
};
inline constexpr std::array<std::string_view, 9> kSliceRoles{
    "send_c", "send_operands", "send_all", "return_c", "compute",
    "reduce", "steal",         "lost",     "wait"};
/// Returns the name of the role as in JSON.
inline std::string_view to_string(SliceRole role) {
  return kSliceRoles[static_cast<std::size_t>(role)];
}

/// The direction of a transfer as seen from the group of its lane; `none` for other slices.
enum class TransferDirection : std::uint8_t { none, to_group, from_group };

/// An argument of a kind of slice, such as the blocks of A that a transfer carries: an integer, or
/// with axes a box of index ranges, one per axis (rows and k). 0 and an empty box mean no value.
struct SliceArgument {
  std::string name;
  std::vector<std::string> axes;

  /// Returns the number of integers that store a value: 1, or for a box two per axis: the first
  /// index, from 0, and the index behind the last.
  std::size_t width() const { return axes.empty() ? 1 : 2 * axes.size(); }
};

/// A kind of slice of a model.
struct SliceKind {
  std::string name;  ///< name in legends, such as "C sent"
  std::string what;  ///< category in trace files: "transfer", "update", "task", "copy"
  SliceRole role;
  TransferDirection direction;
  std::vector<SliceArgument> arguments;

  /// Returns the number of integers that store the arguments of a slice.
  std::size_t width() const {
    std::size_t sum = 0;
    for (const SliceArgument& argument : arguments) sum += argument.width();
    return sum;
  }
};

/// Adjacent lanes under one name, such as the lanes of a worker.
struct LaneGroup {
  std::string name;  ///< name in charts, such as "P1"
  /// Number of the worker, from 1; none for shared groups such as a port.
  std::optional<std::int64_t> worker;
  std::optional<std::int64_t> memory_blocks;  ///< its memory capacity; none: not known
  /// Label of the time before a slice in which its lane does nothing, such as "port waits"; empty:
  /// shown as idle time.
  std::string wait_label;
};

/// A row of a chart, such as the link of a worker. Its slices do not overlap.
struct Lane {
  std::string name;       ///< name within the group, such as "link"
  std::size_t group = 0;  ///< index in Timeline::groups
};

/// The number of blocks in a group's memory from the start or from the end of a slice on.
struct MemoryLevel {
  enum class From : std::uint8_t { start, end } from;
  std::int64_t blocks;
};

/// An activity on one lane, or on two at once.
struct Slice {
  std::size_t lane = 0;                   ///< index in Timeline::lanes
  std::optional<std::size_t> other_lane;  ///< also occupied: a port, or the link of the other side
  std::size_t kind = 0;                   ///< index in Timeline::kinds
  std::size_t label = 0;                  ///< index in Timeline::labels
  double start_s = 0;
  double end_s = 0;
  std::optional<MemoryLevel> held;  ///< memory level that the slice changes; none: no change
  std::size_t first_value = 0;      ///< index in Timeline::values of its first argument
};

/// Facts about a whole timeline that is passed in several pieces; part of each piece.
struct TimelineSummary {
  bool first = false;               ///< this is the first piece
  double end_s = 0;                 ///< the latest date of all pieces
  std::vector<bool> groups_in_use;  ///< for each group whether any slice of any piece uses it
};

/// The timeline of a run, or a piece of it: all pieces have the same kinds, groups and
/// lanes, and each has slices of its own.
struct Timeline {
  std::string name;  ///< the algorithm
  std::string port;  ///< port of the platform, such as "one-port"
  std::vector<SliceKind> kinds;
  std::vector<LaneGroup> groups;  ///< groups from top to bottom
  std::vector<Lane> lanes;        ///< all lanes: group by group, from top to bottom
  std::vector<std::string> labels;
  std::vector<Slice> slices;         ///< the slices of each lane are in increasing order of dates
  std::vector<std::int64_t> values;  ///< argument values of all slices
  double makespan_s = 0;
  std::optional<double> bound_s;                ///< the largest lower bound that holds for the run
  std::optional<TimelineSummary> summary = {};  ///< set only in the pieces of a long timeline

  const SliceKind& kind_of(const Slice& slice) const { return kinds[slice.kind]; }
  const LaneGroup& group_of(std::size_t lane) const { return groups[lanes[lane].group]; }
  /// Returns the stored integers of a slice's arguments, in the order of SliceKind::arguments.
  std::span<const std::int64_t> values_of(const Slice& slice) const {
    return std::span(values).subspan(slice.first_value, kind_of(slice).width());
  }
  /// Returns for each group the indices of its lanes; none for a group without any slice.
  std::vector<std::vector<std::size_t>> lanes_in_use() const;
  /// Returns the latest date of the timeline, over all its pieces.
  double end_s() const;
};

/// Returns the timeline with the groups of workers renamed to `names`.
Timeline with_worker_names(Timeline timeline, const WorkerNames& names);

/// The value of one argument of a slice. It refers to the timeline, which must outlive it.
struct ArgumentValue {
  const SliceArgument& argument;
  std::span<const std::int64_t> integers;

  /// Returns the integer, or the number of index tuples in the box.
  std::int64_t size() const;
};
/// Calls `visit` with an ArgumentValue for each argument of the slice, in order.
template <class Visit>
void visit_arguments(const Timeline& timeline, const Slice& slice, Visit&& visit) {
  std::span<const std::int64_t> rest = timeline.values_of(slice);
  for (const SliceArgument& argument : timeline.kind_of(slice).arguments) {
    visit(ArgumentValue{argument, rest.first(argument.width())});
    rest = rest.subspan(argument.width());
  }
}
/// Returns the arguments that have a value as text, such as "A rows 1-3, k 5; update 2". Indices
/// count from 1.
std::string format_arguments(const Timeline& timeline, const Slice& slice);
/// Returns the arguments of the slice as text, or its label when none has a value.
std::string format_slice(const Timeline& timeline, const Slice& slice);

}  // namespace starport
