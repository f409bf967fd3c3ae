// Campaigns of many instances: killed, resumed, in shards and merged they equal one run, and lists
// of instances are made one line at a time.
#include "sim/files/text.hpp"
#include "sim/sweep/description.hpp"
#include "tests/star/star_support.hpp"
#include "tests/sweep/sweep_fixture.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace starport {
namespace {

using test::content;
using test::shell;

std::string campaign(std::int64_t repetitions) {
  return fmt::format(
      R"({{"schema_version": 1, "name": "long", "heuristics": ["ODDOML"], "experiments": [
      {{"name": "first", "problems": ["40x40x80", "80x40x80"], "repetitions": {},
        "platforms": [{{"generate": {{"name": "drawn", "workers": 2, "speed": "1Mf",
          "bandwidth": {{"uniform": ["1MBps", "4MBps"]}}, "memory": "40kB"}}}}],
        "block_sizes": [10]}}]}})",
      repetitions);
}

class LongCampaign : public test::Sweep {
 protected:
  LongCampaign() : Sweep(campaign(5000)) {}
};

// 10^4 instances in three shards, each killed several times.
TEST_F(LongCampaign, InPiecesIsWhatItIsAtOnce) {
  run_whole();
  std::string merge = "starport merge -o " + dir("merged");
  for (int i = 1; i <= 3; ++i) {
    const std::string shard = fmt::format("shard-{}", i);
    const std::string again = sweep(shard, fmt::format("--shard {}/3 --resume -j 2", i));
    for (const std::size_t lines : {20, 40, 60}) interrupt(again, shard, lines, "-KILL $pid");
    const auto last = shell(again);
    ASSERT_EQ(last.status, 0) << last.err;
    merge += " " + dir(shard);
  }
  const auto merged = shell(merge);
  EXPECT_EQ(merged.status, 0) << merged.err;
  expect_like_whole("merged");
  for (const char* name : {"whole", "shard-1", "merged"}) {
    const auto verified = shell("starport verify " + dir(name));
    EXPECT_EQ(verified.status, 0) << verified.err;
  }
}

// Of two million instances only those that are read are made.
TEST(LongList, EndsWithItsReader) {
  const test::TemporaryFile file(campaign(1'000'000));
  const Specification specification = load_specification(file.path());
  ASSERT_EQ(specification.size(), 2'000'000);
  std::vector<std::string> lines;
  list_instances(specification, {.index = 2, .count = 1000}, [&](std::string_view line) {
    lines.emplace_back(line);
    return lines.size() < 4;
  });
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "instance  experiment  platform  workers  repetition   problem   q\n");
  EXPECT_EQ(lines[1], "2              first     drawn        2           1  80x40x80  10\n");
  EXPECT_EQ(lines[3], "2002           first     drawn        2        1001  80x40x80  10\n");
}

/// Expects that columns of the list are as wide as their widest cell, although lines are made one
/// at a time.
void expect_aligned_list(const std::string& sweep) {
  const test::TemporaryFile file(sweep);
  const Specification specification = load_specification(file.path());
  const std::vector<std::string> overrides = specification.override_columns();
  std::vector<std::vector<std::string>> rows{
      {"instance", "experiment", "platform", "workers", "repetition", "problem", "q"}};
  rows[0].insert(rows[0].end(), overrides.begin(), overrides.end());
  for (std::int64_t number = 1; number <= specification.size(); ++number) {
    const SweepInstance instance = specification.instance(number);
    rows.push_back({std::to_string(number), instance.experiment->name, instance.file.name,
                    std::to_string(instance.file.size()), std::to_string(instance.repetition),
                    instance.problem_text, std::to_string(instance.block_size)});
    for (const std::string& column : overrides)
      rows.back().push_back(instance.override_text(column));
  }
  std::string text;
  list_instances(specification, {}, [&](std::string_view line) {
    text += line;
    return true;
  });
  EXPECT_EQ(text, align(rows));
}

TEST(LongList, IsAligned) { expect_aligned_list(test::kSweep); }

TEST(LongList, IsAlignedWithParametersOfGenerators) {
  expect_aligned_list(R"({"schema_version": 1, "name": "x", "heuristics": ["ODDOML"],
      "experiments": [{"name": "e", "problems": ["80x80x80"], "platforms": [{"generate": {
        "name": "g", "workers": 2, "bandwidth": "1MBps", "memory": "1MB",
        "parameters": {"h": [1, 1000]}, "speed": {"divide": "1Gf", "by": "$h"}}}]}]})");
}

}  // namespace
}  // namespace starport
