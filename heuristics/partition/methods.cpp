#include "heuristics/partition/methods.hpp"

#include "heuristics/partition/areas.hpp"
#include "heuristics/partition/column_based.hpp"
#include "heuristics/partition/recursive.hpp"
#include "heuristics/partition/square_corner.hpp"
#include "sim/files/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <utility>

namespace starport::partition {
namespace {

/// Throws InputError if apportion() cannot handle its arguments.
void check_arguments(std::int64_t total, const std::vector<double>& weights, std::int64_t minimum) {
  for (const double weight : weights) {
    if (!(weight >= 0) || std::isinf(weight)) {
      throw InputError("weights", "finite numbers, 0 or greater", fmt::format("{}", weight));
    }
  }
  const auto parts = static_cast<std::int64_t>(weights.size());
  if (parts == 0) throw InputError("parts", "at least 1", "0");
  if (minimum > 0 && total / minimum < parts) {
    throw InputError("parts", fmt::format("1 to {} of them", total / minimum),
                     fmt::format("{}", parts));
  }
}

/// Pairs of a rounding error and a negated index: the largest error first, the lowest index on
/// ties.
using ErrorQueue = std::priority_queue<std::pair<double, std::int64_t>>;

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

std::vector<std::int64_t> apportion(std::int64_t total, const std::vector<double>& weights,
                                    std::int64_t minimum) {
  check_arguments(total, weights, minimum);
  if (*std::max_element(weights.begin(), weights.end()) == 0) {
    throw InputError("weights", "at least one positive weight", "none");
  }
  const std::vector<double> scaled = normalize_speeds(weights);  // sums could overflow
  const double sum = std::accumulate(scaled.begin(), scaled.end(), 0.0);
  std::vector<double> quota;
  std::vector<std::int64_t> parts;
  std::int64_t left = total;
  for (const double weight : scaled) {
    quota.push_back(static_cast<double>(total) * weight / sum);
    parts.push_back(std::max(minimum, static_cast<std::int64_t>(std::floor(quota.back() + 1e-9))));
    left -= parts.back();
  }
  const std::int64_t step = left > 0 ? 1 : -1;
  const auto error = [&](std::size_t i) {
    return static_cast<double>(step) * (quota[i] - static_cast<double>(parts[i]));
  };
  const auto can_change = [&](std::size_t i) { return step > 0 || parts[i] > minimum; };
  ErrorQueue errors;
  const auto enqueue = [&](std::size_t i) {
    if (can_change(i)) errors.emplace(error(i), -static_cast<std::int64_t>(i));
  };
  for (std::size_t i = 0; i < parts.size() && left != 0; ++i) enqueue(i);
  for (; left != 0; left -= step) {
    const auto i = static_cast<std::size_t>(-errors.top().second);
    errors.pop();
    parts[i] += step;
    enqueue(i);
  }
  return parts;
}

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      {"NRRP", "zones of one or two rectangles, the cheapest cut or corner by an estimate (NRRP-G)",
       kNrrpPaper,
       [](const std::vector<double>& speeds, const Box<2>& whole) {
         return nrrp_g(speeds, whole);
       }},
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
