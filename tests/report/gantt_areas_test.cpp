// The areas of a Gantt chart on paper and on the screen: each role has its share of the pixels.

#include "sim/report/trace_files.hpp"
#include "sim/results/timeline.hpp"
#include "tests/report/pixels.hpp"
#include "tests/star/star_support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace starport {
namespace {

constexpr test::Colour kOperands{0x86, 0xc5, 0xee};
constexpr test::Colour kCompute{0x16, 0x70, 0x4f};
constexpr double kLinkShare = 0.048;
constexpr double kComputeShare = 0.72;

/// A worker whose link is busy 4.8% of the time and whose processor 72%, in slices of which a
/// figure has hundreds on a millimetre, or a few on a centimetre.
std::string trace_of(int slices) {
  Timeline timeline{.name = "thin",
                    .port = "one-port",
                    .kinds = {{"A and B", "transfer", SliceRole::send_operands, Way::to_group, {}},
                              {"computation", "update", SliceRole::compute, Way::none, {}}},
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

/// How much of a lane is of that colour rather than of that of idle time: pixels at an edge are
/// partly of both. The lane is the first or the second below the title, as gantt.gp has them.
double share_of(const test::Pixels& pixels, double width_cm, double height_cm, int lane,
                const test::Colour& colour) {
  constexpr test::Colour idle{0xec, 0xec, 0xec};
  const auto along = [&](const test::Colour& seen) {
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

// Where a column is half a pixel, as at 72 dots per inch, some of them fall between pixels.
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
        const test::Pixels pixels = test::pixels_of(figure.path(), dots_per_inch);
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
