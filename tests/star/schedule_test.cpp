// Schedule files: round trip, a schedule that is no sequence of chunks, what is refused.
#include "sim/star/schedule.hpp"

#include "sim/app/check_schedule.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/schedule_file.hpp"
#include "sim/star/validator/validator.hpp"
#include "tests/paths.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>

namespace starport {
namespace {

TEST(Schedule, RoundTrip) {
  const auto [platform, problem] = test::random_instance(11);
  const Trace trace = test::simulate("ODDOML", platform, problem);
  const Schedule saved{.heuristic = "ODDOML",
                       .problem = problem,
                       .platform = platform,
                       .makespan_s = test::makespan(trace),
                       .transfers = to_transfers(trace)};
  std::string text;
  write_json(saved, [&](std::string_view piece) { text += piece; });
  const Schedule read = parse_schedule(parse_json(text, "s.json"), "s.json");
  EXPECT_EQ(read.heuristic, saved.heuristic);
  EXPECT_EQ(read.problem, saved.problem);
  EXPECT_EQ(read.platform.workers, saved.platform.workers);
  EXPECT_EQ(read.makespan_s, saved.makespan_s);
  EXPECT_EQ(read.transfers, saved.transfers);
}

// tests/fixtures/late-c.json keeps both columns of A on the worker, accumulates the first column of
// C from zero and gets its C late. c = w = 1, q = 2, r = s = t = 2, m = 12:
//   1  A[..][0] B[0][0]   3 blocks 0-3    u1: 2 updates 3-5     holds 3 + 2 accumulators = 5
//   2  A[..][1] B[1][0]   3 blocks 3-6    u2: 2 updates 6-8     holds 8
//   3  C[..][0], late     2 blocks 6-8    u3: 2 additions, 2/q = 1: 8-9    B[0][0] gone: holds 9
//   4  B[..][1] C[..][1]  4 blocks 8-12   u4: 4 updates 12-16   B[1][0] gone at 8: holds 12
//   5  C[..][0] home, after u3            12-14
//   6  C[..][1] home, after u4            16-18
class LateC : public ::testing::Test {
 protected:
  const std::string path = STARPORT_SOURCE_DIR "/tests/fixtures/late-c.json";
  Schedule schedule = load_schedule(path);
};

TEST_F(LateC, IsValidAndReplaysOnSimgrid) {
  EXPECT_EQ(check_schedule(schedule, schedule.platform, path).makespan_s, 18);
  const TransferList list(schedule.transfers);
  const Trace trace =
      SimgridEngine()
          .run(schedule.platform, schedule.problem, [&] { return make_list_plan(list); })
          .trace;
  EXPECT_FALSE(find_violation(schedule.platform, schedule.problem, trace));
  const std::vector<Dates> expected{{0, 3, 3, 5},    {3, 6, 6, 8},     {6, 8, 8, 9},
                                    {8, 12, 12, 16}, {12, 14, 14, 14}, {16, 18, 18, 18}};
  ASSERT_EQ(trace.size(), expected.size());
  for (std::size_t i = 0; i < trace.size(); ++i) {
    EXPECT_EQ(trace[i].dates.start_s, expected[i].start_s) << i;
    EXPECT_EQ(trace[i].dates.end_s, expected[i].end_s) << i;
    EXPECT_EQ(trace[i].dates.update_start_s, expected[i].update_start_s) << i;
    EXPECT_EQ(trace[i].dates.update_end_s, expected[i].update_end_s) << i;
  }
  const Metrics metrics = compute_metrics(schedule.platform, trace);
  EXPECT_EQ(metrics.blocks_moved, 16);
  EXPECT_EQ(metrics.block_updates, 8);
}

TEST_F(LateC, NeedsItsMemoryToTheBlock) {
  schedule.platform.workers[0].m_blocks = 11;
  try {
    check_schedule(schedule, schedule.platform, "late-c.json");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "late-c.json: /transfers/3: expected a schedule that obeys the model, found worker "
        "1 would hold 12 blocks at 8 s, its memory is 11");
  }
}

TEST_F(LateC, TheAdditionMustBeOverBeforeCComesHome) {
  schedule.transfers[4].after_update = 2;
  const auto violation = find_violation(schedule.platform, schedule.problem, schedule.transfers);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->message,
            "C[0..1][0..0] is returned after update 2 of worker 1, but update 3 changes it");
}

TEST_F(LateC, LateCMayNotComeTwice) {
  schedule.transfers.insert(schedule.transfers.begin() + 3, schedule.transfers[2]);
  schedule.platform.workers[0].m_blocks = 99;
  const auto violation = find_violation(schedule.platform, schedule.problem, schedule.transfers);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->transfer, 3U);
  EXPECT_EQ(violation->message, "C[0..1][0..0] is sent twice to worker 1");
}

TEST_F(LateC, TheMakespanOfAFileIsChecked) {
  const Metrics metrics = check_schedule(schedule, schedule.platform, path);
  EXPECT_NO_THROW(check_makespan(schedule, metrics, path));
  schedule.makespan_s = 17;
  try {
    check_makespan(schedule, metrics, "late-c.json");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "late-c.json: /makespan_s: expected 18, the makespan of the schedule on its platform, "
        "found 17");
  }
}

std::string around(const std::string& transfer) {
  return R"({"schema_version": 1, "problem": {"r": 2, "s": 2, "t": 2, "block_size": 1},
      "platform": {"name": "x", "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 9}]},
      "transfers": [)" +
         transfer + "]}";
}

TEST(ScheduleFile, RefusesBadDocuments) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{}", "/: the key \"schema_version\" is missing; this version reads 1"},
      {R"({"schema_version": 1, "problem": {"r": 2, "s": 2, "t": 2, "block_size": 1},
          "platform": {"name": "x", "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 9}]}})",
       "/: the key 'transfers' is missing"},
      {R"({"schema_version": 1, "problem": {"r": 2, "s": 2, "t": 2, "block_size": 1},
          "platform": {"name": "x", "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 9}]},
          "transfers": {}})",
       "/transfers: expected an array, found an empty object"},
      {around("3"), "/transfers/0: expected an object, found 3"},
      {around(R"({"to": "worker"})"), "/transfers/0: the key 'worker' is missing"},
      {around(R"({"worker": 2, "to": "worker"})"), "/transfers/0/worker: expected 1, found 2"},
      {around(R"({"worker": 1, "to": "mars"})"),
       "/transfers/0/to: expected \"worker\" or \"master\", found \"mars\""},
      {around(R"({"worker": 1, "to": "worker", "c": {"rows": [0, 3], "columns": [0, 1]}})"),
       "/transfers/0/c/rows/1: expected an integer from 1 to 2, found 3"},
      {around(R"({"worker": 1, "to": "worker", "c": {"rows": [1, 1], "columns": [0, 1]}})"),
       "/transfers/0/c/rows/1: expected 2, found 1"},
      {around(R"({"worker": 1, "to": "worker", "c": {"rows": [0], "columns": [0, 1]}})"),
       "/transfers/0/c/rows: expected [begin, end], block indices from 0, end excluded, found "
       "[0]"},
      {around(R"({"worker": 1, "to": "worker", "a": {"rows": [0, 1], "columns": [0, 1]}})"),
       "/transfers/0/a/columns: 'columns' is not a key of this object. Choose one of: "
       "rows, inner"},
      {around(R"({"worker": 1, "to": "worker", "update": {}})"),
       "/transfers/0/update: expected rows, columns and inner, or add_c, or both, found an empty "
       "object"},
      {around(R"({"worker": 1, "to": "worker", "update": {"rows": [0, 1]}})"),
       "/transfers/0/update: the key 'columns' is missing"},
      {around(R"({"worker": 1, "to": "worker", "after_update": -1})"),
       "/transfers/0/after_update: expected an integer from 0 to 9223372036854775807, found -1"},
      {around(R"({"worker": 1, "to": "worker", "d": 1})"),
       "/transfers/0/d: 'd' is not a key of this object. Choose one of: worker, to, "
       "a, b, c, partial_sums, after_update, update"},
  };
  for (const auto& [document, message] : cases) {
    try {
      parse_schedule(parse_json(document, "s.json"), "s.json");
      ADD_FAILURE() << "accepted: " << document;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), "s.json: " + message) << document;
    }
  }
}

}  // namespace
}  // namespace starport
