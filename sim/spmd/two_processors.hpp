// Products on two processors with one link (HCW'06): all communication before all computation, or
// partly overlapped.
#pragma once

#include "sim/spmd/durations.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace starport::spmd {

/// The input of a product on two processors, P1, the faster one, and P2: the size N of the N x N
/// matrices of doubles, the speeds (flop/s), the link (bytes/s, and latency in seconds), and which
/// of the platform's two workers, 0 or 1, is P1. All members must be positive, except for the
/// latency and fast_worker, which may be 0 (not checked). A plain value.
struct TwoProcessors {
  /// Side of the three square matrices, in elements.
  std::int64_t N = 0;
  /// Speed of P1, the faster processor, in flop/s.
  double fast_flops = 0;
  /// Speed of P2, the slower processor, in flop/s.
  double slow_flops = 0;
  /// Bandwidth of the link between the processors, in bytes per second.
  double bandwidth_bytes_per_s = 0;
  /// Latency of each message between the processors, in seconds.
  double latency_s = 0;
  /// Index (0 or 1) of P1, the faster processor, among the platform's two workers.
  std::int64_t fast_worker = 0;

  /// Returns r, the speed of P1 (the faster processor) divided by that of P2.
  double ratio() const { return fast_flops / slow_flops; }
  /// Returns the index (0 or 1) among the platform's workers of processor 0 (P1, the faster one) or
  /// 1 (P2); any other number counts as 1.
  std::int64_t worker(std::int64_t processor) const {
    return processor == 0 ? fast_worker : 1 - fast_worker;
  }
};

/// Shape of the part of C that the slower processor, P2, computes: a square in a corner, some
/// columns, or nothing.
enum class Shape : std::uint8_t {
  square_corner,  ///< P2 has a square of side q in a corner
  straight_line,  ///< P2 has w columns
  sequential      ///< P1 has everything
};

/// Choice of the processors that compute while messages travel, if P2, the slower one, has a square
/// of q x q of the N x N elements of C: P1 (`fast`) can compute the (N - q)² elements of C for
/// which it has all of A and B, and with `both` also P2 the product of its own squares.
enum class Overlap : std::uint8_t { none, fast, both };

/// Choices that plan_bulk() takes for a product on two processors: directions of the link, overlap
/// of communication and computation, and size of the slower processor's part. A plain value.
struct BulkOptions {
  /// True if the link can carry one message in each direction at the same time; false if only one
  /// message at a time.
  bool both_directions = false;
  /// Choice of the processors that compute while messages travel; other values than `none` need
  /// Shape::square_corner (plan_bulk() throws NotApplicable otherwise).
  Overlap overlap = Overlap::none;
  /// Side q of the square, or width w of the columns, of C that the slower processor computes, 0 to
  /// N elements (not checked). nullopt: areas proportional to the speeds, i.e. q = N / sqrt(r + 1)
  /// or w = N / (r + 1), rounded, r being the faster speed over the slower one.
  std::optional<std::int64_t> cut = {};
};

/// A message between the two processors of a product, 0 (P1, the faster one) and 1 (P2): its
/// sender, its size, and in a run its dates.
struct BulkMessage {
  /// Processor, 0 (P1) or 1 (P2), that sends the message to the other one.
  std::int64_t from = 0;
  /// Number of matrix elements of 8 bytes in the message.
  std::int64_t elements = 0;
  /// Simulated date in seconds at which the message starts; 0 in a plan.
  double start_s = 0;
  /// Simulated date in seconds at which the message has arrived; 0 in a plan.
  double end_s = 0;
};

/// The amount of computation of one of the two processors of a product, in flop: what can start at
/// once, and what must wait for the messages.
struct BulkWork {
  /// Work in flop that needs no message and starts at date 0.
  double local_flops = 0;
  /// Work in flop that starts after the last message between the processors, in either direction,
  /// and after the local work.
  double rest_flops = 0;
};

/// Plan of a product on two processors: the messages and the work of each, without dates.
struct BulkPlan {
  /// Shape of the part of C that P2, the slower processor, computes; `sequential`: it computes
  /// nothing.
  Shape shape = Shape::sequential;
  /// Side of the square, or width of the columns, of C that P2 computes, in matrix elements; 0 if
  /// P1 computes everything.
  std::int64_t cut = 0;
  /// True if the link can carry one message in each direction at the same time; false if only one
  /// message at a time.
  bool both_directions = false;
  /// Messages between the processors, with dates 0, in the order in which the link carries them
  /// (with `both_directions`, those of each direction); empty if one processor computes everything.
  std::vector<BulkMessage> messages;
  /// Work of P1, the faster processor, in flop: what it can start at once, and what must wait for
  /// the last message.
  BulkWork fast;
  /// Work of P2, the slower processor, in flop: what it can start at once, and what must wait for
  /// the last message.
  BulkWork slow;
};

/// Dates of the computation of one of the two processors of a product, in simulated seconds: local
/// work from date 0, the rest after the last message. All 0 for a processor without work.
struct BulkDates {
  /// Date in seconds at which the processor's work that needs no message ends; 0 if it has none.
  double local_end_s = 0;
  /// Date in seconds at which the processor's work after the last message starts: that at which the
  /// last message has arrived and the work that needs no message has ended.
  double rest_start_s = 0;
  /// Date in simulated seconds at which the processor's last computation ends, which is not before
  /// the last message, in either direction, has arrived; 0 for a processor without work.
  double end_s = 0;
};

/// The result of running a BulkPlan (a product on two processors): dates of messages and of the
/// computations, and the makespan, in simulated seconds. Refers to nothing.
struct BulkRun {
  /// Messages between the processors, in the order of the plan, with their dates in simulated
  /// seconds.
  std::vector<BulkMessage> messages;
  /// Date in seconds at which the last message arrives; 0 without messages.
  double communication_s = 0;
  /// Dates, in simulated seconds, of the computation of P1, the faster processor.
  BulkDates fast;
  /// Dates, in simulated seconds, of the computation of P2, the slower processor.
  BulkDates slow;
  /// Date in seconds at which both processors have finished.
  double makespan_s = 0;
};

/// Plans a product on two processors (messages and work, no dates) for a shape of the part of C
/// that P2, the slower one, computes. Throws NotApplicable for an overlap with a shape other than
/// the square corner. `options.cut`, ignored for Shape::sequential, must be 0 (P1 computes
/// everything) to N (P2 does), not checked; nullopt: areas proportional to the speeds. If one
/// processor computes everything, there are no messages.
BulkPlan plan_bulk(const TwoProcessors& problem, Shape shape, const BulkOptions& options = {});
/// Computes the dates of a product on two processors by `plan`, which must have been made for
/// `problem` (not checked: meaningless dates otherwise), without a simulation. Each message starts
/// when the previous one on the link (with plan.both_directions, in its direction) has arrived, the
/// first at date 0. Slow-downs and random factors of the noise in `durations` apply; stops of
/// workers are ignored. The result refers to none of the arguments.
BulkRun run_bulk(const TwoProcessors& problem, const BulkPlan& plan,
                 const ProductDurations& durations = ProductDurations());

/// Returns the duration in seconds, latency included, of message number `k` of the plan (from 0,
/// below the number of messages: undefined behaviour otherwise) if it starts at date `start_s`, in
/// seconds; random factors and slow-downs of `durations` apply, stops do not.
double message_s(const TwoProcessors& problem, const BulkPlan& plan, std::size_t k, double start_s,
                 const ProductDurations& durations);
/// Returns the duration in seconds of `flops` flop on processor 0 (P1) or 1 (P2) from date
/// `start_s` (seconds) on; random factors and slow-downs of `durations` apply, stops do not. `n`
/// selects the random factor: 1 for the work that needs no message, 2 for the rest.
double update_s(const TwoProcessors& problem, std::int64_t processor, std::int64_t n, double flops,
                double start_s, const ProductDurations& durations);

/// Returns the cut (side of the square or width of the columns of C that the slower processor
/// computes, in elements) from 1 to N - 1 with the smallest makespan without noise; the smallest on
/// ties; 1 if N < 2 or for Shape::sequential. Ignores `options.cut`. Computes N - 1 runs. Throws
/// NotApplicable for an overlap with a shape other than the square corner, if N >= 2.
std::int64_t best_cut(const TwoProcessors& problem, Shape shape, BulkOptions options);

/// Returns the number of matrix elements (8 bytes each) in all messages of a plan for two
/// processors: 2 N q for a square of side q, N² for columns, 0 if one processor computes
/// everything.
std::int64_t volume(const BulkPlan& plan);

}  // namespace starport::spmd
