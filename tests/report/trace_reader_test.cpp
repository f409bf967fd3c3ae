// Traces read back from files, and the part of them that a figure shows.
#include "sim/files/error.hpp"
#include "sim/report/plots/trace_view.hpp"
#include "sim/report/trace_files.hpp"
#include "tests/report/timelines.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace starport {
namespace {

using test::one_chunk;
using test::read_back;

TEST(TraceFile, IsReadBack) {
  const Timeline file = one_chunk();
  EXPECT_EQ(file.name, "HomI");
  EXPECT_EQ(file.makespan_s, 19);
  EXPECT_EQ(file.bound_s, 12);
  ASSERT_EQ(file.groups.size(), 2U);
  EXPECT_EQ(file.groups[0].name, "port");
  EXPECT_EQ(file.groups[0].wait_label, "port waits");
  EXPECT_FALSE(file.groups[0].worker);
  EXPECT_EQ(file.groups[1].name, "P1");
  EXPECT_EQ(file.groups[1].worker, 1);
  EXPECT_EQ(file.groups[1].memory_blocks, 5);
  ASSERT_EQ(file.slices.size(), 8U);
  const Slice& update = file.slices[6];
  EXPECT_EQ(file.kind_of(update).role, SliceRole::compute);
  EXPECT_EQ(update.start_s, 13);
  EXPECT_EQ(file.lanes[update.lane].name, "computation");
  EXPECT_FALSE(update.other_lane);
  const Slice& home = file.slices[7];
  EXPECT_EQ(file.kind_of(home).name, "C returned");
  EXPECT_EQ(file.lanes[home.other_lane.value()].name, "master's port");
  EXPECT_EQ(home.held.value().blocks, 0);
}

TEST(TraceFile, LostWorkIsReadBackAsTheWorkItWas) {
  Timeline run = test::two_gpus();
  run.kinds[1] = {"task lost", "task", SliceRole::lost, TransferDirection::none, {}};
  std::string csv;
  TraceExporter exporter(TraceFormat::csv, [&](std::string_view piece) { csv += piece; });
  exporter.add(run);
  exporter.finish();
  EXPECT_NE(csv.find(",lost task,"), std::string::npos) << csv;
  const Timeline file = read_back(csv);
  const SliceKind& lost = file.kind_of(file.slices.at(1));
  EXPECT_EQ(lost.what, "task");
  EXPECT_EQ(lost.role, SliceRole::lost);
}

TEST(TraceFile, OneOfSeveralHeuristics) {
  const Platform platform = test::star({{1, 5, 5, 0}});
  const Problem problem{1, 1, 1, 1};
  const Trace trace = test::by_recurrence("ODDOML", platform, problem);
  std::string both = test::trace_csv("a, \"1\"", platform, problem, trace, std::nullopt);
  const std::string second = test::trace_csv("b", platform, problem, trace, std::nullopt);
  both += second.substr(second.find('\n') + 1);
  EXPECT_EQ(read_back(both, "b").slices.size(), trace.size() + 1);
  EXPECT_FALSE(read_back(both, "b").bound_s);
  const auto message = [&](const std::optional<std::string>& name) {
    const test::TemporaryFile file(both, ".csv");
    try {
      read_trace(file.path(), name);
      return std::string("accepted");
    } catch (const InputError& error) {
      return std::string(error.what()).substr(file.path().size());
    }
  };
  EXPECT_EQ(
      message(std::nullopt),
      ": --heuristics: the trace has several runs, and none is chosen. Choose from a, \"1\", b");
  EXPECT_EQ(message("c"), ": --heuristics: expected one of the trace's: a, \"1\", b, found 'c'");
}

TEST(TraceFile, Faults) {
  const std::string header =
      "heuristic,kind,worker,direction,start_s,end_s,held_blocks,m_blocks,bound_s,port,makespan_s,"
      "group,lane,other_group,other_lane,waits,slice,role,held_from\n";
  // A row of P1, up to its m_blocks, and its end.
  const auto row = [](const std::string& begin, const std::string& slice = "C sent,send_c,start") {
    return begin + ",12,one-port,9,P1,link,port,its port,," + slice + "\n";
  };
  const std::string first = row("H,transfer,1,to_worker,0,1,1,5");
  const std::string hint = " (starport run ... --trace FILE.csv writes traces)";
  const std::vector<std::pair<std::string, std::string>> faults{
      {"", "expected a trace, found an empty file" + hint},
      {header, "expected a trace, found no row after the header" + hint},
      {"platform,r,s,t,heuristic\nx,1,1,1,Het\n",
       "line 1: expected a trace with a column kind, found no such column" + hint},
      {header + "H,transfer,1,to_worker\n",
       "line 2: expected 19 fields, as in the header, found 4"},
      {header + first + row("H,transfer,1,up,1,2,1,5"),
       "line 3: expected direction to be to_worker, to_master or empty, found 'up'"},
      {header + first + row("H,transfer,0,to_worker,1,2,1,5"),
       "line 3: expected worker to be a worker's number, found '0'"},
      {header + first + row("H,transfer,99999999999999999999,to_worker,1,2,1,5"),
       "line 3: expected worker to be a worker's number, found '99999999999999999999'"},
      {header + first + row("H,transfer,1,to_worker,1,2,-1,5"),
       "line 3: expected held_blocks to be a number of blocks, found '-1'"},
      {header + first + row("H,transfer,1,to_worker,soon,2,1,5"),
       "line 3: expected start_s to be a date in seconds, found 'soon'"},
      {header + first + row("H,transfer,1,to_worker,1,inf,1,5"),
       "line 3: expected end_s to be a date in seconds, found 'inf'"},
      {header + first + row("H,transfer,1,to_worker,2,1,1,5"),
       "line 3: expected end_s to be no earlier than start_s, found '1'"},
      {header + first +
           "H,transfer,2,to_worker,0.5,2,1,5,12,one-port,9,P2,link,port,its port,,C "
           "sent,send_c,start\n",
       "line 3: expected start_s to be 1 or later, the end of the slice before in the lane its "
       "port, found '0.5'"},
      {header + first + row("H,transfer,1,to_worker,0.5,2,1,5"),
       "line 3: expected start_s to be 1 or later, the end of the slice before in the lane link, "
       "found '0.5'"},
      {header + row("H,transfer,1,to_worker,0,1,0,0"),
       "line 2: expected m_blocks to be a number of blocks, 1 or more, found '0'"},
      {header + first + row("H,transfer,1,to_worker,1,2,1,6"),
       "line 3: expected m_blocks to be 5, as in the rows of P1 above, found '6'"},
      {header + first + row("H,transfer,1,to_worker,1,2,6,5"),
       "line 3: expected held_blocks to be at most m_blocks, 5, found '6'"},
      {header + row("H,transfer,1,to_worker,0,1,1,5", "C sent,send_c,soon"),
       "line 2: expected held_from to be start, end or empty, found 'soon'"},
      {header + row("H,transfer,1,to_worker,0,1,1,5", "C sent,blue,start"),
       "line 2: expected role to be one of send_c, send_operands, send_all, return_c, compute, "
       "reduce, steal, lost, wait, remove, found 'blue'"},
      {header + row("H,transfer,1,to_worker,0,1,1,5", ",send_c,start"),
       "line 2: expected slice to be what legends call it, found ''"},
      {header + row("H,,1,to_worker,0,1,1,5"),
       "line 2: expected kind to be a kind of slice, found ''"},
      {header + "H,transfer,1,,0,1,1,5,12,one-port,9,,link,,,,C,send_c,start\n",
       "line 2: expected group to be the name of a group, found ''"},
      {header + "H,transfer,1,,0,1,1,5,12,one-port,9,P1,,,,,C,send_c,start\n",
       "line 2: expected lane to be a lane, found ''"},
      {header + "H,transfer,1,,0,1,1,5,12,one-port,9,P1,link,port,,,C,send_c,start\n",
       "line 2: expected other_lane to be a lane, found ''"},
      {header + "H,transfer,1,,0,1,1,5,12,one-port,0,P1,link,,,,C,send_c,start\n",
       "line 2: expected makespan_s to be later than 0, found '0'"},
      {header + "H,transfer,1,,0,1,1,5,never,one-port,9,P1,link,,,,C,send_c,start\n",
       "line 2: expected bound_s to be a date in seconds, found 'never'"},
  };
  for (const auto& [text, message] : faults) {
    const test::TemporaryFile file(text, ".csv");
    try {
      read_trace(file.path(), std::nullopt);
      ADD_FAILURE() << "accepted: " << message;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), file.path() + ": " + message);
    }
  }
}

TEST(TimeWindow, Faults) {
  const auto message = [](const std::optional<std::string>& from,
                          const std::optional<std::string>& to) {
    try {
      time_window(from, to, 100);
      return std::string("accepted");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(message(std::nullopt, std::nullopt), "accepted");
  EXPECT_EQ(message("10", "1e3"), "accepted");
  EXPECT_EQ(message("100", "200"),
            "--from: expected a date before the end of the trace, 100 s, found 100");
  EXPECT_EQ(message("20", "10"), "--to: expected a date after --from, 20 s, found 10");
  EXPECT_EQ(message("20", "20"), "--to: expected a date after --from, 20 s, found 20");
  EXPECT_EQ(message("-1", std::nullopt),
            "--from: expected a date in seconds, 0 or greater, found '-1'");
  EXPECT_EQ(message(std::nullopt, "10s"),
            "--to: expected a date in seconds, 0 or greater, found '10s'");
  EXPECT_EQ(message(std::nullopt, "nan"),
            "--to: expected a date in seconds, 0 or greater, found 'nan'");
  EXPECT_EQ(message("20", "20.00000000001"),
            "--to: expected at least 1e-07 s after --from, found 1e-11 s");
}

}  // namespace
}  // namespace starport
