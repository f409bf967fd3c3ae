// Traces as files for other programs.
#pragma once

#include "sim/model/trace.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace starport {

enum class TraceFormat {
  csv,    ///< one row per transfer or update, SI seconds
  chrome  ///< Chrome trace events, for Perfetto and chrome://tracing
};

/// By the extension of the file: .csv or .json. Throws InputError naming --trace.
TraceFormat trace_format(const std::string& path);

/// Writes the traces of one or several heuristics, one after the other, as pieces of text.
class TraceExporter {
 public:
  using Sink = std::function<void(std::string_view)>;

  TraceExporter(TraceFormat format, Sink sink);
  void add(const std::string& heuristic, const Platform& platform, const Trace& trace);
  void finish();

 private:
  void add_csv(const std::string& heuristic, const Trace& trace);
  void add_chrome(const std::string& heuristic, const Platform& platform, const Trace& trace);
  void chrome_event(const std::string& event);

  TraceFormat format_;
  Sink sink_;
  int process_ = 0;  ///< Chrome trace: one process per heuristic
  bool first_ = true;
};

}  // namespace starport
