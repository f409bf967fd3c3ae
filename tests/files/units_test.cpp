#include "sim/files/units.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/ties.hpp"

#include <gtest/gtest.h>

namespace starport {
namespace {

TEST(Units, BandwidthInBytesAndBits) {
  EXPECT_DOUBLE_EQ(parse_quantity("10MBps", Dimension::bandwidth), 10e6);
  EXPECT_DOUBLE_EQ(parse_quantity("100Mbps", Dimension::bandwidth), 12.5e6);
  EXPECT_DOUBLE_EQ(parse_quantity("1GiBps", Dimension::bandwidth), 1073741824.0);
  EXPECT_DOUBLE_EQ(parse_quantity("2.5 kBps", Dimension::bandwidth), 2500);
}

TEST(Units, SpeedMemoryTime) {
  EXPECT_DOUBLE_EQ(parse_quantity("1.4Gf", Dimension::speed), 1.4e9);
  EXPECT_DOUBLE_EQ(parse_quantity("512MiB", Dimension::memory), 536870912);
  EXPECT_DOUBLE_EQ(parse_quantity("512MB", Dimension::memory), 512e6);
  EXPECT_DOUBLE_EQ(parse_quantity("50us", Dimension::time), 50e-6);
  EXPECT_DOUBLE_EQ(parse_quantity("2s", Dimension::time), 2);
  EXPECT_DOUBLE_EQ(parse_quantity("1e3f", Dimension::speed), 1000);
}

TEST(Units, RefusesWhatIsNoQuantity) {
  const auto message = [](const char* text, Dimension dimension) -> std::string {
    try {
      parse_quantity(text, dimension);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("10", Dimension::bandwidth),
            "expected a bandwidth such as \"10MBps\" or \"100Mbps\" (bits), found \"10\" (the unit "
            "is missing)");
  EXPECT_EQ(
      message("10MB", Dimension::bandwidth),
      "expected a bandwidth such as \"10MBps\" or \"100Mbps\" (bits), found \"10MB\" (unknown "
      "unit 'MB')");
  EXPECT_EQ(message("fast", Dimension::speed),
            "expected a speed such as \"1.4Gf\", found \"fast\"");
  EXPECT_EQ(
      message("1e999B", Dimension::memory),
      "expected a memory size such as \"512MiB\" or \"512MB\", found \"1e999B\" (out of range)");
  EXPECT_EQ(message("1e308PiB", Dimension::memory),
            "expected a memory size such as \"512MiB\" or \"512MB\", found \"1e308PiB\" (not a "
            "finite number)");
  EXPECT_EQ(message("1 year", Dimension::time),
            "expected a time such as \"50us\", \"1ms\" or \"2s\", found \"1 year\" (unknown unit "
            "'year')");
}

TEST(Units, SecondsForPeople) {
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(7.6243), "7.624 s");
  EXPECT_EQ(format_seconds(5.12e-3), "5.12 ms");
  EXPECT_EQ(format_seconds(1.3e-6), "1.3 us");
  EXPECT_EQ(format_seconds(4e-9), "4 ns");
}

TEST(Ties, RelativeTolerance) {
  EXPECT_TRUE(nearly_equal(1, 1 + 5e-10));
  EXPECT_FALSE(nearly_equal(1, 1 + 5e-9));
  EXPECT_TRUE(nearly_equal(0, 0));
  EXPECT_FALSE(nearly_equal(0, 1e-300));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(nearly_equal(infinity, infinity));
  EXPECT_TRUE(clearly_less(1e300, infinity));
  EXPECT_FALSE(clearly_less(1 - 5e-10, 1));
  EXPECT_EQ(tolerant_ceil(2 + 1e-10), 2);
  EXPECT_EQ(tolerant_ceil(2 + 1e-8), 3);
}

TEST(EditDistance, CountsSlipsOfTheHand) {
  EXPECT_EQ(edit_distance("bandwith", "bandwidth"), 1U);
  EXPECT_EQ(edit_distance("het", "Het"), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
}

TEST(Units, FormattedQuantitiesAreScaled) {
  EXPECT_EQ(format_bandwidth(1e7), "10 MB/s");
  EXPECT_EQ(format_bandwidth(999), "999 B/s");
  EXPECT_EQ(format_speed(5.1412e9), "5.141 Gflop/s");
  EXPECT_EQ(format_speed(0), "0 flop/s");
  EXPECT_EQ(format_speed(2e18), "2000 Pflop/s");
  EXPECT_EQ(format_bytes(0x1p29), "512 MiB");
  EXPECT_EQ(format_bytes(1023), "1023 B");
}

}  // namespace
}  // namespace starport
