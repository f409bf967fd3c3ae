// Traces read back from the CSV files that --trace writes.
#pragma once

#include "sim/platform/port.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// One row of a trace file.
struct TraceRow {
  std::int64_t worker;  ///< from 1
  enum class Kind : std::uint8_t { to_worker, to_master, update } kind;
  double start_s;
  double end_s;
  std::int64_t ab_blocks;  ///< carried, of A and of B
  std::int64_t c_blocks;
  std::int64_t held_blocks;  ///< README, "Results"
};

/// What a trace file holds about one heuristic.
struct TraceFile {
  std::string heuristic;
  std::vector<TraceRow> rows;
  std::map<std::int64_t, std::int64_t> m_blocks;  ///< by worker: those that take part
  std::optional<double> bound_s;
  Port::Kind port = Port::Kind::one;

  double makespan_s = 0;  ///< the end of the last return
  double end_s = 0;       ///< the last date of all
};

/// Reads the rows of one heuristic; it may be left open when the file holds a single one. Rows are
/// checked: the transfers follow each other on their port and on their worker, and each worker's
/// updates too. Throws InputError that names the file and the line.
TraceFile read_trace(const std::string& path, const std::optional<std::string>& heuristic);

}  // namespace starport
