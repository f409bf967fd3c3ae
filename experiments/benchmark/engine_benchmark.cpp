// Transfers per second of the engines replaying a schedule, beside a bare SimGrid program.
#include "experiments/benchmark/bare_s4u.hpp"
#include "heuristics/star/registry.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/star/engine/simgrid/simgrid_engine.hpp"
#include "sim/star/metrics.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace starport {
namespace {

struct Case {
  Platform platform;
  Problem problem;
  std::vector<Transfer> transfers;
};

/// A round-robin schedule of some 100,000 transfers over p equal workers that compute about half of
/// the time: chunks of side 2, 100 steps each, as many on every worker.
Case round_robin_case(std::int64_t p) {
  const std::int64_t chunks = 1000 / p;  // per worker
  Case instance;
  instance.platform.name = "benchmark";
  instance.platform.workers.assign(
      static_cast<std::size_t>(p),
      {.c_s = 1e-3, .w_s = 0.5e-3 * static_cast<double>(p), .m_blocks = 12, .latency_s = 0});
  instance.problem = {.r = 2 * chunks, .s = 2 * p, .t = 100, .block_size = 80};
  const auto heuristics = parse_heuristics("ORROML");
  const Plan plan = heuristics[0].heuristic->plan(instance.platform, instance.problem);
  instance.transfers =
      to_transfers(run_to_trace(*plan.dispatcher, instance.platform, instance.problem));
  return instance;
}

void count(benchmark::State& state, const Case& instance) {
  state.counters["transfers/s"] = benchmark::Counter(static_cast<double>(instance.transfers.size()),
                                                     benchmark::Counter::kIsIterationInvariantRate);
}

void engine(benchmark::State& state) {
  const Case instance = round_robin_case(state.range(0));
  const TransferList list(instance.transfers);
  for (auto _ : state) {
    MetricsAccumulator meter(instance.platform.workers.size());
    SimgridEngine().stream(
        instance.platform, instance.problem, [&] { return make_list_plan(list); }, {},
        [&](const TracedTransfer& traced) {
          meter.add(to_message(traced.transfer), traced.dates);
        });
    benchmark::DoNotOptimize(meter.metrics().makespan_s);
  }
  count(state, instance);
}

/// All that is reported, nothing kept.
void measure(benchmark::State& state, const Case& instance, const Planner& plan) {
  for (auto _ : state) {
    MetricsAccumulator meter(instance.platform.workers.size());
    AnalyticEngine().measure(instance.platform, instance.problem, plan, {}, meter);
    benchmark::DoNotOptimize(meter.metrics().makespan_s);
  }
  count(state, instance);
}

void analytic(benchmark::State& state) {
  const Case instance = round_robin_case(state.range(0));
  const TransferList list(instance.transfers);
  measure(state, instance, [&] { return make_list_plan(list); });
}

void analytic_demand_driven(benchmark::State& state) {
  const Case instance = round_robin_case(state.range(0));
  const auto heuristics = parse_heuristics("ODDOML");
  measure(state, instance,
          [&] { return heuristics[0].heuristic->plan(instance.platform, instance.problem); });
}

/// What a program written for this one question costs: the recurrence, where steps go two ahead,
/// and the makespan.
[[gnu::noinline]] double lean_makespan_s(const Case& instance,
                                         const std::vector<Message>& messages) {
  struct Ends {
    std::array<double, 2> s{};  ///< of the last two updates
    std::int64_t count = 0;
  };
  std::vector<Ends> ends(instance.platform.workers.size());
  double now_s = 0;
  for (const Message& message : messages) {
    const auto i = static_cast<std::size_t>(message.worker);
    const Worker& worker = instance.platform.workers[message.worker];
    Ends& end = ends[i];
    if (message.after_update > end.count - 2) {
      now_s = std::max(now_s, end.s[static_cast<std::size_t>(message.after_update) % 2]);
    }
    now_s += static_cast<double>(message.blocks) * worker.c_s;
    if (!message.allows_update) continue;
    const double start_s = std::max(now_s, end.s[static_cast<std::size_t>(end.count) % 2]);
    end.s[static_cast<std::size_t>(++end.count) % 2] =
        start_s + static_cast<double>(message.block_updates) * worker.w_s;
  }
  return now_s;
}

void lean(benchmark::State& state) {
  const Case instance = round_robin_case(state.range(0));
  const TransferList list(instance.transfers);
  for (auto _ : state) {
    benchmark::DoNotOptimize(lean_makespan_s(instance, list.messages()));
  }
  count(state, instance);
}

template <BareWorker kind>
void bare(benchmark::State& state) {
  const Case instance = round_robin_case(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        run_bare_s4u(instance.platform, instance.problem, instance.transfers, kind));
  }
  count(state, instance);
}

// The work is done in child processes, so real time is what counts.
void settings(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(8)->Arg(100)->Arg(1000)->UseRealTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(engine)->Apply(settings);
BENCHMARK(lean)->Apply(settings);
BENCHMARK(analytic)->Apply(settings);
BENCHMARK(analytic_demand_driven)->Apply(settings);
BENCHMARK(bare<BareWorker::two_actors>)->Apply(settings);
BENCHMARK(bare<BareWorker::one_actor>)->Apply(settings);

}  // namespace
}  // namespace starport

BENCHMARK_MAIN();
