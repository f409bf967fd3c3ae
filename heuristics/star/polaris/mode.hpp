// Modes: how a worker computes its rectangle of C (heuristics/star/polaris/README.md, "Modes").
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <cstdint>

namespace starport::polaris {

/// A way in which a worker computes its rectangle of H rows and V columns of blocks of C, one band
/// of rows after the other: which matrix stays in its memory, and the sizes of its messages. If
/// `transposed` is set, the worker computes C^T += B^T A^T, which exchanges H with V and A with B.
/// A plain value, made by find_cheapest_mode() for one worker, problem and size of rectangle, and
/// valid for those only.
struct Mode {
  /// Kind of blocks that stay in the worker's memory: the blocks of A for a band of rows
  /// (`a_resident`), some columns of C until they are complete (`c_stationary`), or none, as the
  /// rectangle does not fit (`none`); A and B, and rows and columns, are exchanged if
  /// Mode::transposed.
  enum class Kind {
    none,         ///< no way to compute: the rectangle does not fit into the worker's memory
    a_resident,   ///< the blocks of A for a band of rows stay in memory; columns of C come and go
    c_stationary  ///< `window` columns of C stay in memory until complete; B and A (but for
                  ///< `retained` columns) stream past, for k = 0 to t - 1 again and again
  };
  /// The matrix that stays in the worker's memory; `none` if no mode (way to compute its rectangle)
  /// fits, in which case the other members mean nothing.
  Kind kind = Kind::none;
  /// True if the worker computes C^T += B^T A^T: rows and columns, and A and B, are exchanged in
  /// the meaning of all other members.
  bool transposed = false;
  /// Number of block rows of C (columns if `transposed`) in a band, i.e. in each part of the
  /// rectangle that is computed before the next; the last band may have fewer. At least 1, but 0 if
  /// no mode fits into the worker's memory (`kind` is `none`).
  std::int64_t height = 0;
  /// Number of block columns of C (rows if `transposed`) in the worker's memory at a time, at least
  /// 1; only for the kind c_stationary (C stays in memory), otherwise 0.
  std::int64_t window = 0;
  /// Number of block columns of A (the first values of k; block rows of B if `transposed`) that
  /// stay in the worker's memory from one window of columns of C to the next in the same band, and
  /// so are not sent again; from 0 to t. Only for the kind c_stationary (C stays in memory),
  /// otherwise 0.
  std::int64_t retained = 0;
  /// Number of messages into which a row of blocks of B (one value of k; a column of A if
  /// `transposed`) is split, at least 1 (fewer are sent if the row has fewer blocks); only for the
  /// kind c_stationary (C stays in memory), otherwise 1.
  std::int64_t pieces = 1;
  /// Number of messages into which a column of blocks of A (one value of k; a row of B if
  /// `transposed`) is split, from 1 to `height`; only for the kind c_stationary (C stays in
  /// memory), otherwise 1. While the window has a single column, columns of A are sent whole.
  std::int64_t a_pieces = 1;
  /// Largest number of blocks of C that one update may cover, at least 1, for workers whose speed
  /// falls for large updates; kMaxBlocks means no limit.
  std::int64_t max_update = kMaxBlocks;
  /// Approximate number of messages for a worker's whole rectangle of C, in both directions; for
  /// the kind a_resident, with messages of as many columns of C as memory allows, up to 8. May be 0
  /// for a tiny rectangle.
  std::int64_t messages = 0;
  /// Number of blocks of A, B and C, in both directions, that the link carries for a worker's whole
  /// rectangle of C; for the kind c_stationary, more blocks of A are sent if columns join gradually
  /// (MessageOptions::joining). Meaningless if `kind` is `none`.
  double blocks = 0;
};

/// Space in a worker's memory for messages that arrive while an update runs, in modes (ways to
/// compute a rectangle of C) in which C stays.
enum class Prefetch {
  none,    ///< no space: a column of A, and an eighth of a row of B, both in use
  pieces,  ///< for a quarter of a column of A and an eighth of a row of B, both sent in such pieces
  column   ///< for a whole column of A and a quarter of a row of B
};

/// Restrictions on the modes (choices of the matrix that stays in a worker's memory and of its
/// messages) that find_cheapest_mode() considers. By default all are allowed that have space for
/// a whole column of A ahead.
struct ModeOptions {
  /// True to consider also modes in which A (or B, if transposed) stays in the worker's memory;
  /// false: only those in which C stays.
  bool resident = true;
  /// True to consider also transposed modes (ways to compute a rectangle of C), in which rows and
  /// columns, and A and B, are exchanged (C^T += B^T A^T).
  bool exchanged = true;
  /// True to allow modes (ways to compute a rectangle of C) in which C stays in the worker's memory
  /// to split a row of B (column of A if transposed) into several messages (done only for workers
  /// without latency).
  bool cut_messages = true;
  /// The space that modes (ways to compute a rectangle of C) in which C stays in the worker's
  /// memory reserve for messages that arrive during a computation. For workers to which a row of B
  /// is sent in one message, Prefetch::pieces is as Prefetch::column.
  Prefetch prefetch = Prefetch::column;
  /// Number of columns of A, at least 0, by which modes in which C stays retain fewer
  /// (Mode::retained) than the memory could hold, so that further messages can arrive ahead.
  std::int64_t spare_columns = 0;
  /// True to consider, for workers with memory for 5 blocks, only the mode in which C stays, not
  /// transposed, with space for the next message, in bands of at most x block rows: x =
  /// chunk_side(worker, kOptimizedOverlapped) is the largest side with x^2 + 4 x blocks of memory,
  /// or the fastest if the speed depends on the size. Of the other members only `cut_messages` and
  /// `spare_columns` count for these workers; all count for workers with less memory.
  bool chunks = false;
};

/// Returns the time of one block update, in seconds, on `worker` in updates of the size typical of
/// `mode`: mode.height blocks of C or, for the kind c_stationary, mode.height times the quotient
/// mode.window / mode.pieces rounded up. Meaningless if the kind of the mode is `none`.
double typical_update_s(const Worker& worker, const Mode& mode);

/// Returns, of the modes (choices of the matrix that stays in memory and of the messages) that it
/// tries for a rectangle of `rows` x `columns` blocks of C on `worker`, the one with the least time
/// on a port for both directions; if the worker's speed depends on the size of updates, the one
/// with the least sum of port time and computation. Its kind is `none` if no mode that `options`
/// allow fits into the worker's memory. `rows` and `columns` must be at least 1 (not checked:
/// undefined behaviour).
Mode find_cheapest_mode(const Worker& worker, const Problem& problem, std::int64_t rows,
                        std::int64_t columns, const ModeOptions& options);

}  // namespace starport::polaris
