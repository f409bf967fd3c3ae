#include "sim/process/machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

namespace starport {
namespace {

/// Returns the first number in a file; nullopt when there is none.
std::optional<double> number_in(const std::string& path) {
  double number = 0;
  std::ifstream in(path);
  return in >> number ? std::optional(number) : std::nullopt;
}

/// Returns the sum of the numbers of some keys, in a file of "key number" or "key: number kB"
/// lines; nullopt when it has none of them.
std::optional<double> sum_values(const std::string& path, std::span<const std::string_view> keys) {
  std::optional<double> sum;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string key;
    double number = 0;
    if (fields >> key >> number && std::find(keys.begin(), keys.end(), key) != keys.end()) {
      sum = sum.value_or(0) + number;
    }
  }
  return sum;
}

/// Whether other processes of a pool share the processors with this one.
bool in_pool = false;

/// Processor time of all cores together since boot, in clock ticks, from /proc/stat.
struct CoreTicks {
  double all = 0;
  double idle = 0;
  double cores = 0;
};

CoreTicks core_ticks() {
  // The fields are user, nice, system, idle, iowait, irq, softirq, steal; the guest times that
  // follow are included in user and nice.
  constexpr std::size_t fields = 8;
  constexpr std::size_t idle = 3;
  constexpr std::size_t waiting = 4;
  CoreTicks ticks;
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name != "cpu") {
      ++ticks.cores;
      continue;
    }
    double value = 0;
    for (std::size_t n = 0; n < fields && words >> value; ++n) {
      ticks.all += value;
      if (n == idle || n == waiting) ticks.idle += value;
    }
  }
  return ticks;
}

/// Returns the value of a key of the first processor in /proc/cpuinfo.
std::optional<std::string> cpuinfo_of(std::string_view key) {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return std::nullopt;
}

/// File names of memory limits in one version of control groups.
struct GroupFiles {
  const char* top;
  const char* limit;
  const char* used;
  std::array<std::string_view, 2> file_cache;  ///< part of `used` that the kernel can reclaim
};
constexpr GroupFiles kVersion1{.top = "/sys/fs/cgroup/memory",
                               .limit = "memory.limit_in_bytes",
                               .used = "memory.usage_in_bytes",
                               .file_cache = {"total_active_file", "total_inactive_file"}};
constexpr GroupFiles kVersion2{.top = "/sys/fs/cgroup",
                               .limit = "memory.max",
                               .used = "memory.current",
                               .file_cache = {"active_file", "inactive_file"}};

/// Returns the bytes that a control group and its ancestors still allow.
double group_memory_left(const std::string& root, const GroupFiles& files, std::string group) {
  double left = std::numeric_limits<double>::infinity();
  while (true) {
    const std::string directory = root + files.top + group + "/";
    const auto limit = number_in(directory + files.limit);
    const auto used = number_in(directory + files.used);
    if (limit && used) {
      const double cache = sum_values(directory + "memory.stat", files.file_cache).value_or(0);
      left = std::min(left, std::max(0.0, *limit - std::max(0.0, *used - cache)));
    }
    if (group.empty()) return left;
    group.erase(group.rfind('/'));
  }
}

/// Calls visit(controllers, group) for each control group of the calling thread. `controllers` is
/// empty in version 2, `group` is empty for the root. Lines are "hierarchy:controllers:group".
template <class Visit>
void for_each_group(const std::string& root, Visit&& visit) {
  std::ifstream groups(root + "/proc/thread-self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = std::min(line.find(':'), line.size());
    const std::size_t second = std::min(line.find(':', first + 1), line.size());
    if (second == line.size()) continue;
    const std::size_t slash = std::min(line.find_first_not_of('/', second + 1), line.size());
    visit(line.substr(first + 1, second - first - 1),
          slash == line.size() ? std::string() : line.substr(slash - 1));
  }
}

}  // namespace

double available_memory_bytes(const std::string& root) {
  constexpr std::array<std::string_view, 1> key{"MemAvailable:"};
  double available =
      1024 *
      sum_values(root + "/proc/meminfo", key).value_or(std::numeric_limits<double>::infinity());
  for_each_group(root, [&](const std::string& controllers, const std::string& group) {
    if (!controllers.empty() && controllers != "memory") return;
    const GroupFiles& files = controllers.empty() ? kVersion2 : kVersion1;
    available = std::min(available, group_memory_left(root, files, group));
  });
  return available;
}

double remaining_limit_bytes() {
  double left = std::numeric_limits<double>::infinity();
  for (const auto& [limited, used] : {std::pair(RLIMIT_DATA, "VmData:"), {RLIMIT_AS, "VmSize:"}}) {
    rlimit limit{};
    if (::getrlimit(limited, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) continue;
    const std::array<std::string_view, 1> key{used};
    const double taken = 1024 * sum_values("/proc/self/status", key).value_or(0);
    left = std::min(left, std::max(0.0, static_cast<double>(limit.rlim_cur) - taken));
  }
  return left;
}

double largest_cache_bytes() {
  long largest = 0;
  for (const int level : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE}) {
    largest = std::max(largest, ::sysconf(level));
  }
  return static_cast<double>(largest);
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

double load_average() { return number_in("/proc/loadavg").value_or(0); }

double measure_busy_cores(double seconds) {
  const CoreTicks before = core_ticks();
  sleep_until(monotonic_time_s() + seconds);
  const CoreTicks after = core_ticks();
  const double passed = after.all - before.all;
  return passed > 0 ? after.cores * (1 - (after.idle - before.idle) / passed) : 0;
}

std::optional<double> core_quota(const std::string& root) {
  bool is_known = false;
  double cores = std::numeric_limits<double>::infinity();
  for_each_group(root, [&](const std::string& controllers, std::string group) {
    const bool first_version = controllers == "cpu" || controllers == "cpu,cpuacct";
    if (!controllers.empty() && !first_version) return;
    const std::string top = root + "/sys/fs/cgroup" + (first_version ? "/cpu" : "");
    while (true) {
      std::optional<double> quota;
      std::optional<double> period;
      if (first_version) {  // -1: none
        quota = number_in(top + group + "/cpu.cfs_quota_us");
        period = number_in(top + group + "/cpu.cfs_period_us");
      } else {
        std::ifstream file(top + group + "/cpu.max");
        double both[2]{};
        is_known = is_known || file.is_open();
        if (file >> both[0] >> both[1]) std::tie(quota, period) = std::tie(both[0], both[1]);
      }
      is_known = is_known || (quota && period);
      if (quota && period && *quota > 0) cores = std::min(cores, *quota / *period);
      if (group.empty()) return;
      group.erase(group.rfind('/'));
    }
  });
  return is_known ? std::optional(cores) : std::nullopt;
}

std::string processor_name() { return cpuinfo_of("model name").value_or("unknown"); }

int processor_count() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::thread::hardware_concurrency());
}

void restrict_to_one_thread() { in_pool = true; }

int usable_threads() {
  if (in_pool) return 1;
  const double processors = processor_count();
  return std::max(1, static_cast<int>(std::min(processors, core_quota().value_or(processors))));
}

std::string processor_flags() { return cpuinfo_of("flags").value_or(""); }

std::string utc_timestamp() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

double monotonic_time_s() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void sleep_until(double date_s) {
  // By default, the kernel may wake a thread up 50 us late to save energy.
  static thread_local const int exact = ::prctl(PR_SET_TIMERSLACK, 1UL);
  static_cast<void>(exact);
  const double whole = std::floor(date_s);
  const timespec date{.tv_sec = static_cast<time_t>(whole),
                      .tv_nsec = static_cast<long>(1e9 * (date_s - whole))};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &date, nullptr) == EINTR) {
  }
}

}  // namespace starport
