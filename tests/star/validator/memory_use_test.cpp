// What workers hold, against timelines by hand and against blocks counted one by one.
#include "sim/star/validator/memory_use.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/ties.hpp"
#include "tests/paths.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace starport {
namespace {

std::vector<std::int64_t> after_transfers(const std::vector<HeldBlocks>& held) {
  std::vector<std::int64_t> blocks;
  for (const HeldBlocks& one : held) blocks.push_back(one.transfer);
  return blocks;
}
std::vector<std::int64_t> after_updates(const std::vector<HeldBlocks>& held) {
  std::vector<std::int64_t> blocks;
  for (const HeldBlocks& one : held) blocks.push_back(one.update);
  return blocks;
}

// One worker, c=1 w=5 m=5, t=3 (heuristics_test): C 0-1, AB 1-3 3-5 8-10, R 18-19; updates 3-8
// 8-13 13-18. The second pair joins the first, which goes at 8, when the third one starts to come.
TEST(MemoryUse, OfOneChunk) {
  const Platform platform = test::star({{1, 5, 5, 0}});
  const Problem problem{1, 1, 3, 1};
  const auto held =
      compute_held_blocks(platform, problem, test::simulate("HomI", platform, problem));
  EXPECT_EQ(after_transfers(held), (std::vector<std::int64_t>{1, 3, 5, 5, 0}));
  EXPECT_EQ(after_updates(held), (std::vector<std::int64_t>{0, 3, 3, 1, 0}));
}

// late-c.json, c=1 w=1 q=2 m=12. Transfers, with what they add, and updates, with what goes at
// their end:
//   0-3   2 A, 1 B, and 2 accumulators: 5     3-5    1 B goes: 7, the next ones being there
//   3-6   2 A, 1 B: 8                         6-8    1 B goes: 8, the next ones being there
//   6-8   2 C, late: 9                        8-9    the 2 C added, at 1/2 update each: 10
//   8-12  2 B, 2 C: 12                        12-16  4 A, 2 B go: 2, the return 12-14 being over
//   12-14 2 C return: 8
//   16-18 2 C return: 0
TEST(MemoryUse, WithAccumulatorsAndLateC) {
  const Schedule schedule = load_schedule(STARPORT_SOURCE_DIR "/tests/fixtures/late-c.json");
  const Trace trace = replay(schedule.platform, schedule.problem, schedule.transfers);
  const auto held = compute_held_blocks(schedule.platform, schedule.problem, trace);
  EXPECT_EQ(after_transfers(held), (std::vector<std::int64_t>{5, 8, 9, 12, 8, 0}));
  EXPECT_EQ(after_updates(held), (std::vector<std::int64_t>{7, 8, 10, 2, 0, 0}));
}

TEST(MemoryUse, OfATraceThatBreaksTheModel) {
  const Platform platform = test::star({{1, 5, 5, 0}});
  const Problem problem{1, 1, 3, 1};
  Trace trace = test::by_recurrence("HomI", platform, problem);
  trace.erase(trace.begin());
  EXPECT_THROW(compute_held_blocks(platform, problem, trace), SimulationError);
}

using Block = std::tuple<char, int, int>;
struct Stay {
  double from_s;
  double until_s;
};

/// When each block is on one worker, block by block.
class BlockByBlock {
 public:
  BlockByBlock(const Trace& trace, int worker) {
    for (const TracedTransfer& traced : trace) {
      const Transfer& transfer = traced.transfer;
      const Dates& dates = traced.dates;  // no binding: Clang 14 cannot capture those
      if (transfer.worker != worker) continue;
      const Update& update = transfer.update;
      if (transfer.direction == Direction::to_master) {
        each('C', transfer.c, [&](const Block& block) { leave(block, dates.end_s); });
        continue;
      }
      each('A', transfer.a, [&](const Block& block) { come(block, dates.start_s); });
      each('B', transfer.b, [&](const Block& block) { come(block, dates.start_s); });
      each('C', transfer.c, [&](const Block& block) {
        if (update.add_c) {
          stays_.push_back({dates.start_s, dates.update_end_s});
        } else {
          come(block, dates.start_s);
        }
      });
      each('C', {update.rows, update.columns}, [&](const Block& block) {
        if (!since_.contains(block)) come(block, dates.start_s);
      });
      each('A', update.release_a, [&](const Block& block) { leave(block, dates.update_end_s); });
      each('B', update.release_b, [&](const Block& block) { leave(block, dates.update_end_s); });
    }
    EXPECT_TRUE(since_.empty());
  }

  std::int64_t held(double date_s) const {
    return std::count_if(stays_.begin(), stays_.end(), [&](const Stay& stay) {
      return stay.from_s <= date_s && date_s < stay.until_s;
    });
  }

 private:
  template <typename Visit>
  static void each(char matrix, const Rectangle& blocks, const Visit& visit) {
    for (int i = blocks.rows.begin; i < blocks.rows.end; ++i) {
      for (int j = blocks.columns.begin; j < blocks.columns.end; ++j) visit({matrix, i, j});
    }
  }
  void come(const Block& block, double date_s) { since_[block] = date_s; }
  void leave(const Block& block, double date_s) {
    stays_.push_back({since_.at(block), date_s});
    since_.erase(block);
  }

  std::map<Block, double> since_;
  std::vector<Stay> stays_;
};

struct Step {
  double date_s;
  bool takes;
  std::int64_t held;
};

/// The steps of one worker's memory by date; where dates coincide, what is let go of comes first.
std::vector<Step> steps_of(const Trace& trace, const std::vector<HeldBlocks>& held, int worker) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const auto& [transfer, dates] = trace[i];
    if (transfer.worker != worker) continue;
    const bool takes = transfer.direction == Direction::to_worker;
    steps.push_back({takes ? dates.start_s : dates.end_s, takes, held[i].transfer});
    if (!transfer.update.empty()) steps.push_back({dates.update_end_s, false, held[i].update});
  }
  std::stable_sort(steps.begin(), steps.end(), [](const Step& x, const Step& y) {
    return nearly_equal(x.date_s, y.date_s) ? y.takes && !x.takes : x.date_s < y.date_s;
  });
  return steps;
}

void compare_counts(const Platform& platform, const Problem& problem, const Trace& trace) {
  const auto held = compute_held_blocks(platform, problem, trace);
  for (std::size_t i = 0; i < platform.workers.size(); ++i) {
    const int worker = static_cast<int>(i);
    const auto steps = steps_of(trace, held, worker);
    const BlockByBlock blocks(trace, worker);
    for (std::size_t n = 0; n < steps.size(); ++n) {
      ASSERT_GE(steps[n].held, 0);
      ASSERT_LE(steps[n].held, platform.workers[i].m_blocks);
      if (n + 1 == steps.size() || nearly_equal(steps[n].date_s, steps[n + 1].date_s)) continue;
      const double between_s = (steps[n].date_s + steps[n + 1].date_s) / 2;
      ASSERT_EQ(steps[n].held, blocks.held(between_s)) << "worker " << i << " at " << between_s;
    }
    EXPECT_EQ(steps.empty() ? 0 : steps.back().held, 0);
  }
}

TEST(MemoryUse, AgreesWithBlocksCountedOneByOne) {
  int compared = 0;
  for (std::uint64_t seed = 200; seed < 230; seed += test::kSeedStride) {
    const auto [platform, problem] = test::random_instance(seed, 1.0 / 3);
    for (const NamedHeuristic& named : test::every_heuristic()) {
      SCOPED_TRACE(named.name + ", seed " + std::to_string(seed));
      try {
        compare_counts(platform, problem, test::by_recurrence(named.name, platform, problem));
        ++compared;
      } catch (const NotApplicable&) {
      }
    }
  }
  EXPECT_GT(compared, 200 / static_cast<int>(test::kSeedStride));
}

TEST(MemoryUse, AgreesWithBlocksCountedOneByOneForLateC) {
  const Schedule schedule = load_schedule(STARPORT_SOURCE_DIR "/tests/fixtures/late-c.json");
  compare_counts(schedule.platform, schedule.problem,
                 replay(schedule.platform, schedule.problem, schedule.transfers));
}

}  // namespace
}  // namespace starport
