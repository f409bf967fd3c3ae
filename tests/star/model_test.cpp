// Problems, layouts and the recurrence.
#include "sim/files/error.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/heuristic.hpp"
#include "sim/star/port_clock.hpp"
#include "sim/star/trace.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

namespace starport {
namespace {

TEST(Problem, SizesInBlocks) {
  const Problem problem = parse_problem("8000x8000x64000", 80);
  EXPECT_EQ(problem.r, 100);
  EXPECT_EQ(problem.t, 100);
  EXPECT_EQ(problem.s, 800);
  EXPECT_EQ(problem.updates(), 8'000'000);
}

TEST(Problem, RoundsUpToWholeBlocks) {
  const Problem problem = parse_problem("1x81x160", 80);
  EXPECT_EQ(problem.r, 1);
  EXPECT_EQ(problem.t, 2);
  EXPECT_EQ(problem.s, 2);
}

TEST(Problem, RefusesWhatIsNoProblem) {
  for (const char* text : {"", "8000x8000", "0x0x0", "-1x2x3", "1x2x3x4", "1x2x", "x", "1x2xa",
                           "99999999999999999999x1x1", "9223372036854775807x1x1", " 1x2x3",
                           "1x2x3 ", "2147483647x2147483647x2147483647"}) {
    EXPECT_THROW(parse_problem(text, 1), InputError) << text;
  }
}

TEST(Layout, SideIsTheLargestThatFits) {
  for (const MemoryLayout* layout :
       {&kOptimizedOverlapped, &kOptimized, &kMaximumReuse, &kToledo, &kToledoOverlapped}) {
    for (std::int64_t m = 0; m < 3000; ++m) {
      std::int64_t brute = 0;
      while (layout->blocks(brute + 1) <= m) ++brute;
      ASSERT_EQ(layout->side(m), brute) << layout->name << ", m=" << m;
    }
  }
  // Large memories: the side fits and the next one does not.
  for (std::int64_t m = 1'000'000'007; m < 1'000'000'000'000; m = m * 3 + 1) {
    const std::int64_t side = kOptimizedOverlapped.side(m);
    EXPECT_LE(kOptimizedOverlapped.blocks(side), m);
    EXPECT_GT(kOptimizedOverlapped.blocks(side + 1), m);
  }
}

TEST(Layout, PaperExample) {
  EXPECT_EQ(kMaximumReuse.side(21), 4);              // PPoPP'08, Figure 2
  EXPECT_EQ(kOptimizedOverlapped.side(20971), 142);  // 1 GiB in blocks of 80 x 80
  EXPECT_EQ(kOptimizedOverlapped.side(5242), 70);    // 256 MiB
}

// Two transfers of 3 and 2 blocks over c = 2, w = 5, latency 1:
//   the first takes 1 + 3*2 = 7, its update of 2x1x1 blocks 10: 7..17
//   the second, after update 1, starts at 17 and takes 5; its update 22..32
TEST(OnePortClock, Recurrence) {
  const Platform platform = test::star({{2, 5, 10, 1}});
  const Problem problem{2, 1, 2, 1};
  Transfer first;
  first.a = {{0, 2}, {0, 1}};
  first.b = {{0, 1}, {0, 1}};
  first.update = {
      .rows = {0, 2}, .columns = {0, 1}, .inner = {0, 1}, .release_a = {}, .release_b = {}};
  Transfer second = first;
  second.b = {};
  second.after_update = 1;
  MasterView master(platform, problem);
  OnePortClock clock(master);
  const Dates one = clock.advance(to_message(first));
  EXPECT_EQ(one.start_s, 0);
  EXPECT_EQ(one.end_s, 7);
  EXPECT_EQ(one.update_start_s, 7);
  EXPECT_EQ(one.update_end_s, 17);
  EXPECT_EQ(master.request_date_s(0, 0), 7);
  EXPECT_EQ(master.request_date_s(0, 1), 17);
  EXPECT_EQ(master.request_date_s(0, 2), kUnknown);
  const Dates two = clock.advance(to_message(second));
  EXPECT_EQ(two.start_s, 17);
  EXPECT_EQ(two.end_s, 22);
  EXPECT_EQ(two.update_end_s, 32);
  EXPECT_EQ(master.now_s(), 22);
}

// A late C of 4 blocks costs 4 additions: 4/q updates (q = 8, w = 2: 1 s).
TEST(OnePortClock, AdditionsCostOneOverQ) {
  const Platform platform = test::star({{1, 2, 10, 0}});
  Transfer late;
  late.c = {{0, 2}, {0, 2}};
  late.update.add_c = true;
  MasterView master(platform, {2, 2, 1, 8});
  OnePortClock clock(master);
  const Dates dates = clock.advance(to_message(late));
  EXPECT_EQ(dates.end_s, 4);
  EXPECT_EQ(dates.update_end_s, 5);
}

}  // namespace
}  // namespace starport
