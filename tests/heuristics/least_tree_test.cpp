#include "heuristics/star/fast/least_tree.hpp"

#include "sim/platform/random.hpp"

#include <gtest/gtest.h>

namespace starport::fast {
namespace {

// Against a look at all numbers, of which many are equal or none.
TEST(LeastTree, KnowsTheLeastTwoAndTheFirstThatIsSmallEnough) {
  for (const std::size_t size : {1, 2, 7, 8, 9, 63, 64, 65, 600}) {
    Random random(size);
    LeastTree tree(size);
    std::vector<double> numbers(size, kUnknown);
    for (int change = 0; change < 400; ++change) {
      const auto i = static_cast<std::size_t>(random.integer(0, static_cast<int>(size) - 1));
      numbers[i] = random.integer(0, 2) == 0 ? kUnknown : random.integer(0, 30);
      tree.set(i, numbers[i]);

      std::vector<double> sorted = numbers;
      sorted.push_back(kUnknown);
      std::ranges::sort(sorted);
      const auto [least, index, next] = tree.two();
      ASSERT_EQ(least, sorted[0]);
      ASSERT_EQ(next, sorted[1]);
      if (least != kUnknown) {
        ASSERT_EQ(numbers[index], least);
      }

      const auto from = static_cast<std::size_t>(random.integer(0, static_cast<int>(size) + 1));
      const auto bound = static_cast<double>(random.integer(-1, 31));
      std::size_t first = from;
      while (first < size && numbers[first] > bound) ++first;
      ASSERT_EQ(tree.first(from, bound), std::min(first, size));
    }
  }
}

}  // namespace
}  // namespace starport::fast
