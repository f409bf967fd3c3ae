// The timeline of a run on the star: what charts draw.
#include "sim/star/star_timeline.hpp"

#include "tests/star/port_platforms.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace starport {
namespace {

TEST(StarTimeline, HasASliceForEachTransferAndEachUpdate) {
  const Platform& platform = test::two_workers();
  const Trace trace = test::by_recurrence("ORROML", platform, test::kFourBlocks);
  const auto updates = std::ranges::count_if(
      trace, [](const TracedTransfer& event) { return !event.transfer.update.empty(); });
  const Timeline timeline = star_timeline({.heuristic = "ORROML",
                                           .platform = platform,
                                           .trace = trace,
                                           .held = {},
                                           .bound_s = std::nullopt});
  EXPECT_EQ(updates, 4);
  EXPECT_EQ(std::ssize(timeline.slices), std::ssize(trace) + updates);
  EXPECT_EQ(timeline.end_s(), 20);  // ports_test.cpp
}

// The port, and the second worker alone.
TEST(StarTimeline, KnowsWhichWorkersAreInUseBeforeItsFirstPiece) {
  const Platform& platform = test::two_workers();
  StarTimeline timeline("ORROML", platform, std::nullopt);
  for (const TracedTransfer& event : test::by_recurrence("ORROML", platform, test::kFourBlocks)) {
    if (event.transfer.worker == 1) timeline.add_to_extent(event);
  }
  ASSERT_TRUE(timeline.timeline().summary);
  EXPECT_EQ(timeline.timeline().summary->groups_in_use, (std::vector<bool>{true, false, true}));
}

}  // namespace
}  // namespace starport
