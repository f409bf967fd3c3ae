// Trace files: timelines written as CSV or as Chrome trace events, and read back from CSV.
#pragma once

#include "sim/results/timeline.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace starport {

/// Prefix of the column `kind` for slices of lost work: "lost update".
inline constexpr std::string_view kLost = "lost ";

/// The formats of trace files.
enum class TraceFormat {
  csv,    ///< one row per slice, in seconds (columns: plots/README.md)
  chrome  ///< Chrome trace events, for Perfetto and chrome://tracing
};

/// Returns the format of a file name: .csv or .json. Throws InputError naming --trace for others.
TraceFormat trace_format(const std::string& path);

/// Writes timelines of any model to a trace file, one after the other.
class TraceExporter {
 public:
  /// Receives the file's text, piece by piece.
  using Sink = std::function<void(std::string_view)>;

  /// Writes the start of the file.
  TraceExporter(TraceFormat format, Sink sink);
  /// Writes a timeline, or the next piece of a long one.
  void add(const Timeline& timeline);
  /// Writes the end of the file; without it, JSON is incomplete.
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

/// The amount of a trace that read_trace() reads.
enum class TraceDetail {
  dates,  ///< what figures show: lanes, kinds, dates, memory; labels stay empty
  labels  ///< also a label per slice: its arguments in words ("rows 1-8, columns 1-8"), else its
          ///< label in the file
};

/// Reads the timeline of one heuristic from a CSV trace; `heuristic` may be nullopt if the file
/// holds only one. Groups are ordered by worker number, after shared groups such as the port.
/// Throws InputError naming the file and the line if a row is wrong or slices of a lane overlap,
/// and naming --heuristics if the choice is missing or unknown.
Timeline read_trace(const std::string& path, const std::optional<std::string>& heuristic,
                    TraceDetail detail = TraceDetail::dates);

}  // namespace starport
