// Timelines: the activities of a run as slices of time in named lanes, in the same form for all
// models. Charts and trace files are made from them.
#pragma once

#include "sim/platform/platform.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// The role of a slice (an activity, see Slice) in charts, which determines its colour. A, B and C
/// are the matrices of the product C += A B.
enum class SliceRole : std::uint8_t {
  send_c,         ///< transfer of C to a worker
  send_operands,  ///< transfer of A or B to a worker
  send_all,       ///< transfer of C together with A or B
  return_c,       ///< transfer of C to the master
  compute,
  reduce,  ///< adds up partial results; for two processors, computes what needs no message
  steal,   ///< computes a task that was stored for another worker
  lost,    ///< interrupted by a failure; its result is not used
  wait,    ///< idle time with a label (LaneGroup::wait_label), not a slice
  remove   ///< an instant at which a memory loses a block (Timeline::removals); not drawn in lanes
};
/// Names, in JSON output and trace files, of the roles of slices (activities), in the order of
/// SliceRole: transfer of C, of A or B, or of C with A or B to a worker; return of C; computation;
/// sum of partial results (two processors: computation without messages); computation of a task
/// stored for another worker; activity lost by a failure; labelled idle time; removal from a
/// memory.
inline constexpr std::array<std::string_view, 10> kSliceRoles{
    "send_c", "send_operands", "send_all", "return_c", "compute",
    "reduce", "steal",         "lost",     "wait",     "remove"};
/// Returns the name of the role of a slice (activity) in JSON output and trace files, such as
/// "send_c" for SliceRole::send_c; a string literal.
inline std::string_view to_string(SliceRole role) {
  return kSliceRoles[static_cast<std::size_t>(role)];
}

/// The direction of a transfer as seen from the lane group (rows of a chart, usually a worker) that
/// it is drawn in; `none` for activities that are no transfers or have no direction of their own.
enum class TransferDirection : std::uint8_t { none, to_group, from_group };

/// The declaration of an argument that slices (activities) of one kind have, such as the blocks of
/// A that a transfer carries. A value is an integer, or, if there are axes, a box: one half-open
/// range of indices per axis. 0 and an empty box mean that a slice has no value for the argument.
struct SliceArgument {
  /// Name of the argument in texts about a slice (activity), such as "A" or "update".
  std::string name;
  /// Names of the axes if the argument is a box (a range of indices per axis), such as {"rows",
  /// "k"}; empty for an integer.
  std::vector<std::string> axes;

  /// Returns how many elements of Timeline::values store one value of the argument: 1 for an
  /// integer; for a box two per axis, the first index (from 0) and the index behind the last.
  std::size_t width() const { return axes.empty() ? 1 : 2 * axes.size(); }
};

/// Properties common to all slices (activities) of one kind, such as sending blocks of C: name,
/// category, colour (role), direction and arguments. An element of Timeline::kinds.
struct SliceKind {
  /// Name of the kind of activity in legends of charts, such as "C sent".
  std::string name;
  /// Category of the activity: "transfer", "update" (a computation) or, if the role is
  /// SliceRole::remove, "removal". CSV traces have "lost " before it if the role is
  /// SliceRole::lost.
  std::string what;
  /// Role of the activities in charts, which determines their colour.
  SliceRole role;
  /// Direction of transfers, seen from the lane group (usually a worker) that they are drawn in;
  /// `none` for other activities and for transfers without a direction of their own.
  TransferDirection direction;
  /// Arguments that every slice (activity) of this kind stores; may be empty.
  std::vector<SliceArgument> arguments;

  /// Returns how many elements of Timeline::values store the arguments of one slice (activity) of
  /// this kind: the sum of their widths.
  std::size_t width() const {
    std::size_t sum = 0;
    for (const SliceArgument& argument : arguments) sum += argument.width();
    return sum;
  }
};

/// A group of adjacent lanes (rows of a chart) that belong together, such as link and computation
/// of one worker: its name, the worker and its memory. An element of Timeline::groups.
struct LaneGroup {
  /// Name of the group in charts, such as "P1" for a worker.
  std::string name;
  /// Number of the worker whose lanes these are, from 1; nullopt for shared groups such as the
  /// master's port.
  std::optional<std::int64_t> worker;
  /// Memory capacity of the worker in matrix blocks; nullopt when not known or not limited.
  std::optional<std::int64_t> memory_blocks;
  /// Label of the time before a slice (activity) in which its lane (row of the chart) does nothing,
  /// such as "port waits"; empty: shown as idle time.
  std::string wait_label;
};

/// A row of a chart, such as the link of a worker: a resource that does one activity at a time, so
/// that its slices do not overlap. Holds its name and its group; an element of Timeline::lanes.
struct Lane {
  /// Name of the lane within its group, such as "link".
  std::string name;
  /// Index in Timeline::groups of the group that the lane belongs to, from 0.
  std::size_t group = 0;
};

/// A change of the memory use of a lane group (a worker), caused by a slice (an activity): from the
/// start or from the end of the slice on, the memory of the group of Slice::lane holds `blocks`
/// blocks.
struct MemoryLevel {
  /// Date from which the change of the memory use counts: `start`, the start of the slice
  /// (activity) that causes it, or `end`, its end.
  enum class From : std::uint8_t { start, end } from;
  /// Number of blocks of all matrices that the worker holds from then on (not a difference).
  std::int64_t blocks;
};

/// An activity of a run, such as a transfer or a task, that occupies one lane or two at once from
/// one date to another. Refers by index to the lists of the Timeline that contains it.
struct Slice {
  /// Index in Timeline::lanes of the lane (row of the chart) that the activity occupies, from 0.
  std::size_t lane = 0;
  /// Index in Timeline::lanes of a second lane (row of the chart) that the activity occupies, such
  /// as the port or the link of the other side of a transfer; nullopt: none.
  std::optional<std::size_t> other_lane;
  /// Index of the kind of activity in Timeline::kinds, from 0.
  std::size_t kind = 0;
  /// Index of the slice's text in Timeline::labels, from 0.
  std::size_t label = 0;
  /// Start date in simulated seconds since the start of the run.
  double start_s = 0;
  /// End date in simulated seconds since the start of the run.
  double end_s = 0;
  /// Number of blocks in the memory of the group (worker) of `lane` from the start or end of the
  /// slice on; nullopt: unchanged, or not known.
  std::optional<MemoryLevel> held;
  /// Index in Timeline::values of the first integer of the slice's arguments, from 0; unused
  /// without arguments.
  std::size_t first_value = 0;
};

/// Facts about a whole timeline, held by each of the pieces in which it is passed
/// (Timeline::summary): latest end, and lane groups in use. The copies of all pieces are equal but
/// for `first`.
struct TimelineSummary {
  /// True in the first of the pieces in which the timeline is passed, false in all others.
  bool first = false;
  /// Latest end of a slice (activity) in all pieces of the timeline, in simulated seconds.
  double end_s = 0;
  /// One element per lane group (worker or port), in the order of Timeline::groups: true if a slice
  /// (activity) of any piece of the timeline uses a lane of the group.
  std::vector<bool> groups_in_use;
};

/// The timeline of a run: its activities (slices) on the lanes of a chart. Made by the model that
/// simulated the run (RunOptions::on_timeline) or by read_trace(); owns all its parts, which refer
/// to each other by index. A long timeline may come in pieces; all pieces have the same kinds,
/// groups and lanes, and each has slices of its own.
struct Timeline {
  /// Name of the algorithm that was run (NamedAlgorithm::name).
  std::string name;
  /// Kind of port of the platform's master: "one-port", "two-port" or "multi-port"; always
  /// "multi-port" in the tiles model. For distributed products (model spmd), what connects the
  /// workers: "switch", or "link" for a product on two processors.
  std::string port;
  /// Kinds of activities, to which Slice::kind refers.
  std::vector<SliceKind> kinds;
  /// Groups of lanes (a worker, or the port), from the top of the chart to its bottom.
  std::vector<LaneGroup> groups;
  /// Lanes (rows of the chart) of all groups: those of each group from top to bottom, but not
  /// necessarily one after another.
  std::vector<Lane> lanes;
  /// Texts that describe slices (activities), to which Slice::label refers.
  std::vector<std::string> labels;
  /// Activities of the run, in increasing order of dates within each lane, but not always overall.
  std::vector<Slice> slices;
  /// Values of the arguments of all slices (activities), to which Slice::first_value refers.
  std::vector<std::int64_t> values;
  /// Removals of blocks from memories, such as evictions, in increasing order of dates, each as a
  /// slice without duration (of a kind with the role SliceRole::remove) in a lane of the group
  /// whose memory it is. Only models that report all of them have any.
  std::vector<Slice> removals = {};
  /// Makespan of the run in simulated seconds, of the whole run also in a piece of a timeline.
  double makespan_s = 0;
  /// Largest known lower bound on the makespan that holds for the run, in simulated seconds;
  /// nullopt: none.
  std::optional<double> bound_s;
  /// Facts about all pieces together, set by a model that may pass a long timeline in several
  /// pieces, one after the other, also if this piece is the only one. nullopt: the timeline is
  /// whole.
  std::optional<TimelineSummary> summary = {};

  /// Returns the kind of activity of a slice of this timeline (of another one: undefined
  /// behaviour); a reference into `kinds`.
  const SliceKind& kind_of(const Slice& slice) const { return kinds[slice.kind]; }
  /// Returns the group (worker or port) of the lane with this index in `lanes` (from 0), which must
  /// be less than lanes.size() (not checked: undefined behaviour); a reference into `groups`.
  const LaneGroup& group_of(std::size_t lane) const { return groups[lanes[lane].group]; }
  /// Returns the integers that store the arguments of a slice of this timeline (of another one:
  /// undefined behaviour), in the order of SliceKind::arguments: one per integer argument, two per
  /// axis of a box (first index from 0, end index). A view into `values`.
  std::span<const std::int64_t> values_of(const Slice& slice) const {
    return std::span(values).subspan(slice.first_value, kind_of(slice).width());
  }
  /// Returns one list per group (worker or port), in the order of `groups`, with the ascending
  /// indices of its lanes in `lanes`; an empty list for a group that no slice (activity) uses. If
  /// this is one piece of a timeline that is passed in several (`summary` is set), slices of all
  /// pieces count.
  std::vector<std::vector<std::size_t>> lanes_in_use() const;
  /// Returns the latest end of the timeline's slices (activities), in simulated seconds; 0 without
  /// slices. If this is one piece of a timeline that is passed in several (`summary` is set), the
  /// result is the latest end in all pieces, not only in this one.
  double end_s() const;
};

/// Returns the timeline with each group of lanes of a worker renamed to the name of that worker in
/// `names`, which is "P" and its number from 1 for workers without a name. Other groups keep their
/// names.
Timeline with_worker_names(Timeline timeline, const WorkerNames& names);

/// Calls `visit` with the slices (activities) of a timeline in the order of Timeline::slices, and
/// with each removal before the first slice that starts at its date or later (after the last slice
/// if there is none). All dates are thus in increasing order if those of the slices are; of equal
/// dates removals come first, since they make room.
template <class Visit>
void visit_by_date(const Timeline& timeline, const Visit& visit) {
  auto removal = timeline.removals.begin();
  for (const Slice& slice : timeline.slices) {
    for (; removal != timeline.removals.end() && removal->start_s <= slice.start_s; ++removal)
      visit(*removal);
    visit(slice);
  }
  for (; removal != timeline.removals.end(); ++removal) visit(*removal);
}

/// The value of one argument of a slice (an activity), such as the blocks of A that a transfer
/// carries, with the argument's declaration. A view into a timeline, which must outlive it and not
/// change.
struct ArgumentValue {
  /// Declaration of the argument, its name and axes: a reference into the timeline.
  const SliceArgument& argument;
  /// The stored value, a view into Timeline::values: one integer, or per axis the first index (from
  /// 0) and the index behind the last.
  std::span<const std::int64_t> integers;

  /// Returns the integer itself, or for a box (a range of indices per axis) the number of its
  /// elements. 0 means that the slice has no value for the argument.
  std::int64_t size() const;
};
/// Calls `visit(ArgumentValue)` for each argument of a slice (an activity) of `timeline`, in the
/// order of SliceKind::arguments, including those without a value.
template <class Visit>
void visit_arguments(const Timeline& timeline, const Slice& slice, Visit&& visit) {
  std::span<const std::int64_t> rest = timeline.values_of(slice);
  for (const SliceArgument& argument : timeline.kind_of(slice).arguments) {
    visit(ArgumentValue{argument, rest.first(argument.width())});
    rest = rest.subspan(argument.width());
  }
}
/// Returns the arguments of a slice (an activity) of `timeline` that have a value as one line of
/// text, such as "A rows 1-3, k 5; update 2", or "" when none has. Indices of ranges, stored from
/// 0, count from 1 in the text, and ranges include their end; integers are as stored.
std::string format_arguments(const Timeline& timeline, const Slice& slice);
/// Returns a text that describes a slice (an activity) of `timeline`: its arguments, such as "A
/// rows 1-3, k 5; update 2" (indices from 1), or its label when no argument has a value.
std::string format_slice(const Timeline& timeline, const Slice& slice);

}  // namespace starport
