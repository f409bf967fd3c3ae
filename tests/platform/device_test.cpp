// Workers made of devices in platform files, and speed functions.
#include "sim/platform/device.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/platform/problem.hpp"
#include "sim/platform/random.hpp"
#include "sim/platform/speed_function.hpp"
#include "tests/cli/json_schema.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <stdexcept>

namespace starport {
namespace {

using Points = std::vector<SpeedFunction::Point>;

nlohmann::json worker_document(const std::string& worker) {
  return parse_json(R"({"schema_version": 1, "name": "x", "workers": [)" + worker + "]}", "x.json");
}

std::string refusal(const std::string& worker) {
  try {
    parse_platform(worker_document(worker), "x.json");
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

std::string node_with(const std::string& devices) {
  return R"({"bandwidth": "1GBps", "memory": "1GB", "devices": [)" + devices + "]}";
}

TEST(SpeedFunction, LinesCrossOnce) {
  const SpeedFunction function(Points{{1, 4}, {10, 4}, {20, 1}});
  EXPECT_EQ(function.speed(0.5), 4);
  EXPECT_EQ(function.speed(15), 2.5);
  EXPECT_EQ(function.speed(100), 1);
  EXPECT_EQ(function.crossing(8), 0.5);     // before the first point: x = s_0 / k
  EXPECT_EQ(function.crossing(0.01), 100);  // past the last: x = s_last / k
  EXPECT_DOUBLE_EQ(function.crossing(2.5 / 15), 15);
  EXPECT_DOUBLE_EQ(function.crossing(0.4), 10);
}

TEST(SpeedFunction, AddKeepsTheTimeIncreasing) {
  SpeedFunction function;
  for (const auto& [size, speed] : Points{{1, 10}, {100, 10}, {50, 5}, {40, 1}}) {
    function.add(size, speed);
  }
  EXPECT_EQ(function.points(), (Points{{1, 10}, {40, 1}}));
  EXPECT_THROW(SpeedFunction(Points{{1, 10}, {100, 10}, {50, 5}}), std::invalid_argument);

  Random random(7);
  for (int instance = 0; instance < 200; ++instance) {
    SpeedFunction grown;
    for (int i = 0; i < 12; ++i) {
      const auto size = static_cast<double>(random.integer(1, 30));
      const double speed = random.real(0.1, 10);
      grown.add(size, speed);
      EXPECT_EQ(grown.speed(size), speed);  // the last measure holds
      EXPECT_FALSE(SpeedFunction::first_non_increasing(grown.points()));
    }
    const double slope = random.real(0.01, 5);
    const double x = grown.crossing(slope);
    EXPECT_NEAR(grown.speed(x), slope * x, 1e-9 * slope * x);
  }
}

TEST(Device, DeclinesWithTheMemoryInUse) {
  Device device;
  device.decline = {{.45, 1}, {1, .6}, {1.15, .05}};
  EXPECT_EQ(device.factor(0.2), 1);
  EXPECT_DOUBLE_EQ(device.factor(0.725), 0.8);
  EXPECT_DOUBLE_EQ(device.factor(1.075), 0.325);
  EXPECT_EQ(device.factor(3), 0.05);
}

TEST(Device, FilesKeepThem) {
  const std::string worker = R"({"bandwidth": "1GBps", "memory": "24GB", "paging": 10, "devices": [
      {"name": "core", "count": 3, "speed": "8Gf", "start_up": "20us"},
      {"speed": "60Gf", "bus": "5GBps", "memory": "2GB", "decline": [[0.5, 1], [1, 0.25]]},
      {"speed_function": [
        {"rows": 2, "columns": 2, "inner": 1, "block_size": 100, "seconds": 0.001},
        {"rows": 4, "columns": 4, "inner": 1, "block_size": 100, "seconds": 0.002}]}]})";
  EXPECT_TRUE(test::JsonSchema("platforms/platform.schema.json").accepts(worker_document(worker)));
  const PlatformFile file = parse_platform(worker_document(worker), "x.json");
  const auto& physical = std::get<PlatformFile::Physical>(file.entries.at(0).worker);
  EXPECT_DOUBLE_EQ(physical.speed_flops, 3 * 8e9 + 60e9 + 16e9);  // 2 * 16 * 100^3 / 2 ms
  const PlatformFile again = parse_platform(parse_json(to_json(file), "y.json"), "y.json");
  EXPECT_EQ(to_json(again), to_json(file));
  const PlatformFile::Entry& entry = again.entries.at(0);
  EXPECT_EQ(entry.paging, 10);
  ASSERT_EQ(entry.devices.size(), 3U);
  EXPECT_EQ(entry.devices[0].count, 3);
  EXPECT_DOUBLE_EQ(entry.devices[0].start_up_s, 20e-6);
  EXPECT_EQ(entry.devices[1].bus_bytes_per_s, 5e9);
  EXPECT_EQ(entry.devices[1].factor(1), 0.25);
  EXPECT_EQ(entry.devices[2].speed_function.size(), 2U);

  // A sweep that halves the worker's speed halves that of its devices.
  PlatformFile::Entry slower = entry;
  std::get<PlatformFile::Physical>(slower.worker).speed_flops /= 2;
  EXPECT_DOUBLE_EQ(slower.scaled_devices()[0].full_speed_flops(), 4e9);
  EXPECT_DOUBLE_EQ(slower.scaled_devices()[2].speed_function[0].seconds, 0.002);
  EXPECT_EQ(*entry.scaled_devices()[0].speed_flops, 8e9);
}

TEST(Device, OneMessageForEachFault) {
  EXPECT_EQ(refusal(node_with(R"({"name": "core", "count": 2})")),
            "x.json: /workers/0/devices/0: expected the key 'speed' or 'speed_function', found a "
            "device without speed");
  EXPECT_EQ(refusal(node_with("")),
            "x.json: /workers/0/devices: expected at least one device, found an empty array");
  EXPECT_EQ(refusal(node_with(R"({"speed": "1Gf", "decline": [[1, 0.5]]})")),
            "x.json: /workers/0/devices/0/decline: expected the key 'memory', of which the decline "
            "has shares, but there is none");
  EXPECT_EQ(refusal(node_with(R"({"speed": "1Gf", "memory": "1GB", "decline": [[1]]})")),
            "x.json: /workers/0/devices/0/decline/0: expected a share of the memory and a factor, "
            "such as [1, 0.6], found 1 value");
  EXPECT_EQ(refusal(node_with(R"({"speed": "1Gf", "memory": "1GB", "decline": [[1, 2]]})")),
            "x.json: /workers/0/devices/0/decline/0/1: expected a factor of at most 1, found 2");
  EXPECT_EQ(refusal(node_with(R"({"speed": "1Gf", "memory": "1TB", "decline": [[1e308, 0.5]]})")),
            "x.json: /workers/0/devices/0/decline/0/0: expected a share of the memory of at most "
            "1000000, found 1e+308");
  EXPECT_EQ(
      refusal(node_with(R"({"speed": "1Gf", "memory": "1GB", "decline": [[1, 0.5], [2, 0.6]]})")),
      "x.json: /workers/0/devices/0/decline/1: expected a larger share than before, and a factor "
      "that is no larger, found [2,0.6]");
  EXPECT_EQ(refusal(R"({"bandwidth": "1GBps", "memory": "1GB", "speed": "1Gf",
                        "devices": [{"speed": "1Gf"}]})"),
            "x.json: /workers/0/speed: expected the speeds of the devices only, found another one "
            "for the whole worker");
  EXPECT_EQ(refusal(node_with(R"({"speed": "1Gf", "count": 20000})")),
            "x.json: /workers/0/devices: expected at most 10000 devices, found 20000");
}

// Twice as many floats as doubles pass a bus in a second and fit in a memory.
TEST(Device, OfFloatsHasTwiceTheBytesOfDoubles) {
  PlatformFile file = load_platform(STARPORT_SOURCE_DIR "/platforms/grid5000-90.json");
  file.element_type = ElementType::float32;
  const Device& floats = file.entries[0].devices[0];
  const Device doubles = convert_to_doubles(file).entries[0].devices[0];
  EXPECT_EQ(doubles.bus_bytes_per_s, 2 * *floats.bus_bytes_per_s);
  EXPECT_EQ(doubles.memory_bytes, 2 * *floats.memory_bytes);
  EXPECT_EQ(doubles.speed_flops, floats.speed_flops);
}

}  // namespace
}  // namespace starport
