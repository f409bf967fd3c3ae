// The SimGrid engine: agreement with the recurrence, isolation, failures.
#include "sim/files/error.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/validator/validator.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <memory>

namespace starport {
namespace {

void expect_dates_of_the_recurrence(const Platform& platform, const Problem& problem,
                                    const Trace& trace, const std::string& what) {
  const Trace exact = replay(platform, problem, to_transfers(trace));
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const Dates& x = trace[i].dates;
    const Dates& y = exact[i].dates;
    for (const auto& [simulated, expected] :
         {std::pair(x.start_s, y.start_s), std::pair(x.end_s, y.end_s),
          std::pair(x.update_start_s, y.update_start_s),
          std::pair(x.update_end_s, y.update_end_s)}) {
      ASSERT_NEAR(simulated, expected, 1e-9 * expected) << what << ", transfer " << i;
    }
  }
}

TEST(SimgridEngine, DatesOfTheRecurrenceAtEveryTimeScale) {
  for (const double scale_s : {1e-12, 1e-6, 1e-3, 1.0, 3600.0, 1e9}) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const auto [platform, problem] = test::random_instance(seed, scale_s);
      const char* name = std::array{"ODDOML", "Het", "BMM"}[seed % 3];
      expect_dates_of_the_recurrence(platform, problem, test::simulate(name, platform, problem),
                                     std::string(name) + ", scale " + std::to_string(scale_s));
    }
  }
}

TEST(SimgridEngine, DatesOfTheRecurrenceWithUnevenWorkers) {
  // Links and speeds five orders of magnitude apart, latencies from none to many blocks.
  const Platform platform = test::star({{1e-6, 3e-1, 60, 0},
                                        {2.7e-1, 1e-6, 45, 1e-3},
                                        {1.1e-3, 7e-4, 32, 5e-2},
                                        {1e-4, 1, 12, 1e-7}});
  for (const char* name : {"ODDOML", "ORROML", "DDOML", "OBMM"}) {
    expect_dates_of_the_recurrence(platform, {12, 40, 9, 80},
                                   test::simulate(name, platform, {12, 40, 9, 80}), name);
  }
}

// SimGrid 3.32 waits for ever for an event that rounds one unit in the last place beyond the clock;
// seen on this platform when the second link more than doubles the date.
TEST(SimgridEngine, ASlowLinkAfterAFastOneIsNoDeadlock) {
  const Platform platform = test::star({{1.1, 4.7, 5, 0}, {17475.1, 1, 5, 0}});
  expect_dates_of_the_recurrence(platform, {1, 2, 1, 1},
                                 test::simulate("ORROML", platform, {1, 2, 1, 1}), "ORROML");
}

TEST(SimgridEngine, DatesOfTheRecurrenceOverSixDecades) {
  for (std::uint64_t seed = 0; seed < 150; seed += test::kSeedStride) {
    const auto [platform, problem] = test::uneven_instance(seed, seed % 2 == 0 ? 3 : 6);
    const char* name = seed / 2 % 2 == 0 ? "ODDOML" : "ORROML";
    expect_dates_of_the_recurrence(platform, problem, test::simulate(name, platform, problem),
                                   std::string(name) + ", seed " + std::to_string(seed));
  }
}

TEST(SimgridEngine, ManyMessagesDoNotAccumulateErrors) {
  const Platform platform = test::star({{1.3e-3, 0.7e-3, 12, 0}, {0.9e-3, 1.1e-3, 21, 0}});
  const Problem problem{60, 60, 40, 80};
  const Trace trace = test::simulate("ODDOML", platform, problem);
  EXPECT_GT(trace.size(), 20'000U);
  expect_dates_of_the_recurrence(platform, problem, trace, "ODDOML");
}

TEST(SimgridEngine, TwoThousandWorkers) {
  Platform platform{.name = "large", .workers = {}};
  for (int i = 0; i < 2000; ++i) {
    platform.workers.push_back({.c_s = 5.12e-3, .w_s = 0.75e-3, .m_blocks = 20971, .latency_s = 0});
  }
  const Problem problem{100, 4000, 100, 80};
  for (const char* name : {"ODDOML", "ORROML"}) {
    const Trace trace = test::simulate(name, platform, problem);
    EXPECT_FALSE(find_violation(platform, problem, trace)) << name;
    EXPECT_EQ(compute_metrics(platform, trace).enrolled_workers, 29)
        << name;  // ceil(4000 / 142) panels
  }
}

std::string failure(std::function<test::Choice(const MasterView&)> next,
                    SimulationLimits limits = {}) {
  try {
    SimgridEngine(limits).run(test::star({{1, 1, 5, 0}}), {1, 1, 1, 1},
                              [&] { return test::function_plan(next); });
  } catch (const SimulationError& error) {
    return error.what();
  }
  return "no failure";
}

Transfer one_block_of_c() {
  Transfer transfer;
  transfer.c = {{0, 1}, {0, 1}};
  return transfer;
}

TEST(Isolation, ACrashIsAnError) {
  const std::string said = failure([](const MasterView&) -> test::Choice {
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
    return Done{};
  });
  EXPECT_EQ(said, "crashed: Segmentation fault");
}

TEST(Isolation, ASilentExitIsAnError) {
  for (const int status : {3, 4, 9, 225}) {  // whatever it is
    EXPECT_EQ(failure([=](const MasterView&) -> test::Choice { _exit(status); }),
              "crashed with status " + std::to_string(status));
  }
}

TEST(Isolation, AnEndlessLoopIsAnError) {
  EXPECT_EQ(failure(
                [](const MasterView&) -> test::Choice {
                  for (;;) {
                  }
                },
                {.time_limit_s = 0.2}),
            "timed out after 0.2 s");
}

TEST(Isolation, AnExceptionKeepsItsMessage) {
  EXPECT_EQ(failure([](const MasterView&) -> test::Choice { throw SimulationError("no idea"); }),
            "no idea");
}

TEST(SimgridEngine, WaitingForNothingIsAnError) {
  EXPECT_EQ(failure([](const MasterView&) -> test::Choice { return Wait{}; }),
            "the dispatcher waits though no update is in progress");
}

TEST(SimgridEngine, WaitingForAnUpdateNeverSentIsAnError) {
  EXPECT_EQ(
      failure([](const MasterView&) -> test::Choice {
        Transfer transfer = one_block_of_c();
        transfer.after_update = 1;
        return transfer;
      }),
      "the dispatcher decided a transfer that waits for update 1 of worker 1, of which 0 exist");
}

TEST(SimgridEngine, AnUnknownWorkerIsAnError) {
  EXPECT_EQ(failure([](const MasterView&) -> test::Choice {
              Transfer transfer = one_block_of_c();
              transfer.worker = 1;
              return transfer;
            }),
            "the dispatcher decided a transfer for worker 2; workers are numbered 1 to 1");
}

TEST(SimgridEngine, ATraceThatGrowsTooLongIsStopped) {
  EXPECT_EQ(failure([](const MasterView&) -> test::Choice { return one_block_of_c(); },
                    {.time_limit_s = 60, .memory_bytes = 6400}),
            "stopped after 100 transfers: a longer run would not fit in memory");
}

// A dispatcher may wait: it is asked again when an update has ended. Worker 1 computes from 3 to
// 13; asked at 3, the dispatcher waits, and is asked again at 13.
TEST(SimgridEngine, WaitIsUntilTheNextEndOfAnUpdate) {
  std::vector<Transfer> list{one_block_of_c(), {}, {}};
  list[1].a = {{0, 1}, {0, 1}};
  list[1].b = {{0, 1}, {0, 1}};
  list[1].update = {.rows = {0, 1},
                    .columns = {0, 1},
                    .inner = {0, 1},
                    .release_a = list[1].a,
                    .release_b = list[1].b};
  list[2] = one_block_of_c();
  list[2].direction = Direction::to_master;
  list[2].after_update = 1;
  std::size_t next = 0;
  const auto serve = [&](const MasterView& star) -> test::Choice {
    if (next == list.size()) return Done{};
    if (star.now_s() < star.request_date_s(0, list[next].after_update)) return Wait{};
    return list[next++];
  };
  const Trace trace = SimgridEngine()
                          .run(test::star({{1, 10, 5, 0}}), {1, 1, 1, 1},
                               [&] { return test::function_plan(serve); })
                          .trace;
  ASSERT_EQ(trace.size(), 3U);
  EXPECT_EQ(trace[2].dates.start_s, 13);
  EXPECT_EQ(trace[2].dates.end_s, 14);
}

// A date to wait for that is not ahead would set the clock back, or never move it.
TEST(SimgridEngine, WaitingUntilAPastDateIsAnErrorOfBothEngines) {
  for (const double until_s : {0.5, 1.0, std::nan("")}) {
    const auto plan = [until_s] {
      return test::function_plan([until_s](const MasterView& star) -> test::Choice {
        if (star.now_s() == 0) return one_block_of_c();
        return Wait{.until_s = until_s};
      });
    };
    for (const Engine* engine :
         {static_cast<const Engine*>(new SimgridEngine({.time_limit_s = 60})),
          static_cast<const Engine*>(new AnalyticEngine({.time_limit_s = 60}))}) {
      const std::unique_ptr<const Engine> owner(engine);
      try {
        engine->run(test::star({{1, 10, 5, 0}}), {1, 1, 1, 1}, plan);
        ADD_FAILURE() << until_s;
      } catch (const SimulationError& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("the dispatcher waits until "))
            << error.what();
        EXPECT_TRUE(std::string(error.what())
                        .ends_with(" s, which is not later than the current date, 1 s"))
            << error.what();
      }
    }
  }
}

// Nothing is under way, or an update that ends later: both engines ask again at the date.
TEST(SimgridEngine, WaitsUntilADateLikeTheRecurrence) {
  for (const double until_s : {1.5, 7.0, 1e6}) {
    const auto plan = [until_s] {
      auto sent = std::make_shared<int>(0);
      return test::function_plan([until_s, sent](const MasterView& star) -> test::Choice {
        if (*sent == 1 && star.now_s() < until_s) return Wait{.until_s = until_s};
        if (*sent == 2) return Done{};
        Transfer transfer = one_block_of_c();
        transfer.worker = (*sent)++;
        return transfer;
      });
    };
    const Platform platform = test::star({{1, 10, 5, 0}, {1, 10, 5, 0}});
    const Problem problem{1, 1, 1, 1};
    const Trace simulated = SimgridEngine({.time_limit_s = 60}).run(platform, problem, plan).trace;
    const Trace exact = AnalyticEngine({.time_limit_s = 60}).run(platform, problem, plan).trace;
    EXPECT_EQ(find_difference(simulated, exact), "");
    ASSERT_EQ(exact.size(), 2U);
    EXPECT_EQ(exact[1].dates.start_s, until_s);
  }
}

// SimGrid would catch Ctrl-C, and end with what looks like a crash.
TEST(SimgridEngine, LeavesCtrlCToItsCaller) {
  const Platform platform = test::star({{.c_s = 1, .w_s = 1, .m_blocks = 21, .latency_s = 0}});
  const Problem problem{.r = 2, .s = 2, .t = 2, .block_size = 1};
  const auto before = std::signal(SIGINT, SIG_IGN);
  const auto run = SimgridEngine({.time_limit_s = 60}).run(platform, problem, [&] {
    Plan plan = parse_heuristics("ODDOML").at(0).heuristic->plan(platform, problem);
    const std::shared_ptr<Dispatcher> dispatcher = std::move(plan.dispatcher);
    return test::function_plan([dispatcher](const MasterView& star) -> test::Choice {
      std::raise(SIGINT);
      const Decision decision = dispatcher->next(star);
      if (const Wait* wait = std::get_if<Wait>(&decision)) return *wait;
      if (std::holds_alternative<Done>(decision)) return Done{};
      return dispatcher->transfer();
    });
  });
  std::signal(SIGINT, before);
  EXPECT_FALSE(run.trace.empty());
}

}  // namespace
}  // namespace starport
