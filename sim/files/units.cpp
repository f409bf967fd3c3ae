#include "sim/files/units.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace starport {
namespace {

struct Unit {
  std::string_view symbol;
  double factor;
};

constexpr Unit kPrefixes[] = {{"", 1},        {"k", 1e3},     {"M", 1e6},     {"G", 1e9},
                              {"T", 1e12},    {"P", 1e15},    {"Ki", 0x1p10}, {"Mi", 0x1p20},
                              {"Gi", 0x1p30}, {"Ti", 0x1p40}, {"Pi", 0x1p50}};

/// The units of one dimension: an example for error messages, the base units with their factors,
/// and whether prefixes such as M or Mi may stand before them.
struct Units {
  const char* example;
  std::vector<Unit> bases;
  bool prefixes = true;
};

const Units& units_of(Dimension dimension) {
  static const std::map<Dimension, Units> units{
      {Dimension::bandwidth,
       {"a bandwidth such as \"10MBps\" or \"100Mbps\" (bits)", {{"Bps", 1}, {"bps", 0.125}}}},
      {Dimension::speed, {"a speed such as \"1.4Gf\"", {{"f", 1}}}},
      {Dimension::memory, {"a memory size such as \"512MiB\" or \"512MB\"", {{"B", 1}}}},
      {Dimension::time,
       {"a time such as \"50us\", \"1ms\" or \"2s\"",
        {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}},
        false}}};
  return units.at(dimension);
}

/// Returns the factor of a unit such as "MBps" to the SI unit; 0 when the unit is unknown.
double unit_factor(std::string_view unit, const Units& units) {
  for (const auto& [prefix, times] : kPrefixes) {
    if (!unit.starts_with(prefix) || !(units.prefixes || prefix.empty())) continue;
    for (const auto& [base, factor] : units.bases) {
      if (unit.substr(prefix.size()) == base) return factor * times;
    }
  }
  return 0;
}

/// Formats `value` with four significant digits and the largest of the prefixes "", `prefixes`[0],
/// ... whose factor, a power of `base`, is at most |value|.
template <std::size_t Count>
std::string format_scaled(double value, double base, const std::array<const char*, Count>& prefixes,
                          const char* unit) {
  const char* prefix = "";
  for (const char* next : prefixes) {
    if (!(std::abs(value) >= base) || !std::isfinite(value)) break;
    value /= base;
    prefix = next;
  }
  return fmt::format("{:.4g} {}{}", value, prefix, unit);
}

constexpr std::array<const char*, 5> kDecimalPrefixes{"k", "M", "G", "T", "P"};
constexpr std::array<const char*, 5> kBinaryPrefixes{"Ki", "Mi", "Gi", "Ti", "Pi"};

}  // namespace

double parse_quantity(std::string_view text, Dimension dimension) {
  const auto fail = [&](std::string hint = {}) -> InputError {
    return {"", units_of(dimension).example, "\"" + std::string(text) + "\"", std::move(hint)};
  };
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{})
    throw fail(error == std::errc::result_out_of_range ? "out of range" : "");
  std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (unit.empty()) throw fail("the unit is missing");
  const double factor = unit_factor(unit, units_of(dimension));
  if (factor == 0) throw fail("unknown unit '" + std::string(unit) + "'");
  const double value = number * factor;
  if (!std::isfinite(value)) throw fail("not a finite number");
  return value;
}

std::string format_seconds(double seconds) {
  const double magnitude = std::abs(seconds);
  if (magnitude == 0 || (magnitude >= 1 && magnitude < 1e4))
    return fmt::format("{:.4g} s", seconds);
  if (magnitude >= 1e4) return fmt::format("{:.3e} s", seconds);
  if (magnitude >= 1e-3) return fmt::format("{:.4g} ms", seconds * 1e3);
  if (magnitude >= 1e-6) return fmt::format("{:.4g} us", seconds * 1e6);
  return fmt::format("{:.4g} ns", seconds * 1e9);
}

std::string format_bandwidth(double bytes_per_s) {
  return format_scaled(bytes_per_s, 1000, kDecimalPrefixes, "B/s");
}

std::string format_speed(double flops) {
  return format_scaled(flops, 1000, kDecimalPrefixes, "flop/s");
}

std::string format_bytes(double bytes) { return format_scaled(bytes, 1024, kBinaryPrefixes, "B"); }

}  // namespace starport
