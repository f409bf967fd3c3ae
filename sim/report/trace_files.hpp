// Timelines as files: for other programs, and read back from the CSV that --trace writes.
#pragma once

#include "sim/results/timeline.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace starport {

/// Before the kind of what is lost.
inline constexpr std::string_view kLost = "lost ";

enum class TraceFormat {
  csv,    ///< one row per slice, SI seconds (plots/README.md)
  chrome  ///< Chrome trace events, for Perfetto and chrome://tracing
};

/// By the extension of the file: .csv or .json. Throws InputError naming --trace.
TraceFormat trace_format(const std::string& path);

/// Writes one or several timelines, of whatever models, one after the other, as pieces of text.
class TraceExporter {
 public:
  using Sink = std::function<void(std::string_view)>;

  TraceExporter(TraceFormat format, Sink sink);
  /// Whole, or its next piece.
  void add(const Timeline& timeline);
  void finish();

 private:
  void add_csv(const Timeline& timeline);
  void add_chrome(const Timeline& timeline);
  void begin_process(const Timeline& timeline);
  void chrome_event(const std::string& event);

  TraceFormat format_;
  Sink sink_;
  int process_ = 0;  ///< Chrome trace: one process per timeline
  bool first_ = true;
};

/// Reads the rows of one heuristic; it may be left open when the file holds a single one. Groups
/// are ordered by their worker, after those that are shared; the lanes of a group as they come.
/// What no figure needs is left out: labels and arguments; or a slice's label is what its arguments
/// tell, in words. Rows are checked: the slices of a lane follow each other. Throws InputError that
/// names the file and the line.
Timeline read_trace(const std::string& path, const std::optional<std::string>& heuristic,
                    bool with_details = false);
inline constexpr bool kWithDetails = true;

}  // namespace starport
