// Traces that are told in pieces, and what keeps their transfers meanwhile.
#include "sim/app/algorithms.hpp"
#include "sim/files/error.hpp"
#include "sim/process/spill_buffer.hpp"
#include "sim/report/trace_files.hpp"
#include "tests/star/port_platforms.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace starport {
namespace {

struct Told {
  std::string text;
  std::size_t pieces = 0;
};

/// Two runs in one file.
Told told(TraceFormat format, const Case& instance, EngineKind engine, std::size_t max_slices) {
  Told told;
  TraceExporter exporter(format, [&](std::string_view piece) { told.text += piece; });
  RunOptions options{.engine = engine, .max_slices = max_slices};
  options.on_timeline = [&](const Timeline& timeline) {
    exporter.add(timeline);
    ++told.pieces;
  };
  for (const NamedAlgorithm& named : read_algorithms("ODDOML,HomI", "--heuristics")) {
    EXPECT_EQ(star_model().run(named, instance, options).error, "");
  }
  exporter.finish();
  return told;
}

TEST(TracePieces, AreTheWhole) {
  for (const Port::Kind port : {Port::Kind::one, Port::Kind::two, Port::Kind::multi}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      auto [platform, problem] = test::random_instance(seed);
      platform.port.kind = port;
      const Case instance = test::case_of(platform, problem);
      const EngineKind engine =
          port == Port::Kind::multi ? EngineKind::simgrid : EngineKind::analytic;
      for (const TraceFormat format : {TraceFormat::csv, TraceFormat::chrome}) {
        const Told whole = told(format, instance, engine, SIZE_MAX);
        const Told pieces = told(format, instance, engine, 5);
        EXPECT_EQ(whole.pieces, 2U);
        EXPECT_GT(pieces.pieces, 4U);
        EXPECT_EQ(pieces.text, whole.text) << "seed " << seed;
      }
    }
  }
}

TEST(SpillBuffer, KeepsTheOrderOfMany) {
  SpillBuffer<std::int64_t> spool;
  for (std::int64_t i = 0; i < 50'000; ++i) spool.add(i);
  for (const int reading : {1, 2}) {
    std::int64_t next = 0;
    bool in_order = true;
    spool.for_each([&](std::int64_t i) { in_order = in_order && i == next++; });
    EXPECT_TRUE(in_order) << "reading " << reading;
    EXPECT_EQ(next, 50'000);
  }
}

TEST(SpillBuffer, SaysWhereThereIsNoRoom) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "/nowhere", 1);
  SpillBuffer<std::int64_t> spool;
  const auto fill = [&] {
    for (std::int64_t i = 0; i < 50'000; ++i) spool.add(i);
  };
  try {
    fill();
    ADD_FAILURE() << "written to a folder that does not exist";
  } catch (const MachineError& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere"), std::string::npos) << error.what();
  }
  kept.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace starport
