#include "sim/star/bounds/makespan_bounds.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/bounds/exposed_loads.hpp"
#include "sim/star/validator/validator.hpp"
#include "tests/star/bounds/exhaustive_search.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace starport {
namespace {

Problem product(std::int64_t r, std::int64_t s, std::int64_t t) {
  return {.r = r, .s = s, .t = t, .block_size = 1'000'000};
}

// A cube of side 2 has 8 updates and three faces of 4 blocks; 10 x 20 x 5 inside a box of the same
// shape has all its blocks; between, faces of a box that is 5 deep: x / 5 + 2 sqrt(5 x).
TEST(TouchedBlocks, Boxes) {
  const Problem problem = product(10, 20, 5);
  EXPECT_NEAR(touched_blocks(problem, 8), 12, 1e-12);
  EXPECT_NEAR(touched_blocks(problem, 125), 75, 1e-12);
  EXPECT_NEAR(touched_blocks(problem, 320), 64 + 80, 1e-12);
  EXPECT_NEAR(touched_blocks(problem, 500), 100 + 100, 1e-12);
  EXPECT_NEAR(touched_blocks(problem, 1000), 50 + 100 + 200, 1e-12);
}

// Loomis and Whitney: no set of updates of so many elements touches fewer blocks. All the sets of
// a 2 x 2 x 3 product.
TEST(TouchedBlocks, NoSetTouchesFewer) {
  const Problem problem = product(2, 2, 3);
  std::vector<int> fewest(13, 100);
  for (unsigned set = 1; set < 1U << 12; ++set) {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    for (unsigned update = 0; update < 12; ++update) {
      if ((set >> update & 1U) == 0) continue;
      const unsigned i = update / 6;
      const unsigned j = update / 3 % 2;
      const unsigned k = update % 3;
      a |= 1U << (3 * i + k);
      b |= 1U << (2 * k + j);
      c |= 1U << (2 * i + j);
    }
    const auto size = static_cast<std::size_t>(__builtin_popcount(set));
    fewest[size] = std::min(fewest[size],
                            __builtin_popcount(a) + __builtin_popcount(b) + __builtin_popcount(c));
  }
  for (std::size_t x = 1; x <= 12; ++x) {
    EXPECT_LE(touched_blocks(problem, static_cast<double>(x)), fewest[x] + 1e-9) << x;
  }
  EXPECT_NEAR(touched_blocks(problem, 12), fewest[12], 1e-9);
}

// One segment while x <= m^1.5: 3 x^(2/3). Two of 1000 updates at m = 100: 2 * 300 - 100. Where r t
// fits in memory, r t + x / r + x / t, once.
TEST(FewestLoads, Segments) {
  const Problem large = product(10'000, 10'000, 10'000);
  EXPECT_NEAR(fewest_loads(large, 100, 1000), 300, 1e-9);
  EXPECT_NEAR(fewest_loads(large, 100, 2000), 500, 1e-9);
  EXPECT_NEAR(fewest_loads(large, 10'000, 1e9) / 1e9, 2 / std::sqrt(10'000), 1e-5);
  EXPECT_NEAR(fewest_loads(product(10, 1000, 20), 250, 40'000), 200 + 4000 + 2000, 1e-9);
}

// Any number of segments gives a bound: the one chosen is the best of them, from two segments to
// ten. With 400 blocks or fewer, whole blocks are counted and the bound is higher.
TEST(FewestLoads, NoOtherNumberOfSegmentsGivesMore) {
  const Problem large = product(1000, 1000, 1000);
  for (double updates = 22'000; updates < 110'000; updates += 100) {
    double best = 0;
    for (int n = 1; n <= 12; ++n) {
      best = std::max(best, n * touched_blocks(large, updates / n) - (n - 1) * 500);
    }
    EXPECT_NEAR(fewest_loads(large, 500, updates), best, 1e-9 * best) << updates;
  }
}

/// Calls `take` with the number of cubes and the areas of their three projections, all together,
/// for every heap of cubes in the corner of a box of 4 x 4 x 4: of the sets with as many cubes, one
/// of these has the least projections.
template <class Take>
void for_each_heap(std::array<int, 16>& heights, std::size_t place, Take&& take) {
  if (place == heights.size()) {
    int cubes = 0;
    int areas = 0;
    for (std::size_t i = 0; i < 16; ++i) {
      cubes += heights[i];
      areas += (heights[i] > 0 ? 1 : 0) + (i < 4 ? heights[i] : 0) + (i % 4 == 0 ? heights[i] : 0);
    }
    return take(cubes, areas);
  }
  int most = 4;
  if (place % 4 > 0) most = std::min(most, heights[place - 1]);
  if (place >= 4) most = std::min(most, heights[place - 4]);
  for (heights[place] = 0; heights[place] <= most; ++heights[place])
    for_each_heap(heights, place + 1, take);
}

TEST(MostUpdates, AreThoseOfTheBestHeapOfCubes) {
  std::vector<double> found(49, 0);
  std::array<int, 16> heights{};
  for_each_heap(heights, 0, [&](int cubes, int areas) {
    double& most = found[static_cast<std::size_t>(areas)];
    most = std::max(most, static_cast<double>(cubes));
  });
  for (std::size_t areas = 1; areas < found.size(); ++areas)
    found[areas] = std::max(found[areas], found[areas - 1]);  // an area may be left over
  EXPECT_EQ(most_updates(48), found);
}

/// Returns the fewest loads, by number of updates, of a worker with memory for m blocks, for a
/// product of 2 x 2 x 2 blocks: all sequences of loads, each of which releases a block if there is
/// no room. Updates are done as soon as they can be.
std::vector<int> fewest_loads_of_all(int m) {
  std::vector<unsigned> updates;  // the blocks of each: A_ik, B_kj, C_ij
  for (unsigned i = 0; i < 2; ++i) {
    for (unsigned j = 0; j < 2; ++j) {
      for (unsigned k = 0; k < 2; ++k)
        updates.push_back(1U << (2 * i + k) | 16U << (2 * k + j) | 256U << (2 * i + j));
    }
  }
  std::vector<int> fewest(9, 0);
  std::set<std::pair<unsigned, unsigned>> seen{{0, 0}};  // blocks held, updates done
  std::vector<std::pair<unsigned, unsigned>> states{{0, 0}};
  std::size_t done = 1;
  for (int loads = 1; done <= 8; ++loads) {
    std::vector<std::pair<unsigned, unsigned>> next;
    const auto reach = [&](unsigned held, unsigned finished) {
      for (unsigned update = 0; update < 8; ++update) {
        if ((held & updates[update]) == updates[update]) finished |= 1U << update;
      }
      if (!seen.insert({held, finished}).second) return;
      next.emplace_back(held, finished);
      while (done <= static_cast<std::size_t>(std::popcount(finished))) fewest[done++] = loads;
    };
    for (const auto& state : states) {
      for (unsigned block = 1; block < 1U << 12; block <<= 1) {
        if ((state.first & block) != 0) continue;
        if (std::popcount(state.first) < m) {
          reach(state.first | block, state.second);
          continue;
        }
        for (unsigned released = 1; released < 1U << 12; released <<= 1) {
          if ((state.first & released) != 0) reach(state.first ^ released ^ block, state.second);
        }
      }
    }
    states = std::move(next);
  }
  return fewest;
}

TEST(FewestLoads, AreNoMoreThanThoseOfAnySequence) {
  for (int m = 3; m <= (test::kSeedStride == 1 ? 5 : 4); ++m) {
    const std::vector<int> fewest = fewest_loads_of_all(m);
    for (std::size_t x = 1; x <= 8; ++x) {
      EXPECT_LE(fewest_loads(product(2, 2, 2), m, static_cast<double>(x)), fewest[x] + 1e-9)
          << m << " blocks, " << x << " updates";
    }
    // Two loads for each update after the first are the truth for three blocks.
    if (m > 3) continue;
    EXPECT_NEAR(fewest_loads(product(2, 2, 2), 3, 8), fewest[8], 1e-9);
  }
}

TEST(CStationary, BlocksPerUpdateAreThoseOfTheBestRectangle) {
  test::Random random(27);
  for (int instance = 0; instance < 300; ++instance) {
    const Problem problem = product(random.integer(1, 40), random.integer(1, 40), 7);
    const std::int64_t m = random.integer(3, 900);
    double best = std::numeric_limits<double>::infinity();
    for (std::int64_t h = 1; h <= problem.r; ++h) {
      for (std::int64_t v = 1; v <= problem.s; ++v) {
        if (h * v + std::min(h, v) + 1 > m) continue;
        best = std::min(best, 1 / static_cast<double>(h) + 1 / static_cast<double>(v) + 2.0 / 7);
      }
    }
    EXPECT_DOUBLE_EQ(c_stationary_blocks_per_update(problem, m), best)
        << problem.r << " " << problem.s << " " << m;
  }
  EXPECT_EQ(c_stationary_blocks_per_update(product(5, 5, 5), 2),
            std::numeric_limits<double>::infinity());
}

// One worker with room for all: A and B come once, C goes out and home, 2 * 3 * 4 blocks at 1 s,
// while 8 updates take 1 s each.
TEST(AnySchedule, OneWorkerWithRoomForAll) {
  const auto bound = any_schedule_bound_s(test::star({{1, 1, 100, 0}}), product(2, 2, 2));
  ASSERT_TRUE(bound);
  EXPECT_NEAR(*bound, 16, 1e-3);
  EXPECT_LE(*bound, 16);
}

// Four blocks of C for three workers: one computes two of them, ten updates of 1 s each.
TEST(AnySchedule, BlocksOfCAreNotDivided) {
  const Platform platform = test::star(PerWorker<Worker>(3, {1e-6, 1, 100, 0}));
  EXPECT_NEAR(*any_schedule_bound_s(platform, product(2, 2, 10)), 20, 1e-3);
  EXPECT_NEAR(*split_k_bound_s(platform, product(2, 2, 10)), 40.0 / 3, 1e-3);
}

// Equal workers that must all do what they can just do: rounding must not add a block of C to each.
TEST(AnySchedule, EqualWorkersShareCEqually) {
  for (int workers = 2; workers <= 4; ++workers) {
    const Platform platform = test::star(PerWorker<Worker>(workers, {1e-9, 1, 50, 0}));
    for (int blocks = 60; blocks <= 120; blocks += 2) {
      const double least_s = 100.0 * blocks;
      const double bound_s = *any_schedule_bound_s(platform, product(2, workers * blocks / 2, 100));
      EXPECT_NEAR(bound_s, least_s, 1e-4 * least_s) << workers << " workers, " << blocks;
    }
  }
}

// A worker that computes one block of C needs 100 blocks of A and of B; all four at once need half
// as many, but the time of all computations.
TEST(AnySchedule, LongProducts) {
  const Platform platform = test::star(PerWorker<Worker>(4, {1, 4, 500, 0}));
  const double bound_s = *any_schedule_bound_s(platform, product(2, 2, 100));
  EXPECT_GT(bound_s, 1.3 * *split_k_bound_s(platform, product(2, 2, 100)));
  EXPECT_LE(bound_s, test::makespan_s(*parse_heuristics("Polaris").front().heuristic, platform,
                                      product(2, 2, 100)));
}

/// Returns the bound on the loads of A and B for an update of step 3b of makespan_bounds.md, with
/// every possible g.
double operand_loads(double m, double t) {
  double most = 0;
  for (double g = 1; g <= 3 * m; ++g) {
    const double h = g + 2 * (m - 2);
    const double mu = 2 / (std::sqrt(g) + std::sqrt(h));
    const double k = mu * t * std::sqrt(g * h);
    most = std::max(most, mu + std::min((k - 2) / (m - 2 + g), (k - m) / g) / t);
  }
  return most;
}

// A large C on one worker whose port is slow: memory holds blocks of C until they have all updates.
TEST(AnySchedule, BlocksOfCStayUntilTheyAreDone) {
  struct Case {
    std::int64_t m;
    std::int64_t t;
    double loads;  // of A and B, for an update
  };
  for (const auto& [m, t, loads] :
       {Case{2500, 60, operand_loads(2500, 60)}, Case{900, 45, operand_loads(900, 45)},
        Case{900, 60, 1.729 / 30}, Case{2500, 200, 1.817 / 50}, Case{881, 60, 1.729 / 30}}) {
    const Problem problem = product(400, 400, t);
    const double bound_s = *any_schedule_bound_s(test::star({{1, 1e-9, m, 0}}), problem);
    const double expected_s =
        (loads + 2 / static_cast<double>(t)) * static_cast<double>(problem.updates());
    EXPECT_LE(bound_s, expected_s) << m << ", " << t;
    EXPECT_GT(bound_s, 0.999 * expected_s) << m << ", " << t;
  }
  // Up to 1.55 times the root of the memory, rows of A that stay are as good as the bound.
  EXPECT_NEAR(operand_loads(2500, 60), 60.0 / 2500, 0.001 * 60 / 2500);
  const auto polaris = parse_heuristics("Polaris[effort=low]");
  for (std::int64_t m = 30; m <= 480; m *= 2) {
    const std::int64_t root = std::llround(std::sqrt(static_cast<double>(m)));
    for (const std::int64_t t : {root, 3 * root / 2, 2 * root, 3 * root, 6 * root}) {
      const Problem problem = product(4 * root, 5 * root, t);
      const Platform platform = test::star({{1, 1e-9, m, 0}});
      EXPECT_GE(test::makespan_s(*polaris.front().heuristic, platform, problem),
                *any_schedule_bound_s(platform, problem))
          << m << ", " << t;
    }
  }
}

// With one port in each direction C leaves through the other one, but over the same link, 4 * 4
// blocks at 1 s. Of two workers alike one does three blocks of C at most: they are sent the blocks
// for these, 4 sqrt(3) + 3 at least, and 5 for the other one.
TEST(AnySchedule, WithOnePortInEachDirection) {
  Platform platform = test::star({{1, 0.001, 100, 0}});
  platform.port.kind = Port::Kind::two;
  EXPECT_NEAR(*any_schedule_bound_s(platform, product(2, 2, 2)), 16, 1e-3);
  platform.workers.push_back(platform.workers.front());
  EXPECT_NEAR(*any_schedule_bound_s(platform, product(2, 2, 2)), 4 * std::sqrt(3) + 8, 1e-3);
}

// A, B and C once on the link, and C back, 4 * 4 blocks at 1 s; twice that with 2 s for a block of
// the bandwidth that all share; with one transfer at a time, as on one port. Two workers alike
// lower the first only: each does two blocks of C, for which it needs 2 sqrt(2) rows and columns of
// two blocks at least.
TEST(AnySchedule, WithManyPorts) {
  const auto bound_of = [](std::size_t workers, const Port& port) {
    Platform platform = test::star(PerWorker<Worker>(workers, {1, 0.001, 100, 0}));
    platform.port = port;
    return *any_schedule_bound_s(platform, product(2, 2, 2));
  };
  const Port unlimited{.kind = Port::Kind::multi};
  const Port shared{.kind = Port::Kind::multi, .c_s = 2};
  const Port single{.kind = Port::Kind::multi, .max_transfers = 1};
  EXPECT_NEAR(bound_of(1, unlimited), 16, 1e-3);
  EXPECT_NEAR(bound_of(1, shared), 32, 1e-2);
  EXPECT_NEAR(bound_of(1, single), 16, 1e-3);
  EXPECT_NEAR(bound_of(2, unlimited), 4 * std::sqrt(2) + 2 + 2, 1e-3);
  EXPECT_NEAR(bound_of(2, single), 16, 1e-3);
}

// Computation alone rules: 8 updates of 10 s, two blocks before and one after.
TEST(AnySchedule, OneSlowWorker) {
  const auto bound = any_schedule_bound_s(test::star({{1, 10, 100, 0}}), product(2, 2, 2));
  ASSERT_TRUE(bound);
  EXPECT_NEAR(*bound, 83, 1e-2);
}

TEST(AnySchedule, NobodyCanWork) {
  EXPECT_FALSE(any_schedule_bound_s(test::star({{1, 1, 2, 0}}), product(2, 2, 2)));
  EXPECT_FALSE(c_stationary_bound_s(test::star({{1, 1, 2, 0}}), product(2, 2, 2)));
}

struct TinyInstance {
  Problem problem;
  PerWorker<Worker> workers;
  int optimum;  ///< what the search finds: that it still does
};

// The optimum over all schedules, which an exhaustive search finds, is never below the bound: with
// room for all (16 = 16), for almost nothing, with two workers that may split k, whose bound is
// another one.
TEST(AnySchedule, IsBelowTheOptimumOfTinyInstances) {
  std::vector<TinyInstance> instances{
      {product(1, 1, 1), {{1, 1, 3, 0}}, 5},
      {product(2, 2, 1), {{1, 1, 3, 0}}, 17},
      {product(2, 2, 1), {{1, 2, 4, 0}}, 13},
      {product(2, 1, 2), {{1, 1, 3, 0}}, 15},
  };
  if (test::kSeedStride == 1) {
    instances.push_back({product(2, 2, 2), {{1, 1, 5, 0}}, 18});
    instances.push_back({product(2, 2, 2), {{2, 1, 6, 0}}, 34});
    instances.push_back({product(2, 2, 2), {{1, 1, 8, 0}}, 16});
    instances.push_back({product(1, 1, 3), {{1, 9, 3, 0}, {1, 9, 3, 0}}, 24});
  }
  for (const TinyInstance& tiny : instances) {
    const Platform platform = test::star(tiny.workers);
    const auto optimum = test::least_makespan(platform, tiny.problem, 60, 3'000'000);
    ASSERT_TRUE(optimum);
    EXPECT_EQ(*optimum, tiny.optimum);
    const bool splits_k = tiny.workers.size() > 1;
    EXPECT_LE((splits_k ? split_k_bound_s : any_schedule_bound_s)(platform, tiny.problem),
              *optimum);
  }
}

/// Counts of what one worker does in a run.
struct Use {
  double updates = 0;
  double loads = 0;    ///< of blocks of A and B, and the first ones of C
  double exposed = 0;  ///< those of them during which no update runs
  double end_s = 0;    ///< of the last return
};

/// Counts what the worker does. A message is taken for transfers of one block after another.
Use count_use(const Trace& trace, int worker) {
  Use use;
  std::vector<std::pair<double, double>> busy;
  for (const auto& [transfer, dates] : trace) {
    if (transfer.worker != worker || transfer.update.block_updates() == 0) continue;
    busy.emplace_back(dates.update_start_s, dates.update_end_s);
    use.updates += static_cast<double>(transfer.update.block_updates());
  }
  for (const auto& [transfer, dates] : trace) {
    if (transfer.worker != worker) continue;
    if (transfer.direction == Direction::to_master) {
      use.loads += static_cast<double>(transfer.c.size());
      use.end_s = std::max(use.end_s, dates.end_s);
      continue;
    }
    const std::int64_t loads =
        transfer.a.size() + transfer.b.size() + (transfer.update.add_c ? 0 : transfer.c.size());
    use.loads += static_cast<double>(transfer.a.size() + transfer.b.size());
    const double block_s = (dates.end_s - dates.start_s) / static_cast<double>(transfer.blocks());
    const double slack_s = 1e-6 * block_s;
    for (std::int64_t block = 0; block < loads; ++block) {
      const double begin_s = dates.start_s + static_cast<double>(block) * block_s + slack_s;
      const double end_s = dates.start_s + static_cast<double>(block + 1) * block_s - slack_s;
      use.exposed += std::ranges::none_of(busy, [&](const auto& update) {
        return update.first < end_s && update.second > begin_s;
      });
    }
  }
  return use;
}

// With four blocks, at least one load per update is exposed, so that an update and that load, of 1
// s each, take 2 s. If all loads are exposed, 1.5 for an update suffice.
TEST(ExposedLoads, FourBlocks) {
  ExposedLoads bound(4, 1, 1, 1'000'000);
  bound.set_end_s(2001);
  EXPECT_NEAR(bound.max_updates(1e9), 1000, 1.01);
  EXPECT_EQ(bound.max_updates(10), 10);
  bound.set_end_s(2501);
  const auto window = bound.best(1000);
  ASSERT_NE(window, ExposedLoads::kNone);
  EXPECT_NEAR(bound.loads(1000, window), 1500, 3);
}

// One worker with four blocks, whose transfers and updates take 1 s each, needs 2 s for each of the
// 20,000 updates, on every port, since it has one transfer at a time.
TEST(ExposedLoads, RaiseTheBoundOnEveryPort) {
  Platform platform = test::star({{1, 1, 4, 0}});
  for (const auto kind : {Port::Kind::one, Port::Kind::two, Port::Kind::multi}) {
    platform.port.kind = kind;
    EXPECT_NEAR(any_schedule_bound_s(platform, product(20, 20, 50)).value(), 40'001, 2);
  }
}

// More memory than is bounded, or none that suffices.
TEST(ExposedLoads, NothingIsKnown) {
  for (const std::int64_t m : {std::int64_t{2}, ExposedLoads::kMostBlocks + 1}) {
    const ExposedLoads bound(m, 1, 1, 10);
    EXPECT_EQ(bound.best(1000), ExposedLoads::kNone) << m;
    EXPECT_EQ(bound.max_updates(1000), 1000) << m;
  }
}

// What the loads of a worker and those among them during which it computes nothing obey, for the
// workers of the schedules of all heuristics: given how many are exposed, the bound is no more than
// the loads that there are.
TEST(ExposedLoads, AreNoMoreThanThoseOfAnySchedule) {
  const auto heuristics = parse_heuristics("all,HoLM,DDOML,OBMM,Polaris[effort=low]");
  int close = 0;
  for (std::uint64_t seed = 1; seed <= 400; seed += test::kSeedStride) {
    auto [platform, problem] = test::random_instance(seed);
    test::Random random(seed);
    problem.t *= random.integer(1, 4);
    for (Worker& worker : platform.workers) {
      const bool is_first = &worker == &platform.workers[0];  // has a chunk
      worker.m_blocks = random.integer(is_first ? 5 : 3, 12);
      worker.latency_s = 0;
      worker.c_s *= random.real(0.1, 2);
    }
    if (seed % 3 == 0) platform.port.kind = Port::Kind::two;
    for (const NamedHeuristic& named : heuristics) {
      Trace trace;
      try {
        trace =
            run_to_trace(*named.heuristic->plan(platform, problem).dispatcher, platform, problem);
      } catch (const NotApplicable&) {
        continue;
      }
      for (int i = 0; i < static_cast<int>(platform.workers.size()); ++i) {
        const Worker& worker = platform.workers[i];
        const Use use = count_use(trace, i);
        if (use.updates == 0) continue;
        ExposedLoads bound(worker.m_blocks, worker.w_s, worker.c_s, problem.t);
        bound.set_end_s(use.end_s);
        EXPECT_GE(bound.max_updates(use.updates), use.updates * (1 - 1e-9))
            << named.name << ", seed " << seed << ", worker " << i;
        // As if the rest of the time were not there.
        bound.set_end_s((1 + 1e-9) * (use.updates * worker.w_s + (use.exposed + 1) * worker.c_s));
        const auto window = bound.best(use.updates);
        if (window == ExposedLoads::kNone) continue;
        const double loads = bound.loads(use.updates, window);
        EXPECT_LE(loads, use.loads * (1 + 1e-9))
            << named.name << ", seed " << seed << ", worker " << i << ", m " << worker.m_blocks;
        close += loads > 0.8 * use.loads;
      }
    }
  }
  EXPECT_GT(close, 5);
}

// No schedule of any heuristic beats the bounds: any of them the one on any schedule, the published
// ones that of C-stationary schedules. Those whose port is slow and those whose workers are. Those
// of Polaris, who has the most freedom, are validated one by one, and never worse than those of
// PPoPP'08.
TEST(Bounds, NoHeuristicBeatsThem) {
  const auto seven = parse_heuristics("all");
  const auto published = parse_heuristics("all,HoLM,DDOML,OBMM");  // the seven first
  const auto polaris = parse_heuristics("Polaris[effort=low]");
  for (std::uint64_t seed = 1; seed <= 2'500; seed += test::kSeedStride) {
    auto [platform, problem] = test::random_instance(seed);
    for (Worker& worker : platform.workers) {
      worker.w_s /= static_cast<double>(1 + seed % 7);
      if (seed % 5 == 0) worker.m_blocks = 5 + worker.m_blocks % 10;
      if (seed % 4 == 0) worker.c_s *= static_cast<double>(1 + worker.m_blocks % 9);
    }
    const double c_s = platform.workers.front().c_s;
    if (seed % 3 == 0) platform.port.kind = Port::Kind::two;
    if (seed % 6 == 1)
      platform.port = {.kind = Port::Kind::multi,
                       .max_transfers = static_cast<std::int64_t>(seed / 6 % 3),
                       .c_s = seed / 18 % 2 == 0 ? 0 : 0.6 * c_s};
    const auto any = any_schedule_bound_s(platform, problem);
    const auto c_stationary = c_stationary_bound_s(platform, problem);
    ASSERT_TRUE(any && c_stationary);
    double best_s = kUnknown;
    for (const NamedHeuristic& named : published) {
      try {
        const double makespan_s = test::makespan_s(*named.heuristic, platform, problem);
        EXPECT_FALSE(clearly_less(makespan_s, std::max(*any, *c_stationary)))
            << named.name << ", seed " << seed;
        if (&named < &published[seven.size()]) best_s = std::min(best_s, makespan_s);
      } catch (const NotApplicable&) {
      }
    }
    const Plan plan = polaris.front().heuristic->plan(platform, problem);
    const Trace trace = run_to_trace(*plan.dispatcher, platform, problem);
    const auto violation = find_violation(platform, problem, trace);
    ASSERT_FALSE(violation) << violation->message << ", seed " << seed;
    EXPECT_FALSE(clearly_less(test::makespan(trace), *any)) << "seed " << seed;
    EXPECT_LE(test::makespan(trace), best_s * (1 + 1e-12)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace starport
