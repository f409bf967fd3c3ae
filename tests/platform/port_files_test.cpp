// Ports in files: traces and their figures, sweeps, schedules.
#include "sim/report/plots/gantt.hpp"
#include "sim/report/trace_files.hpp"
#include "sim/sweep/specification.hpp"
#include "tests/star/port_platforms.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

namespace starport {
namespace {

using Kind = Port::Kind;
using test::end_of;
using test::kFourBlocks;
using test::kTwo;
using test::many;
using test::two_workers;
using test::with_port;

// The figures of a trace show its ports.
TEST(Ports, TracesAndFigures) {
  for (const auto& [port, lanes] :
       {std::pair(Port{}, 1U), std::pair(kTwo, 2U), std::pair(many(), 0U)}) {
    const Platform platform = with_port(two_workers(), port);
    const Trace trace = test::simulate("ODDOML", platform, kFourBlocks);
    const test::TemporaryFile file(test::trace_csv("ODDOML", platform, kFourBlocks, trace), ".csv");
    const Timeline read = read_trace(file.path(), std::nullopt);
    EXPECT_EQ(read.port, to_string(port.kind));
    EXPECT_NEAR(read.makespan_s, end_of(trace), 1e-12);
    const auto drawn = gantt_lanes(read, {.from_s = 0, .to_s = read.end_s()}, 1e-6);
    EXPECT_EQ(drawn.size(), lanes + 2);
    for (std::size_t i = 0; i < drawn.size(); ++i) EXPECT_EQ(drawn[i].size(), i < lanes ? 1U : 2U);
  }
}

TEST(Ports, AreAnAxisOfASweep) {
  const auto specification = [](const std::string& axis, const std::string& more = "") {
    return R"({"schema_version": 1, "name": "x", "experiments": [{"name": "e", "platforms": [
        {"generate": {"name": "g", "workers": 2, "bandwidth": "1MBps", "speed": "1Gf",
                      "memory": "1GB")" +
           more + R"(}}],
        "problems": ["80x80x80"], "overrides": [)" +
           axis + "]}]}";
  };
  const test::TemporaryFile file(specification(
      R"({"field": "port", "set": ["one-port", "two-port",
          {"kind": "multi-port", "transfers": 2, "bandwidth": "2MBps"}]})",
      R"(, "port": "two-port")"));
  const Specification read = load_specification(file.path());
  ASSERT_EQ(read.size(), 3);
  EXPECT_EQ(read.override_columns(), (std::vector<std::string>{"port"}));
  EXPECT_EQ(read.instance(1).override_text("port"), "one-port");
  EXPECT_EQ(make_star(read.instance(1).in_blocks()).port, Port{});
  EXPECT_EQ(make_star(read.instance(2).in_blocks()).port, kTwo);
  EXPECT_EQ(read.instance(3).override_text("port"), "multi-port[transfers=2,bandwidth=2000000Bps]");
  EXPECT_EQ(make_star(read.instance(3).in_blocks()).port, many(2, 51200 / 2e6));
  const auto fault = [&](const std::string& axis, const std::string& more = "") -> std::string {
    const test::TemporaryFile bad(specification(axis, more));
    try {
      load_specification(bad.path());
    } catch (const InputError& error) {
      return std::string(error.what()).substr(bad.path().size() + 2);
    }
    return "accepted";
  };
  EXPECT_EQ(fault(R"({"field": "port", "multiply": [2]})"),
            "/experiments/0/overrides/0/multiply: expected set: the port is the master's, found "
            "multiply");
  EXPECT_EQ(fault(R"({"field": "port", "set": ["one-port", "one-port"]})"),
            "/experiments/0/overrides/0/set/1: expected each value once, found \"one-port\"");
  EXPECT_EQ(fault(R"({"field": "port", "set": [{"kind": "multi-port", "c_s": 1}]})"),
            "/experiments/0/overrides/0/set: expected bandwidth, for workers given as bandwidth, "
            "speed and memory, found c_s, on platform 'g'");
  EXPECT_EQ(fault(R"({"field": "port", "set": ["two-port"]})",
                  R"(, "port": {"kind": "multi-port", "c_s": 1})"),
            "/experiments/0/platforms/0/generate/port/c_s: expected bandwidth, as of the workers "
            "drawn, found c_s");
}

// Plan, check and replay on each port; a schedule keeps its own.
TEST(Ports, SchedulesGoThroughFiles) {
  for (const char* port : {R"("two-port")", R"("multi-port")",
                           R"({"kind": "multi-port", "transfers": 2, "c_s": 0.75})"}) {
    const test::TemporaryFile platform(
        std::string(R"({"schema_version": 1, "name": "x", "block_size": 1, "port": )") + port +
        R"(, "workers": [{"c_s": 1, "w_s": 2, "m_blocks": 12}, {"c_s": 2, "w_s": 3, "m_blocks": 21}]})");
    const test::TemporaryFile schedule("");
    const auto made =
        test::shell("starport plan " + platform.path() + " --problem 4x3x6 -o " + schedule.path());
    ASSERT_EQ(made.status, 0) << made.err;
    const auto checked = test::shell("starport validate " + schedule.path());
    EXPECT_EQ(checked.status, 0) << checked.err;
    const auto replayed = test::shell("starport replay " + platform.path() + " " + schedule.path());
    EXPECT_EQ(replayed.status, 0) << replayed.err;
    EXPECT_NE(replayed.out.find("here the same"), std::string::npos) << replayed.out;
    EXPECT_NE(replayed.out.find("sends+returns"), std::string::npos) << replayed.out;
  }
}

}  // namespace
}  // namespace starport
