#include "heuristics/star/fast/step_ends.hpp"

#include "sim/platform/random.hpp"

#include <gtest/gtest.h>

namespace starport::fast {
namespace {

// Against the formula, while T grows and workers are chosen or withdrawn.
TEST(StepEnds, AreThoseOfTheFormula) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const auto figure = [&](int most) {
      return seed % 2 == 0 ? static_cast<double>(random.integer(1, most))
                           : random.real(0.1, static_cast<double>(most));
    };
    const auto size = static_cast<std::size_t>(random.integer(1, 20));
    StepEnds ends(size);
    std::vector<double> a(size, StepEnds::kNever);  // never set, or withdrawn
    std::vector<double> ready(size);
    double now = 0;
    const auto end = [&](std::size_t i) { return std::max(now + a[i], ready[i]); };
    for (int change = 0; change < 200; ++change) {
      const auto i = static_cast<std::size_t>(random.integer(0, static_cast<int>(size) - 1));
      if (random.integer(0, 9) == 0) {
        ends.withdraw(i);
        a[i] = StepEnds::kNever;
      } else {
        if (a[i] != StepEnds::kNever) now = std::max(now, end(i));
        ends.advance(now);
        a[i] = figure(3);
        ready[i] = now + figure(20);
        ends.set(i, a[i], ready[i], 0);
      }
      double least = StepEnds::kNever;
      for (std::size_t j = 0; j < size; ++j) least = std::min(least, end(j));
      ASSERT_EQ(ends.least(), least) << "seed " << seed;  // to the last bit
      const double bound = now + figure(10);
      std::size_t first = i;
      while (first < size && end(first) > bound) ++first;
      ASSERT_EQ(ends.first(i, [&](double end_s) { return end_s <= bound; }), first);
    }
  }
}

}  // namespace
}  // namespace starport::fast
