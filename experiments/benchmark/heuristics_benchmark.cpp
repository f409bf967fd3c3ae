// The cost of a heuristic, planning and running by the recurrence, for a number of workers and of
// transfers, as CSV.
#include "heuristics/star/registry.hpp"
#include "sim/files/numbers.hpp"
#include "sim/platform/random.hpp"
#include "sim/process/machine.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/metrics.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace starport {
namespace {

struct Case {
  std::string heuristic;
  bool has_many_sides;  ///< chunks of 6 to 105 blocks a side, instead of 6 to 13
  std::int64_t p;
  std::int64_t transfers;  ///< about
};

/// Links and speeds within a factor of 4, and memories: sides 6 to 13, or as many of each from 6 to
/// 105. Together the workers compute about as fast as the port feeds them.
Platform platform_of(const Case& instance) {
  Random random(1);
  Platform platform{.name = "benchmark", .workers = {}};
  for (std::int64_t i = 0; i < instance.p; ++i) {
    platform.workers.push_back(
        {.c_s = random.real(1e-3, 4e-3),
         .w_s = random.real(1e-3, 4e-3) * static_cast<double>(instance.p) / 4,
         .m_blocks = random.integer(60, 240),
         .latency_s = 0});
    if (!instance.has_many_sides) continue;
    const std::int64_t side = 6 + i % 100;
    platform.workers.back().m_blocks = side * (side + 4);
    platform.workers.back().w_s *= 10. / static_cast<double>(side);
  }
  return platform;
}

/// Chunks of ten steps, two or three of them a panel; of workers of a hundred sides, 2 to 22.
Problem problem_of(const Case& instance) {
  if (instance.has_many_sides) {
    return {.r = 128, .s = 2 * instance.transfers, .t = 10, .block_size = 80};
  }
  return {
      .r = 16, .s = std::max<std::int64_t>(1, instance.transfers / 3), .t = 10, .block_size = 80};
}

struct Cost {
  std::int64_t transfers = 0;  ///< emitted
  double cpu_s = kUnknown;     ///< the least of the repetitions
  double peak_memory_mb = 0;
  double real_s = kUnknown;  ///< the least of the repetitions
};

/// Of this process.
double cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::int64_t to_transfers(const Heuristic& heuristic, const Platform& platform,
                          const Problem& problem) {
  const Plan plan = heuristic.plan(platform, problem);
  MasterView star(platform, problem);
  std::int64_t transfers = 0;
  run_recurrence(*plan.dispatcher, star, [&](const Message&, const Dates&) { ++transfers; });
  return transfers;
}

/// Plans and runs as in a sweep, again and again for a fifth of a second.
Cost plan_and_run(const Case& instance) {
  const Platform platform = platform_of(instance);
  const Problem problem = problem_of(instance);
  const auto heuristics = parse_heuristics(instance.heuristic);
  Cost cost{.transfers = to_transfers(*heuristics[0].heuristic, platform, problem)};
  const double begin_s = cpu_s();
  do {
    const double start_s = cpu_s();
    const Stopwatch watch;
    const Plan plan = heuristics[0].heuristic->plan(platform, problem);
    MetricsAccumulator meter(platform.workers.size());
    MetricsSink sink(meter, [] {});
    MetricsRun run(platform, problem, sink);
    plan.dispatcher->measure(run);
    cost.cpu_s = std::min(cost.cpu_s, cpu_s() - start_s);
    cost.real_s = std::min(cost.real_s, watch.elapsed_s());
  } while (cpu_s() - begin_s < 0.2);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  cost.peak_memory_mb = static_cast<double>(usage.ru_maxrss) / 1024;
  return cost;
}

}  // namespace
}  // namespace starport

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  using starport::parse_number;
  const bool has_four = words.size() == 4 && (words[1] == "different" || words[1] == "sides");
  const auto workers = has_four ? parse_number<std::int64_t>(words[2]) : std::nullopt;
  const auto transfers = has_four ? parse_number<std::int64_t>(words[3]) : std::nullopt;
  if (workers.value_or(0) < 1 || transfers.value_or(0) < 1) {
    std::cerr
        << "Usage: heuristics_benchmark HEURISTIC different|sides WORKERS TRANSFERS\n"
           "Prints the cost of planning and running as CSV. different: workers differ in link, "
           "speed and memory;\nsides: their chunks also have 6 to 105 blocks a side.\n";
    return 2;
  }
  try {
    const starport::Cost cost =
        starport::plan_and_run({words[0], words[1] == "sides", *workers, *transfers});
    std::cout << fmt::format("transfers,cpu_s,peak_memory_mb,real_s\n{},{:.4g},{:.0f},{:.4g}\n",
                             cost.transfers, cost.cpu_s, cost.peak_memory_mb, cost.real_s);
  } catch (const std::exception& error) {
    std::cerr << "heuristics_benchmark: " << error.what() << '\n';
    return 1;
  }
}
