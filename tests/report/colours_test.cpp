// The colours of figures differ as they are printed in grey and to the colour-blind.
#include "plots/scripts.hpp"
#include "sim/report/page/assets.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace starport {
namespace {

using test::matches;

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

Triple operator*(const Matrix& matrix, const Triple& vector) {
  Triple product{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) product[i] += matrix[i][j] * vector[j];
  }
  return product;
}

/// Linear sRGB of six hexadecimal digits (IEC 61966-2-1).
Triple linear(const std::string& hex) {
  Triple rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = std::stoi(hex.substr(2 * i, 2), nullptr, 16) / 255.0;
    rgb[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return rgb;
}

/// CIE 1976 L*a*b*, white of D65.
Triple lab(const Triple& rgb) {
  constexpr Matrix to_xyz{{{0.4124564, 0.3575761, 0.1804375},
                           {0.2126729, 0.7151522, 0.0721750},
                           {0.0193339, 0.1191920, 0.9503041}}};
  const auto f = [](double t) {
    return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  };
  const Triple xyz = to_xyz * rgb;
  const double y = f(xyz[1]);
  return {116 * y - 16, 500 * (f(xyz[0] / 0.95047) - y), 200 * (y - f(xyz[2] / 1.08883))};
}

/// Simulates how protanopes and deuteranopes see linear sRGB: Machado, Oliveira, Fernandes (2009),
/// table 1, severity 1.
constexpr Matrix kAll{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kProtan{{{0.152286, 1.052583, -0.204868},
                          {0.114503, 0.786281, 0.099216},
                          {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeutan{{{0.367322, 0.860646, -0.227968},
                          {0.280085, 0.672501, 0.047413},
                          {-0.011820, 0.042940, 0.968881}}};

/// The least distance of two colours (CIE 1976), to anybody.
double distance(const std::string& a, const std::string& b) {
  double least = 1e9;
  for (const Matrix& sight : {kAll, kProtan, kDeutan}) {
    const auto seen = [&](const std::string& hex) {
      Triple rgb = sight * linear(hex);
      for (double& value : rgb) value = std::clamp(value, 0.0, 1.0);
      return lab(rgb);
    };
    const Triple one = seen(a);
    const Triple other = seen(b);
    least = std::min(least, std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]));
  }
  return least;
}

double lightness(const std::string& hex) { return lab(linear(hex))[0]; }

void expect_apart(const std::vector<std::string>& colours, double distance_at_least,
                  double lightness_at_least) {
  for (std::size_t i = 0; i < colours.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::string pair = fmt::format("#{} and #{}", colours[i], colours[j]);
      EXPECT_GT(distance(colours[i], colours[j]), distance_at_least) << pair;
      EXPECT_GT(std::abs(lightness(colours[i]) - lightness(colours[j])), lightness_at_least)
          << pair;
    }
  }
}

/// Returns the part of plots/figure.py from a text to the next one of a character.
std::string_view part_of_script(std::string_view from, char to) {
  const std::string_view script = embedded::plots_figure_py;
  const std::size_t begin = script.find(from);
  return script.substr(begin, script.find(to, begin) - begin);
}

// A difference of 2.3 is just seen; these were 9.9 once, BMM's and Polaris' to protanopes.
TEST(Colours, OfHeuristicsAreApart) {
  const auto colours = matches(part_of_script("\nCOLOURS = [", ']'), "#(\\w{6})");
  ASSERT_EQ(colours.size(), 16U);
  expect_apart(colours, 12, -1);
  // The seven, HoLM and Polaris, which are compared most.
  std::vector<std::string> named(colours.begin(), colours.begin() + 8);
  named.push_back(colours[10]);
  expect_apart(named, 16, 4.7);
}

TEST(Colours, OfSlicesAreApart) {
  const std::string_view roles = part_of_script("\nROLES = {", '}');
  const auto colours = matches(roles, "#(\\w{6})");
  ASSERT_EQ(colours.size(), 10U);
  expect_apart(colours, 12, -1);
  std::vector<std::string> of_stars;
  for (const char* role :
       {"send_c", "send_operands", "send_all", "return_c", "compute", "wait", "idle"}) {
    const auto colour = matches(roles, fmt::format("\"{}\": \"#(\\w{{6}})", role));
    ASSERT_EQ(colour.size(), 1U) << role;
    of_stars.push_back(colour.front());
  }
  expect_apart(of_stars, 16, 7.5);
}

// On dark pages, colours that are too dark have others: of these, HomI's and BMM's were the same
// to the colour-blind once.
TEST(Colours, OfHeuristicsAreApartOnDarkPages) {
  auto colours = matches(part_of_script("\nCOLOURS = [", ']'), "#(\\w{6})");
  const std::string_view style = embedded::plots_report_report_css;
  const auto numbers = matches(style, "--series-(\\d+): #\\w{6}");
  const auto others = matches(style, "--series-\\d+: #(\\w{6})");
  ASSERT_GT(numbers.size(), 0U);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    colours.at(std::stoul(numbers[i]) - 1) = others[i];
  expect_apart(colours, 12, -1);
  // A contrast of 3 to 1 with the page, of #15181c.
  for (const std::string& colour : colours) EXPECT_GT(lightness(colour), 42.3) << colour;
}

// The report and the explorer have the same colours.
TEST(Colours, OfThePagesAreTheSame) {
  const auto colours = matches(part_of_script("\nCOLOURS = [", ']'), "#(\\w{6})");
  const std::string_view page = embedded::plots_report_page_js;
  EXPECT_EQ(matches(page.substr(page.find("const COLOURS"), 400), "#(\\w{6})"), colours);
}

}  // namespace
}  // namespace starport
