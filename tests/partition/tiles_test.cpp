// From partitions to tiles, and shares to integers.
#include "heuristics/partition/methods.hpp"
#include "heuristics/partition/recursive.hpp"
#include "heuristics/partition/to_tiles.hpp"
#include "sim/files/error.hpp"
#include "tests/partition/instances.hpp"

#include <gtest/gtest.h>

namespace starport::partition {
namespace {

using test::kFamilies;
using test::random_speeds;

using Owners = std::vector<std::int32_t>;
using Counts = std::vector<std::int64_t>;

/// Two halves of 3 x 3 tiles: 4.5 tiles each, rounded to 5 and 4; the edge at 1.5, rounded to 2.
TEST(Tiles, HalvesByHand) {
  const std::vector<double> speeds{1, 1};
  const Partition<2> halves = nrrp_g(speeds);
  const TileAssignment<2> near = round_edges(halves, {3, 3});
  EXPECT_EQ(near.owner, (Owners{0, 0, 0, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(near.tiles, (Counts{6, 3}));
  EXPECT_EQ(count_projections(near), (Counts{5, 4}));
  // Row 0 is within the first, row 2 within the second: 2 and 1 are left. Of row 1 the first tile
  // goes to the second, which has fewest left, the others to the first.
  const TileAssignment<2> exact = round_precisely(halves, speeds, {3, 3});
  EXPECT_EQ(exact.owner, (Owners{0, 0, 0, 1, 0, 0, 1, 1, 1}));
  EXPECT_EQ(exact.tiles, (Counts{5, 4}));
  EXPECT_EQ(count_projections(exact), (Counts{5, 5}));
}

/// Nobody has a whole tile of 2 x 2: the smallest positive number left comes first.
TEST(Tiles, WithoutInnerBoxes) {
  const std::vector<double> speeds{1, 3, 1, 1};
  const TileAssignment<2> exact = round_precisely(nrrp_g(speeds), speeds, {2, 2});
  // Round(4 S): 1, 3, 3, 4 (S = 1/6, 4/6, 5/6, 1).
  EXPECT_EQ(exact.tiles, (Counts{1, 2, 0, 1}));
}

/// The tiles that a static allocation moves, by an independent program: the sum over the GPUs of
/// n (rows + columns), and 2 |zone| for C, of a CPU of speed 1/3 and four GPUs.
TEST(Tiles, TheInvariantOfTheStaticAllocation) {
  const std::vector<double> speeds{1.0 / 3, 1, 1, 1, 1};
  const std::vector<std::pair<std::int64_t, std::int64_t>> golden{
      {8, 368}, {16, 1468}, {24, 3306}, {32, 5814}};
  for (const auto& [n, moved] : golden) {
    const TileAssignment<2> tiling = round_edges(nrrp_g(speeds), {n, n});
    const Counts sides = count_projections(tiling);
    std::int64_t sum = 0;
    for (std::size_t gpu = 1; gpu < speeds.size(); ++gpu) {
      sum += n * sides[gpu] + 2 * tiling.tiles[gpu];
    }
    EXPECT_EQ(sum, moved);
  }
}

/// The same for PRECISE, of a CPU of speed 2 x 1.7/6, as sirocco's.
TEST(Tiles, TheVolumesOfPrecise) {
  const std::vector<double> speeds{2 * 1.7 / 6, 1, 1, 1, 1};
  const std::vector<std::pair<std::int64_t, double>> golden{
      {8, 2.75}, {16, 10.8}, {24, 23.6}, {32, 43.3}};
  for (const auto& [n, gib] : golden) {
    const TileAssignment<2> tiling = round_precisely(nrrp_g(speeds), speeds, {n, n});
    const Counts sides = count_projections(tiling);
    std::int64_t sum = 0;
    for (std::size_t gpu = 1; gpu < speeds.size(); ++gpu) {
      sum += n * sides[gpu] + 2 * tiling.tiles[gpu];
    }
    EXPECT_NEAR(static_cast<double>(sum) * 960 * 960 * 8 / (1 << 30), gib, 0.05);
  }
}

template <std::size_t D>
void check_tiling(const TileAssignment<D>& tiling, const char* what) {
  Counts counted(tiling.tiles.size(), 0);
  for (const std::int32_t owner : tiling.owner) {
    ASSERT_GE(owner, 0) << what;
    ++counted[static_cast<std::size_t>(owner)];
  }
  EXPECT_EQ(counted, tiling.tiles) << what;
}

/// Of every processor the exact number of tiles, by the rule of the paper.
template <std::size_t D>
void check_counts(const TileAssignment<D>& tiling, const std::vector<double>& speeds) {
  const std::vector<double> weights = normalize_speeds(speeds);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double upto = 0;
  std::int64_t before = 0;
  for (std::size_t p = 0; p < speeds.size(); ++p) {
    upto += weights[p];
    const auto all = static_cast<double>(tiling.owner.size());
    const auto round_edges = static_cast<std::int64_t>(std::floor(all * (upto / sum) + 0.5));
    EXPECT_EQ(tiling.tiles[p], round_edges - before);
    EXPECT_NEAR(static_cast<double>(tiling.tiles[p]), all * weights[p] / sum, 1 + 1e-6);
    before = round_edges;
  }
}

TEST(Tiles, EveryTileHasOneProcessor) {
  for (std::int64_t seed = 0; seed < 600; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const auto speeds = random_speeds(random, seed % kFamilies, random.integer(1, 20));
    const TileCounts<2> matrix{random.integer(1, 40), random.integer(1, 40)};
    const Partition<2> zones = nrrp_g(speeds, make_whole<2>(matrix));
    const TileAssignment<2> exact = round_precisely(zones, speeds, matrix);
    check_tiling(exact, "PRECISE");
    check_counts(exact, speeds);
    check_tiling(round_edges(zones, matrix), "ROUNDED");
    const TileCounts<3> product{random.integer(1, 12), random.integer(1, 12),
                                random.integer(1, 12)};
    const Partition<3> cuboids = cuboids_g(speeds, make_whole<3>(product));
    const TileAssignment<3> exact_product = round_precisely(cuboids, speeds, product);
    check_tiling(exact_product, "PRECISE, 3D");
    check_counts(exact_product, speeds);
    check_tiling(round_edges(cuboids, product), "ROUNDED, 3D");
  }
}

/// A matrix of 8 x 2 tiles for four equal processors: four squares, not quarters of 4 x 1.
TEST(Tiles, ANarrowMatrixIsDividedByItsForm) {
  const std::vector<double> speeds{1, 1, 1, 1};
  const TileCounts<2> matrix{8, 2};
  for (const char* method : {"NRRP", "NRRP-S", "portfolio", "RP"}) {
    const auto zones = std::get<Divide<2>>(find_method(method).divide)(speeds, make_whole(matrix));
    EXPECT_NEAR(zones.cost, 4 * 2 * 0.5, 1e-9) << method;  // squares of an area of a quarter
    EXPECT_EQ(count_projections(round_edges(zones, matrix)), (Counts{4, 4, 4, 4})) << method;
  }
  // Columns divide the axis x, which is that of the rows of C.
  EXPECT_NEAR(column_based(speeds, make_whole(matrix)).cost, 4, 1e-9);
  EXPECT_NEAR(column_based(speeds, make_whole(TileCounts<2>{2, 8})).cost, 4, 1e-9);
  // Cubes of 4 x 4 x 4 tasks in a product of 4 x 4 x 16.
  const auto cubes = cuboids_g(speeds, make_whole<3>({4, 4, 16}));
  EXPECT_EQ(count_projections(round_edges(cubes, {4, 4, 16})), (Counts{48, 48, 48, 48}));
  // A square of the slower one that has no place in the corner: a straight line.
  EXPECT_EQ(square_corner({1, 3}, make_whole(matrix)).zones,
            straight_line({1, 3}, make_whole(matrix)).zones);
}

/// Shares that are whole tiles but for the last bits: within the tolerance of the inner boxes, a
/// box may then hold one more than its processor is to have.
TEST(Tiles, SharesThatAreNearlyWhole) {
  for (std::int64_t seed = 0; seed < 2000; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const std::int64_t n = random.integer(2, 8);
    std::vector<double> speeds;
    for (std::int64_t i = 0; i < n; ++i) {
      const double half = random.integer(0, 1) == 0 ? 0.5 : 0;
      speeds.push_back(static_cast<double>(random.integer(1, 2 * n)) + half +
                       random.real(-1e-10, 1e-10));
    }
    const TileAssignment<2> exact = round_precisely(nrrp_g(speeds), speeds, {n, n});
    check_tiling(exact, "PRECISE");
    check_counts(exact, speeds);
  }
}

TEST(Apportion, ByHand) {
  EXPECT_EQ(apportion(10, {1, 1, 1}), (Counts{4, 3, 3}));
  EXPECT_EQ(apportion(7, {4, 2, 1}), (Counts{4, 2, 1}));
  EXPECT_EQ(apportion(10, {8, 1, 1}, 2), (Counts{6, 2, 2}));
  EXPECT_EQ(apportion(5, {100, 100, 1, 1, 1}, 1), (Counts{1, 1, 1, 1, 1}));
  EXPECT_EQ(apportion(8, {45, 19}), (Counts{6, 2}));  // 27 18 12 7 on a grid of 8
  EXPECT_EQ(apportion(0, {1, 2}), (Counts{0, 0}));
  EXPECT_EQ(apportion(3, {0, 0, 1}), (Counts{0, 0, 3}));
  EXPECT_EQ(apportion(4, {1.5e308, 0.5e308}), (Counts{3, 1}));  // whose sum is not finite
}

TEST(Apportion, SumsAndQuotas) {
  for (std::int64_t seed = 0; seed < 2000; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const auto weights = random_speeds(random, seed % kFamilies, random.integer(1, 20));
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    const std::int64_t least = random.integer(0, 3);
    const std::int64_t n = random.integer(20 * 3, 500);
    const Counts parts = apportion(n, weights, least);
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}), n);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_GE(parts[i], least);
      if (least == 0) {
        EXPECT_LT(
            std::abs(static_cast<double>(parts[i]) - static_cast<double>(n) * weights[i] / sum),
            1 + 1e-6);
      }
    }
  }
}

TEST(Apportion, BadInput) {
  const auto message = [](std::int64_t n, const std::vector<double>& weights, std::int64_t least) {
    try {
      apportion(n, weights, least);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message(3, {1, 1}, 2), "parts: expected 1 to 1 of them, found 2");
  EXPECT_EQ(message(3, {}, 0), "parts: expected at least 1, found 0");
  EXPECT_EQ(message(3, {1, -1}, 0), "weights: expected finite numbers, 0 or greater, found -1");
  EXPECT_EQ(message(3, {0, 0}, 0),
            "weights: expected at least one positive weight, but there is none");
}

}  // namespace
}  // namespace starport::partition
