#include "heuristics/star/fast/later_workers.hpp"

#include "sim/platform/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace starport::fast {
namespace {

// Dates of all sizes, some of them equal, while time goes on by steps of all sizes.
TEST(LaterWorkers, AreTakenOnceTheyAreReady) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    LaterWorkers later;
    std::vector<double> ready_s;
    std::vector<bool> taken;
    double now_s = 0;
    const auto some = [&] { return random.real(0.5, 1) * std::exp2(random.integer(-20, 20)); };
    for (int step = 0; step < 300; ++step) {
      for (std::int64_t n = random.integer(0, 3); n > 0; --n) {
        const bool again = !ready_s.empty() && ready_s.back() > now_s && random.integer(0, 3) == 0;
        ready_s.push_back(again ? ready_s.back() : now_s + some());
        taken.push_back(false);
        later.push(ready_s.back(), ready_s.size() - 1);
      }
      now_s += some();
      later.take_until(
          now_s,
          [&](std::size_t i) {
            ASSERT_FALSE(taken[i]);
            taken[i] = true;
          },
          [](std::size_t) {});
      double first_s = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < ready_s.size(); ++i) {
        ASSERT_EQ(taken[i], ready_s[i] <= now_s) << "seed " << seed << ", worker " << i;
        if (!taken[i]) first_s = std::min(first_s, ready_s[i]);
      }
      ASSERT_EQ(later.taken_s(), now_s);
      ASSERT_LE(later.floor_s(), first_s);
      ASSERT_GT(later.floor_s(), now_s);
    }
  }
}

}  // namespace
}  // namespace starport::fast
