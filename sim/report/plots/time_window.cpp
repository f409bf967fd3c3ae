#include "sim/report/plots/time_window.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace starport {
namespace {

double seconds(const std::string& text, const char* option) {
  const auto value = parse_number<double>(text);
  if (value && *value >= 0) return *value;
  throw InputError(option, "a date in seconds, 0 or greater", "'" + text + "'");
}

std::string superscript(int number) {
  constexpr std::array digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(number)) {
    text += c == '-' ? "⁻" : digits.at(static_cast<std::size_t>(c - '0'));
  }
  return text;
}

}  // namespace

TimeWindow time_window(const std::optional<std::string>& from, const std::optional<std::string>& to,
                       double end_s) {
  TimeWindow window{.from_s = from ? seconds(*from, "--from") : 0,
                    .to_s = to ? seconds(*to, "--to") : end_s};
  if (window.from_s >= end_s) {
    throw InputError("--from", fmt::format("a date before the end of the trace, {:.9g} s", end_s),
                     *from);
  }
  if (to && window.to_s <= window.from_s) {
    throw InputError("--to", fmt::format("a date after --from, {} s", window.from_s), *to);
  }
  // The dates of a trace are good to some 1e-13 of the makespan.
  constexpr double finest = 1e-9;
  if (window.length_s() < finest * end_s) {
    throw InputError("--to", fmt::format("at least {:.3g} s after --from", finest * end_s),
                     fmt::format("{:.3g} s", window.length_s()));
  }
  return window;
}

TimeAxis time_axis(const TimeWindow& window, double width_cm) {
  // SI prefixes as far as they are common; beyond, powers of ten of the second.
  const int exponent = static_cast<int>(std::floor(std::log10(window.to_s)));
  int thousands = static_cast<int>(std::floor(exponent / 3.0));
  if (exponent >= 0 && exponent < 6) thousands = 0;
  TimeAxis axis{.unit_s = std::pow(10, 3 * thousands)};
  constexpr std::array prefixes{"", "m", "µ", "n"};
  const bool common = -4 < thousands && thousands <= 0;
  axis.unit = common ? fmt::format("{}s", prefixes[static_cast<std::size_t>(-thousands)])
                     : "10" + superscript(3 * thousands) + " s";
  axis.label = "time (" + axis.unit + ")";
  const double most_tics = std::clamp(width_cm / 1.3, 2.0, 10.0);
  const double least = window.length_s() / axis.unit_s / most_tics;
  const int power = static_cast<int>(std::floor(std::log10(least)));
  const double scale = std::pow(10, power);
  const double steps = least / scale;
  axis.tic = scale * (steps <= 1 ? 1 : steps <= 2 ? 2 : steps <= 5 ? 5 : 10);
  axis.decimals = std::max(0, -static_cast<int>(std::floor(std::log10(axis.tic * 1.0000001))));
  return axis;
}

}  // namespace starport
