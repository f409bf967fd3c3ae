#include "sim/star/update_end_dates.hpp"

#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace starport {
namespace {

TEST(UpdateEndDates, AreKnownUntilTheyAreForgotten) {
  UpdateEndDates ends;
  EXPECT_EQ(ends[0], 0);
  EXPECT_EQ(ends[1], kUnknown);
  ends.append(3);
  ends.append(5);
  ends.append(8);  // one more than is held in place
  EXPECT_EQ(ends.last(), 3);
  ends.discard_until(4);
  EXPECT_EQ(ends[1], 0);
  EXPECT_EQ(ends[2], 5);
  EXPECT_EQ(ends[3], 8);
  EXPECT_EQ(ends[4], kUnknown);
  ends.discard_until(2);  // an earlier date brings nothing back
  EXPECT_EQ(ends[1], 0);
  ends.correct(1, 7);
  ends.correct(3, 9);
  EXPECT_EQ(ends[1], 0);
  EXPECT_EQ(ends[3], 9);
  EXPECT_EQ(ends.first_after(5), 9);
  EXPECT_EQ(ends.first_after(9), kUnknown);
}

// Beside a list that forgets nothing.
TEST(UpdateEndDates, AnyNumberMayBePending) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    test::Random random(seed);
    UpdateEndDates ends;
    std::vector<double> all{0};  // f_0
    double now = 0;
    for (int i = 0; i < 300; ++i) {
      if (random.integer(0, 2) == 0) {
        now += static_cast<double>(random.integer(0, 20));
        ends.discard_until(now);
      } else {
        all.push_back(std::max(now, all.back()) + static_cast<double>(random.integer(1, 5)));
        ends.append(all.back());
      }
      ASSERT_EQ(ends.last(), static_cast<std::int64_t>(all.size()) - 1);
      for (std::int64_t n = 0; n <= ends.last(); ++n) {
        const double end_s = all[static_cast<std::size_t>(n)];
        ASSERT_EQ(ends[n], end_s > now ? end_s : 0) << "seed " << seed << ", update " << n;
      }
    }
  }
}

}  // namespace
}  // namespace starport
