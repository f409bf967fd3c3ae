// Steady-state throughput of a star: the linear program of PPoPP'08 Table 1 and its optimum.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace starport {

/// A limit of the master in the steady-state program, with its use and its dual price.
struct Limit {
  std::string name;  ///< "port", "send port", "receive port", "transfers at once" or "bandwidth"
  double use = 0;    ///< share of the limit in use, 0 to 1
  /// Dual price of the whole limit, updates/s: 1 % more of the limit adds 1 % of this price to the
  /// throughput. The prices of all limits of master and workers add up to the throughput.
  double price_updates_per_s = 0;
};

/// Optimal solution of a steady-state program with its dual prices. Vectors are indexed by worker;
/// workers with mu_i = 0 have zeros everywhere.
struct SteadyState {
  explicit SteadyState(std::size_t workers)
      : x_updates_per_s(workers),
        y_blocks_per_s(workers),
        z_blocks_per_s(workers),
        computation_price(workers),
        send_link_price(workers),
        receive_link_price(workers) {}

  double throughput_updates_per_s = 0;  ///< rho = sum x_i
  std::vector<double> x_updates_per_s;  ///< block updates per second
  std::vector<double> y_blocks_per_s;   ///< blocks sent to the worker per second
  std::vector<double> z_blocks_per_s;   ///< blocks of C received from the worker per second

  std::vector<Limit> master;               ///< limits of the master's port
  std::vector<double> computation_price;   ///< price of a worker's speed, updates/s
  std::vector<double> send_link_price;     ///< price of its link to it, updates/s; multi-port only
  std::vector<double> receive_link_price;  ///< price of its link back, updates/s; multi-port only
};

/// Solves the steady-state program of PPoPP'08 Table 1 for the platform's port: maximise sum x_i
/// subject to x_i w_i <= 1, x_i / mu_i^2 <= y_i / (2 mu_i), and
/// - one port: sum y_i c_i <= 1 (blocks of C neglected, as in the paper);
/// - two ports: sum y_i c_i <= 1 and sum z_i c_i <= 1;
/// - many ports: y_i c_i <= 1 and z_i c_i <= 1 for each link; sum (y_i + z_i) c_i <= N for N
///   transfers at once; sum (y_i + z_i) c <= 1 for a shared bandwidth of 1/c blocks per second.
/// On two and many ports z_i = x_i / t blocks of C return per second, since a block of C gets its t
/// updates on one worker. With `count_c`, C is counted on every port in both directions: y_i
/// includes x_i / t more blocks.
///
/// No schedule whose chunks have side mu_i at most has a higher throughput: integrated over a run,
/// each row holds with the run's own averages in the place of x_i, y_i and z_i.
///
/// On one port the optimum is bandwidth-centric: workers by non-decreasing time of the port per
/// update get what is left of it. The solution is exact up to rounding. Takes O(p log p) per step:
/// one step, or some 20 where two limits of the master bind at once.
SteadyState steady_state(const Platform& platform, const Problem& problem, bool count_c = false);

/// Returns the usable workers (mu_i > 0) by non-decreasing 2 c_i / mu_i, then by index.
std::vector<std::size_t> bandwidth_centric_order(const Platform& platform);

}  // namespace starport
