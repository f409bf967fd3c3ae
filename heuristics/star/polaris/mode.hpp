// The cheapest way for one worker to do a rectangle of C (heuristics/star/polaris/README.md,
// "Modes").
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <cstdint>

namespace starport::polaris {

/// How a worker goes through a rectangle of H rows and V columns of C, cut into bands of rows. With
/// `transposed`, C^T += B^T A^T is meant: H and V, A and B change places.
struct Mode {
  enum class Kind {
    none,         ///< it cannot
    a_resident,   ///< the band's part of A stays, columns of C come and go one by one
    c_stationary  ///< `window` columns of C stay, A and B stream past, k cyclic
  };
  Kind kind = Kind::none;
  bool transposed = false;
  std::int64_t height = 0;             ///< of a band, in rows
  std::int64_t window = 0;             ///< c_stationary: columns of C there at a time
  std::int64_t kept = 0;               ///< c_stationary: values of k whose A stays between passes
  std::int64_t pieces = 1;             ///< c_stationary: messages for a row of B
  std::int64_t updated = kMostBlocks;  ///< blocks of C in an update, at most
  std::int64_t messages = 0;           ///< about how many
  double blocks = 0;                   ///< the traffic, both ways
};

struct ModeChoice {
  bool resident = true;      ///< else C-stationary only
  bool exchanged = true;     ///< with rows and columns, A and B exchanged too
  bool cut_messages = true;  ///< c_stationary: a row of B in several messages
  bool ahead = true;         ///< c_stationary: room for the next message beside the one in use
};

/// The time of a block update in most of the mode's updates: of a column of a band, or of the part
/// of a window's row that one message allows.
double usual_update_s(const Worker& worker, const Mode& mode);

/// The mode of fewest seconds on the port for a rectangle of `rows` x `columns` of C; where the
/// worker's speed depends on the size of an update, of port and worker together.
Mode cheapest_mode(const Worker& worker, const Problem& problem, std::int64_t rows,
                   std::int64_t columns, const ModeChoice& choice);

}  // namespace starport::polaris
