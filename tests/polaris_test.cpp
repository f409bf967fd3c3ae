#include "heuristics/polaris/polaris.hpp"

#include "heuristics/planning.hpp"
#include "heuristics/polaris/service.hpp"
#include "heuristics/registry.hpp"
#include "sim/engine/validator.hpp"
#include "sim/model/error.hpp"
#include "sim/report/makespan_bounds.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace starport {
namespace {

using polaris::Mode;
using polaris::PortOptions;
using polaris::Task;

/// The transfers of tasks as the port serves them, and the makespan that this gave.
struct Served {
  std::vector<Transfer> transfers;
  double makespan_s = 0;
};
Served serve(const Platform& platform, const Problem& problem, const std::vector<Task>& tasks,
             const PortOptions& options) {
  const auto run = run_port(platform, problem, tasks, options, true, kUnknown);
  std::vector<polaris::Service> services;
  services.reserve(tasks.size());
  for (const Task& task : tasks) services.emplace_back(platform, problem, task, options);
  Served served{.transfers = {}, .makespan_s = run.makespan_s};
  for (const std::uint32_t step : run.order) {
    Transfer transfer;
    if (step % 2 == 0) {
      services[step / 2].send(0, &transfer);
    } else {
      services[step / 2].take_home(0, &transfer);
    }
    served.transfers.push_back(transfer);
  }
  return served;
}

// One worker, A resident, the first of two columns in the loading pass, c = w = 1, q = 2:
//   A[0..1][0] B[0][0]            [0, 3]    2 updates                    [3, 5]
//   A[0..1][1] B[1][0] late C     [3, 8]    2 updates and 2/2 additions  [8, 11]
//   C[0..1][1] B[0][1]            [8, 11]   2 updates                    [11, 13]
//   B[1][1]                       [11, 12]  2 updates                    [13, 15]
//   C[0..1][0] home               [12, 14]
//   C[0..1][1] home               [15, 17]
TEST(Polaris, ResidentTimeline) {
  const Platform platform = test::star({{1, 1, 20, 0}});
  const Problem problem{.r = 2, .s = 2, .t = 2, .block_size = 2};
  const Mode mode{.kind = Mode::Kind::a_resident, .height = 2};
  const Served served = serve(platform, problem, {{0, {{0, 2}, {0, 2}}, mode}}, {});
  const Trace trace = replay(platform, problem, served.transfers);
  const auto violation = find_violation(platform, problem, trace);
  ASSERT_FALSE(violation) << violation->message;
  const double starts[] = {0, 3, 8, 11, 12, 15};
  const double ends[] = {3, 8, 11, 12, 14, 17};
  const double update_ends[] = {5, 11, 13, 15, 14, 17};
  ASSERT_EQ(trace.size(), 6U);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    EXPECT_EQ(trace[i].dates.start_s, starts[i]) << i;
    EXPECT_EQ(trace[i].dates.end_s, ends[i]) << i;
    EXPECT_EQ(trace[i].dates.update_end_s, update_ends[i]) << i;
  }
  EXPECT_EQ(served.makespan_s, 17);
}

// C-stationary, a window of 1 of two columns, one row, t = 2: the second column takes the place of
// the first one, which must go home first; its A comes again.
//   C[0][0] A B  [0, 3]  [3, 4];   A B  [3, 5]  [5, 6];   C[0][0] home  [6, 7]
//   C[0][1] A B  [7, 10] [10, 11]; A B [10, 12] [12, 13]; C[0][1] home [13, 14]
TEST(Polaris, StationaryTimeline) {
  const Platform platform = test::star({{1, 1, 5, 0}});
  const Problem problem{.r = 1, .s = 2, .t = 2, .block_size = 2};
  const Mode mode{.kind = Mode::Kind::c_stationary, .height = 1, .window = 1};
  PortOptions options;
  options.walk.rest = 0;
  const Served served = serve(platform, problem, {{0, {{0, 1}, {0, 2}}, mode}}, options);
  const auto violation = find_violation(platform, problem, served.transfers);
  ASSERT_FALSE(violation) << violation->message;
  EXPECT_EQ(served.transfers.size(), 6U);
  EXPECT_EQ(served.makespan_s, 14);
}

// Any mode, height, window and options on any memory that holds them, in both orientations: the
// schedule is valid, and its dates are those of the recurrence.
TEST(Polaris, EveryWalkIsValid) {
  test::Random random(2024);
  int stationary = 0;
  int resident = 0;
  int transposed = 0;
  for (int instance = 0; instance < 1000; ++instance) {
    const Problem problem{.r = random.integer(1, 20),
                          .s = random.integer(1, 20),
                          .t = random.integer(1, 20),
                          .block_size = random.integer(1, 9)};
    const auto cut = static_cast<std::int32_t>(random.integer(0, problem.s));
    const auto r = static_cast<std::int32_t>(problem.r);
    const auto s = static_cast<std::int32_t>(problem.s);
    Platform platform = test::star({});
    std::vector<Task> tasks;
    for (const Range& columns : {Range{0, cut}, Range{cut, s}}) {
      if (columns.empty()) continue;
      const bool latency = random.integer(0, 4) == 0;
      const Worker worker{.c_s = random.real(0.1, 3),
                          .w_s = random.real(0.1, 3),
                          .m_blocks = random.integer(5, 600),
                          .latency_s = latency ? random.real(0, 5) : 0};
      const polaris::ModeChoice choice{.resident = random.integer(0, 2) > 0,
                                       .exchanged = true,
                                       .cut_messages = random.integer(0, 1) > 0};
      const Mode mode = polaris::cheapest_mode(worker, problem, problem.r, columns.size(), choice);
      ASSERT_NE(mode.kind, Mode::Kind::none);
      tasks.push_back({static_cast<int>(tasks.size()), {{0, r}, columns}, mode});
      platform.workers.push_back(worker);
      ++(mode.kind == Mode::Kind::a_resident ? resident : stationary);
      transposed += mode.transposed ? 1 : 0;
    }
    PortOptions options;
    options.walk = {.loading_share = random.real(0.01, 1),
                    .joining = random.integer(0, 4),
                    .rest = random.integer(0, 4),
                    .pieces = random.integer(1, 6),
                    .depth = random.integer(1, 9),
                    .group = random.integer(1, 9),
                    .late_c = random.integer(0, 1) == 1};
    options.patience = random.real(0, 9);
    options.return_columns = random.integer(1, 5);
    const Served served = serve(platform, problem, tasks, options);
    ASSERT_LT(served.makespan_s, kUnknown) << "instance " << instance;
    const Trace trace = replay(platform, problem, served.transfers);
    const auto violation = find_violation(platform, problem, trace);
    ASSERT_FALSE(violation) << "instance " << instance << ", transfer " << violation->transfer
                            << ": " << violation->message;
    EXPECT_NEAR(served.makespan_s, trace.back().dates.end_s, 1e-9 * served.makespan_s);
  }
  EXPECT_GT(stationary, 50);
  EXPECT_GT(resident, 50);
  EXPECT_GT(transposed, 50);
}

double best_of_the_seven(const Platform& platform, const Problem& problem) {
  double best = kUnknown;
  for (const NamedHeuristic& named : parse_heuristics("all")) {
    const Plan plan = named.heuristic->plan(platform, problem);
    best = std::min(best, makespan_s(*plan.dispatcher, platform, problem));
  }
  return best;
}

TEST(Polaris, IsNeverWorseThanTheBestOfTheSeven) {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 60; seed += test::kSeedStride) {
    const auto [platform, problem] = test::random_instance(seed);
    const Trace trace = test::by_recurrence("Polaris[effort=low]", platform, problem);
    const auto violation = find_violation(platform, problem, trace);
    ASSERT_FALSE(violation) << violation->message;
    const double best = best_of_the_seven(platform, problem);
    EXPECT_LE(test::makespan(trace), best * (1 + 1e-12)) << "seed " << seed;
    better += test::makespan(trace) < 0.99 * best ? 1 : 0;
  }
  EXPECT_GT(better, 30 / static_cast<int>(test::kSeedStride));
}

// With 3 blocks nothing but Toledo's layout fits; with 2 nothing does.
TEST(Polaris, TinyMemories) {
  const Problem problem{.r = 2, .s = 3, .t = 2, .block_size = 4};
  const Platform three = test::star({{1, 1, 3, 0}, {1, 1, 2, 0}});
  EXPECT_EQ(transfers_of(test::by_recurrence("Polaris", three, problem)),
            transfers_of(test::by_recurrence("BMM", three, problem)));
  const Platform two = test::star({{1, 1, 2, 0}});
  EXPECT_THROW(test::by_recurrence("Polaris", two, problem), InputError);
}

TEST(Polaris, SameSeedSameSchedule) {
  const auto [platform, problem] = test::random_instance(11);
  for (const char* name : {"Polaris", "Polaris[effort=low,seed=7]", "Polaris[objective=work]"}) {
    EXPECT_EQ(transfers_of(test::by_recurrence(name, platform, problem)),
              transfers_of(test::by_recurrence(name, platform, problem)));
  }
}

double work(const Trace& trace) {
  std::vector<int> workers;
  for (const TracedTransfer& event : trace) workers.push_back(event.transfer.worker);
  std::sort(workers.begin(), workers.end());
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  return test::makespan(trace) * static_cast<double>(workers.size());
}

TEST(Polaris, NorIsItsWorkWhereThatIsTheObjective) {
  for (std::uint64_t seed = 1; seed <= 30; seed += test::kSeedStride) {
    const auto [platform, problem] = test::random_instance(seed);
    const auto work_of = [&, &platform = platform, &problem = problem](const std::string& name) {
      return work(test::by_recurrence(name, platform, problem));
    };
    const double least = work_of("Polaris[effort=low,objective=work]") / (1 + 1e-12);
    EXPECT_LE(least, work_of("Polaris[effort=low]")) << "seed " << seed;
    for (const NamedHeuristic& named : parse_heuristics("all")) {
      EXPECT_LE(least, work_of(named.name)) << named.name << ", seed " << seed;
    }
  }
}

// Of two workers alike, one alone takes less than twice as long: it loads A once.
TEST(Polaris, ObjectiveWork) {
  const Platform platform = test::star({{1, 1, 400, 0}, {1, 1, 400, 0}});
  const Problem problem{.r = 10, .s = 20, .t = 10, .block_size = 80};
  EXPECT_LE(work(test::by_recurrence("Polaris[objective=work]", platform, problem)),
            work(test::by_recurrence("Polaris", platform, problem)));
}

// A third off the best of the seven, and within 2% of the bound, where all of A fits.
TEST(Polaris, IsNearTheBound) {
  Platform platform = test::star({});
  for (int i = 0; i < 4; ++i)
    platform.workers.push_back({.c_s = 1, .w_s = 1.5, .m_blocks = 700, .latency_s = 0});
  const Problem problem{.r = 20, .s = 200, .t = 20, .block_size = 80};
  const double makespan = test::makespan(test::by_recurrence("Polaris", platform, problem));
  EXPECT_LT(makespan, 1.02 * *any_schedule_bound_s(platform, problem));
  EXPECT_LT(makespan, 0.8 * best_of_the_seven(platform, problem));
}

}  // namespace
}  // namespace starport
