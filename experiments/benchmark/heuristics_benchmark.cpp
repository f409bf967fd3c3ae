// The cost of each heuristic, planning and running by the recurrence, against the number of workers
// and of transfers, as CSV. Each case runs in a process of its own.
#include "heuristics/star/registry.hpp"
#include "sim/platform/random.hpp"
#include "sim/process/isolation.hpp"
#include "sim/process/machine.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/metrics.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <iostream>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace starport {
namespace {

enum class Workers { different, kinds_20, sides_100 };

const char* to_string(Workers workers) {
  switch (workers) {
    case Workers::kinds_20:
      return "20 kinds";
    case Workers::sides_100:
      return "100 sides";
    case Workers::different:
      break;
  }
  return "different";
}

struct Case {
  std::string heuristic;
  Workers workers;
  std::int64_t p;
  std::int64_t transfers;  ///< about

  std::string name() const {
    return fmt::format("{}/{}/{}/{}", heuristic, to_string(workers), p, transfers);
  }
};

/// Links and speeds within a factor of 4, and memories: sides 6 to 13, or as many of each from 6 to
/// 105. Together the workers compute about as fast as the port feeds them.
Platform platform_of(const Case& instance) {
  Random random(1);
  const std::int64_t kinds =
      instance.workers == Workers::kinds_20 ? std::min<std::int64_t>(20, instance.p) : instance.p;
  Platform platform{.name = "benchmark", .workers = {}};
  for (std::int64_t i = 0; i < kinds; ++i) {
    platform.workers.push_back(
        {.c_s = random.real(1e-3, 4e-3),
         .w_s = random.real(1e-3, 4e-3) * static_cast<double>(instance.p) / 4,
         .m_blocks = random.integer(60, 240),
         .latency_s = 0});
    if (instance.workers != Workers::sides_100) continue;
    const std::int64_t side = 6 + i % 100;
    platform.workers.back().m_blocks = side * (side + 4);
    platform.workers.back().w_s *= 10. / static_cast<double>(side);
  }
  for (std::int64_t i = kinds; i < instance.p; ++i) {
    platform.workers.push_back(platform.workers[static_cast<std::size_t>(i - kinds)]);
  }
  return platform;
}

/// Chunks of ten steps, two or three of them a panel; of workers of a hundred sides, 2 to 22.
Problem problem_of(const Case& instance) {
  if (instance.workers == Workers::sides_100) {
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

Cost measure(const Case& instance) {
  Cost cost;
  run_in_child(
      [&](FrameWriter& out) {
        const Cost measured = plan_and_run(instance);
        out.write(std::as_bytes(std::span(&measured, 1)));
        out.flush();
      },
      [&](std::span<const std::byte> frame) { std::memcpy(&cost, frame.data(), sizeof cost); }, 0);
  return cost;
}

/// Orders of steps are held in memory, and Het's eight take their time.
std::int64_t max_transfers(std::string_view heuristic) {
  if (heuristic == "Het") return 10'000'000;
  return heuristic == "OMMOML" ? 100'000'000 : 1'000'000'000;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const char* heuristic : {"ORROML", "BMM", "ODDOML", "OMMOML", "Hom", "HomI", "Het"}) {
    for (const Workers workers : {Workers::different, Workers::kinds_20}) {
      for (const std::int64_t p : {8, 10, 100, 1000, 10'000, 100'000, 1'000'000}) {
        cases.push_back({heuristic, workers, p, 1'000'000});
      }
      for (const std::int64_t transfers :
           {10'000, 100'000, 10'000'000, 100'000'000, 1'000'000'000}) {
        if (transfers > max_transfers(heuristic)) continue;
        cases.push_back({heuristic, workers, 1000, transfers});
      }
      for (const std::int64_t p : {100'000, 1'000'000}) {
        cases.push_back({heuristic, workers, p, 10'000'000});
      }
    }
    cases.push_back({heuristic, Workers::sides_100, 1000, 1'000'000});
  }
  return cases;
}

/// The place in the list of heuristics: its colour in figures.
std::size_t style_of(const std::string& heuristic) {
  const auto& registry = heuristic_registry();
  const auto entry = std::find_if(registry.begin(), registry.end(), [&](const auto& candidate) {
    return candidate.name == heuristic;
  });
  return static_cast<std::size_t>(entry - registry.begin()) + 1;
}

void run(const std::regex& wanted) {
  std::cout << "heuristic,style,workers,p,asked,transfers,cpu_s,peak_memory_mb,real_s\n";
  for (const Case& instance : all_cases()) {
    if (!std::regex_search(instance.name(), wanted)) continue;
    const Cost cost = measure(instance);
    std::cout << fmt::format("{},{},{},{},{},{},{:.4g},{:.0f},{:.4g}\n", instance.heuristic,
                             style_of(instance.heuristic), to_string(instance.workers), instance.p,
                             instance.transfers, cost.transfers, cost.cpu_s, cost.peak_memory_mb,
                             cost.real_s)
              << std::flush;
  }
}

}  // namespace
}  // namespace starport

int main(int argc, char** argv) {
  if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
    std::cerr << "Usage: heuristics_benchmark [REGEX]\n"
                 "Measures the cases whose name, as in ODDOML/different/1000/1000000 (workers, "
                 "transfers),\nmatches, and prints CSV. All of them take an hour.\n";
    return 2;
  }
  try {
    starport::run(std::regex(argc == 2 ? argv[1] : ""));
  } catch (const std::exception& error) {
    std::cerr << "heuristics_benchmark: " << error.what() << '\n';
    return 1;
  }
}
