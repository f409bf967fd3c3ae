// Steady-state throughput of a star: the linear program of PPoPP'08 Table 1 and its optimum.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace starport {

/// A limit of the master, on the use of its ports or of its bandwidth, in the linear program of
/// steady_state() (the highest rate of block updates in the long run). Holds the share of the limit
/// that the optimal solution uses, and its dual price, i.e. what more of it would gain. An element
/// of SteadyState::master.
struct Limit {
  /// Name of the limit: "port" (one-port master), "send port" or "receive port" (two-port),
  /// "transfers at once" or "bandwidth" (multi-port).
  std::string name;
  /// Share of this limit of the master (on its ports, its transfers at once or its bandwidth; never
  /// on a worker) that the optimal solution uses, 0 to 1.
  double use = 0;
  /// Dual price of the limit, in block updates per second: a limit that is 1 % higher adds 1 % of
  /// this price to the throughput (block updates per second of all workers). The prices of all
  /// limits of master and workers add up to the throughput.
  double price_updates_per_s = 0;
};

/// Optimal solution of the steady-state linear program of a platform, the highest throughput in the
/// long run, with its dual prices; made by steady_state(), refers to nothing. Vectors are indexed
/// by worker from 0; workers without the memory for a chunk (a square of blocks of C with its
/// buffers) have zeros everywhere. A price is 100 times the throughput (block updates per second)
/// gained by 1 % more of a resource.
struct SteadyState {
  /// Creates a solution in which all `workers` workers have zeros and the master no limits.
  explicit SteadyState(std::size_t workers)
      : x_updates_per_s(workers),
        y_blocks_per_s(workers),
        z_blocks_per_s(workers),
        computation_price(workers),
        send_link_price(workers),
        receive_link_price(workers) {}

  /// Block updates per second of all workers together: rho = sum x_i; 0 if no worker has memory for
  /// 5 blocks: one of C and buffers for two of A and two of B.
  double throughput_updates_per_s = 0;
  /// Block updates (C_ij += A_ik B_kj) per second of each worker, by index from 0; 0 for one not
  /// used.
  std::vector<double> x_updates_per_s;
  /// Blocks sent to each worker per second: of A and B, and of C only with `count_c` of
  /// steady_state().
  std::vector<double> y_blocks_per_s;
  /// Blocks of C received from each worker per second: x_i / t, i.e. its block updates per second
  /// divided by the number of updates of each block of C. Set on every kind of port, even on one
  /// port without `count_c` of steady_state(), where the limit of the port ignores them.
  std::vector<double> z_blocks_per_s;

  /// Limits of the master, with their use and price: "port" (one-port); "send port" and "receive
  /// port" (two-port); "transfers at once" and "bandwidth", those that exist (multi-port).
  std::vector<Limit> master;
  /// Dual price of each worker's speed, in block updates per second: 1 % more speed raises the
  /// throughput by 1 % of the price. 0 if another limit of the worker, or one of the master, binds
  /// first.
  std::vector<double> computation_price;
  /// Dual price of the link to each worker, in block updates per second: 1 % more bandwidth raises
  /// the throughput by 1 % of the price. 0 if another limit binds first, as always except on
  /// multi-port.
  std::vector<double> send_link_price;
  /// Dual price of the link back from each worker, in block updates per second: 1 % more bandwidth
  /// raises the throughput by 1 % of the price. 0 if another limit binds first, as always except on
  /// multi-port.
  std::vector<double> receive_link_price;
};

/// Returns an optimal solution of the steady-state linear program of PPoPP'08 Table 1, the highest
/// rate of block updates in the long run, for the platform's port; all zeros if no worker has the
/// memory for a chunk (a square of blocks of C that it holds). For worker i, w_i is the time in
/// seconds of a block update (at its highest speed) and c_i that of a block on its link, latencies
/// neglected, mu_i the side in blocks of its largest square chunk (kOptimizedOverlapped in
/// heuristic.hpp), x_i its block updates per second, y_i and z_i the blocks sent to it and received
/// from it per second. Maximises sum x_i subject to x_i w_i <= 1, x_i / mu_i^2 <= y_i / (2 mu_i),
/// and
/// - one port: sum y_i c_i <= 1 (blocks of C neglected, as in the paper);
/// - two ports: sum y_i c_i <= 1 and sum z_i c_i <= 1;
/// - many ports: y_i c_i <= 1 and z_i c_i <= 1 for each link; sum (y_i + z_i) c_i <= N for N
///   transfers at once; sum (y_i + z_i) c <= 1 for a shared bandwidth of 1/c blocks per second.
/// On two and many ports z_i = x_i / t blocks of C return per second, since a block of C gets its t
/// updates on one worker. With `count_c`, C is counted on every port in both directions: y_i
/// includes x_i / t more blocks.
///
/// No schedule that keeps one chunk at a time on a worker, with sides of at most mu_i, and sends A
/// and B again for each has a higher throughput: integrated over a run, each inequality holds with
/// the averages of the run in the place of x_i, y_i and z_i.
///
/// On one port the optimum is bandwidth-centric: workers by non-decreasing time of the port per
/// update get what is left of it. The solution is exact up to rounding. Takes O(p log p) per step
/// for p workers: one step, or some 20 where two limits of the master bind at once. All c_i and w_i
/// must be above 0, and t at least 1 (not checked).
SteadyState steady_state(const Platform& platform, const Problem& problem, bool count_c = false);

/// Returns the indices, from 0, of the workers that can hold a chunk, i.e. a square of mu_i > 0
/// blocks a side of C, by non-decreasing 2 c_i / mu_i, the seconds of the port per block update,
/// then by index. c_i is the time of one block on the link of worker i, in seconds, and mu_i the
/// side in blocks of the largest square chunk on worker i (kOptimizedOverlapped in heuristic.hpp).
std::vector<std::size_t> bandwidth_centric_order(const Platform& platform);

}  // namespace starport
