// From results to the output asked for on the command line.
#pragma once

#include "sim/cli/command.hpp"
#include "sim/files/output.hpp"
#include "sim/report/trace_export.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/study/comparison.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starport {

/// Used by the commands with --json, --csv and --trace.
class ResultOutput {
 public:
  ResultOutput(const CommandLine& line, const Instance& instance, const Engine& engine,
               const Noise& noise = {});

  void add(std::vector<Result> results) { comparison_.results = std::move(results); }
  /// Exports a trace when --trace was given.
  void trace(const std::string& heuristic, const Trace& trace);
  /// A line after the table, for people.
  void remark(const std::string& text) { remarks_ += text + "\n"; }
  const Comparison& comparison() const { return comparison_; }

  /// Prints, and tells the exit status: success only if every row is complete and valid (a
  /// heuristic that does not apply is no failure unless none does).
  int finish();

 private:
  Comparison comparison_;
  enum class Format { table, json, csv } format_ = Format::table;
  std::optional<OutputFile> trace_file_;
  std::optional<TraceExporter> exporter_;
  std::string remarks_;
};

}  // namespace starport
