// A run that keeps nothing but the metrics has those of the trace.
#include "heuristics/star/registry.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/metrics.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace starport {
namespace {

Metrics driven(Dispatcher& dispatcher, const test::RandomInstance& instance) {
  MetricsAccumulator meter(instance.platform.workers.size());
  MetricsSink sink(meter, [] {});
  MetricsRun run(instance.platform, instance.problem, sink);
  dispatcher.measure(run);
  return meter.metrics();
}

/// To the last bit.
void expect_same(const Metrics& driven, const Metrics& traced) {
  EXPECT_EQ(driven.makespan_s, traced.makespan_s);
  EXPECT_EQ(driven.enrolled_workers, traced.enrolled_workers);
  EXPECT_EQ(driven.blocks_moved, traced.blocks_moved);
  EXPECT_EQ(driven.block_updates, traced.block_updates);
  EXPECT_EQ(driven.port_utilisation, traced.port_utilisation);
  EXPECT_EQ(driven.send_utilisation, traced.send_utilisation);
  EXPECT_EQ(driven.receive_utilisation, traced.receive_utilisation);
  ASSERT_EQ(driven.workers.size(), traced.workers.size());
  for (std::size_t i = 0; i < traced.workers.size(); ++i) {
    EXPECT_EQ(driven.workers[i].blocks_moved, traced.workers[i].blocks_moved);
    EXPECT_EQ(driven.workers[i].block_updates, traced.workers[i].block_updates);
    EXPECT_EQ(driven.workers[i].link_busy_s, traced.workers[i].link_busy_s);
    EXPECT_EQ(driven.workers[i].compute_busy_s, traced.workers[i].compute_busy_s);
  }
}

/// Whether a transfer waits for an update before the last two of its worker.
bool waits_for_an_old_one(const std::vector<Transfer>& transfers, std::size_t workers) {
  PerWorker<std::int64_t> updates(workers);
  return std::ranges::any_of(transfers, [&](const Transfer& transfer) {
    const std::int64_t allowed = updates[transfer.worker];
    if (!transfer.update.empty()) ++updates[transfer.worker];
    return transfer.after_update > 0 && transfer.after_update < allowed - 1;
  });
}

TEST(MetricsRun, HasTheMetricsOfTheTrace) {
  const auto heuristics = parse_heuristics("all,ipdps07,Polaris[effort=low],ODDOML[serve=index]");
  int runs = 0;
  int old = 0;
  for (std::uint64_t seed = 0; seed < 60; seed += test::kSeedStride) {
    const auto instance = test::random_instance(seed);
    const auto& [platform, problem] = instance;
    for (const NamedHeuristic& named : heuristics) {
      SCOPED_TRACE(named.name + ", seed " + std::to_string(seed));
      Plan plan;
      try {
        plan = named.heuristic->plan(platform, problem);
      } catch (const std::runtime_error&) {  // not for such a platform
        continue;
      }
      const Metrics metrics = driven(*plan.dispatcher, instance);
      const Plan again = named.heuristic->plan(platform, problem);
      const Trace trace = run_to_trace(*again.dispatcher, platform, problem);
      const Metrics traced = compute_metrics(platform, trace);
      expect_same(metrics, traced);
      const std::vector<Transfer> transfers = to_transfers(trace);
      const TransferList list(transfers);
      expect_same(driven(*make_list_plan(list).dispatcher, instance), traced);
      old += waits_for_an_old_one(transfers, platform.workers.size()) ? 1 : 0;
      ++runs;
    }
  }
  EXPECT_GT(runs, 30);
  EXPECT_GT(old, 0);
}

}  // namespace
}  // namespace starport
