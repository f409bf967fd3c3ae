// Lower and upper bounds to judge a schedule by, each with its source.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/layout.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace starport {

/// What limits a steady state, as the dual prices of its linear program tell.
struct Limit {
  std::string name;  ///< "port"; "send port", "receive port"; "transfers at once", "bandwidth"
  double use = 0;    ///< share of it in use
  /// The whole of it, at its marginal price: one percent more of it adds a hundredth of that to the
  /// throughput. The prices of all limits add up to the throughput.
  double price_updates_per_s = 0;
};

/// The optimum of a steady-state linear program. Workers with mu_i = 0 stay at 0.
struct SteadyState {
  explicit SteadyState(std::size_t workers)
      : x_updates_per_s(workers),
        y_blocks_per_s(workers),
        z_blocks_per_s(workers),
        computation_price(workers),
        send_link_price(workers),
        receive_link_price(workers) {}

  double throughput_updates_per_s = 0;  ///< rho = sum x_i
  std::vector<double> x_updates_per_s;  ///< block updates per second, by worker
  std::vector<double> y_blocks_per_s;   ///< blocks sent per second, by worker
  std::vector<double> z_blocks_per_s;   ///< blocks of C received per second, by worker

  std::vector<Limit> master;  ///< the master's limits
  /// Those of the workers, as prices in updates/s: one percent more speed, one percent more
  /// bandwidth of their link in each direction. Links limit on a multi-port only.
  std::vector<double> computation_price;
  std::vector<double> send_link_price;
  std::vector<double> receive_link_price;
};

/// The steady state of PPoPP'08 Table 1, which neglects C: maximise sum x_i subject to
/// x_i w_i <= 1, x_i / mu_i^2 <= y_i / (2 mu_i), and, of a master with
/// - one port: sum y_i c_i <= 1.
/// On the other ports what comes home goes another way and is no longer negligible beside what is
/// sent, so that z_i = x_i / t blocks of C a second come home (each gets its t updates on one
/// worker):
/// - two ports: sum y_i c_i <= 1, sum z_i c_i <= 1;
/// - many: y_i c_i <= 1 and z_i c_i <= 1 for each link; sum (y_i + z_i) c_i <= N for N transfers at
///   once; sum (y_i + z_i) c <= 1 for a bandwidth of 1/c blocks a second that all share.
/// With `count_c` C is counted on every port both ways, x_i / t more sent to worker i.
///
/// No schedule whose chunks are of side mu_i at most has a higher throughput: integrated over a
/// run, each row holds with the run's own figures in the place of x_i, y_i and z_i.
///
/// Solved by Clp. Throws SimulationError should it find no optimum.
SteadyState steady_state(const Platform& platform, const Problem& problem, bool count_c = false);

/// The bandwidth-centric optimum of the one-port program in closed form, prices included: by
/// non-decreasing 2 c_i / mu_i, x_i = min(1 / w_i, what is left of the port * mu_i / (2 c_i)). The
/// port's price is mu_j / (2 c_j) of the last worker j, that of a faster worker's computation what
/// is left of its 1 / w_i once it has paid for the port.
SteadyState bandwidth_centric(const Platform& platform);

/// The steady state that results are compared with: bandwidth_centric() on one port, for the sake
/// of sweeps of many small instances, else the linear program's.
SteadyState reference_steady_state(const Platform& platform, const Problem& problem);

/// The usable workers by non-decreasing 2 c_i / mu_i, then index.
std::vector<std::size_t> bandwidth_centric_order(const Platform& platform);

/// Lower bounds on blocks moved per block update, for one worker with m buffers and large
/// matrices, and what a layout achieves.
struct CommunicationBound {
  const char* name;
  double blocks_per_update;
};

/// Irony, Toledo and Tiskin 2004; IPDPS'07 before and after refinement (the latter also
/// PPoPP'08); Smith et al. 2019 and COSMA 2019.
std::vector<CommunicationBound> communication_bounds(std::int64_t m_blocks);

/// 2/t + 2/side for a side that fits in m blocks: mu of the optimized layouts and of maximum
/// re-use, sigma of Toledo's. Infinite when none fits.
double achieved_ccr(const MemoryLayout& layout, std::int64_t m_blocks, std::int64_t t);

}  // namespace starport
