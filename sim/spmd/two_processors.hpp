// Products on two processors with one link (HCW'06): all communication before all computation, or
// partly overlapped.
#pragma once

#include "sim/spmd/durations.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace starport::spmd {

/// A product of N x N matrices of doubles on two processors: P1, the faster one, and P2.
struct TwoProcessors {
  std::int64_t N = 0;
  double fast_flops = 0;
  double slow_flops = 0;
  double bandwidth_bytes_per_s = 0;
  double latency_s = 0;          ///< per message
  std::int64_t fast_worker = 0;  ///< index of P1 among the platform's two workers

  /// Returns r, the speed of P1 over that of P2.
  double ratio() const { return fast_flops / slow_flops; }
  /// Returns the index on the platform of P1 (processor 0) or P2 (processor 1).
  std::int64_t worker(std::int64_t processor) const {
    return processor == 0 ? fast_worker : 1 - fast_worker;
  }
};

/// Shape of the part of C that P2 computes.
enum class Shape : std::uint8_t {
  square_corner,  ///< P2 has a square of side q in a corner
  straight_line,  ///< P2 has w columns
  sequential      ///< P1 has everything
};

/// Which processors compute during communication, for the square corner. P1 can compute the (N -
/// q)^2 elements of C for which it has all of A and B, P2 the product of its own squares.
enum class Overlap : std::uint8_t { none, fast, both };

/// Options of a product on two processors.
struct BulkOptions {
  bool both_directions = false;  ///< the link carries one message in each direction at once
  Overlap overlap = Overlap::none;
  /// Side q of the square or width w of the columns; nullopt: areas proportional to the speeds,
  /// q = N / sqrt(r + 1) or w = N / (r + 1).
  std::optional<std::int64_t> cut = {};
};

/// A message between the two processors, numbered 0 (P1) and 1 (P2).
struct BulkMessage {
  std::int64_t from = 0;
  std::int64_t elements = 0;
  double start_s = 0;
  double end_s = 0;
};

/// Computation of one processor, in flop.
struct BulkWork {
  double local_flops = 0;  ///< work that needs no message and starts at once
  double rest_flops = 0;   ///< work that starts after the last message
};

/// Plan of a product on two processors: messages and work.
struct BulkPlan {
  Shape shape = Shape::sequential;
  std::int64_t cut = 0;  ///< q or w, in matrix elements
  bool both_directions = false;
  std::vector<BulkMessage> messages;  ///< in the order of the link, without dates
  BulkWork fast;
  BulkWork slow;
};

/// Dates of one processor's computation: local work from date 0, the rest after the last message.
struct BulkDates {
  double local_end_s = 0;
  double rest_start_s = 0;
  double end_s = 0;
};

/// A run of a BulkPlan.
struct BulkRun {
  std::vector<BulkMessage> messages;  ///< with dates
  double communication_s = 0;         ///< end of the last message
  BulkDates fast;
  BulkDates slow;
  double makespan_s = 0;
};

/// Plans the product for a shape. Throws NotApplicable for an overlap with a shape other than the
/// square corner.
BulkPlan plan_bulk(const TwoProcessors& problem, Shape shape, const BulkOptions& options = {});
/// Computes the run of a plan analytically.
BulkRun run_bulk(const TwoProcessors& problem, const BulkPlan& plan,
                 const Durations& durations = Durations());

/// Returns the duration of message `k` (from 0) of the plan if it starts at `start_s`.
double message_s(const TwoProcessors& problem, const BulkPlan& plan, std::size_t k, double start_s,
                 const Durations& durations);
/// Returns the duration of `flops` on a processor from `start_s` on. For the noise this is its n-th
/// update: 1 is its local work, 2 the rest.
double update_s(const TwoProcessors& problem, std::int64_t processor, std::int64_t n, double flops,
                double start_s, const Durations& durations);

/// Returns the cut in 1 .. N - 1 with the smallest makespan; the smallest such cut on ties.
std::int64_t best_cut(const TwoProcessors& problem, Shape shape, BulkOptions options);

/// Returns the number of elements in all messages: 2 N q or N^2.
std::int64_t volume(const BulkPlan& plan);

}  // namespace starport::spmd
