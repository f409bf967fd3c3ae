// Which bound the column "x bound" is over.
#include "sim/models/star/star_figures.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/results/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace starport {

std::string StarModel::footnote(const Comparison& comparison) const {
  const Figures& bounds = comparison.bounds_of(this);
  std::vector<std::string> stationary;
  std::vector<std::string> others;
  for (const Record& record : comparison.records) {
    const Value over = record.figures[kCStationary];
    if (is_none(over)) continue;
    (real(over) == 1 ? stationary : others).push_back(record.algorithm);
  }
  const auto bound = [&](const Figure& figure) {
    return fmt::format("over the {}, {} s", figure.label, shown(Form::date, bounds[figure]));
  };
  if (stationary.empty() && others.empty()) return "";
  if (stationary.empty()) return fmt::format("x bound: {}\n", bound(kAnyScheduleBound));
  std::string text = fmt::format("x bound: {}", bound(kCStationaryBound));
  if (!others.empty()) {
    text += fmt::format("; of {} {}", fmt::join(others, ", "), bound(kAnyScheduleBound));
  }
  return text + "\n";
}

}  // namespace starport
