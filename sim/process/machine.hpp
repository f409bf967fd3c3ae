// What this machine is.
#pragma once

#include <string>

namespace starport {

/// The memory that this process may still take: what is free, or what its control groups leave.
/// `root` stands before /proc and /sys.
double available_bytes(const std::string& root = "");
/// What the limits of this process alone (`ulimit -d`, `-v`) leave it; infinite without.
double bytes_within_limits();
/// The largest cache that the processor tells of; 0 when it does not.
double largest_cache_bytes();
std::string host_name();
/// How many threads have run or waited to, in the mean of the last minute; 0 when it does not tell.
double load_average();
/// How many cores do something, whoever for, in the mean of so many seconds from now on; 0 when the
/// system does not tell.
double busy_cores(double seconds);
/// The cores that the control groups of this process leave it, by time; infinite without a quota.
double core_quota(const std::string& root = "");
/// How many threads may work at once here: one for each processor that batch systems and control
/// groups lend this process, or a single one where others work beside it.
int threads_at_once();
/// Others do, from now on.
void work_beside_others();
/// The processors that this process may run on: batch systems lend a part of the machine.
int processors();
/// The flags of the processor, such as avx2, separated by spaces.
std::string processor_flags();
/// "Intel(R) Xeon(R) ..."; "unknown" where the system does not tell.
std::string processor_name();
/// The date in UTC, as 2026-11-21T17:00:00Z.
std::string current_date();

}  // namespace starport
