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
  explicit ResultOutput(const CommandLine& line);

  /// Asks for what is shown: the figures of workers, and timelines, which it takes. It must outlive
  /// the options.
  void prepare(RunOptions& options);
  /// A line after the table, for people.
  void remark(const std::string& text) { remarks_ += text + "\n"; }

  /// Prints, and tells the exit status: success only if every row is complete and valid (an
  /// algorithm that does not apply is no failure unless none does).
  int finish(Comparison comparison);

 private:
  enum class Format { table, json, csv } format_ = Format::table;
  std::vector<std::string> command_;
  std::optional<OutputFile> trace_file_;
  std::optional<TraceExporter> exporter_;
  std::size_t slices_ = 0;  ///< in the trace
  ProgressLine progress_;
  std::string remarks_;
};

}  // namespace starport
