#include "heuristics/partition/methods.hpp"

#include "heuristics/partition/areas.hpp"
#include "heuristics/partition/column_based.hpp"
#include "heuristics/partition/recursive.hpp"
#include "heuristics/partition/square_corner.hpp"
#include "sim/files/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace starport::partition {
namespace {

constexpr const char* kColumnPaper = "Beaumont, Boudet, Rastello, Robert, Algorithmica 2002";
constexpr const char* kRpPaper = "Nagamochi, Abe, Discrete Applied Mathematics 2007";
constexpr const char* kNrrpPaper = "after Beaumont, Eyraud-Dubois, Lambert, IPDPS'16";
constexpr const char* kCubePaper = "after Beaumont, Eyraud-Dubois, Lambert, 3D-NRRP, 2016";
constexpr const char* kCornerPaper = "Becker, Lastovetsky, HCW'06";

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& method : methods()) names.push_back(method.name);
  return names;
}

}  // namespace

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      {"NRRP", "zones of one or two rectangles, the cheapest cut or corner by an estimate (NRRP-G)",
       kNrrpPaper, [](const std::vector<double>& speeds) { return nrrp_g(speeds); }},
      {"NRRP-S", "zones of one or two rectangles, by a simple rule", kNrrpPaper, nrrp_s},
      {"portfolio", "the cheapest of NRRP-S, NRRP-G with three estimates, RP and column",
       "all of these", portfolio},
      {"RP", "rectangles, by cuts of the long side", kRpPaper, rp},
      {"column", "rectangles in columns, of least cost among all such partitions", kColumnPaper,
       column_based},
      {"NRRP3D", "zones of up to three cuboids, the cheapest cut, corner or prism by an estimate",
       kCubePaper, cuboids_g},
      {"NRRP3D-S", "zones of up to three cuboids, by a simple rule", kCubePaper, cuboids_s},
      {"StraightLine", "two processors, two rectangles", kCornerPaper, straight_line, 2},
      {"SquareCorner", "two processors, the slower one has a square in the corner", kCornerPaper,
       square_corner, 2},
  };
  return all;
}

const Method& find_method(const std::string& name) {
  for (const Method& method : methods()) {
    if (method.name == name) return method;
  }
  throw InputError::with_unknown_name("--method", name, "a partitioning method", method_names(),
                                      fmt::format("{}", fmt::join(method_names(), ", ")));
}

double cost_bound(const std::vector<double>& speeds, std::size_t dimensions) {
  const auto d = static_cast<double>(dimensions);
  const SortedAreas areas(speeds);
  return d *
         areas.prefix_sums([d](double area) { return std::pow(area, (d - 1) / d); })(areas.all());
}

}  // namespace starport::partition
