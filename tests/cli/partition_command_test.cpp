// starport partition.
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace starport {
namespace {

using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

TEST(PartitionCommand, TellsZonesCostAndBound) {
  const auto outcome = shell("starport partition --speeds 9,1 --tiles 10 --method NRRP-S");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(
      outcome.out.find("  P2             1  0.100000      9               6                   "
                       "      [0, 0.3162] x [0, 0.3162]\n"),
      std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("[0.3162, 1] x [0, 1] + [0, 0.3162] x [0.3162, 1]"),
            std::string::npos);
  EXPECT_NE(
      outcome.out.find("cost 2.632456 (the sum of the half-perimeters), bound 2.529822, ratio "
                       "1.040569\n"),
      std::string::npos);
  EXPECT_NE(
      outcome.out.find("10 tiles a side, ROUNDED: rows + columns 26, 1.027740 times the bound "
                       "25.30; the largest load is 1.0111 times its share\n"),
      std::string::npos);
}

TEST(PartitionCommand, JsonOfACube) {
  const auto outcome =
      shell("starport partition --speeds 9,1 --tiles 10 --method NRRP3D --rounding PRECISE --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = test::json_of(outcome.out);
  EXPECT_EQ(json["method"], "NRRP3D");
  EXPECT_EQ(json["dimensions"], 3);
  EXPECT_NEAR(json["cost"].get<double>(), 3.632456, 1e-6);
  EXPECT_EQ(json["tiles"]["rounding"], "PRECISE");
  EXPECT_EQ(json["tiles"]["largest_load"], 1);
  EXPECT_EQ(json["processors"][0]["tiles"], 900);
  EXPECT_EQ(json["processors"][1]["tiles"], 100);
  EXPECT_EQ(json["processors"][1]["cuboids"].size(), 1U);
}

// Of a node with buses and links that differ by direction, too.
TEST(PartitionCommand, SpeedsOfAPlatformDoNotDependOnItsLinks) {
  for (const char* node : {"starpu-h200", "starpu-mirage", "mirage-measured"}) {
    const auto outcome =
        shell(std::string("starport partition --speeds-of platforms/") + node + ".json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
}

TEST(PartitionCommand, SpeedsOfAPlatform) {
  const TemporaryFile platform(R"({"schema_version": 1, "name": "x", "block_size": 80, "workers": [
      {"count": 2, "c_s": 1, "w_s": 0.5, "m_blocks": 9}, {"c_s": 1, "w_s": 0.25, "m_blocks": 9}]})");
  const auto outcome = shell("starport partition --json --speeds-of " + platform.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = test::json_of(outcome.out);
  ASSERT_EQ(json["processors"].size(), 3U);
  EXPECT_EQ(json["processors"][0]["speed"], 2);
  EXPECT_EQ(json["processors"][2]["speed"], 4);
}

TEST(PartitionCommand, EveryMethodAnswersAndIsTold) {
  const std::string help = shell("starport partition --help").out;
  for (const char* method : {"NRRP", "NRRP-S", "portfolio", "RP", "column", "NRRP3D", "NRRP3D-S",
                             "StraightLine", "SquareCorner"}) {
    EXPECT_NE(help.find(std::string("  ") + method + " "), std::string::npos) << method;
    const auto outcome =
        shell(std::string("starport partition --speeds 1,4 --json --tiles 7 --method ") + method);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(test::json_of(outcome.out)["method"], method);
  }
}

/// What is drawn: zones, their outlines, their names.
TEST(PartitionCommand, DrawsZonesTilesAndFaces) {
  const TemporaryDirectory directory;
  const std::string path = directory.path().string();
  const auto draw = [&](const std::string& options, const std::string& file) {
    const auto outcome = shell("starport partition " + options + " -o " + path + "/" + file);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::ostringstream content;
    content << std::ifstream(path + "/" + file).rdbuf();
    return content.str();
  };
  EXPECT_EQ(draw("--speeds 1", "one.csv"),
            "kind,colour,text,share,x0,x1,y0,y1\n"
            "zone,1,,0,0,1,0,1\n"
            "edge,1,,0,0,1,0,0\n"
            "edge,1,,0,0,1,1,1\n"
            "edge,1,,0,0,0,0,1\n"
            "edge,1,,0,1,1,0,1\n"
            "name,1,P1,1,0,1,0,1\n"
            "axis,1,i →,0,0.5,0.5,-0.05,-0.05\n"
            "axis,1,j ↑,0,-0.05,-0.05,0.5,0.5\n");
  // Two halves of 2 x 2 tiles: one tile row after the other, and the line between them.
  const std::string tiles = draw("--speeds 1,1 --tiles 2", "tiles.csv");
  EXPECT_NE(tiles.find("zone,1,,0,0,0.5,0,0.5\nzone,2,,0,0.5,1,0,0.5\nzone,1,,0,0,0.5,0.5,1\n"),
            std::string::npos)
      << tiles;
  EXPECT_NE(tiles.find("edge,1,,0,0.5,0.5,0,1\n"), std::string::npos);
  // The faces of a cube beside and below each other; the second half is on two of them.
  const std::string cube = draw("--speeds 1,1 --method NRRP3D", "cube.csv");
  EXPECT_NE(cube.find("zone,2,,0,0.5,1,0,1\n"), std::string::npos) << cube;
  EXPECT_NE(cube.find("zone,1,,0,-1,0,0,1\n"), std::string::npos);
  EXPECT_EQ(cube.find("zone,2,,0,-1,0,0,1\n"), std::string::npos);
  EXPECT_NE(cube.find("zone,2,,0,0.5,1,-1,0\n"), std::string::npos);
}

}  // namespace
}  // namespace starport
