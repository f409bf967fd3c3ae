// Two processors and a link: all communication first, then all computation (HCW'06), or both at
// once.
#pragma once

#include "sim/spmd/durations.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace starport::spmd {

/// Matrices of N x N doubles; P1 is the faster one.
struct TwoProcessors {
  std::int64_t N = 0;
  double fast_flops = 0;
  double slow_flops = 0;
  double bandwidth_bytes_per_s = 0;
  double latency_s = 0;          ///< of each message
  std::int64_t fast_worker = 0;  ///< which of the platform's two workers P1 is

  double ratio() const { return fast_flops / slow_flops; }
  /// The number of P1 (0) or P2 (1) on the platform.
  std::int64_t worker(std::int64_t processor) const {
    return processor == 0 ? fast_worker : 1 - fast_worker;
  }
};

enum class Shape : std::uint8_t {
  square_corner,  ///< P2 has a square of side q in a corner
  straight_line,  ///< P2 has w columns
  sequential      ///< P1 has everything
};

/// Who computes what needs no message while the messages are under way (square corner): P1 the (N -
/// q)^2 elements of C for which it has all of A and B, P2 the product of its own squares.
enum class Overlap : std::uint8_t { none, fast, both };

struct BulkOptions {
  bool both_directions = false;  ///< the link carries a message each way at once
  Overlap overlap = Overlap::none;
  /// q or w; none: by area, q = N / sqrt(r + 1) or w = N / (r + 1).
  std::optional<std::int64_t> cut = {};
};

/// A message of the run; processors are 0 (P1) and 1.
struct BulkMessage {
  std::int64_t from = 0;
  std::int64_t elements = 0;
  double start_s = 0;
  double end_s = 0;
};

/// What one processor computes.
struct BulkWork {
  double local_flops = 0;  ///< needs no message, and is begun at once
  double rest_flops = 0;   ///< after the last message
};

struct BulkPlan {
  Shape shape = Shape::sequential;
  std::int64_t cut = 0;
  bool both_directions = false;
  std::vector<BulkMessage> messages;  ///< in the order of the link; dates are the engine's
  BulkWork fast;
  BulkWork slow;
};

/// When a processor computes: what needs no message from the start on, the rest after the last one.
struct BulkDates {
  double local_end_s = 0;
  double rest_start_s = 0;
  double end_s = 0;
};

struct BulkRun {
  std::vector<BulkMessage> messages;
  double communication_s = 0;
  BulkDates fast;
  BulkDates slow;
  double makespan_s = 0;
};

/// Throws NotApplicable for an overlap on another shape than the square corner.
BulkPlan plan_bulk(const TwoProcessors& problem, Shape shape, const BulkOptions& options = {});
BulkRun run_bulk(const TwoProcessors& problem, const BulkPlan& plan,
                 const Durations& durations = Durations());

/// What message k takes, and a processor's local part and its rest: its updates 1 and 2.
double message_s(const TwoProcessors& problem, const BulkPlan& plan, std::size_t k, double start_s,
                 const Durations& durations);
double update_s(const TwoProcessors& problem, std::int64_t processor, std::int64_t n, double flops,
                double start_s, const Durations& durations);

/// The cut in 1 .. N - 1 of least makespan; the smallest on ties.
std::int64_t best_cut(const TwoProcessors& problem, Shape shape, BulkOptions options);

/// Elements that travel: 2 N q or N^2.
std::int64_t volume(const BulkPlan& plan);

}  // namespace starport::spmd
