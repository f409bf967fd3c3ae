// Properties of this machine: memory, processors, load, names, and its monotonic clock.
#pragma once

#include <optional>
#include <string>

namespace starport {

/// Returns the memory in bytes that this process can still allocate: the free and reclaimable
/// memory of the machine, or less where control groups limit it; infinite when neither is known.
/// Resource limits do not count (see remaining_limit_bytes). `root` is a prefix of /proc and /sys,
/// for tests.
double available_memory_bytes(const std::string& root = "");
/// Returns the bytes that this process may still take under its resource limits on data and address
/// space (`ulimit -d` and `-v`), the lesser of the two; at least 0, infinite without limits.
double remaining_limit_bytes();
/// Returns the size in bytes of the largest cache (level 2 to 4) of the processor; 0 when it is not
/// known.
double largest_cache_bytes();
/// Returns the name of this host, as gethostname() does, cut after 255 bytes; "" when that fails.
std::string host_name();
/// Returns the load average of the last minute: the mean number of threads of the machine that ran,
/// waited to run or waited for a disk. Returns 0 when it is not known.
double load_average();
/// Measures, for `seconds` wall-clock seconds (finite, not checked) during which it blocks, how
/// many cores of the machine are busy on average, 0 to their number, with any process, this one
/// included. Returns 0 when that is not known, for instance when no clock tick (usually 10 ms) has
/// passed, as mostly for `seconds` of 0 or less.
double measure_busy_cores(double seconds);
/// Returns the number of cores, possibly a fraction, that the CPU quota of the control groups of
/// the calling thread allows; infinite without a quota, nullopt if the quota of no group can be
/// read. `root` is a prefix of /proc and /sys, for tests.
std::optional<double> core_quota(const std::string& root = "");
/// Returns the number of threads, at least 1, that this process should use: one per processor in
/// the affinity mask of the calling thread, or fewer where the CPU quota of its control groups is
/// smaller (rounded down); 1 after restrict_to_one_thread().
int usable_threads();
/// Makes usable_threads() return 1 from now on, for good, in this process and children forked
/// later. For a process that shares the processors with others of a pool. Not thread-safe.
void restrict_to_one_thread();
/// Returns the number of processors in the affinity mask of the calling thread, which batch systems
/// set. When the mask cannot be read, returns the number of all processors of the machine, or 0 if
/// that is not known either.
int processor_count();
/// Returns the flags of the first processor from /proc/cpuinfo, such as avx2, separated by spaces;
/// "" when they are not known.
std::string processor_flags();
/// Returns the model name of the first processor, such as "Intel(R) Xeon(R) ...", or "unknown".
std::string processor_name();
/// Returns the current date and time in UTC, to the second, as 2026-11-21T17:00:00Z.
std::string utc_timestamp();

/// Returns the wall-clock time in seconds since an unspecified date, by a clock that never goes
/// back. Its zero is the same in all processes of one machine until it restarts, so that dates can
/// be compared between them.
double monotonic_time_s();
/// Stopwatch that measures wall-clock seconds since its construction, by the monotonic clock; a
/// copy keeps the start of the original. Cannot be reset or stopped.
class Stopwatch {
 public:
  /// Returns the seconds since construction; calling it does not reset the stopwatch.
  double elapsed_s() const { return monotonic_time_s() - begin_s_; }

 private:
  double begin_s_ = monotonic_time_s();
};
/// Blocks the calling thread until the date `date_s` (seconds, on the clock of monotonic_time_s());
/// returns at once when it has passed. Sets the timer slack of the thread to 1 ns for good, so that
/// it wakes up on time. `date_s` must be finite (not checked).
void sleep_until(double date_s);

}  // namespace starport
