// Buses and links between workers in platform files.
#include "sim/platform/bus.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/platform_file.hpp"
#include "tests/cli/json_schema.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>

namespace starport {
namespace {

using nlohmann::json;

/// Two GPUs behind buses, one without, and a worker in main memory.
json node() {
  const json gpu{{"bandwidth", "4GBps"}, {"speed", "1Tf"}, {"memory", "12GB"}};
  json file{{"schema_version", 1},
            {"name", "node"},
            {"task_overhead", "20us"},
            {"workers", {gpu, gpu, gpu, {{"shares_memory", true}, {"speed", "1Tf"}}}},
            {"buses",
             {{{"name", "root"}, {"total_bandwidth", "8GBps"}},
              {{"name", "switch"}, {"parent", "root"}, {"bandwidth", "6GBps"}}}},
            {"peer_links",
             {{{"from", "a"}, {"to", "P2"}, {"bandwidth", "10GBps"}, {"latency", "12us"}}}}};
  file["workers"][0]["name"] = "a";
  file["workers"][0]["bus"] = "switch";
  file["workers"][1]["bus"] = "root";
  return file;
}

std::string message_about(const json& file) {
  try {
    parse_platform(file, "x.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Buses, AreReadAndWritten) {
  const PlatformFile file = parse_platform(node(), "x.json");
  EXPECT_TRUE(test::JsonSchema("platforms/platform.schema.json").accepts(node()));
  EXPECT_DOUBLE_EQ(file.task_overhead_s, 20e-6);
  EXPECT_EQ(file.entries[0].bus, "switch");
  EXPECT_EQ(file.buses[1], (Bus{.name = "switch",
                                .parent = "root",
                                .bandwidth_bytes_per_s = 6e9,
                                .return_bandwidth_bytes_per_s = 6e9}));
  EXPECT_EQ(file.peer_links.front(),
            (PeerLink{.from = 0, .to = 1, .bandwidth_bytes_per_s = 10e9, .latency_s = 12e-6}));
  const PlatformFile again = parse_platform(json::parse(to_json(file)), "y.json");
  EXPECT_EQ(again.buses, file.buses);
  EXPECT_EQ(again.peer_links, file.peer_links);
  EXPECT_EQ(again.task_overhead_s, file.task_overhead_s);
  EXPECT_EQ(again.entries[1].bus, "root");
}

TEST(Buses, MakeNoStar) {
  try {
    parse_platform(node(), "x.json").at_block_size(80);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "x.json: /buses: expected links that share nothing, as a star has them, found the "
                 "bus 'root'");
  }
}

TEST(Buses, WithFaultsAreRefused) {
  const auto with = [](const std::string& pointer, const json& value) {
    json file = node();
    file[json::json_pointer(pointer)] = value;
    return message_about(file);
  };
  EXPECT_EQ(with("/buses/0/parent", "switch"),
            "x.json: /buses/0/parent: expected parents that lead to the master's memory, found a "
            "cycle: root, switch, root (leave out 'parent' of the bus next to the master)");
  EXPECT_EQ(with("/buses/0/parent", "root"),
            "x.json: /buses/0/parent: expected parents that lead to the master's memory, found a "
            "cycle: root, root (leave out 'parent' of the bus next to the master)");
  EXPECT_EQ(
      with("/buses/1/parent", "rot"),
      "x.json: /buses/1/parent: expected the name of another bus, found \"rot\" (did you mean "
      "'root'?)");
  EXPECT_EQ(
      with("/buses/2", {{"name", "idle"}, {"bandwidth", "1GBps"}}),
      "x.json: /buses/2: expected a bus with workers behind it, found 'idle', which no worker "
      "names (add \"bus\": \"idle\" to workers, or remove it)");
  EXPECT_EQ(with("/buses/2", {{"name", "root"}, {"bandwidth", "1GBps"}}),
            "x.json: /buses/2/name: expected a name that no other bus has, found \"root\"");
  EXPECT_EQ(
      with("/buses/0", {{"name", "root"}}),
      "x.json: /buses/0: expected bandwidth, return_bandwidth or total_bandwidth, but there is "
      "none");
  EXPECT_EQ(with("/workers/0/bus", "swich"),
            "x.json: /workers/0/bus: expected the name of one of the buses, found 'swich' (did you "
            "mean 'switch'?)");
  EXPECT_EQ(
      with("/peer_links/0/to", "P4"),
      "x.json: /peer_links/0/to: expected a worker with a link and a memory of its own, found "
      "\"P4\"");
  EXPECT_EQ(with("/peer_links/0/to", "a"),
            "x.json: /peer_links/0/to: expected another worker than in 'from', found \"a\"");
  EXPECT_EQ(
      with("/peer_links/1", node()["peer_links"][0]),
      "x.json: /peer_links/1: expected each link between two workers once, found a second one "
      "from a to P2");
  json many = node()["buses"];
  while (many.size() <= 500) {
    many.push_back({{"name", std::to_string(many.size())}, {"bandwidth", "1GBps"}});
  }
  EXPECT_EQ(with("/buses", many), "x.json: /buses: expected at most 500 buses, found 501");
}

}  // namespace
}  // namespace starport
