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

/// Writes the results of one command in the format that its options ask for.
class ResultOutput {
 public:
  /// Reads --json, --csv and --trace, and opens the trace file. Throws InputError if both formats
  /// are given, or the trace file does not end in .csv or .json or cannot be written.
  explicit ResultOutput(const CommandLine& line);

  /// Sets in `options` which figures the runs must compute, and a callback that writes their
  /// traces. The callback refers to this object, which must outlive `options`.
  void prepare(RunOptions& options);
  /// Adds a line to print after the table; --json and --csv ignore it.
  void remark(const std::string& text) { remarks_ += text + "\n"; }

  /// Prints the results, closes the trace file and returns the exit status: kSuccess if no row has
  /// failed and at least one algorithm applies, else kFailedSimulation. Call it once.
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
