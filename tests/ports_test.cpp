// One-port, two-port and multi-port masters: timelines by hand, the engines, the validator, bounds.
#include "heuristics/registry.hpp"
#include "sim/engine/analytic_engine.hpp"
#include "sim/engine/max_min.hpp"
#include "sim/engine/trace_difference.hpp"
#include "sim/engine/validator.hpp"
#include "sim/model/error.hpp"
#include "sim/model/port.hpp"
#include "sim/model/ties.hpp"
#include "sim/report/bounds.hpp"
#include "sim/report/gantt.hpp"
#include "sim/report/metrics.hpp"
#include "sim/report/run_encoding.hpp"
#include "sim/report/trace_file.hpp"
#include "sim/sweep/specification.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace starport {
namespace {

using Kind = Port::Kind;
using Intervals = std::vector<std::pair<double, double>>;

constexpr Port kTwo{.kind = Kind::two, .most_transfers = 0, .c_s = 0};
constexpr Port many(std::int64_t most_transfers = 0, double c_s = 0) {
  return {.kind = Kind::multi, .most_transfers = most_transfers, .c_s = c_s};
}

Platform with_port(Platform platform, const Port& port) {
  platform.port = port;
  return platform;
}

double end_of(const Trace& trace) {
  double end_s = 0;
  for (const TracedTransfer& event : trace) end_s = std::max(end_s, event.dates.end_s);
  return end_s;
}

Intervals transfers(const Trace& trace) {
  Intervals intervals;
  for (const TracedTransfer& event : trace) {
    intervals.emplace_back(event.dates.start_s, event.dates.end_s);
  }
  return intervals;
}

void expect_near(const Intervals& found, const Intervals& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].first, expected[i].first, 1e-9) << "transfer " << i + 1;
    EXPECT_NEAR(found[i].second, expected[i].second, 1e-9) << "transfer " << i + 1;
  }
}

// Two workers with c = 1, one block of C at a time (m = 5), w = 2 and 3; r = t = 1, s = 4: each
// does two blocks. ORROML emits C1 C2 AB1 AB2 R1 R2, twice.
const Platform& two_workers() {
  static const Platform platform = test::star({{1, 2, 5, 0}, {1, 3, 5, 0}});
  return platform;
}
constexpr Problem kFourBlocks{.r = 1, .s = 4, .t = 1, .block_size = 1};

// C1 0-1, C2 1-2, AB1 2-4 and its update 4-6, AB2 4-6 and 6-9. R1 waits for its update: 6-7. R2:
// 9-10. The second round is sent meanwhile: C1 when worker 1 is free, 7-8; C2 when worker 2 is,
// 10-11; behind it AB1 11-13, update 13-15, AB2 13-15, update 15-18; R1 15-16, R2 18-19. On one
// port the second C1 waits for R2, until 10, and all ends at 20.
TEST(TwoPort, ByHand) {
  const Platform platform = with_port(two_workers(), kTwo);
  const Intervals expected{{0, 1}, {1, 2},   {2, 4},   {4, 6},   {6, 7},   {9, 10},
                           {7, 8}, {10, 11}, {11, 13}, {13, 15}, {15, 16}, {18, 19}};
  expect_near(transfers(test::by_recurrence("ORROML", platform, kFourBlocks)), expected);
  const Trace trace = test::simulate("ORROML", platform, kFourBlocks);
  expect_near(transfers(trace), expected);
  EXPECT_EQ(end_of(test::by_recurrence("ORROML", two_workers(), kFourBlocks)), 20);
  const Metrics metrics = metrics_of(platform, trace);
  EXPECT_NEAR(metrics.makespan_s, 19, 1e-9);
  EXPECT_NEAR(metrics.send_utilisation, 12.0 / 19, 1e-9);
  EXPECT_NEAR(metrics.receive_utilisation, 4.0 / 19, 1e-9);
  EXPECT_NEAR(metrics.port_utilisation, 16.0 / 19, 1e-9);
}

// Each worker by itself. Worker 1: C 0-1, AB 1-3, update 3-5, R 5-6, and again from 6: 6-7, 7-9,
// update 9-11, 11-12. Worker 2, with updates of 3 s: 0-1, 1-3, 6-7, 7-8, 8-10, 13-14.
TEST(MultiPort, ByHand) {
  const Platform platform = with_port(two_workers(), many());
  expect_near(transfers(test::simulate("ORROML", platform, kFourBlocks)), {{0, 1},
                                                                           {0, 1},
                                                                           {1, 3},
                                                                           {1, 3},
                                                                           {5, 6},
                                                                           {6, 7},
                                                                           {6, 7},
                                                                           {7, 8},
                                                                           {7, 9},
                                                                           {8, 10},
                                                                           {11, 12},
                                                                           {13, 14}});
}

// Three equal workers, two transfers at once, a block each. C1 and C2 0-1; at 1 the next two of the
// schedule whose workers are free, C3 1-2 and AB1 1-3; AB2 2-4; at 3 AB3, 3-5, which comes before
// R1 in the schedule. Updates of 1 s: 3-4, 4-5, 5-6. R1 4-5; at 5 R2, 5-6, and R3, which holds its
// port until 6: 6-7.
TEST(MultiPort, AtMostTwoAtOnceByHand) {
  const Platform platform =
      with_port(test::star({{1, 1, 5, 0}, {1, 1, 5, 0}, {1, 1, 5, 0}}), many(2));
  expect_near(transfers(test::simulate("ORROML", platform, {1, 3, 1, 1})),
              {{0, 1}, {0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 5}, {4, 5}, {5, 6}, {6, 7}});
}

// Links of 1 and 1/2 block a second, 5/4 in all. C1 and C2: the slow link takes 1/2, 3/4 are left:
// C1 0-4/3, C2 0-2. AB1, 2 blocks at 3/4, 4/3-4; AB2 2-6. Update 1 4-5. R1 from 5: 3/4 until 6,
// then alone at 1: until 6.25. Update 2 6-9, R2 9-11. With a latency of 1/2 on both links, which
// takes no bandwidth, C1 and C2 run from 1/2: 0-11/6 and 0-5/2; AB1 flows from 7/3, AB2 from 3.
const Platform& uneven_links() {
  static const Platform platform = test::star({{1, 1, 5, 0}, {2, 3, 5, 0}});
  return platform;
}

TEST(MultiPort, SharedBandwidthByHand) {
  const Platform platform = with_port(uneven_links(), many(0, 0.8));
  const Trace trace = test::simulate("ORROML", platform, {1, 2, 1, 1});
  expect_near(transfers(trace), {{0, 4.0 / 3}, {0, 2}, {4.0 / 3, 4}, {2, 6}, {5, 6.25}, {9, 11}});
  EXPECT_FALSE(find_violation(platform, {1, 2, 1, 1}, trace));
  Platform late = platform;
  for (Worker& worker : late.workers) worker.latency_s = 0.5;
  const Trace latent = test::simulate("ORROML", late, {1, 2, 1, 1});
  EXPECT_NEAR(latent[0].dates.end_s, 0.5 + 4.0 / 3, 1e-9);
  EXPECT_NEAR(latent[1].dates.end_s, 2.5, 1e-9);
  EXPECT_FALSE(find_violation(late, {1, 2, 1, 1}, latent));
}

TEST(MaxMin, ByHand) {
  // The same flows; then four on fast links share equally.
  const auto ends =
      max_min_ends({{0, 1, 1}, {0, 1, 2}, {4.0 / 3, 2, 1}, {2, 2, 2}, {5, 1, 1}}, 0.8);
  const std::vector<double> expected{4.0 / 3, 2, 4, 6, 6.25};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(ends[i], expected[i], 1e-12);
  for (const double end : max_min_ends(std::vector<Flow>(4, {1, 3, 0.1}), 0.5)) {
    EXPECT_NEAR(end, 7, 1e-12);
  }
  EXPECT_TRUE(max_min_ends({}, 1).empty());
}

template <class Check>
void for_every_heuristic(const Platform& platform, const Check& check) {
  for (const HeuristicEntry& entry : heuristic_registry()) {
    SCOPED_TRACE(entry.name + ", " + describe(platform.port));
    const auto heuristic = entry.make({});
    try {
      check(entry.name, *heuristic);
    } catch (const NotApplicable&) {
      const bool one_port = platform.port.kind == Port::Kind::one;
      EXPECT_TRUE(entry.name == "HoLM" || (entry.name == "Polaris" && !one_port)) << entry.name;
    } catch (const SimulationError& error) {
      EXPECT_NE(std::string(error.what()).find("memory"), std::string::npos) << error.what();
    }
  }
}

test::RandomInstance instance_of(std::uint64_t seed) {
  test::RandomInstance instance =
      seed % 3 == 0 ? test::uneven_instance(seed, 3) : test::random_instance(seed, seed % 7 + 1);
  if (seed % 4 == 1) {
    for (Worker& worker : instance.platform.workers) worker.latency_s = 0.25 * worker.c_s;
  }
  return instance;
}

TEST(TwoPort, EnginesAgreeOnRandomInstances) {
  int runs = 0;
  for (std::uint64_t seed = 1; seed <= 60; seed += test::kSeedStride * test::kSeedStride) {
    const auto [base, problem] = instance_of(seed);
    const Platform platform = with_port(base, kTwo);
    for_every_heuristic(platform, [&, &problem = problem](const std::string&, const Heuristic& h) {
      const auto plan = [&] { return h.plan(platform, problem); };
      const auto simgrid = SimgridEngine().run(platform, problem, plan);
      const auto analytic = AnalyticEngine().run(platform, problem, plan);
      EXPECT_EQ(find_difference(analytic.trace, simgrid.trace), "") << "seed " << seed;
      EXPECT_EQ(analytic.details, simgrid.details);
      ++runs;
    });
  }
  EXPECT_GT(runs, 500 / static_cast<int>(test::kSeedStride * test::kSeedStride) - 10);
}

// One transfer at once is one port, whatever the engine. Het plans for two there.
TEST(MultiPort, OfOneTransferAtOnceIsOnePort) {
  for (std::uint64_t seed = 1; seed <= 20; seed += test::kSeedStride) {
    const auto [platform, problem] = instance_of(seed);
    const Platform multi = with_port(platform, many(1));
    for_every_heuristic(multi, [&, &platform = platform, &problem = problem](
                                   const std::string& name, const Heuristic& h) {
      if (name == "Het") return;
      const auto one = [&] { return h.plan(platform, problem); };
      const auto plan = [&] { return h.plan(multi, problem); };
      EXPECT_EQ(find_difference(SimgridEngine().run(multi, problem, plan).trace,
                                AnalyticEngine().run(platform, problem, one).trace),
                "")
          << "seed " << seed;
    });
  }
}

/// With the sides of the heuristic's own layout.
double rate_bound(Platform platform, const Problem& problem, const MemoryLayout& layout,
                  bool count_c) {
  for (Worker& worker : platform.workers) {
    const std::int64_t side = layout.side(worker.m_blocks);
    worker.m_blocks = side == 0 ? 0 : kOptimizedOverlapped.blocks(side);
  }
  return steady_state(platform, problem, count_c).throughput_updates_per_s;
}

// The trace obeys the rules of its port, and the rate stays below the bound, C counted or not: that
// of chunks, which Polaris' schedules are not (makespan_bounds_test.cpp has its own).
TEST(Ports, EveryHeuristicOnRandomPlatforms) {
  for (std::uint64_t seed = 1; seed <= 20; seed += test::kSeedStride) {
    const auto [base, problem] = instance_of(seed);
    const double c = base.workers.front().c_s;
    for (const Port& port : {Port{}, kTwo, many(), many(2), many(0, 0.7 * c), many(3, 0.4 * c)}) {
      const Platform platform = with_port(base, port);
      for_every_heuristic(platform, [&, &problem = problem](const std::string& name,
                                                            const Heuristic& h) {
        const Trace trace =
            SimgridEngine().run(platform, problem, [&] { return h.plan(platform, problem); }).trace;
        const auto violation = find_violation(platform, problem, trace);
        ASSERT_FALSE(violation) << violation->transfer << ": " << violation->message;
        if (name == "Polaris") return;
        const Metrics metrics = metrics_of(platform, trace);
        const double rate = static_cast<double>(problem.updates()) / metrics.makespan_s;
        for (const bool count_c : {false, true}) {
          EXPECT_FALSE(clearly_less(rate_bound(platform, problem, h.layout(), count_c), rate))
              << "seed " << seed << (count_c ? ", C counted" : "");
        }
      });
    }
  }
}

// Het runs the best of its eight selections as the platform's own port dates them.
TEST(TwoPort, HetChoosesByItsOwnPort) {
  for (std::uint64_t seed = 1; seed <= 30; seed += test::kSeedStride) {
    const auto [base, problem] = test::random_instance(seed);
    const Platform platform = with_port(base, kTwo);
    double best_s = kUnknown;
    for (const char* ratio : {"global", "local"}) {
      for (const char* look_ahead : {"no", "yes"}) {
        for (const char* count_c : {"no", "yes"}) {
          const std::string name = std::string("Het[ratio=") + ratio + ",look_ahead=" + look_ahead +
                                   ",count_c=" + count_c + "]";
          best_s = std::min(best_s, end_of(test::by_recurrence(name, platform, problem)));
        }
      }
    }
    EXPECT_NEAR(end_of(test::by_recurrence("Het", platform, problem)), best_s, 1e-9 * best_s);
  }
}

TEST(TwoPort, NoiseIsRefused) {
  const test::TemporaryFile file(
      R"({"schema_version": 1, "name": "x", "block_size": 1, "port": "two-port",
          "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 5}]})");
  const auto said = test::shell("starport run " + file.path() + " --problem 1x1x1 --noise cv=6%");
  EXPECT_EQ(said.status, 2);
  EXPECT_EQ(said.err,
            "starport: --noise: expected a platform whose master has one port, found two-port\n");
  const Platform platform =
      with_port(two_workers(), Port{.kind = Port::Kind::two, .most_transfers = 0, .c_s = 0});
  EXPECT_THROW(NoiseClock({}, platform), SimulationError);
}

TEST(MultiPort, TheAnalyticEngineSaysThatItHasNone) {
  const Platform platform = with_port(two_workers(), many());
  const auto heuristics = parse_heuristics("ODDOML");
  const auto plan = [&] { return heuristics[0].heuristic->plan(platform, kFourBlocks); };
  const std::string why =
      "the recurrence gives the dates of one-port and two-port platforms; those of a multi-port "
      "one come from SimGrid (--engine simgrid)";
  for (const bool stream : {false, true}) {
    try {
      if (stream) {
        AnalyticEngine().stream(platform, kFourBlocks, plan, {},
                                [](const Message&, const Dates&) {});
      } else {
        AnalyticEngine().run(platform, kFourBlocks, plan);
      }
      ADD_FAILURE() << "accepted";
    } catch (const SimulationError& error) {
      EXPECT_EQ(error.what(), why);
    }
  }
  const test::TemporaryFile file(
      R"({"schema_version": 1, "name": "x", "block_size": 1, "port": "multi-port",
          "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 5}]})");
  const auto said =
      test::shell("starport run " + file.path() + " --problem 1x1x1 --engine analytic");
  EXPECT_EQ(said.status, 2);
  EXPECT_EQ(said.err,
            "starport: --engine: expected simgrid: the recurrence is that of one-port and two-port "
            "masters, found analytic, on a multi-port platform\n");
}

/// The message of the validator after a change to the trace of ORROML on two_workers().
std::string after(const Port& port, const std::function<void(Trace&)>& change) {
  const Platform platform = with_port(two_workers(), port);
  Trace trace = test::simulate("ORROML", platform, kFourBlocks);
  change(trace);
  const auto violation = find_violation(platform, kFourBlocks, trace);
  return violation ? std::to_string(violation->transfer) + ": " + violation->message : "valid";
}

void shift(TracedTransfer& event, double by_s) {
  Dates& dates = event.dates;
  for (double* date : {&dates.start_s, &dates.end_s, &dates.update_start_s, &dates.update_end_s}) {
    *date += by_s;
  }
}

TEST(PortRules, TwoPortMustFail) {
  EXPECT_EQ(after(kTwo, [](Trace&) {}), "valid");
  EXPECT_EQ(after(kTwo, [](Trace& t) { t[1].dates.start_s = 0.5; }),
            "1: the transfer starts at 0.5 s, the send port is busy until 1 s");
  // R2 from 9: R1 is back at 7 only.
  EXPECT_EQ(after(kTwo, [](Trace& t) { t[4].dates.end_s = 9.5; }),
            "4: the transfer lasts 3.5 s, 1 in the model");
  EXPECT_EQ(after(kTwo, [](Trace& t) { t[5].dates.start_s = 6.5; }),
            "5: the transfer starts at 6.5 s, the receive port is busy until 7 s");
  // The send port is free from 6, but R1 of the same worker takes until 7.
  EXPECT_EQ(after(kTwo, [](Trace& t) { shift(t[6], -0.5); }),
            "6: the transfer starts at 6.5 s, worker 1 is in another one until 7 s");
  EXPECT_EQ(after(kTwo, [](Trace& t) { shift(t[6], 0.5); }),
            "6: the transfer starts at 7.5 s, but it was due at 7 s");
  // At the end of another transfer, or of an update, the master may have decided.
  EXPECT_EQ(after(kTwo, [](Trace& t) { shift(t[11], 1); }),
            "11: the transfer starts at 19 s, but it was due at 18 s");
}

TEST(PortRules, MultiPortMustFail) {
  EXPECT_EQ(after(many(), [](Trace&) {}), "valid");
  EXPECT_EQ(after(many(), [](Trace& t) { t[2].dates.start_s = 0.5; }),
            "2: the transfer starts at 0.5 s, worker 1 is in another one until 1 s");
  EXPECT_EQ(after(many(), [](Trace& t) { t[2].dates.end_s = 2.5; }),
            "2: the transfer lasts 1.5 s, 2 in the model");
  EXPECT_EQ(after(many(), [](Trace& t) { shift(t[11], 0.5); }),
            "11: the transfer starts at 13.5 s, but it was due at 13 s");
  // A trace of as many transfers at once as there are links, where there may be one.
  const Trace trace = test::simulate("ORROML", with_port(two_workers(), many()), kFourBlocks);
  const auto violation = find_violation(with_port(two_workers(), many(1)), kFourBlocks, trace);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->transfer, 1U);
  EXPECT_EQ(violation->message, "2 transfers at once at 0 s, at most 1 in the model");
}

TEST(PortRules, SharesThatAreNotMaxMin) {
  const Problem problem{1, 2, 1, 1};
  const Platform platform = with_port(uneven_links(), many(0, 0.8));
  Trace trace = test::simulate("ORROML", platform, problem);
  const auto said = [&](std::size_t transfer, double end_s) {
    Trace changed = trace;
    Dates& dates = changed[transfer].dates;
    dates.end_s = dates.update_start_s = dates.update_end_s = end_s;
    const auto violation = find_violation(platform, problem, changed);
    return violation ? std::to_string(violation->transfer) + ": " + violation->message : "valid";
  };
  EXPECT_EQ(said(5, 10.5), "5: the transfer lasts 1.5 s, at least 2 in the model");
  // The last return, alone, with the whole of its link at its disposal, takes longer.
  EXPECT_EQ(said(5, 11.5),
            "5: the transfer ends at 11.5 s, at 11 s were the bandwidth shared max-min");
}

// The figures of a trace show its ports; the page dates a two-port run again, and is told the dates
// of a multi-port one.
TEST(Ports, TracesAndFigures) {
  for (const auto& [port, lanes] :
       {std::pair(Port{}, 1U), std::pair(kTwo, 2U), std::pair(many(), 0U)}) {
    const Platform platform = with_port(two_workers(), port);
    const Trace trace = test::simulate("ODDOML", platform, kFourBlocks);
    const test::TemporaryFile file(test::trace_csv("ODDOML", platform, kFourBlocks, trace), ".csv");
    const TraceFile read = read_trace(file.path(), std::nullopt);
    EXPECT_EQ(read.port, port.kind);
    EXPECT_NEAR(read.makespan_s, end_of(trace), 1e-12);
    const auto drawn = gantt_lanes(read, {.from_s = 0, .to_s = read.end_s}, 1e-6);
    EXPECT_EQ(drawn.size(), lanes + 4);
    for (std::size_t i = 0; i < lanes; ++i) EXPECT_EQ(drawn[i].worker, 0);
    const Trace one = test::simulate("ODDOML", with_port(platform, Port{}), kFourBlocks);
    const std::size_t starts_and_ends = port.kind == Kind::multi ? 16 * trace.size() : 0;
    EXPECT_LT(encode_run(platform, trace).size(),
              encode_run(two_workers(), one).size() + starts_and_ends + 40);
  }
}

TEST(Ports, AreAnAxisOfASweep) {
  const auto specification = [](const std::string& axis, const std::string& more = "") {
    return R"({"schema_version": 1, "name": "x", "experiments": [{"name": "e", "platforms": [
        {"generate": {"name": "g", "workers": 2, "bandwidth": "1MBps", "speed": "1Gf",
                      "memory": "1GB")" +
           more + R"(}}],
        "problems": ["80x80x80"], "overrides": [)" +
           axis + "]}]}";
  };
  const test::TemporaryFile file(specification(
      R"({"field": "port", "set": ["one-port", "two-port",
          {"kind": "multi-port", "transfers": 2, "bandwidth": "2MBps"}]})",
      R"(, "port": "two-port")"));
  const Specification read = load_specification(file.path());
  ASSERT_EQ(read.size(), 3);
  EXPECT_EQ(read.override_columns(), (std::vector<std::string>{"port"}));
  EXPECT_EQ(read.instance(1).override_text("port"), "one-port");
  EXPECT_EQ(read.instance(1).in_blocks().platform.port, Port{});
  EXPECT_EQ(read.instance(2).in_blocks().platform.port, kTwo);
  EXPECT_EQ(read.instance(3).override_text("port"), "multi-port[transfers=2,bandwidth=2000000Bps]");
  EXPECT_EQ(read.instance(3).in_blocks().platform.port, many(2, 51200 / 2e6));
  const auto fault = [&](const std::string& axis, const std::string& more = "") -> std::string {
    const test::TemporaryFile bad(specification(axis, more));
    try {
      load_specification(bad.path());
    } catch (const InputError& error) {
      return std::string(error.what()).substr(bad.path().size() + 2);
    }
    return "accepted";
  };
  EXPECT_EQ(fault(R"({"field": "port", "multiply": [2]})"),
            "/experiments/0/overrides/0/multiply: expected set: the port is the master's, found "
            "multiply");
  EXPECT_EQ(fault(R"({"field": "port", "set": ["one-port", "one-port"]})"),
            "/experiments/0/overrides/0/set/1: expected each value once, found \"one-port\"");
  EXPECT_EQ(fault(R"({"field": "port", "set": [{"kind": "multi-port", "c_s": 1}]})"),
            "/experiments/0/overrides/0/set: expected bandwidth, for workers given as bandwidth, "
            "speed and memory, found c_s, on platform 'g'");
  EXPECT_EQ(fault(R"({"field": "port", "set": ["two-port"]})",
                  R"(, "port": {"kind": "multi-port", "c_s": 1})"),
            "/experiments/0/platforms/0/generate/port/c_s: expected bandwidth, as of the workers "
            "drawn, found c_s");
}

// Plan, check and replay on each port; a schedule keeps its own.
TEST(Ports, SchedulesGoThroughFiles) {
  for (const char* port : {R"("two-port")", R"("multi-port")",
                           R"({"kind": "multi-port", "transfers": 2, "c_s": 0.75})"}) {
    const test::TemporaryFile platform(
        std::string(R"({"schema_version": 1, "name": "x", "block_size": 1, "port": )") + port +
        R"(, "workers": [{"c_s": 1, "w_s": 2, "m_blocks": 12}, {"c_s": 2, "w_s": 3, "m_blocks": 21}]})");
    const test::TemporaryFile schedule("");
    const auto made =
        test::shell("starport plan " + platform.path() + " --problem 4x3x6 -o " + schedule.path());
    ASSERT_EQ(made.status, 0) << made.err;
    const auto checked = test::shell("starport validate " + schedule.path());
    EXPECT_EQ(checked.status, 0) << checked.err;
    const auto replayed = test::shell("starport replay " + platform.path() + " " + schedule.path());
    EXPECT_EQ(replayed.status, 0) << replayed.err;
    EXPECT_NE(replayed.out.find("here 1 times that"), std::string::npos) << replayed.out;
    EXPECT_NE(replayed.out.find("sends+returns"), std::string::npos) << replayed.out;
  }
}

}  // namespace
}  // namespace starport
