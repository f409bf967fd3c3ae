// The star platform: a master that holds the matrices, and p heterogeneous workers (PPoPP'08,
// section 2), with their names in messages, tables and charts.
#pragma once

#include "sim/platform/port.hpp"
#include "sim/platform/speed_function.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace starport {

/// A std::vector with one value per worker, indexed by the worker's index from 0. The index may be
/// of any integer type (no sign warnings); an index out of range is undefined behaviour.
template <class Value>
struct PerWorker : std::vector<Value> {
  using std::vector<Value>::vector;

  decltype(auto) operator[](std::int64_t worker) {
    return std::vector<Value>::operator[](static_cast<std::size_t>(worker));
  }
  decltype(auto) operator[](std::int64_t worker) const {
    return std::vector<Value>::operator[](static_cast<std::size_t>(worker));
  }
};

/// The names of the workers of a platform for messages: those given in its file, else P1, P2, ...
/// Workers are indexed from 0. Immutable; copies are cheap and share the names.
class WorkerNames {
 public:
  /// Makes an object for any number of workers without names of their own, called P1, P2, ...
  WorkerNames() = default;
  /// Takes one name per worker by index from 0, empty for a worker without a name; workers beyond
  /// the list have none. Throws InputError without a file name, at "/workers", when two non-empty
  /// names are equal, or one consists of digits or of P and digits, as workers without names are
  /// called.
  explicit WorkerNames(std::vector<std::string> names);

  /// Returns whether at least one worker was given a name of its own.
  bool has_given_names() const { return names_ != nullptr; }
  /// Returns the name that worker `worker` (index from 0) was given in the platform file; "" when
  /// it has none or there is no such worker.
  std::string name_in_file(std::size_t worker) const;
  /// Returns the name that worker `worker` (index from 0) was given, else "P" and its number from
  /// 1, such as "P3" for index 2; the latter also for an index beyond the last worker.
  std::string operator[](std::size_t worker) const;
  /// Names the workers with indices first <= i < end in one text: one name as it is ("P2");
  /// "P1..P4" or "gpu-1..gpu-4" if the first and the last name differ in the digits at their end
  /// only; else a list such as "anna, bert" of up to three names, and "anna..zoe (7)" with the
  /// number of workers for more. Requires first < end (not checked).
  std::string format_range(std::size_t first, std::size_t end) const;

 private:
  std::shared_ptr<const std::vector<std::string>> names_;
};

/// One worker (a machine that computes) of a star platform, as the papers model it: seconds to send
/// a block (c_i), seconds of a block update (w_i) and memory in blocks (m_i), for blocks of q x q
/// matrix elements of 8 bytes, for one q. PlatformFile::at_block_size() computes these figures. The
/// link to the master is alike in both directions.
struct Worker {
  /// Seconds to send one block (q x q matrix elements) to or from the master over the worker's
  /// link, without latency; greater than 0 on a valid platform.
  double c_s = 0;
  /// Seconds of one block update, C_ij += A_ik B_kj for blocks of q x q matrix elements, at the
  /// worker's highest speed; greater than 0 on a valid platform.
  double w_s = 0;
  /// Number of blocks (q x q matrix elements) of A, B and C together that fit in the worker's
  /// memory; at least 0.
  std::int64_t m_blocks = 0;
  /// Start-up time in seconds that each message between worker and master costs in addition to its
  /// blocks; at least 0.
  double latency_s = 0;
  /// Speed in block updates (C_ij += A_ik B_kj) per second as a function of the number of blocks of
  /// C that the worker updates in one go (an update), with at least one point; null when the speed
  /// does not depend on that number. Shared between copies.
  std::shared_ptr<const SpeedFunction> speeds{};

  /// Returns the duration in seconds, latency included and without noise, of one message of
  /// `blocks` blocks (>= 0, not checked) in either direction.
  double transfer_time_s(std::int64_t blocks) const {
    return latency_s + static_cast<double>(blocks) * c_s;
  }
  /// Returns the mean seconds per block update (C_ij += A_ik B_kj) when the worker updates `blocks`
  /// blocks of C in one go; w_s when the speed does not depend on their number. Requires blocks >=
  /// 1 (not checked).
  double block_update_s(std::int64_t blocks) const {
    return speeds ? 1 / speeds->speed(static_cast<double>(blocks)) : w_s;
  }
  /// Returns whether all times, the memory and the speed functions of two workers are exactly
  /// equal; speed functions are compared point by point.
  bool operator==(const Worker& other) const;
};

/// A star platform (a master with one link to each worker) whose times and memories hold for one
/// block size (side of a matrix block), usually made by PlatformFile::at_block_size(). Owns all its
/// data. Worker indices start at 0 in code; files and messages number workers from 1.
struct Platform {
  /// Name of the platform for messages and reports, normally that in its file.
  std::string name;
  /// The workers by index from 0; empty if the platform file gives no valid star for the block size
  /// (PlatformFile::star_or_empty()).
  PerWorker<Worker> workers;
  /// The master's port, which limits the transfers that may take place at the same time; by default
  /// one-port, a single transfer at a time.
  Port port = {};
  /// Names of the workers for messages and reports, by the same index from 0.
  WorkerNames names = {};

  /// Returns whether all workers have exactly equal times, memories and speed functions; true
  /// without workers. Names do not count.
  bool is_homogeneous() const;
};

/// Largest number of workers of a platform, and the largest number of a worker (from 1) in files
/// and options; reading more throws InputError.
inline constexpr std::int64_t kMaxWorkers = 1'000'000;
/// Largest memory of one worker, in matrix blocks; reading more throws InputError.
inline constexpr std::int64_t kMaxBlocks = 1'000'000'000'000;

}  // namespace starport
