#include "heuristics/star/lanes.hpp"

#include "tests/support.hpp"

#include <gtest/gtest.h>

namespace starport {
namespace {

TEST(LaneNumbers, HoldNumbersOrNone) {
  LaneNumbers numbers(3);
  EXPECT_EQ(numbers.first_of_least(), 3U);
  numbers.set(2, 5);
  numbers.set(0, 7);
  EXPECT_EQ(numbers[0], 7);
  EXPECT_EQ(numbers[1], LaneNumbers::kNone);
  EXPECT_EQ(numbers.first_of_least(), 2U);
  numbers.set(0, 5 * (1 + 0.9e-9));  // equal, within the tolerance
  EXPECT_EQ(numbers.first_of_least(), 0U);
  numbers.set(0, 5 * (1 + 1.1e-9));
  EXPECT_EQ(numbers.first_of_least(), 2U);
}

// Whatever lies near the least, chains of near-equal numbers included.
TEST(LaneNumbers, FirstOfLeastIsThatOfAScan) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    test::Random random(seed);
    const auto size = static_cast<std::size_t>(random.integer(1, 12));
    LaneNumbers numbers(size);
    std::size_t scanned = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const double step = seed % 2 == 0 ? 0.4e-9 : 1e-10;
      numbers.set(i, 1 + step * static_cast<double>(random.integer(0, seed % 3 == 0 ? 60 : 12)));
      if (clearly_less(numbers[i], numbers[scanned])) scanned = i;
    }
    ASSERT_EQ(numbers.first_of_least(), scanned) << "seed " << seed;
  }
}

}  // namespace
}  // namespace starport
