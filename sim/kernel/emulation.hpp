// Emulation of unequal workers on equal machines (option --unequal), and the computation of such a
// worker in the blocked outer product (HeteroPar'12, section 4).
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/process/machine.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

namespace starport {

/// The emulated slow-down of a worker against its machine, so that equal machines act as unequal
/// workers: a plain value, from which PanelKernel and SpeedMeter derive how long to wait after each
/// computation so that it lasts factor() times as long. By default there is none.
struct Emulation {
  /// Factor, at least 1 (no slow-down), by which each computation of the worker lasts longer than
  /// on its machine while it holds no more than memory_bytes.
  double slowdown = 1;
  /// Emulated memory in bytes, greater than 0; infinity: no limit. A worker that holds f > 1 times
  /// as much takes 1 + paging (f - 1) times as long, besides `slowdown`.
  double memory_bytes = std::numeric_limits<double>::infinity();
  /// Cost of holding more than memory_bytes: the extra duration, as a share of the duration without
  /// it, for each memory_bytes too much; at least 0 (no cost).
  double paging = 0;

  /// Returns the factor, at least 1, by which the computations of a worker shall last longer when
  /// it holds `bytes` bytes of A, B and C: slowdown, times 1 + paging (f - 1) when it holds f =
  /// bytes / memory_bytes > 1 times the emulated memory.
  double factor(double bytes) const;
};

/// Settings of one worker of a real run that option --unequal gives: its number of threads and its
/// emulated slow-down. A plain value, made by parse_unequal_workers().
struct WorkerSettings {
  /// Number of threads that the worker's updates may use, in the BLAS or in a kernel; at least 1.
  int threads = 1;
  /// Emulated slow-down that makes the worker slower than its machine, hence unequal to the others;
  /// none by default.
  Emulation emulation = {};
};

/// Returns the settings (threads and emulated slow-down) of `workers` workers, by index from 0,
/// with `threads` threads each (at least 1, not checked), changed by the items of `text`, the value
/// of option --unequal (may be empty). In threads=1:2,slow=2:2.5,paging=3:24MiB:10 worker 1
/// (numbers from 1) has two threads, worker 2 takes 2.5 times as long, and worker 3 has 24 MiB of
/// memory and takes 1 + 10 (f - 1) times as long when it holds f > 1 times that. A later item
/// replaces an earlier one of the same key and worker. Throws InputError about --unequal for an
/// unknown key, a value that is missing or no number, a worker not from 1 to `workers`, threads not
/// from 1 to 1024, a factor below 1, a memory of 0 or less, or a paging cost below 0.
PerWorker<WorkerSettings> parse_unequal_workers(std::size_t workers, int threads,
                                                std::string_view text);

/// Computation of one worker at an emulated speed: after each update of the blocked outer product
/// (C += one block column of A times one block row of B) it waits, so that the update lasts as long
/// as on a machine slower by the factor of its Emulation, which is larger when A, B and C exceed
/// the emulated memory (paging). Accepts matrices of any size. Holds settings only, no matrices.
class PanelKernel {
 public:
  /// Makes a kernel for blocks of block_size x block_size doubles (at least 1, not checked), which
  /// computes as slowly as `emulation` says; it is copied.
  PanelKernel(std::int64_t block_size, const Emulation& emulation)
      : block_size_(block_size), emulation_(emulation) {}

  /// Computes C += A.B by one dgemm (matrix product of the BLAS), then waits, so that both together
  /// last f times as long as the dgemm, with f = Emulation::factor(held_bytes(m n, q)) and q the
  /// block size: as for a worker that holds m x n blocks each of A, B and C. Here C has m x n
  /// blocks, A is m blocks high and one wide, B one high and n wide; all are stored by rows without
  /// gaps. Requires m, n >= 1, arrays of that size and no overlap of C with A or B (not checked:
  /// undefined behaviour). The wait calls `sleep` (not empty), which must return once
  /// monotonic_time_s() has reached its argument, and ends with 0.1 ms of busy waiting; `sleep` is
  /// not called if f is 1.
  void update(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n,
              const std::function<void(double date_s)>& sleep = sleep_until) const;

 private:
  std::int64_t block_size_;
  Emulation emulation_;
};

/// Returns the memory in bytes of A, B and C together when each has `blocks` blocks of block_size x
/// block_size doubles.
double held_bytes(std::int64_t blocks, std::int64_t block_size);

}  // namespace starport
