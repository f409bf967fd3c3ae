// Sets of rectangles against plain sets of blocks.
#include "sim/star/validator/residency.hpp"

#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

namespace starport {
namespace {

using Blocks = std::set<std::pair<int, int>>;

Blocks blocks_of(const Rectangle& rectangle) {
  Blocks blocks;
  for (int i = rectangle.rows.begin; i < rectangle.rows.end; ++i) {
    for (int j = rectangle.columns.begin; j < rectangle.columns.end; ++j) blocks.insert({i, j});
  }
  return blocks;
}

Rectangle random_rectangle(test::Random& random, int size) {
  const auto range = [&] {
    const auto begin = static_cast<std::int32_t>(random.integer(0, size - 1));
    return Range{begin, static_cast<std::int32_t>(random.integer(begin + 1, size))};
  };
  return {range(), range()};
}

bool meets(const Blocks& x, const Blocks& y) {
  return std::any_of(x.begin(), x.end(), [&](const auto& block) { return y.count(block) > 0; });
}

TEST(BlockSet, BehavesAsASetOfBlocks) {
  test::Random random(1);
  for (int round = 0; round < 200; ++round) {
    BlockSet set;
    Blocks plain;
    for (int step = 0; step < 30; ++step) {
      const Rectangle rectangle = random_rectangle(random, 7);
      const Blocks blocks = blocks_of(rectangle);
      ASSERT_EQ(set.overlaps(rectangle), meets(blocks, plain));
      const bool all = std::includes(plain.begin(), plain.end(), blocks.begin(), blocks.end());
      ASSERT_EQ(set.contains(rectangle), all);
      if (!meets(blocks, plain)) {
        set.add(rectangle);
        plain.insert(blocks.begin(), blocks.end());
      } else if (all) {
        set.remove(rectangle);
        for (const auto& block : blocks) plain.erase(block);
      }
    }
  }
}

// So many pieces that they have an index.
TEST(BlockSet, OfManyPiecesIsAsOneOfFew) {
  test::Random random(4);
  BlockSet set;
  CPieces pieces;
  Blocks plain;
  for (int step = 0; step < 3000; ++step) {
    Rectangle rectangle = random_rectangle(random, 60);
    rectangle.rows.end = std::min(rectangle.rows.end, rectangle.rows.begin + 4);
    rectangle.columns.end = std::min(rectangle.columns.end, rectangle.columns.begin + 4);
    const Blocks blocks = blocks_of(rectangle);
    const auto held = std::count_if(blocks.begin(), blocks.end(),
                                    [&](const auto& block) { return plain.count(block) > 0; });
    const bool all = std::cmp_equal(held, blocks.size());
    ASSERT_EQ(set.overlaps(rectangle), held > 0);
    ASSERT_EQ(set.contains(rectangle), all);
    ASSERT_EQ(pieces.count_held(rectangle), held);
    if (step % 1000 < 700 ? held == 0 : !all) {
      for (const auto& [row, column] : blocks) {
        if (!plain.insert({row, column}).second) continue;
        set.add({{row, row + 1}, {column, column + 1}});
      }
      ASSERT_EQ(pieces.add_missing(rectangle, true), rectangle.size() - held);
    } else if (all) {
      set.remove(rectangle);
      pieces.remove(rectangle);
      for (const auto& block : blocks) plain.erase(block);
    }
  }
}

TEST(CPieces, FollowEachBlock) {
  test::Random random(2);
  for (int round = 0; round < 200; ++round) {
    CPieces pieces;
    std::map<std::pair<int, int>, std::set<int>> plain;
    for (int step = 0; step < 25; ++step) {
      const Rectangle rectangle = random_rectangle(random, 6);
      const Blocks blocks = blocks_of(rectangle);
      std::int64_t fresh = 0;
      for (const auto& block : blocks) fresh += plain.count(block) == 0;
      ASSERT_EQ(pieces.count_held(rectangle), rectangle.size() - fresh);
      if (step % 5 == 4) {
        pieces.remove(rectangle);
        for (const auto& block : blocks) plain.erase(block);
        continue;
      }
      ASSERT_EQ(pieces.add_missing(rectangle, false), fresh);
      const int k = static_cast<int>(random.integer(0, 4));
      for (CPiece* piece : pieces.cut_inside(rectangle)) {
        const Blocks part = blocks_of(piece->blocks);
        for (const auto& block : part) {
          ASSERT_EQ(piece->has_any_update({k, k + 1}), plain[block].count(k) > 0);
        }
        if (!piece->has_any_update({k, k + 1})) {
          piece->add_updates({k, k + 1});
          for (const auto& block : part) plain[block].insert(k);
        }
        for (const auto& block : part) ASSERT_EQ(piece->is_complete(5), plain[block].size() == 5);
      }
      for (const auto& block : blocks) plain[block];
    }
  }
}

TEST(Overlap, SweepAgreesWithAllPairs) {
  test::Random random(3);
  int overlapping = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<Rectangle> rectangles;
    for (int i = 0; i < 5; ++i) rectangles.push_back(random_rectangle(random, 12));
    bool brute = false;
    for (std::size_t i = 0; i < rectangles.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        brute |= !intersection(rectangles[i], rectangles[j]).empty();
      }
    }
    ASSERT_EQ(has_overlap(rectangles, rectangles.size()), brute);
    overlapping += brute;
  }
  EXPECT_GT(overlapping, 100);
  EXPECT_LT(overlapping, 2000);
}

}  // namespace
}  // namespace starport
