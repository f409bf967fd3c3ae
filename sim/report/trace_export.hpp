// Traces as files for other programs.
#pragma once

#include "sim/star/trace.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// Before the kind of what the stop of a worker cuts off.
inline constexpr std::string_view kLost = "lost ";

enum class TraceFormat {
  csv,    ///< one row per transfer or update, SI seconds
  chrome  ///< Chrome trace events, for Perfetto and chrome://tracing
};

/// By the extension of the file: .csv or .json. Throws InputError naming --trace.
TraceFormat trace_format(const std::string& path);

/// A trace, and what is told with it.
struct TracedRun {
  std::string heuristic;
  const Platform& platform;
  const Trace& trace;
  const std::vector<HeldBlocks>& held;  ///< for each transfer of the trace
  /// The least makespan at the steady-state rate, r s t / rho; nullopt when no worker is usable at
  /// that rate.
  std::optional<double> bound_s;
};

/// Writes the traces of one or several heuristics, one after the other, as pieces of text.
class TraceExporter {
 public:
  using Sink = std::function<void(std::string_view)>;

  TraceExporter(TraceFormat format, Sink sink);
  void add(const TracedRun& run);
  void finish();

 private:
  void add_csv(const TracedRun& run);
  void add_chrome(const TracedRun& run);
  void chrome_event(const std::string& event);

  TraceFormat format_;
  Sink sink_;
  int process_ = 0;  ///< Chrome trace: one process per heuristic
  bool first_ = true;
};

}  // namespace starport
