// What the two levels of the partitioning share: measure, learn, divide again (HeteroPar'12, steps
// 3 to 6 of the IDPA and 4 to 8 of the INPA).
#pragma once

#include "sim/platform/per_worker.hpp"
#include "sim/platform/speed_function.hpp"
#include "sim/spmd/partition.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace starport::spmd {

/// How the work is divided, at both levels (HeteroPar'12, section 4).
enum class Strategy : std::uint8_t {
  functional,    ///< FPM: the GPA on functional performance models
  multiple_cpm,  ///< in proportion to the last speeds, again and again
  single_cpm,    ///< the same, once
  homogeneous    ///< evenly
};

/// "FPM", "multiple-CPM", "single-CPM", "homogeneous".
const char* to_string(Strategy strategy);

struct Balance;

/// The kernel run on every element at once.
struct Measure {
  PerWorker<std::int64_t> sizes;  ///< what was computed; may differ from the shares
  PerWorker<double> times_s;
  PerWorker<Balance> within;  ///< what the level below came to, where there is one
  double cost_s = 0;          ///< how long it took, with the measures of the level below
};

/// Shares, and what was measured of them.
struct Balance {
  PerWorker<std::int64_t> shares;
  Measure measure;
  int passes = 0;     ///< measures before the passes ended
  double cost_s = 0;  ///< of all of them
  Ending ending = Ending::cap;

  double slowest_s() const;
  double imbalance() const;  ///< t_max / t_min - 1 over those that compute anything
};

struct Passes {
  double tolerance;  ///< epsilon
  int most;          ///< of a strategy that repeats
};

using Kernels = std::function<Measure(const PerWorker<std::int64_t>& shares)>;

/// From even shares of n on. FPM adds what it measures to `models`, and keeps the shares of least
/// time that it measured; CPM keeps the last.
Balance balance(std::int64_t n, Strategy strategy, const Passes& passes,
                PerWorker<SpeedFunction> models, const Kernels& run);

}  // namespace starport::spmd
