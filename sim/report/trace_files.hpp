// Trace files: timelines written as CSV or as Chrome trace events, and read back from CSV.
#pragma once

#include "sim/results/timeline.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace starport {

/// Prefix, in the column `kind` of CSV traces, of the category of slices (activities) that a
/// failure interrupted (SliceRole::lost): "lost update".
inline constexpr std::string_view kLost = "lost ";

/// Format in which a trace file lists the activities (slices) of runs with their dates: `csv`, a
/// table, or `chrome`, JSON for Perfetto and chrome://tracing.
enum class TraceFormat {
  csv,    ///< one row per slice, in seconds (columns: plots/README.md)
  chrome  ///< Chrome trace events, for Perfetto and chrome://tracing
};

/// Returns the trace format that belongs to the ending of a file name: TraceFormat::csv for .csv,
/// TraceFormat::chrome for .json. The ending must be in lower case. Throws InputError naming
/// --trace for any other ending.
TraceFormat trace_format(const std::string& path);

/// Formatter of the timelines of one or several runs as one trace file, which passes the text on at
/// once, in pieces, to the function (sink) given to the constructor, so that long traces need
/// little memory. Construct it, call add() for each timeline, then finish(), without which JSON is
/// incomplete. Keeps no reference to a timeline.
class TraceExporter {
 public:
  /// Function that receives the text of the trace file in consecutive pieces, each valid during the
  /// call only.
  using Sink = std::function<void(std::string_view)>;

  /// Passes the start of a trace file (the CSV header or the opening of the JSON object) to `sink`,
  /// which is copied, called by all functions of this object, and must not be empty. Exceptions of
  /// `sink` pass through; discard the object then.
  TraceExporter(TraceFormat format, Sink sink);
  /// Writes the slices (activities) and removals of a run's timeline to the sink, the function
  /// given to the constructor; each must have valid indices, also of a label (undefined behaviour
  /// otherwise). Timelines of one name cannot be told apart in CSV. A long timeline may come in
  /// pieces, one call per piece in order, with no other timeline in between; each piece must have
  /// Timeline::summary set. Not allowed after finish(). Exceptions of the sink pass through;
  /// discard the object then.
  void add(const Timeline& timeline);
  /// Writes the end of the trace file to the sink, the function given to the constructor; call it
  /// once, after the last add(). Without it, JSON is incomplete. CSV needs no end. Exceptions of
  /// the sink pass through.
  void finish();

 private:
  void add_csv(const Timeline& timeline);
  void add_chrome(const Timeline& timeline);
  void write_process_metadata(const Timeline& timeline);
  void write_event(const std::string& event);

  TraceFormat format_;
  Sink sink_;
  int process_ = 0;  ///< Chrome trace: one process per timeline
  bool first_ = true;
};

/// Level of detail at which read_trace() reads a trace file: `dates`, only what plots need, which
/// is faster, or `labels`, also a text for each activity.
enum class TraceDetail {
  dates,  ///< what plots show: lanes, kinds, dates and memory use of slices (activities); all share
          ///< one empty label
  labels  ///< also a label per slice: its arguments in words ("rows 1-8, columns 1-8"), else its
          ///< label in the file
};

/// Reads the timeline of one heuristic from the CSV trace at `path`; `heuristic` may be nullopt if
/// the file holds only one. Dates are in seconds. Groups of lanes are ordered by worker number,
/// after shared groups such as the port. Arguments of slices (activities) are not restored, only
/// labels (see TraceDetail). Throws InputError, naming the file, if it cannot be read, has more
/// than 1 GiB or has no rows; with the line if a column is missing, a row is wrong, slices of a
/// lane overlap by more than a relative 1e-9 or, in a trace with removals, a number of held blocks
/// does not follow from the transfers and removals before; and naming --heuristics if the choice is
/// missing or unknown.
Timeline read_trace(const std::string& path, const std::optional<std::string>& heuristic,
                    TraceDetail detail = TraceDetail::dates);
/// Returns the names of the runs (heuristics) in the CSV trace at `path`, each once, in the order
/// of their first rows. Throws InputError, naming the file, if it cannot be read, exceeds 1 GiB,
/// has no rows, lacks a column, or if a row has another number of fields than the header or a row
/// of the first run is wrong.
std::vector<std::string> read_trace_names(const std::string& path);

}  // namespace starport
