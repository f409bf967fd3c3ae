// Output of a comparison in the format of --json, --csv, --trace, or as a table.
#pragma once

#include "sim/app/command_line.hpp"
#include "sim/files/output.hpp"
#include "sim/process/progress.hpp"
#include "sim/report/trace_files.hpp"
#include "sim/results/comparison.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace starport {

/// Output of one command: writes its results on stdout, as a table or in the format of --json or
/// --csv, and with --trace also the timelines of the runs (their dated transfers and computations)
/// to a file. Construct it, call prepare(), run the algorithms, then finish(), without which
/// nothing is printed and no trace file appears. It must stay at its address from construction on,
/// since callbacks refer to it (neither copyable nor movable).
class ResultOutput {
 public:
  /// Reads --json, --csv and --trace from a parsed command line, and opens the trace file and
  /// writes its start. Throws InputError if both --json and --csv are given, or if the trace file
  /// does not end in .csv or .json, cannot be written, or is an input file. The command line need
  /// not outlive it.
  explicit ResultOutput(const CommandLine& line);

  /// Sets in `options` worker_figures (false with --csv, else true) and, with --trace, on_timeline
  /// (replacing another callback), which writes the timelines of the runs to the trace file, and
  /// max_slices (65,536 activities), at which a timeline is split. The callback refers to this
  /// object, which must outlive all runs with `options`. If the file cannot be written, the runs go
  /// on, and finish() throws the InputError.
  void prepare(RunOptions& options);
  /// Adds a line (without its newline) that finish() prints after the table of results; with --json
  /// and --csv it is ignored. Call it before finish().
  void remark(const std::string& text) { remarks_ += text + "\n"; }

  /// Prints the results of the runs, `comparison`, on stdout, then completes the trace file and
  /// returns the exit status: kSuccess (0) if no run has failed (runs of algorithms that are not
  /// applicable do not count) and at least one is complete, else kFailedSimulation (1). Call it
  /// once, after all runs. Throws InputError if the trace file or stdout cannot be written; a
  /// reader that has closed its pipe is no error.
  int finish(Comparison comparison);

 private:
  enum class Format { table, json, csv } format_ = Format::table;
  std::vector<std::string> command_;
  std::optional<OutputFile> trace_file_;
  std::optional<TraceExporter> exporter_;
  std::size_t slices_ = 0;  ///< number of transfers and updates written to the trace
  ProgressLine progress_;
  std::string remarks_;
};

}  // namespace starport
