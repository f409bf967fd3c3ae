// Platform files: what they mean, what is refused, and that the JSON Schema agrees with the loader.
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/platform/platform_file.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/paths.hpp"
#include "tests/star/star_support.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <variant>

namespace starport {
namespace {

TEST(Platform, PhysicalFigures) {
  const PlatformFile file =
      parse_platform(parse_json(R"({"schema_version": 1, "name": "x", "workers": [
          {"count": 2, "bandwidth": "10MBps", "speed": "1.365Gf", "memory": "256MiB"},
          {"bandwidth": "100Mbps", "speed": "1Gf", "memory": "512MB", "latency": "50us"}]})",
                                "x.json"),
                     "x.json");
  const Platform platform = file.at_block_size(80);
  ASSERT_EQ(platform.workers.size(), 3U);
  EXPECT_DOUBLE_EQ(platform.workers[1].c_s, 5.12e-3);              // 8*80^2 / 10^7
  EXPECT_DOUBLE_EQ(platform.workers[1].w_s, 2 * 512e3 / 1.365e9);  // 2*80^3 / S
  EXPECT_EQ(platform.workers[1].m_blocks, 5242);                   // 2^28 / 51200, rounded down
  EXPECT_EQ(platform.workers[1].latency_s, 0);
  EXPECT_DOUBLE_EQ(platform.workers[2].c_s, 51200 / 12.5e6);
  EXPECT_EQ(platform.workers[2].m_blocks, 10000);
  EXPECT_DOUBLE_EQ(platform.workers[2].latency_s, 50e-6);
  EXPECT_EQ(file.at_block_size(160).workers[0].m_blocks, 1310);
  EXPECT_FALSE(platform.is_homogeneous());
}

TEST(Platform, RawFiguresHoldForTheirBlockSizeOnly) {
  const PlatformFile file =
      parse_platform(parse_json(R"({"schema_version": 1, "name": "x", "block_size": 40, "workers": [
          {"c_s": 1.5, "w_s": 2, "m_blocks": 21, "latency_s": 0.25}]})",
                                "x.json"),
                     "x.json");
  const Worker worker = file.at_block_size(40).workers.at(0);
  EXPECT_EQ(worker, (Worker{1.5, 2, 21, 0.25}));
  EXPECT_EQ(worker.transfer_time_s(4), 6.25);
  try {
    file.at_block_size(80);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "x.json: /block_size: expected 80, the block size asked for, found raw figures for "
        "40");
  }
}

TEST(Platform, Ports) {
  const auto port = [](const std::string& port_json, std::int64_t q) {
    const std::string text =
        R"({"schema_version": 1, "name": "x", "block_size": 40, "port": )" + port_json +
        R"(, "workers": [{"bandwidth": "1MBps", "speed": "1Gf", "memory": "1GB"}]})";
    const PlatformFile file = parse_platform(parse_json(text, "x.json"), "x.json");
    EXPECT_EQ(parse_platform(parse_json(to_json(file), "y.json"), "y.json").port, file.port);
    return file.at_block_size(q).port;
  };
  EXPECT_EQ(port(R"("one-port")", 40), Port{});
  EXPECT_EQ(port(R"({"kind": "two-port"})", 80).kind, Port::Kind::two);
  const auto multi = Port::Kind::multi;
  EXPECT_EQ(port(R"("multi-port")", 80), (Port{multi, 0, 0}));
  // 8 * 80^2 bytes at 10^7 bytes/s
  EXPECT_EQ(port(R"({"kind": "multi-port", "transfers": 3, "bandwidth": "10MBps"})", 80),
            (Port{multi, 3, 5.12e-3}));
  EXPECT_EQ(port(R"({"kind": "multi-port", "c_s": 0.25})", 40), (Port{multi, 0, 0.25}));
  const auto refuses = [&](const std::string& text, std::int64_t q, const std::string& message) {
    try {
      port(text, q);
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), "x.json: " + message);
    }
  };
  refuses(R"({"kind": "multi-port", "c_s": 0.25})", 80,
          "/block_size: expected 80, the block size asked for, found raw figures for 40");
  refuses(R"({"kind": "multi-port", "c_s": 1e-101})", 40,
          "/port/c_s: expected between 1e-100 and 1e100 s a block, found 1e-101 s");
  refuses(R"({"kind": "multi-port", "bandwidth": "1e-99Bps"})", 40,
          "/port/bandwidth: expected between 1e-100 and 1e100 s a block, found 1.28e+103 s");
}

// A document around one worker, or around other keys.
std::string with_worker(const std::string& worker) {
  return R"({"schema_version": 1, "name": "x", "block_size": 80, "workers": [)" + worker + "]}";
}

std::string with_port(const std::string& port_json) {
  return R"({"schema_version": 1, "name": "x", "block_size": 80, "port": )" + port_json +
         R"(, "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 5}]})";
}

struct RefusedPlatform {
  std::string document;
  std::string message;
};

const std::vector<RefusedPlatform>& refused_documents() {
  static const std::string port_forms =
      "/port: expected one-port, two-port, multi-port, or an object such as {\"kind\": "
      "\"multi-port\", \"transfers\": 4}, ";
  static const std::vector<RefusedPlatform> documents{
      {"[]", "/: expected an object, found an empty array"},
      {R"({"name": "x", "workers": []})",
       "/: the key \"schema_version\" is missing; this version reads 1"},
      {R"({"schema_version": 2, "name": "x", "workers": []})",
       "/schema_version: expected 1, found 2"},
      {R"({"schema_version": 1, "workers": []})", "/: the key 'name' is missing"},
      {R"({"schema_version": 1, "name": "x"})", "/: the key 'workers' is missing"},
      {R"({"schema_version": 1, "name": "x", "workers": []})",
       "/workers: expected at least one worker, found an empty array"},
      {R"({"schema_version": 1, "name": "x", "workers": {}})",
       "/workers: expected an array, found an empty object"},
      {R"({"schema_version": 1, "name": 3, "workers": []})", "/name: expected a string, found 3"},
      {R"({"schema_version": 1, "name": "x", "worker": []})",
       "/worker: 'worker' is not a key of this object. Did you mean 'workers'? Choose "
       "one of: $schema, schema_version, name, provenance, block_size, port, workers, "
       "start_up, element_type, hosts, buses, peer_links, task_overhead"},
      {R"({"schema_version": 1, "name": "x", "provenance": [1], "workers": []})",
       "/provenance/0: expected a string, found 1"},
      {R"({"schema_version": 1, "name": "x", "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 5}]})",
       "/: expected the key 'block_size', for which the raw workers' figures hold, but there is "
       "none"},
      {with_worker(R"({"shares_memory": false, "speed": "1Gf"})"),
       "/workers/0/shares_memory: expected true, or no such key, found false"},
      {with_worker(R"({"shares_memory": true})"), "/workers/0: the key 'speed' is missing"},
      {with_worker(R"({"shares_memory": true, "speed": "1Gf", "bandwidth": "1MBps"})"),
       "/workers/0/bandwidth: 'bandwidth' is not a key of this object. Choose one of: "
       "name, shares_memory, count, speed, memory_bandwidth, comment, speed_function"},
      {with_worker(
           R"({"bandwidth": "1MBps", "return_bandwidth": 3, "speed": "1Gf", "memory": "1GB"})"),
       "/workers/0/return_bandwidth: expected a bandwidth such as \"10MBps\" or \"100Mbps\" "
       "(bits), found 3"},
      {R"({"schema_version": 1, "name": "x", "start_up": "-1s", "workers": []})",
       "/start_up: expected a quantity that is not negative, found \"-1s\""},
      {R"({"schema_version": 1, "name": "x", "block_size": 0, "workers": []})",
       "/block_size: expected an integer from 1 to 1000000, found 0"},
      {with_port("null"), port_forms + "found null"},
      {with_port("2"), port_forms + "found 2"},
      {with_port("[]"), port_forms + "found an empty array"},
      {with_port(R"("twoport")"),
       "/port: expected one-port, two-port or multi-port, found \"twoport\" (did you mean "
       "'two-port'?)"},
      {with_port("{}"), "/port: the key 'kind' is missing"},
      {with_port(R"({"kind": "two-port", "transfers": 2})"),
       "/port/transfers: expected this key for a multi-port only, found a two-port"},
      {with_port(R"({"kind": "multi-port", "transfer": 2})"),
       "/port/transfer: 'transfer' is not a key of this object. Did you mean "
       "'transfers'? Choose one of: kind, transfers, bandwidth, c_s"},
      {with_port(R"({"kind": "multi-port", "transfers": 0})"),
       "/port/transfers: expected an integer from 1 to 1000000, found 0"},
      {with_port(R"({"kind": "multi-port", "c_s": 0})"),
       "/port/c_s: expected a number greater than 0, found 0"},
      {with_port(R"({"kind": "multi-port", "c_s": 1, "bandwidth": "1MBps"})"),
       "/port: expected either bandwidth or c_s, found both"},
      {R"({"schema_version": 1, "name": "x", "port": {"kind": "multi-port", "c_s": 1},
           "workers": [{"bandwidth": "1MBps", "speed": "1Gf", "memory": "1GB"}]})",
       "/: expected the key 'block_size', for which the port's c_s holds, but there is none"},
      {with_worker("7"), "/workers/0: expected an object, found 7"},
      {with_worker("{}"),
       "/workers/0: expected either c_s, w_s and m_blocks, or bandwidth, speed and memory, found "
       "neither"},
      {with_worker(R"({"c_s": 1, "w_s": 1, "m_blocks": 5, "memory": "1GB"})"),
       "/workers/0: expected either c_s, w_s and m_blocks, or bandwidth, speed and memory, found "
       "both kinds mixed in one worker"},
      {with_worker(R"({"c_s": 1, "w_s": 1})"), "/workers/0: the key 'm_blocks' is missing"},
      {with_worker(R"({"bandwith": "1MBps", "speed": "1Gf", "memory": "1GB"})"),
       "/workers/0/bandwith: 'bandwith' is not a key of this object. Did you mean "
       "'bandwidth'? Choose one of: name, count, c_s, w_s, m_blocks, latency_s, "
       "bandwidth, speed, memory, latency, comment, speed_function, shares_memory, "
       "return_bandwidth, memory_bandwidth, devices, paging, bus"},
      {with_worker(R"({"c_s": 0, "w_s": 1, "m_blocks": 5})"),
       "/workers/0/c_s: expected a number greater than 0, found 0"},
      {with_worker(R"({"c_s": 1, "w_s": -1, "m_blocks": 5})"),
       "/workers/0/w_s: expected a number greater than 0, found -1"},
      {with_worker(R"({"c_s": "1", "w_s": 1, "m_blocks": 5})"),
       "/workers/0/c_s: expected a number greater than 0, found \"1\""},
      {with_worker(R"({"c_s": 1, "w_s": 1, "m_blocks": 0})"),
       "/workers/0/m_blocks: expected an integer from 1 to 1000000000000, found 0"},
      {with_worker(R"({"c_s": 1, "w_s": 1, "m_blocks": 2.5})"),
       "/workers/0/m_blocks: expected an integer from 1 to 1000000000000, found 2.5"},
      {with_worker(R"({"c_s": 1, "w_s": 1, "m_blocks": 99999999999999999999})"),
       "/workers/0/m_blocks: expected an integer from 1 to 1000000000000, found "
       "1e+20"},
      {with_worker(R"({"c_s": 1, "w_s": 1, "m_blocks": 5, "latency_s": -1})"),
       "/workers/0/latency_s: expected a number, 0 or greater, found -1"},
      {with_worker(R"({"count": 0, "c_s": 1, "w_s": 1, "m_blocks": 5})"),
       "/workers/0/count: expected an integer from 1 to 1000000, found 0"},
      {with_worker(R"({"count": 1000000000000, "c_s": 1, "w_s": 1, "m_blocks": 5})"),
       "/workers/0/count: expected an integer from 1 to 1000000, found 1000000000000"},
      {with_worker(R"({"bandwidth": 10, "speed": "1Gf", "memory": "1GB"})"),
       "/workers/0/bandwidth: expected a bandwidth such as \"10MBps\" or \"100Mbps\" (bits), found "
       "10"},
      {with_worker(R"({"bandwidth": "10MB", "speed": "1Gf", "memory": "1GB"})"),
       "/workers/0/bandwidth: expected a bandwidth such as \"10MBps\" or \"100Mbps\" (bits), found "
       "\"10MB\" (unknown unit 'MB')"},
      {with_worker(R"({"bandwidth": "-1MBps", "speed": "1Gf", "memory": "1GB"})"),
       "/workers/0/bandwidth: expected a quantity that is not negative, found \"-1MBps\""},
      {with_worker(R"({"bandwidth": "0.0Bps", "speed": "1Gf", "memory": "1GB"})"),
       "/workers/0/bandwidth: expected a quantity greater than 0, found \"0.0Bps\""},
      {with_worker(R"({"bandwidth": "1..2MBps", "speed": "1Gf", "memory": "1GB"})"),
       "/workers/0/bandwidth: expected a bandwidth such as \"10MBps\" or \"100Mbps\" (bits), found "
       "\"1..2MBps\" (unknown unit '.2MBps')"},
      {with_worker(R"({"bandwidth": "nanMBps", "speed": "1Gf", "memory": "1GB"})"),
       "/workers/0/bandwidth: expected a bandwidth such as \"10MBps\" or \"100Mbps\" (bits), found "
       "\"nanMBps\" (not a finite number)"},
      {with_worker(R"({"bandwidth": "infMBps", "speed": "1Gf", "memory": "1GB"})"),
       "/workers/0/bandwidth: expected a bandwidth such as \"10MBps\" or \"100Mbps\" (bits), found "
       "\"infMBps\" (not a finite number)"},
  };
  return documents;
}

TEST(Platform, WorkersThatShareTheMastersMemory) {
  const std::string document =
      R"({"schema_version": 1, "name": "x", "start_up": "45ms", "workers": [
      {"bandwidth": "4GBps", "return_bandwidth": "2GBps", "speed": "1Tf", "memory": "12GB",
       "memory_bandwidth": "200GBps"},
      {"shares_memory": true, "count": 2, "speed": "300Gf"}]})";
  const PlatformFile file = parse_platform(parse_json(document, "x.json"), "x.json");
  EXPECT_EQ(file.start_up_s, 0.045);
  EXPECT_EQ(file.size(), 3);
  const PlatformFile again = parse_platform(parse_json(to_json(file), "y.json"), "y.json");
  EXPECT_EQ(to_json(again), to_json(file));
  const auto& gpu = std::get<PlatformFile::Physical>(again.entries.at(0).worker);
  EXPECT_EQ(gpu.return_bandwidth_bytes_per_s, 2e9);
  EXPECT_EQ(gpu.memory_bandwidth_bytes_per_s, 200e9);
  EXPECT_EQ(std::get<PlatformFile::MemorySharing>(again.entries.at(1).worker).speed_flops, 300e9);
  const auto refusal = [](PlatformFile refused) -> std::string {
    try {
      refused.at_block_size(960);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(file),
            "x.json: /workers/0/return_bandwidth: expected links alike both ways, as a star has "
            "them, found 2 GB/s back, 4 GB/s there");
  PlatformFile other_port = file;
  other_port.port = {.kind = Port::Kind::multi, .max_transfers = 2, .bandwidth_bytes_per_s = 8e9};
  const Platform shown = other_port.star_or_empty(960);
  EXPECT_TRUE(shown.workers.empty());
  EXPECT_EQ(shown.port,
            (Port{.kind = Port::Kind::multi, .max_transfers = 2, .c_s = 8 * 960. * 960 / 8e9}));
  PlatformFile symmetrical = file;
  std::get<PlatformFile::Physical>(symmetrical.entries[0].worker).return_bandwidth_bytes_per_s =
      4e9;
  // PPoPP'08, section 2.1: a worker that pays nearly no communication cost.
  const Platform star = symmetrical.at_block_size(960);
  EXPECT_EQ(star.workers.size(), 3U);
  EXPECT_DOUBLE_EQ(star.workers[1].c_s, star.workers[0].c_s / 1000);
  EXPECT_DOUBLE_EQ(star.workers[1].w_s, 2 * 960. * 960 * 960 / 300e9);
  EXPECT_EQ(star.workers[1].m_blocks, star.workers[0].m_blocks);
  EXPECT_EQ(star.workers[1], star.workers[2]);
  symmetrical.entries.erase(symmetrical.entries.begin());
  EXPECT_EQ(refusal(symmetrical),
            "x.json: /workers: expected a worker with a link of its own, as a star has them, but "
            "there is none");
}

TEST(Platform, RefusesBadDocuments) {
  for (const auto& [document, message] : refused_documents()) {
    try {
      parse_platform(parse_json(document, "bad.json"), "bad.json");
      ADD_FAILURE() << "accepted: " << document;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), "bad.json: " + message) << document;
    }
  }
  // Said after the structure, when the figures are computed or the workers counted.
  const auto message = [](const std::string& document) -> std::string {
    try {
      parse_platform(parse_json(document, "bad.json"), "bad.json").at_block_size(80);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message(with_worker(R"({"c_s": 1, "w_s": 1, "m_blocks": 5, "latency_s": 1e200})")),
            "bad.json: /workers/0: expected a latency of at most 1e100 s, found 1e+200 s");
  EXPECT_EQ(message(with_worker(R"({"bandwidth": "1MBps", "speed": "1Gf", "memory": "1e9PB"})")),
            "bad.json: /workers/0/memory: expected at most 1000000000000 blocks, found "
            "1.95312e+19 blocks");
  EXPECT_EQ(message(with_worker(R"({"c_s": 1e-200, "w_s": 1, "m_blocks": 5})")),
            "bad.json: /workers/0: expected c and w between 1e-100 and 1e100 s a block, found "
            "c=1e-200 s, w=1 s");
  EXPECT_EQ(message(with_worker(R"({"c_s": 6e-6, "w_s": 1e15, "m_blocks": 5})")),
            "bad.json: /workers: expected c and w of all workers within a factor of 1e+12, found "
            "6e-06 s and 1e+15 s a block");
  EXPECT_EQ(message(with_worker(R"({"count": 1000000, "c_s": 1, "w_s": 1, "m_blocks": 5},
                                   {"c_s": 1, "w_s": 1, "m_blocks": 5})")),
            "bad.json: /workers/1: expected at most 1000000 workers in all, found 1000001");
}

TEST(Platform, RefusesWhatIsNoJson) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      parse_platform(parse_json(text, "bad.json"), "bad.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message(""), "bad.json: expected a JSON document, found an empty file");
  EXPECT_EQ(message(" \n"), "bad.json: expected a JSON document, found an empty file");
  EXPECT_EQ(message("{\n  \"name\": oops}"),
            "bad.json: line 2, column 11: expected JSON, found a syntax error at 'o'");
  EXPECT_EQ(message("{\"name\": NaN}"),
            "bad.json: line 1, column 10: expected JSON, found a syntax error at 'N'");
  EXPECT_EQ(message("{\"name\": \"x\""),
            "bad.json: line 1, column 13: expected JSON, found the end of the file");
  EXPECT_EQ(message("{\"name\": \"x\", \"name\": \"y\"}"),
            "bad.json: /name: expected each key once in an object, found this key twice");
  EXPECT_EQ(message("{\"workers\": [{}, {\"c_s\": [1, 2], \"x\": 0, \"c_s\": 1}]}"),
            "bad.json: /workers/1/c_s: expected each key once in an object, found this key twice");
  EXPECT_EQ(message("{\"block_size\": 1e999}"),
            "bad.json: /block_size: expected a number that fits in a double, found a larger one");
  EXPECT_TRUE(message(std::string(1'000'000, '[') + std::string(1'000'000, ']'))
                  .ends_with("expected at most 64 levels of nesting, found a deeper one"));
  EXPECT_EQ(message(std::string("\x89PNG\r\n\x1a\n\0\0", 10)).substr(0, 40),
            "bad.json: line 1, column 1: expected JSO");
}

TEST(PlatformSchema, AgreesWithTheLoaderOnTheShippedPlatforms) {
  const test::JsonSchema schema("platforms/platform.schema.json");
  int platforms = 0;
  for (const auto& entry : std::filesystem::directory_iterator(STARPORT_SOURCE_DIR "/platforms")) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".json") || path.ends_with(".schema.json")) continue;
    SCOPED_TRACE(path);
    ++platforms;
    EXPECT_TRUE(schema.accepts(load_json(path)));
    const PlatformFile file = load_platform(path);
    EXPECT_FALSE(file.provenance.empty());
    // Measured nodes with GPUs are no stars: links share buses or differ by direction.
    const bool differ = std::ranges::any_of(file.entries, [](const PlatformFile::Entry& worker) {
      const auto* link = std::get_if<PlatformFile::Physical>(&worker.worker);
      return link != nullptr && link->return_bandwidth_bytes_per_s.has_value();
    });
    if (differ || !file.buses.empty()) continue;
    EXPECT_NO_THROW(file.at_block_size(file.block_size.value_or(80)));
  }
  EXPECT_GE(platforms, 21);
}

TEST(PlatformSchema, AgreesWithTheLoaderOnBadDocuments) {
  const test::JsonSchema schema("platforms/platform.schema.json");
  for (const auto& [document, message] : refused_documents()) {
    EXPECT_FALSE(schema.accepts(test::json_of(document))) << document;
  }
  EXPECT_TRUE(schema.accepts(test::json_of(with_worker(R"({"c_s": 1, "w_s": 1, "m_blocks": 5})"))));
}

}  // namespace
}  // namespace starport
