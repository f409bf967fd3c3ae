// The star: a master that holds the matrices and p workers that differ (PPoPP'08, section 2).
#pragma once

#include "sim/platform/per_worker.hpp"
#include "sim/platform/port.hpp"
#include "sim/platform/speed_function.hpp"
#include "sim/platform/worker_names.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace starport {

/// One worker, as the model sees it for a given block size.
struct Worker {
  double c_s = 0;             ///< time to move one block to or from the master, s; > 0
  double w_s = 0;             ///< time of one block update, at its fastest size, s; > 0
  std::int64_t m_blocks = 0;  ///< blocks that fit in its memory; >= 0
  double latency_s = 0;       ///< start-up of each message, s; >= 0
  /// Blocks of C in an update, block updates a second; none where the size makes no difference.
  std::shared_ptr<const SpeedFunction> speeds{};

  double transfer_time_s(std::int64_t blocks) const {
    return latency_s + static_cast<double>(blocks) * c_s;
  }
  /// Of one block update in an update of so many blocks of C, one block deep.
  double block_update_s(std::int64_t blocks) const {
    return speeds ? 1 / speeds->speed(static_cast<double>(blocks)) : w_s;
  }
  bool operator==(const Worker& other) const;
};

/// Workers are numbered from 0 here and from 1 wherever a person or a file sees them.
struct Platform {
  std::string name;
  PerWorker<Worker> workers;
  Port port = {};
  WorkerNames names = {};

  bool homogeneous() const;  ///< all workers alike
};

inline constexpr std::int64_t kMostWorkers = 1'000'000;
inline constexpr std::int64_t kMostBlocks = 1'000'000'000'000;  ///< the largest m_i accepted

}  // namespace starport
