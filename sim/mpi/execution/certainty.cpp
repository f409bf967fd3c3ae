#include "sim/mpi/execution/certainty.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace starport::mpi {

void add_require(CommandLine& line, const std::string& refuses) {
  line.add("require", "SHARE",
           refuses + " with 95% confidence, such as 5% (default: say so, and go on)");
}

std::optional<double> required_half_width(const CommandLine& line) {
  const auto text = line.find("require");
  if (!text) return std::nullopt;
  const double share = parse_share(*text).value_or(0);
  if (share > 0 && share < 1) return share;
  throw InputError("--require", "a share between 0 and 1, such as 5% or 0.05", "'" + *text + "'");
}

std::string check_certainty(const std::string& statement, double half_width,
                            std::optional<double> required,
                            const std::vector<std::string>& problems) {
  constexpr double wide = 0.05;
  if (!required && !std::isfinite(half_width)) return "";
  std::string text = statement +
                     " without a 95% interval, since too little was measured with "
                     "this block size. Calibrate longer with --seconds";
  if (std::isfinite(half_width)) {
    text = fmt::format("{} to +-{:.{}f}% only, with 95% confidence", statement, 100 * half_width,
                       half_width < 0.1 ? 1 : 0);
    text += problems.empty()
                ? ", since the speed of the machines varied. Calibrate and run while no other "
                  "program uses them, or calibrate longer with --seconds"
                : fmt::format(". {}", fmt::join(problems, ". "));
  }
  if (required && half_width > *required) {
    throw SimulationError(fmt::format("{}. --require asks for +-{:g}%", text, 100 * *required));
  }
  return half_width > wide ? text : "";
}

}  // namespace starport::mpi
