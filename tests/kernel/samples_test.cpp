// What series of samples tell.
#include "sim/kernel/samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace starport {
namespace {

std::vector<double> alike(std::size_t count) { return std::vector<double>(count, 10.0); }

TEST(Samples, ASpellOfAnotherSpeedIsSeen) {
  auto values = alike(40);
  std::fill(values.begin() + 11, values.begin() + 21, 13.0);
  const auto [low, high] = spells(values);
  EXPECT_EQ(low, 10);
  EXPECT_EQ(high, 13);
}

TEST(Samples, AFewSlowOnesAreNoSpell) {
  auto values = alike(40);
  for (std::size_t n = 0; n < values.size(); n += 5) values[n] = values[(n + 7) % 40] = 30;
  const auto [low, high] = spells(values);
  EXPECT_EQ(low, 10);
  EXPECT_EQ(high, 10);
}

TEST(Samples, SpellsOfFewSamplesAreThese) {
  const auto [low, high] = spells({10, 12, 11});
  EXPECT_EQ(low, 10);
  EXPECT_EQ(high, 12);
}

}  // namespace
}  // namespace starport
