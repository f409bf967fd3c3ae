// The ratios of every method to the bound, over random areas of ten families, each partition
// checked; how long large ones take; and the averages of HCW'06, section 3.3.
//
//   cmake --build build/release --target partition_survey
//   build/release/partition_survey 100000
#include "heuristics/partition/methods.hpp"
#include "heuristics/partition/square_corner.hpp"
#include "heuristics/partition/to_tiles.hpp"
#include "sim/files/numbers.hpp"
#include "tests/partition/instances.hpp"

#include <cstdio>
#include <ctime>
#include <limits>

namespace {

using namespace starport;
using namespace starport::partition;

struct Ratios {
  double sum = 0;
  double largest = 0;
  std::int64_t seed = 0;  ///< of the largest
  std::int64_t faults = 0;
};

/// A partition's faults, with those of its tiles.
template <std::size_t D>
bool right(const Partition<D>& found, const std::vector<double>& speeds, std::int64_t n) {
  if (!test::fault(found, speeds).empty()) return false;
  for (const Rounding rounding : {Rounding::rounded, Rounding::precise}) {
    TileCounts<D> counts;
    counts.fill(n);
    const TileAssignment<D> tiling = to_tiles(found, speeds, counts, rounding);
    std::vector<std::int64_t> counted(speeds.size(), 0);
    for (const std::int32_t owner : tiling.owner) {
      if (owner < 0) return false;
      ++counted[static_cast<std::size_t>(owner)];
    }
    if (counted != tiling.tiles) return false;
  }
  return true;
}

std::vector<double> instance(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  return test::random_speeds(random, seed % test::kFamilies,
                             random.integer(2, seed % 7 == 0 ? 60 : 15));
}

Ratios survey(const Method& method, std::int64_t instances) {
  Ratios ratios;
  for (std::int64_t seed = 0; seed < instances; ++seed) {
    const std::vector<double> speeds = instance(seed);
    std::visit(
        [&](auto divide) {
          const auto found = divide(speeds, {});
          const double ratio = found.cost / cost_bound(speeds, method.dimensions());
          ratios.sum += ratio;
          if (ratio > ratios.largest) {
            ratios.largest = ratio;
            ratios.seed = seed;
          }
          ratios.faults += right(found, speeds, 1 + seed % 12) ? 0 : 1;
        },
        method.divide);
  }
  return ratios;
}

/// Processor time, whatever else the machine does.
double seconds(const Method& method, std::int64_t family, std::int64_t count) {
  Random random(1);
  const std::vector<double> speeds = test::random_speeds(random, family, count);
  const std::clock_t start = std::clock();
  std::visit([&](auto divide) { divide(speeds, {}); }, method.divide);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  const auto instances = argc > 1 ? parse_number<std::int64_t>(argv[1]) : 10'000;
  if (!instances || *instances < 1) {
    std::fputs("usage: partition_survey INSTANCES\n", stderr);
    return 2;
  }
  std::printf("%lld instances\n%-10s %8s %8s %8s %7s\n", static_cast<long long>(*instances),
              "method", "mean", "largest", "seed", "faults");
  std::int64_t faults = 0;
  for (const Method& method : methods()) {
    if (method.processors > 0) continue;
    const Ratios ratios = survey(method, *instances);
    std::printf("%-10s %8.5f %8.5f %8lld %7lld\n", method.name.c_str(),
                ratios.sum / static_cast<double>(*instances), ratios.largest,
                static_cast<long long>(ratios.seed), static_cast<long long>(ratios.faults));
    faults += ratios.faults;
  }
  std::printf("\nCPU seconds%9s %10s %10s %10s\n", "1e5", "1e6", "1e5 even", "1e5 two");
  for (const Method& method : methods()) {
    if (method.processors > 0) continue;
    std::printf("%-10s %10.3f %10.3f %10.3f %10.3f\n", method.name.c_str(),
                seconds(method, 0, 100'000), seconds(method, 0, 1'000'000),
                seconds(method, 4, 100'000), seconds(method, 7, 100'000));
    std::fflush(stdout);
  }
  std::printf("\n2000000 random pairs   line   corner\n");
  for (const double most_ratio : {std::numeric_limits<double>::infinity(), 100.0}) {
    const auto ratios = test::draw_ratios(2'000'000, 1, most_ratio);
    std::printf("ratio 3 to %-8g %8.4f %8.4f   at least %.6f and %.6f\n", most_ratio,
                ratios.mean_line, ratios.mean_corner, ratios.min_line, ratios.min_corner);
  }
  return faults == 0 ? 0 : 1;
}
