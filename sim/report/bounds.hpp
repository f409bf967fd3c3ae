// Lower and upper bounds to judge a schedule by, each with its source.
#pragma once

#include "sim/model/layout.hpp"
#include "sim/model/platform.hpp"
#include "sim/model/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace starport {

/// The steady state of PPoPP'08 Table 1: maximise sum x_i subject to sum y_i c_i <= 1,
/// x_i w_i <= 1 and x_i / mu_i^2 <= y_i / (2 mu_i). Workers with mu_i = 0 stay at 0.
struct SteadyState {
  double throughput_updates_per_s = 0;  ///< rho = sum x_i
  std::vector<double> x_updates_per_s;  ///< block updates per second, by worker
  std::vector<double> y_blocks_per_s;   ///< blocks of A and B received per second, by worker
};

/// Solved as a linear program, by Clp. Throws SimulationError should it find no optimum.
SteadyState steady_state(const Platform& platform);

/// The bandwidth-centric optimum in closed form: by non-decreasing 2 c_i / mu_i,
/// x_i = min(1 / w_i, what is left of the port * mu_i / (2 c_i)).
SteadyState bandwidth_centric(const Platform& platform);

/// The makespan of the product at that rate, r s t / rho; nullopt when rho is 0.
std::optional<double> bound_makespan_s(const SteadyState& bound, const Problem& problem);

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
