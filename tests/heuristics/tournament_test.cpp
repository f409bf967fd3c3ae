#include "heuristics/star/fast/tournament.hpp"

#include "sim/platform/random.hpp"

#include <gtest/gtest.h>

namespace starport::fast {
namespace {

/// The tie rule as it is defined: a scan in which only a number clearly less replaces the best.
std::size_t scan(const std::vector<double>& values) {
  std::size_t best = values.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == Tournament::kNone) continue;
    if (best == values.size() || clearly_less(values[i], values[best])) best = i;
  }
  return best;
}

TEST(Tournament, ChoosesAsAScanThatOnlyAClearlySmallerNumberStops) {
  int chains = 0;  // where the smallest index near the least is not what the scan finds
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    const auto size = static_cast<std::size_t>(random.integer(1, 40));
    Tournament tournament(size);
    std::vector<double> values(size, Tournament::kNone);
    for (int change = 0; change < 100; ++change) {
      const auto i = static_cast<std::size_t>(random.integer(0, tournament.size() - 1));
      // Integers, integers in steps of 4e-10, none; near 0 and far from it.
      const auto whole = static_cast<double>(random.integer(0, 2));
      const double jitter = seed % 3 == 0 ? 0 : 4e-10 * static_cast<double>(random.integer(0, 8));
      const double value = random.integer(0, 9) == 0 ? Tournament::kNone : whole * (1 + jitter);
      tournament.set(i, value);
      values[i] = value;
      ASSERT_EQ(tournament.first_of_least(), scan(values)) << "seed " << seed;
      std::size_t nearest = 0;
      while (nearest < size && !nearly_equal(values[nearest], tournament.least())) ++nearest;
      if (tournament.least() != Tournament::kNone && nearest != scan(values)) ++chains;
    }
  }
  EXPECT_GT(chains, 100);
}

TEST(Tournament, FindsTheFirstFromAnIndexOn) {
  Tournament tournament(6);
  const std::vector<double> values{5, 2, 9, 2, 7, 1};
  for (std::size_t i = 0; i < values.size(); ++i) tournament.set(i, values[i]);
  EXPECT_EQ(tournament.least(), 1);
  for (std::size_t from = 0; from <= 7; ++from) {
    for (double bound = 0; bound < 10; ++bound) {
      std::size_t first = from;
      while (first < 6 && values[first] > bound) ++first;
      EXPECT_EQ(tournament.first(from, [&](double value) { return value <= bound; }),
                std::min<std::size_t>(first, 6));
    }
  }
}

}  // namespace
}  // namespace starport::fast
