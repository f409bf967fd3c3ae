// Modes: how a worker computes its rectangle of C (heuristics/star/polaris/README.md, "Modes").
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <cstdint>

namespace starport::polaris {

/// A way in which a worker computes its rectangle of H rows and V columns of blocks of C, one band
/// of rows after the other: which matrix stays in its memory, and the sizes of its messages. If
/// `transposed` is set, the worker computes C^T += B^T A^T, which exchanges H with V and A with B.
struct Mode {
  /// The matrix that stays in the worker's memory. `none`: no mode, the rectangle does not fit;
  /// `a_resident`: the blocks of A for the band stay, and columns of C come and go; `c_stationary`:
  /// `window` columns of C stay, and A and B stream past, k cyclic.
  enum class Kind {
    none,         ///< impossible with the worker's memory
    a_resident,   ///< the band's part of A stays; columns of C come and go
    c_stationary  ///< `window` columns of C stay; A and B stream past, k cyclic
  };
  /// The matrix that stays in the worker's memory; `none` if no mode fits, in which case the other
  /// members mean nothing.
  Kind kind = Kind::none;
  /// True to exchange rows with columns and A with B in all that follows.
  bool transposed = false;
  /// Number of block rows of a band; the last band may have fewer.
  std::int64_t height = 0;
  /// Only for c_stationary: number of block columns of C in memory at a time.
  std::int64_t window = 0;
  /// Only for c_stationary: number of columns of A (values of k) that stay in memory from one pass
  /// over A to the next.
  std::int64_t retained = 0;
  /// Only for c_stationary: number of messages into which a row of B is split.
  std::int64_t pieces = 1;
  /// Largest number of blocks of C that one update may cover.
  std::int64_t max_update = kMaxBlocks;
  /// Approximate number of messages of the whole rectangle, in both directions.
  std::int64_t messages = 0;
  /// Number of blocks of A, B and C transferred for the whole rectangle, in both directions.
  double blocks = 0;
};

/// Restrictions on the modes that find_cheapest_mode() considers. By default all are allowed.
struct ModeOptions {
  /// True to consider modes that keep A resident; false for modes that keep C only.
  bool resident = true;
  /// True to consider transposed modes also.
  bool exchanged = true;
  /// True to allow modes that keep C to split a row of B into several messages.
  bool cut_messages = true;
  /// True if modes that keep C reserve memory for the next message, so that it can arrive during a
  /// computation.
  bool prefetch = true;
};

/// Returns the time of one block update, in seconds, on `worker` for updates of the typical size of
/// `mode`: a column of a band, or the part of the window's row that one message updates. The kind
/// of the mode must not be `none`.
double typical_update_s(const Worker& worker, const Mode& mode);

/// Returns the mode with the least time on the master's port for a rectangle of `rows` x `columns`
/// blocks of C (each at least 1) on `worker`; if the worker's speed depends on the size of updates,
/// the mode with the least sum of port time and computation. Its kind is `none` if no mode that
/// `options` allow fits into the worker's memory. Sizes of the mode are in blocks.
Mode find_cheapest_mode(const Worker& worker, const Problem& problem, std::int64_t rows,
                        std::int64_t columns, const ModeOptions& options);

}  // namespace starport::polaris
