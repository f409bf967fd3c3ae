#include "sim/star/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starport {

std::string find_difference(const Trace& ours, const Trace& reference) {
  constexpr double tolerance = 1e-9;
  double makespan_s = 0;
  for (const TracedTransfer& event : reference)
    makespan_s = std::max(makespan_s, event.dates.end_s);
  const std::size_t common = std::min(ours.size(), reference.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (!(ours[i].transfer == reference[i].transfer)) {
      return fmt::format("transfer {} is another one", i + 1);
    }
    const Dates& x = ours[i].dates;
    const Dates& y = reference[i].dates;
    if (x.fate != y.fate) return fmt::format("transfer {} is lost in one of the two", i + 1);
    for (const auto& [date, other, name] :
         {std::tuple(x.start_s, y.start_s, "starts"), std::tuple(x.end_s, y.end_s, "ends"),
          std::tuple(x.update_start_s, y.update_start_s, "has its update start"),
          std::tuple(x.update_end_s, y.update_end_s, "has its update end")}) {
      if (std::abs(date - other) > tolerance * makespan_s) {
        return fmt::format("transfer {} {} at {} s instead of {} s", i + 1, name, date, other);
      }
    }
  }
  if (ours.size() == reference.size()) return "";
  return fmt::format("{} transfers instead of {}", ours.size(), reference.size());
}

}  // namespace starport
