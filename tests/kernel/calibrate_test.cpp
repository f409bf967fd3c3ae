// starport calibrate, and the measures that platform files keep.
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/process/machine.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace starport {
namespace {

using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

const nlohmann::json kMeasured = test::json_of(R"({
  "schema_version": 1, "name": "measured", "block_size": 80,
  "provenance": {
    "text": ["here", "now"],
    "samples": {
      "dgemm": [{"worker": 1, "block_size": 80, "warm_s": [1e-5], "cold_s": [2e-5],
                 "update_s": [1.5e-5, 1.6e-5]}],
      "links": [{"worker": 1, "bytes": 51200, "to_worker_s": [5e-5], "to_master_s": [6e-5]}]}},
  "workers": [{"bandwidth": "1GBps", "speed": "50Gf", "memory": "1GiB", "speed_function": [
    {"rows": 8, "columns": 8, "inner": 1, "block_size": 80, "seconds": 1e-3,
     "interval_s": [0.9e-3, 1.2e-3]}]}]})");

TEST(MeasuredPlatform, KeepsItsSamples) {
  const PlatformFile file = parse_platform(kMeasured, "measured.json");
  EXPECT_EQ(file.provenance, "here now");
  ASSERT_TRUE(file.samples.has_value());
  EXPECT_EQ(file.samples->dgemm.at(0).update_s, (std::vector<double>{1.5e-5, 1.6e-5}));
  EXPECT_EQ(file.samples->links.at(0).bytes, 51200);
  EXPECT_EQ(file.entries.at(0).speed_function.at(0).rows, 8);
  EXPECT_EQ(file.entries.at(0).speed_function.at(0).interval_s->high, 1.2e-3);
  // Written and read again.
  const PlatformFile again = parse_platform(test::json_of(to_json(file)), "again.json");
  EXPECT_EQ(to_json(again), to_json(file));
  EXPECT_EQ(again.samples->links.at(0).to_master_s, std::vector<double>{6e-5});
}

TEST(MeasuredPlatform, ObeysTheSchema) {
  const test::JsonSchema schema("platforms/platform.schema.json");
  EXPECT_TRUE(schema.accepts(kMeasured));
  nlohmann::json wrong = kMeasured;
  wrong["workers"][0]["speed_function"][0].erase("inner");
  EXPECT_FALSE(schema.accepts(wrong));
  wrong = kMeasured;
  wrong["workers"][0]["speed_function"][0]["interval_s"] = nlohmann::json::array({1e-3});
  EXPECT_FALSE(schema.accepts(wrong));
  wrong = kMeasured;
  wrong["provenance"]["samples"]["dgemm"][0]["update_s"] = nlohmann::json::array();
  EXPECT_FALSE(schema.accepts(wrong));
}

TEST(MeasuredPlatform, EachFaultIsNamed) {
  const auto error_of = [](const char* pointer, const nlohmann::json& value) -> std::string {
    nlohmann::json document = kMeasured;
    document[nlohmann::json::json_pointer(pointer)] = value;
    try {
      parse_platform(document, "p.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(error_of("/provenance/samples/dgemm/0/update_s", nlohmann::json::array()), "");
  EXPECT_NE(error_of("/provenance/samples/links/0/to_worker_s/0", -1)
                .find("/provenance/samples/links/0/to_worker_s/0"),
            std::string::npos);
  EXPECT_NE(error_of("/provenance/samples/more", 1).find("/provenance/samples/more"),
            std::string::npos);
  EXPECT_NE(error_of("/workers/0/speed_function/0/seconds", 0)
                .find("/workers/0/speed_function/0/seconds"),
            std::string::npos);
  EXPECT_NE(error_of("/workers/0/speed_function/0/interval_s", nlohmann::json::array({1e-3}))
                .find("/workers/0/speed_function/0/interval_s: expected the ends of an interval"),
            std::string::npos);
  EXPECT_NE(error_of("/workers/0/speed_function/0/interval_s", {1.1e-3, 2e-3})
                .find("/workers/0/speed_function/0/interval_s: expected an interval around the "
                      "0.001 s"),
            std::string::npos);
  EXPECT_NE(error_of("/workers/0/speed_function", nlohmann::json::array())
                .find("expected at least one sample"),
            std::string::npos);
}

// --platform says what --from-trace fits, and the other options say how to measure.
TEST(Calibrate, RefusesOptionsThatItWouldIgnore) {
  const auto measures = shell("starport calibrate --platform platforms/first-try.json -o y.json");
  EXPECT_EQ(measures.status, 2);
  EXPECT_NE(measures.err.find("--platform: it goes with --from-trace only"), std::string::npos);
  const auto fits = shell(
      "starport calibrate --from-trace t.csv --platform platforms/first-try.json --memory 1GiB "
      "-o y.json");
  EXPECT_EQ(fits.status, 2);
  EXPECT_NE(fits.err.find("--memory: it measures"), std::string::npos) << fits.err;
}

TEST(Calibrate, WritesThePlatformOfThisMachine) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "platform.json").string();
  const auto outcome = shell(
      "starport calibrate --block-sizes 8,16 --workers 3 --memory 30MiB --link 125MBps --latency "
      "50us --speed-function --name here -o " +
      path);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(" *  "), std::string::npos) << outcome.out;  // the best block size
  const PlatformFile file = load_platform(path);
  EXPECT_EQ(file.name, "here");
  EXPECT_EQ(file.size(), 3);
  const auto& worker = std::get<PlatformFile::Physical>(file.entries.at(0).worker);
  EXPECT_EQ(worker.bandwidth_bytes_per_s, 125e6);
  EXPECT_DOUBLE_EQ(worker.latency_s, 50e-6);
  EXPECT_EQ(worker.memory_bytes, 10 * 0x1p20);
  EXPECT_GT(worker.speed_flops, 0);
  ASSERT_EQ(file.samples->dgemm.size(), 2U);
  for (const auto& series : file.samples->dgemm) {
    EXPECT_EQ(series.warm_s.size(), 10U);
    EXPECT_EQ(series.cold_s.size(), 10U);
    EXPECT_GE(series.update_s.size(), 10U);
  }
  const auto run = shell("starport run " + path + " --problem 160x160x320 --engine analytic");
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST(Calibrate, MeasuresALinkThatIsNotGiven) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "platform.json").string();
  const auto outcome = shell("starport calibrate --block-sizes 8 --memory 1MiB -o " + path);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const PlatformFile file = load_platform(path);
  EXPECT_EQ(file.samples->links.size(), 4U);
  EXPECT_NE(file.provenance.find("measured through a local socket"), std::string::npos);
}

TEST(Calibrate, EachBlockSizeIsMeasuredForTheTimeAskedFor) {
  const Stopwatch watch;
  const auto outcome = shell(
      "starport calibrate --block-sizes 8,16 --seconds 0.3 --memory 1MiB --link 125MBps "
      "-o /dev/null");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_GE(watch.elapsed_s(), 2 * 0.3);
}

TEST(Calibrate, EachFaultIsNamed) {
  const auto error_of = [](const std::string& options) {
    const auto outcome = shell("starport calibrate " + options);
    EXPECT_EQ(outcome.status, 2) << options;
    return outcome.err;
  };
  EXPECT_EQ(error_of(""),
            "starport: --output: the option is missing. Give the platform file to write\n");
  EXPECT_EQ(
      error_of("-o /dev/null --link 3km"),
      "starport: --link: expected a bandwidth such as \"10MBps\" or \"100Mbps\" (bits), found "
      "\"3km\" (unknown unit 'km')\n");
  EXPECT_EQ(error_of("-o /dev/null --memory 0B"),
            "starport: --memory: expected more than 0, found '0B'\n");
  EXPECT_EQ(error_of("-o /dev/null --reserve 100%"),
            "starport: --reserve: expected a share of the free memory, less than all of it, such "
            "as 0, 25% or 0.25, "
            "found '100%'\n");
  EXPECT_EQ(error_of("-o /dev/null --threads 0"),
            "starport: --threads: expected an integer from 1 to 1024, found '0'\n");
  EXPECT_NE(error_of("-o /dev/null --block-sizes 500000").find("expected three blocks within "),
            std::string::npos);
}

}  // namespace
}  // namespace starport
