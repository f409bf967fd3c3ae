// The star platform: a master that holds the matrices, and p heterogeneous workers (PPoPP'08,
// section 2).
#pragma once

#include "sim/platform/per_worker.hpp"
#include "sim/platform/port.hpp"
#include "sim/platform/speed_function.hpp"
#include "sim/platform/worker_names.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace starport {

/// One worker in the figures of the model (c_i, w_i, m_i), which hold for one block size.
struct Worker {
  double c_s = 0;             ///< time to move one block to or from the master, s; > 0
  double w_s = 0;             ///< time of one block update, at its fastest size, s; > 0
  std::int64_t m_blocks = 0;  ///< blocks that fit in its memory; >= 0
  double latency_s = 0;       ///< start-up of each message, s; >= 0
  /// Block updates per second by the number of blocks of C in an update; null when the speed does
  /// not depend on the size.
  std::shared_ptr<const SpeedFunction> speeds{};

  /// Returns the nominal duration in seconds of a message of `blocks` blocks.
  double transfer_time_s(std::int64_t blocks) const {
    return latency_s + static_cast<double>(blocks) * c_s;
  }
  /// Returns the duration in seconds of one block update within an update of `blocks` blocks of C.
  double block_update_s(std::int64_t blocks) const {
    return speeds ? 1 / speeds->speed(static_cast<double>(blocks)) : w_s;
  }
  bool operator==(const Worker& other) const;
};

/// A star platform for one block size. Workers are numbered from 0 in code, and from 1 in files and
/// messages.
struct Platform {
  std::string name;
  PerWorker<Worker> workers;
  Port port = {};
  WorkerNames names = {};

  /// Returns whether all workers have equal figures.
  bool is_homogeneous() const;
};

/// Largest number of workers accepted in a platform file.
inline constexpr std::int64_t kMaxWorkers = 1'000'000;
/// Largest memory of a worker accepted, in blocks.
inline constexpr std::int64_t kMaxBlocks = 1'000'000'000'000;

}  // namespace starport
