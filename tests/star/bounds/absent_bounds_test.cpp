// A bound that does not hold is absent, not a number: in the JSON and the CSV of a run, in the rows
// of a sweep.
#include "sim/report/database/result_table.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace starport {
namespace {

using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

/// Two workers with so much memory each; a product of 3 x 4 x 2 blocks.
std::string platform(const std::string& port, int m_blocks = 12) {
  const std::string m = std::to_string(m_blocks);
  return R"({"schema_version": 1, "name": "p", "block_size": 1, "port": ")" + port +
         R"(", "workers": [{"c_s": 1, "w_s": 2, "m_blocks": )" + m +
         R"(}, {"c_s": 2, "w_s": 3, "m_blocks": )" + m + "}]}";
}

struct Found {
  std::vector<std::string> bounds;  ///< of the instance, by name
  bool steady_state = false;
  bool times_bound = false;  ///< of the row
  bool bound_ratio = false;
  bool operator==(const Found&) const = default;
};

/// What both formats of starport run have, which must be the same.
Found found_by_run(const std::string& port, int m_blocks, const std::string& noise) {
  const TemporaryFile file(platform(port, m_blocks));
  const std::string run = "starport run " + file.path() + " --problem 3x2x4 --heuristics DDOML" +
                          (noise.empty() ? "" : " --noise " + noise);
  const auto json = test::json_of(shell(run + " --json").out);
  Found found;
  for (const auto& [name, value] : json.at("bounds").items()) {
    EXPECT_TRUE(value.is_number()) << value;
    found.bounds.push_back(name);
  }
  const auto& row = json.at("results").at(0);
  found.steady_state = json.at("bounds").contains("steady_state_updates_per_s");
  found.times_bound = row.contains("times_bound");
  found.bound_ratio = row.contains("bound_ratio");

  const TemporaryFile csv(shell(run + " --csv").out, ".csv");
  const auto columns = ResultTable::read_csv(csv.path())
                           .query("SELECT times_bound, bound_ratio, makespan_s FROM results");
  EXPECT_EQ(std::holds_alternative<std::monostate>(columns.at(0).at(0)), !found.times_bound);
  EXPECT_EQ(std::holds_alternative<std::monostate>(columns.at(0).at(1)), !found.bound_ratio);
  EXPECT_FALSE(std::holds_alternative<std::monostate>(columns.at(0).at(2)));
  return found;
}

TEST(AbsentBounds, InRun) {
  const std::vector<std::string> all{"any_schedule_bound_s", "c_stationary_bound_s",
                                     "steady_state_bound_s", "steady_state_updates_per_s"};
  const std::vector<std::string> of_memory{"any_schedule_bound_s", "c_stationary_bound_s"};
  const std::vector<std::string> steady{"steady_state_bound_s", "steady_state_updates_per_s"};
  EXPECT_EQ(found_by_run("one-port", 12, ""), (Found{all, true, true, true}));
  EXPECT_EQ(found_by_run("one-port", 12, "cv=0.1"), (Found{steady, true, false, true}));
  EXPECT_EQ(found_by_run("two-port", 12, ""), (Found{all, true, true, true}));
  EXPECT_EQ(found_by_run("multi-port", 12, ""), (Found{all, true, true, true}));
  // Three blocks are too few for the chunks of the steady state, and enough for an update.
  EXPECT_EQ(found_by_run("one-port", 3, ""), (Found{of_memory, false, true, false}));
  EXPECT_EQ(found_by_run("multi-port", 3, ""), (Found{of_memory, false, true, false}));
}

/// The column of that condition: "null" or "numbers" for each bound.
void expect_bounds(const ResultTable& table, const std::string& condition, bool present) {
  for (const char* column : {"c_stationary_bound_s", "any_schedule_bound_s", "times_bound"}) {
    const auto counts = table.query(
        "SELECT count(" + std::string(column) +
        "), count(makespan_s), count(steady_state_bound_s) FROM results WHERE " + condition);
    const auto count = [&](std::size_t i) { return std::get<std::int64_t>(counts.at(0).at(i)); };
    EXPECT_GT(count(1), 0) << condition;
    EXPECT_EQ(count(0), present ? count(1) : 0) << column << " where " << condition;
    EXPECT_EQ(count(2), count(1)) << condition;
  }
}

TEST(AbsentBounds, InSweeps) {
  const TemporaryFile specification(
      R"({"schema_version": 1, "name": "x", "heuristics": ["ODDOML", "BMM"], "experiments": [
          {"name": "ports", "problems": ["3x2x4"], "platforms": [{"platform": )" +
      platform("one-port") + R"(}],
           "overrides": [{"field": "port", "set": ["one-port", "two-port", "multi-port"]}]},
          {"name": "noise", "problems": ["3x2x4"], "platforms": [{"platform": )" +
      platform("one-port") + R"(}],
           "repetitions": 2, "overrides": [{"field": "cv", "set": [0, 0.1]}]}]})");
  const TemporaryDirectory work;
  const std::string out = (work.path() / "out").string();
  const auto sweep = shell("starport sweep -j 1 " + specification.path() + " -o " + out);
  ASSERT_EQ(sweep.status, 0) << sweep.err;
  const ResultTable table = ResultTable::read_csv(out + "/results.csv");
  expect_bounds(table, "port = 'one-port'", true);
  expect_bounds(table, "port = 'two-port'", true);
  expect_bounds(table, "port = 'multi-port'", true);
  expect_bounds(table, "experiment = 'noise' AND cv = 0", true);
  expect_bounds(table, "experiment = 'noise' AND cv > 0", false);
}

}  // namespace
}  // namespace starport
