// Transfers per second of the engines replaying a schedule, beside a bare SimGrid program.
#include "experiments/benchmark/bare_s4u.hpp"
#include "heuristics/star/registry.hpp"
#include "sim/platform/random.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/engine/analytic_engine.hpp"
#include "sim/star/engine/simgrid/simgrid_engine.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/metrics_run.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
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

/// Stars as in random.json, and their schedules by a heuristic, which are run one after the other
/// or beside each other.
void random_stars(benchmark::State& state, const char* heuristic) {
  const Problem problem{.r = 100, .s = 1000, .t = 100, .block_size = 80};
  Random random(1);
  std::vector<Platform> stars(32);
  std::vector<Instance> instances;
  for (Platform& star : stars) {
    for (int i = 0; i < 8; ++i) {
      star.workers.push_back({.c_s = 5.12e-3 * random.real(1, 4),
                              .w_s = 0.75e-3 * random.real(1, 4),
                              .m_blocks = static_cast<std::int64_t>(20971 / random.real(1, 4)),
                              .latency_s = 0});
    }
    instances.push_back({&star, &problem});
  }
  const auto heuristics = parse_heuristics(heuristic);
  std::size_t transfers = 0;
  for (const Platform& star : stars) {
    const Plan plan = heuristics[0].heuristic->plan(star, problem);
    transfers += run_to_trace(*plan.dispatcher, star, problem).size();
  }
  for (auto _ : state) {
    state.PauseTiming();
    std::vector<Plan> plans = heuristics[0].heuristic->plan_batch(instances);
    std::deque<MetricsAccumulator> meters;
    std::deque<MetricsSink> sinks;
    std::deque<MetricsRun> runs;
    std::vector<MeasuredRun> driven;
    for (std::size_t k = 0; k < stars.size(); ++k) {
      sinks.emplace_back(meters.emplace_back(stars[k].workers.size()), [] {});
      runs.emplace_back(stars[k], problem, sinks.back());
      driven.push_back({plans[k].dispatcher.get(), &runs.back()});
    }
    state.ResumeTiming();
    if (state.range(0) == 1) {
      for (const MeasuredRun& one : driven) one.dispatcher->measure(*one.run);
    } else {
      driven.front().dispatcher->measure_batch(driven);
    }
    benchmark::DoNotOptimize(meters.front().metrics().makespan_s);
  }
  state.counters["transfers/s"] = benchmark::Counter(static_cast<double>(transfers),
                                                     benchmark::Counter::kIsIterationInvariantRate);
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
void at_once(benchmark::internal::Benchmark* benchmark) { benchmark->Arg(1)->Arg(32); }

BENCHMARK_CAPTURE(random_stars, Hom, "Hom")->Apply(at_once);
BENCHMARK_CAPTURE(random_stars, HomI, "HomI")->Apply(at_once);
BENCHMARK_CAPTURE(random_stars, ORROML, "ORROML")->Apply(at_once);
BENCHMARK_CAPTURE(random_stars, OMMOML, "OMMOML")->Apply(at_once);
BENCHMARK_CAPTURE(random_stars, Het, "Het")->Apply(at_once);
BENCHMARK_CAPTURE(random_stars, ODDOML, "ODDOML")->Apply(at_once);
BENCHMARK(bare<BareWorker::two_actors>)->Apply(settings);
BENCHMARK(bare<BareWorker::one_actor>)->Apply(settings);

}  // namespace
}  // namespace starport

BENCHMARK_MAIN();
