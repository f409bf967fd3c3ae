// The areas of a Gantt chart on paper and on the screen: each role has its share of the pixels.

#include "sim/report/trace_files.hpp"
#include "sim/results/timeline.hpp"
#include "tests/star/star_support.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace starport {
namespace {

using Colour = std::array<std::uint8_t, 3>;

struct Pixels {
  std::size_t width;
  std::size_t height;
  std::vector<Colour> colours;  ///< row by row from the top

  const Colour& at(std::size_t x, std::size_t y) const { return colours.at(y * width + x); }
};

std::size_t big_endian(const std::string& text, std::size_t at) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(text.at(at + i));
  return value;
}

/// Predicts a byte from its neighbours on the left, above, and above left (PNG specification,
/// section 9).
int predicted(int filter, int left, int above, int corner) {
  const int paeth = left + above - corner;
  const int to_left = std::abs(paeth - left);
  const int to_above = std::abs(paeth - above);
  const int to_corner = std::abs(paeth - corner);
  switch (filter) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) / 2;
    case 4:
      return to_left <= to_above && to_left <= to_corner ? left
             : to_above <= to_corner                     ? above
                                                         : corner;
    default:
      throw std::runtime_error("no PNG filter");
  }
}

Pixels read_png(const std::string& png) {
  Pixels pixels{big_endian(png, 16), big_endian(png, 20), {}};
  const std::size_t samples = png.at(25) == 2 ? 3 : 4;
  if (png.at(24) != 8 || (png[25] != 2 && png[25] != 6)) throw std::runtime_error("another PNG");
  std::string packed;
  for (std::size_t at = 8; at < png.size(); at += 12 + big_endian(png, at)) {
    if (png.substr(at + 4, 4) == "IDAT") packed += png.substr(at + 8, big_endian(png, at));
  }
  const std::size_t row = pixels.width * samples;
  std::vector<unsigned char> bytes((row + 1) * pixels.height);
  uLongf size = bytes.size();
  if (uncompress(bytes.data(), &size, reinterpret_cast<const Bytef*>(packed.data()),
                 packed.size()) != Z_OK) {
    throw std::runtime_error("a damaged PNG");
  }
  std::vector<unsigned char> above(row);
  for (std::size_t y = 0; y < pixels.height; ++y) {
    unsigned char* const line = bytes.data() + y * (row + 1) + 1;
    for (std::size_t i = 0; i < row; ++i) {
      const bool first = i < samples;
      line[i] += static_cast<unsigned char>(predicted(line[-1], first ? 0 : line[i - samples],
                                                      above[i], first ? 0 : above[i - samples]));
    }
    above.assign(line, line + row);
    for (std::size_t i = 0; i < row; i += samples) {
      pixels.colours.push_back({line[i], line[i + 1], line[i + 2]});
    }
  }
  return pixels;
}

Pixels read_ppm(const std::string& ppm) {
  std::istringstream header(ppm);
  std::string magic;
  std::size_t width = 0;
  std::size_t height = 0;
  int most = 0;
  header >> magic >> width >> height >> most;
  if (magic != "P6" || most != 255) throw std::runtime_error("another PPM");
  Pixels pixels{width, height, {}};
  const std::size_t begin = ppm.size() - 3 * width * height;
  for (std::size_t i = begin; i < ppm.size(); i += 3) {
    const auto byte = [&](std::size_t k) { return static_cast<std::uint8_t>(ppm[i + k]); };
    pixels.colours.push_back({byte(0), byte(1), byte(2)});
  }
  return pixels;
}

std::string output_of(const std::string& command) {
  const test::Outcome outcome = test::shell(command);
  if (outcome.status != 0) throw std::runtime_error(command + ": " + outcome.err);
  return outcome.out;
}

/// Reads a .png; renders a .svg with rsvg-convert or a .pdf with pdftoppm at this resolution.
Pixels pixels_of(const std::string& path, int dots_per_inch) {
  if (path.ends_with(".png")) return read_png(output_of("cat " + path));
  if (path.ends_with(".svg")) {
    return read_png(
        output_of(fmt::format("rsvg-convert --zoom {} {}", dots_per_inch / 96.0, path)));
  }
  return read_ppm(output_of(fmt::format("pdftoppm -r {} {}", dots_per_inch, path)));
}

constexpr Colour kOperands{0x86, 0xc5, 0xee};
constexpr Colour kCompute{0x16, 0x70, 0x4f};
constexpr double kLinkShare = 0.048;
constexpr double kComputeShare = 0.72;

/// A worker whose link is busy 4.8% of the time and whose processor 72%, in slices of which a
/// figure has hundreds on a millimetre, or a few on a centimetre.
std::string trace_of(int slices) {
  Timeline timeline{
      .name = "thin",
      .port = "one-port",
      .kinds = {{"A and B", "transfer", SliceRole::send_operands, TransferDirection::to_group, {}},
                {"computation", "update", SliceRole::compute, TransferDirection::none, {}}},
      .groups = {{"P1", 1, std::nullopt, ""}},
      .lanes = {{"link", 0}, {"computation", 0}},
      .labels = {"x"},
      .slices = {},
      .values = {},
      .makespan_s = 100,
      .bound_s = {}};
  test::Random random(1);
  for (int i = 0; i < slices; ++i) {
    const double period_s = timeline.makespan_s / slices;
    for (const auto& [lane, share] : {std::pair(0U, kLinkShare), std::pair(1U, kComputeShare)}) {
      const double start_s = (i + random.real(0, 1 - share)) * period_s;
      timeline.slices.push_back({.lane = lane,
                                 .other_lane = {},
                                 .kind = lane,
                                 .label = 0,
                                 .start_s = start_s,
                                 .end_s = start_s + share * period_s,
                                 .held = {}});
    }
  }
  timeline.slices.back().end_s = timeline.makespan_s;
  std::string csv;
  TraceExporter exporter(TraceFormat::csv, [&](std::string_view piece) { csv += piece; });
  exporter.add(timeline);
  exporter.finish();
  return csv;
}

/// Returns the share of a lane that has a colour rather than that of idle time. Pixels at an edge
/// are partly of both. The lane is the first or the second below the title, as gantt.gp has them.
double share_of(const Pixels& pixels, double width_cm, double height_cm, int lane,
                const Colour& colour) {
  constexpr Colour idle{0xec, 0xec, 0xec};
  const auto along = [&](const Colour& seen) {
    double product = 0;
    double length = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double direction = static_cast<double>(colour[i]) - static_cast<double>(idle[i]);
      product += (static_cast<double>(seen[i]) - static_cast<double>(idle[i])) * direction;
      length += direction * direction;
    }
    return product / length;
  };
  const double per_cm = static_cast<double>(pixels.width) / width_cm;
  const auto pixel = [&](double cm) { return static_cast<std::size_t>(std::lround(cm * per_cm)); };
  const double lane_cm = (height_cm - 3.1) / 2.5;
  double counted = 0;
  double own = 0;
  for (std::size_t y = pixel(1.4 + lane_cm * (lane + 0.3)); y < pixel(1.4 + lane_cm * (lane + 0.7));
       ++y) {
    for (std::size_t x = pixel(1.25); x < pixel(width_cm - 0.65); ++x) {
      ++counted;
      own += along(pixels.at(x, y));
    }
  }
  return own / counted;
}

// At 72 dots per inch a column is half a pixel, so that some columns fall between pixels.
TEST(GanttAreas, AreThoseOfTheTimesInEveryFormat) {
  struct Case {
    const char* extension;
    int dots_per_inch;
  };
  for (const int slices : {40, 300, 1000, 20'000}) {
    const test::TemporaryFile trace(trace_of(slices), ".csv");
    for (const auto& [width_cm, height_cm] : {std::pair(17.0, 6.0), std::pair(8.5, 6.0)}) {
      for (const auto& [extension, dots_per_inch] : {Case{".png", 300},
                                                     {".svg", 96},
                                                     {".svg", 192},
                                                     {".pdf", 72},
                                                     {".pdf", 150},
                                                     {".pdf", 300}}) {
        const test::TemporaryFile figure("", extension);
        const auto drawn =
            test::shell(fmt::format("starport plot {} --figure gantt --size {}x{} -o {}",
                                    trace.path(), width_cm, height_cm, figure.path()));
        ASSERT_EQ(drawn.status, 0) << drawn.err;
        const Pixels pixels = pixels_of(figure.path(), dots_per_inch);
        const std::string what =
            fmt::format("{} slices, {} cm, {} at {}", slices, width_cm, extension, dots_per_inch);
        EXPECT_NEAR(share_of(pixels, width_cm, height_cm, 0, kOperands), kLinkShare,
                    dots_per_inch < 96 ? 0.015 : 0.01)
            << what;
        EXPECT_NEAR(share_of(pixels, width_cm, height_cm, 1, kCompute), kComputeShare, 0.015)
            << what;
      }
    }
  }
}

}  // namespace
}  // namespace starport
