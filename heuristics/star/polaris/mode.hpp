// Modes: how a worker computes its rectangle of C (heuristics/star/polaris/README.md, "Modes").
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <cstdint>

namespace starport::polaris {

/// A way to compute a rectangle of H rows and V columns of C, band of rows by band of rows. If
/// `transposed` is set, the worker computes C^T += B^T A^T, which exchanges H with V and A with B.
struct Mode {
  enum class Kind {
    none,         ///< impossible with the worker's memory
    a_resident,   ///< the band's part of A stays; columns of C come and go
    c_stationary  ///< `window` columns of C stay; A and B stream past, k cyclic
  };
  Kind kind = Kind::none;
  bool transposed = false;
  std::int64_t height = 0;               ///< rows of a band
  std::int64_t window = 0;               ///< c_stationary: columns of C in memory at a time
  std::int64_t retained = 0;             ///< c_stationary: columns of A that stay from pass to pass
  std::int64_t pieces = 1;               ///< c_stationary: messages per row of B
  std::int64_t max_update = kMaxBlocks;  ///< maximum blocks of C per update
  std::int64_t messages = 0;             ///< approximate number of messages
  double blocks = 0;                     ///< traffic in both directions
};

/// Restrictions on the modes that find_cheapest_mode() considers.
struct ModeOptions {
  bool resident = true;      ///< consider a_resident; otherwise only c_stationary
  bool exchanged = true;     ///< consider transposed modes
  bool cut_messages = true;  ///< c_stationary: split a row of B into several messages
  bool prefetch = true;      ///< c_stationary: reserve memory for the next message
};

/// Returns the time per block update, in seconds, for updates of the typical size of the mode: a
/// column of a band, or the part of the window's row that one message updates.
double typical_update_s(const Worker& worker, const Mode& mode);

/// Returns the mode with the least port time for a rectangle of rows x columns blocks of C. If the
/// worker's speed depends on the size of updates, minimises the sum of port time and computation.
/// Its kind is `none` if no mode fits into the worker's memory.
Mode find_cheapest_mode(const Worker& worker, const Problem& problem, std::int64_t rows,
                        std::int64_t columns, const ModeOptions& options);

}  // namespace starport::polaris
