// Files of every kind: the schemas that are shipped, and what `starport validate` takes them for.
#include "sim/report/database/result_table.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

namespace starport {
namespace {

using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

std::string validated(const std::string& path) {
  const auto outcome = shell("starport validate '" + path + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with(path + ": ")) << outcome.out;
  return outcome.out.substr(path.size() + 2);
}

std::string refused(const std::string& content, const std::string& extension = ".json") {
  const TemporaryFile file(content, extension);
  const auto outcome = shell("starport validate " + file.path());
  EXPECT_EQ(outcome.status, 2) << content;
  return outcome.err.substr(outcome.err.find(file.path()) + file.path().size() + 2);
}

/// The rows of a CSV file as the schema sees them.
nlohmann::json rows_of(const std::string& path) {
  const ResultTable table = ResultTable::read_csv(path);
  nlohmann::json rows = nlohmann::json::array();
  std::vector<std::string> names;
  for (const std::string& column : table.columns()) names.push_back(sql_name(column));
  const std::string all = fmt::format("SELECT {} FROM results", fmt::join(names, ","));
  for (const Row& row : table.query(all)) {
    nlohmann::json object;
    for (std::size_t i = 0; i < table.columns().size(); ++i) {
      std::visit(
          [&](const auto& value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
              object[table.columns()[i]] = nullptr;
            } else {
              object[table.columns()[i]] = value;
            }
          },
          row[i]);
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

/// Writes, in a temporary folder, every kind of file that the commands write, for small cases.
class Written : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return directory_.path() / name; }
  void made(const std::string& command) const {
    const auto outcome = shell("d=" + directory_.path().string() + "; " + command);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }

 private:
  TemporaryDirectory directory_;
};

TEST(Validate, NoiseInAFileOfAnyName) {
  const TemporaryFile file(R"({"cv": 0.1, "seed": 3})", ".txt");
  EXPECT_EQ(validated(file.path()), "valid noise\n  cv=0.1,seed=3\n");
  const TemporaryDirectory folder;
  const std::string path = folder.path() / "a=b.json";
  std::ofstream(folder.path() / "samples.json") << R"({"updates_s": [1, 2, 3]})";
  std::ofstream(path) << R"({"samples": "samples.json"})";
  EXPECT_EQ(validated(path), fmt::format("valid noise\n  samples={},seed=0\n",
                                         (folder.path() / "samples.json").string()));
}

TEST(Validate, AMillionWorkers) {
  const TemporaryFile file(R"({"schema_version": 1, "name": "large", "block_size": 80, "workers":
    [{"count": 1000000, "c_s": 0.001, "w_s": 0.002, "m_blocks": 100}]})",
                           ".json");
  const std::string shown = validated(file.path());
  EXPECT_TRUE(shown.starts_with("a valid platform")) << shown;
  EXPECT_NE(shown.find("1000000 workers"), std::string::npos) << shown;
}

TEST(ScheduleSchema, AgreesWithTheLoader) {
  const test::JsonSchema schema("sim/star/schedule.schema.json");
  const nlohmann::json shipped = load_json(STARPORT_SOURCE_DIR "/tests/fixtures/late-c.json");
  EXPECT_TRUE(schema.accepts(shipped));
  for (const auto& [pointer, value] : std::map<std::string, nlohmann::json>{
           {"/schema_version", 2},
           {"/problem/r", 0},
           {"/platform/workers", nlohmann::json::array()},
           {"/platform/workers/0/c_s", 0},
           {"/platform/port", "three-port"},
           {"/platform/port", {{"kind", "one-port"}, {"transfers", 2}}},
           {"/makespan_s", -1},
           {"/transfers/0/worker", 0},
           {"/transfers/0/to", "nobody"},
           {"/transfers/0/after", 1},
           {"/transfers/0/c", {{"rows", {0}}, {"columns", {0, 1}}}}}) {
    nlohmann::json wrong = shipped;
    wrong[nlohmann::json::json_pointer(pointer)] = value;
    EXPECT_FALSE(schema.accepts(wrong)) << pointer;
    const TemporaryFile file(wrong.dump());
    EXPECT_EQ(shell("starport validate " + file.path()).status, 2) << pointer;
  }
}

TEST(ScheduleSchema, HasTheTransfersOfTheProtocol) {
  const nlohmann::json schedule = load_json(STARPORT_SOURCE_DIR "/sim/star/schedule.schema.json");
  nlohmann::json protocol = load_json(STARPORT_SOURCE_DIR "/heuristics/protocol.schema.json");
  protocol["definitions"]["transfer"].erase("description");
  for (const auto& [name, definition] : schedule.at("definitions").items()) {
    EXPECT_EQ(definition, protocol.at("definitions").at(name)) << name;
  }
}

TEST_F(Written, OnAStar) {
  made(
      "p=platforms/first-try.json; w=800x800x800; "
      "starport plan $p --problem $w -o $d/schedule.json && "
      "starport run $p --problem $w --heuristics Het,BMM --trace $d/trace.json > /dev/null && "
      "starport run $p --problem $w --heuristics Het,BMM --noise cv=5%,stop=1@0.1 "
      "--trace $d/trace.csv --json > $d/results.json; "
      "starport run $p --problem $w --csv > $d/results.csv && "
      "starport calibrate --block-sizes 8 --memory 1MB --link 1MBps -o $d/here.json > /dev/null || "
      "cp $p $d/here.json");
  EXPECT_TRUE(validated(path("schedule.json")).starts_with("a valid schedule\n"));
  EXPECT_TRUE(validated(path("here.json")).starts_with("a valid platform\n"));
  EXPECT_TRUE(validated(path("trace.json")).starts_with("a valid trace, of Chrome trace events\n"));
  EXPECT_TRUE(validated(path("trace.csv")).starts_with("a valid trace\n  Het: "));
  EXPECT_TRUE(validated(path("results.json")).starts_with("valid results\n"));
  EXPECT_EQ(validated(path("results.csv")), "valid results\n  8 rows: 8 ok\n");

  EXPECT_TRUE(
      test::JsonSchema("sim/star/schedule.schema.json").accepts(load_json(path("schedule.json"))));
  EXPECT_TRUE(
      test::JsonSchema("platforms/platform.schema.json").accepts(load_json(path("here.json"))));
  EXPECT_TRUE(
      test::JsonSchema("experiments/results.schema.json").accepts(load_json(path("results.json"))));
  const test::JsonSchema trace("sim/report/trace.schema.json");
  EXPECT_TRUE(trace.accepts(load_json(path("trace.json"))));
  nlohmann::json rows = rows_of(path("trace.csv"));
  EXPECT_GT(rows.size(), 10);
  EXPECT_TRUE(trace.accepts(rows));
  rows[0]["start_s"] = "early";
  EXPECT_FALSE(trace.accepts(rows));
}

TEST_F(Written, ByTheOtherModels) {
  made(
      "starport run platforms/sirocco.json --problem 7680 --heuristics DMDA --trace $d/tiles.csv "
      "--json > $d/tiles.json && "
      "starport run platforms/sirocco.json --problem 7680 --heuristics DMDA --trace $d/chrome.json "
      "> /dev/null && "
      "starport run platforms/two-processors.json --problem 1000 --heuristics hcw06 "
      "--trace $d/pair.csv --json > $d/pair.json");
  const test::JsonSchema trace("sim/report/trace.schema.json");
  const test::JsonSchema results("experiments/results.schema.json");
  for (const char* name : {"tiles", "pair"}) {
    EXPECT_TRUE(validated(path(name + std::string(".csv"))).starts_with("a valid trace\n"));
    EXPECT_TRUE(validated(path(name + std::string(".json"))).starts_with("valid results\n"));
    EXPECT_TRUE(trace.accepts(rows_of(path(name + std::string(".csv"))))) << name;
    EXPECT_TRUE(results.accepts(load_json(path(name + std::string(".json"))))) << name;
  }
  EXPECT_TRUE(trace.accepts(load_json(path("chrome.json"))));
}

TEST_F(Written, BySweeps) {
  std::ofstream(path("sweep.json")) << R"({"schema_version": 1, "name": "x", "experiments": [
    {"name": "e", "problems": ["800x800x800"], "heuristics": ["Het", "BMM"],
     "platforms": [")" STARPORT_SOURCE_DIR R"(/platforms/first-try.json"]}]})";
  made("starport sweep $d/sweep.json -o $d/out");
  EXPECT_EQ(validated(path("sweep.json")),
            "a valid sweep\n  x: 1 experiment, 1 instance, 2 rows\n");
  EXPECT_EQ(validated(path("out/specification.json")),
            "a valid sweep\n  x: 1 experiment, 1 instance, 2 rows\n");
  EXPECT_EQ(validated(path("out/results.csv")), "valid results\n  2 rows: 2 ok\n");
  EXPECT_EQ(shell("starport validate " + path("out")).status, 2);
}

TEST(Validate, KnowsWhatIsShipped) {
  EXPECT_TRUE(validated("platforms/sirocco.json").starts_with("a valid platform\n"));
  EXPECT_TRUE(validated("experiments/polaris/sweep.json").starts_with("a valid sweep\n"));
  EXPECT_TRUE(validated("experiments/ppopp08/claims.json").starts_with("valid claims\n"));
  EXPECT_TRUE(validated("tests/fixtures/late-c.json").starts_with("a valid schedule\n"));
}

TEST(Validate, KnowsTheOtherKinds) {
  const TemporaryFile noise(R"({"cv": 0.1, "stop": [{"worker": 2, "at_s": 3}]})");
  EXPECT_EQ(validated(noise.path()), "valid noise\n  cv=0.1,stop=2@3,seed=0\n");
  const TemporaryFile samples(R"({"transfers_s": [1, 2], "updates_s": [3]})");
  EXPECT_EQ(validated(samples.path()), "valid measured durations\n  2 transfers, 1 update\n");
  const TemporaryFile plan(R"({"protocol": 1, "transfers": []})");
  EXPECT_EQ(validated(plan.path()), "a valid message of the protocol\n");
}

/// Two rows of a trace, with these blocks of C and makespans.
std::string small_trace(const std::string& c_blocks, const std::string& makespan_s) {
  return "heuristic,kind,worker,direction,c_blocks,start_s,end_s,held_blocks,m_blocks,bound_s,port,"
         "makespan_s,group,lane,other_group,other_lane,waits,slice,role,held_from,label,details\n"
         "H,transfer,1,to_worker,4,0,1,4,9,,one-port,9,P1,link,port,its port,,C sent,send_c,start,"
         "C,\n"
         "H,transfer,1,to_master," +
         c_blocks + ",8,9,0,9,,one-port," + makespan_s +
         ",P1,link,port,its port,,C returned,return_c,end,C,\n";
}

TEST(Validate, AColumnBySeveralStepsIsNoFurtherMeasuredSize) {
  const TemporaryFile file(R"({"schema_version": 1, "name": "x", "block_size": 80, "workers": [
    {"bandwidth": "100MBps", "speed": "1Gf", "memory": "50MB", "speed_function": [
      {"rows": 1, "columns": 1, "inner": 1, "block_size": 80, "seconds": 0.001},
      {"rows": 8, "columns": 8, "inner": 1, "block_size": 80, "seconds": 0.05},
      {"rows": 8, "columns": 1, "inner": 4, "block_size": 80, "seconds": 0.02}]}]})");
  const std::string text = validated(file.path());
  EXPECT_NE(text.find("P1: 2 measured sizes\n"), std::string::npos) << text;
}

TEST(Validate, TracesToTheirRows) {
  const TemporaryFile right(small_trace("4", "9"), ".csv");
  EXPECT_EQ(validated(right.path()), "a valid trace\n  H: 2 rows, makespan 9 s\n");
  const std::string blocks = refused(small_trace("-700", "9"), ".csv");
  EXPECT_TRUE(blocks.starts_with("row 2: ")) << blocks;
  EXPECT_NE(blocks.find("c_blocks"), std::string::npos) << blocks;
  const std::string makespans = refused(small_trace("4", "12"), ".csv");
  EXPECT_NE(makespans.find("makespan_s"), std::string::npos) << makespans;
  const std::string rows = small_trace("4", "9");
  refused(rows.substr(0, rows.find('\n') + 1), ".csv");
}

// The messages are in messages.golden.
TEST(Validate, NamesThePlaceOfAnError) {
  const auto expect_place = [](const std::string& place, const std::string& content,
                               const std::string& extension = ".json") {
    const std::string message = refused(content, extension);
    EXPECT_TRUE(message.starts_with(place + ": ")) << message;
  };
  expect_place("/experiments", R"({"schema_version": 1, "name": "x", "experiments": []})");
  expect_place("/protocol", R"({"protocol": 2, "decides": "requests"})");
  expect_place("/traceEvents/0/ph", R"({"displayTimeUnit": "ms", "traceEvents": [{"ph": "X"}]})");
  expect_place("line 1", "a,b\n1,2\n", ".csv");
  expect_place("row 2", "heuristic,status,makespan_s\nHet,ok,1\nBMM,ok,\n", ".csv");
}

}  // namespace
}  // namespace starport
