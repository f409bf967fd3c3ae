// Figures of traces: Gantt charts and memory use.
#include "sim/report/plots/gantt.hpp"
#include "sim/report/plots/memory_plot.hpp"
#include "sim/report/plots/plot_kinds.hpp"
#include "sim/report/plots/trace_view.hpp"
#include "sim/report/trace_files.hpp"
#include "tests/paths.hpp"
#include "tests/report/timelines.hpp"
#include "tests/support.hpp"

#include <boost/algorithm/string.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace starport {
namespace {

using test::one_chunk;
using test::read_back;

Timeline late_c() {
  const Schedule schedule = load_schedule(STARPORT_SOURCE_DIR "/tests/fixtures/late-c.json");
  const Trace trace = replay(schedule.platform, schedule.problem, schedule.transfers);
  return read_back(test::trace_csv("late", schedule.platform, schedule.problem, trace));
}

std::string shown(const DrawnLane& lane) {
  std::string text;
  for (const auto& [start_s, end_s, role] : lane.boxes) {
    text += fmt::format("{} {:.10g}-{:.10g}; ", role ? to_string(*role) : "idle", start_s, end_s);
  }
  for (const double date_s : lane.seams_s) text += fmt::format("| {:.10g} ", date_s);
  return text;
}

TEST(Gantt, LanesOfOneChunk) {
  const auto groups = gantt_lanes(one_chunk(), {.from_s = 0, .to_s = 19}, 1e-3);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(shown(groups[0].at(0).drawn),
            "send_c 0-1; send_operands 1-5; wait 5-8; send_operands 8-10; wait 10-18; "
            "return_c 18-19; | 3 ");
  ASSERT_EQ(groups[1].size(), 2U);
  EXPECT_EQ(shown(groups[1][0].drawn),
            "send_c 0-1; send_operands 1-5; idle 5-8; send_operands 8-10; idle 10-18; "
            "return_c 18-19; | 3 ");
  EXPECT_EQ(shown(groups[1][1].drawn), "idle 0-3; compute 3-18; idle 18-19; | 8 | 13 ");
}

TEST(Gantt, WindowCutsSlices) {
  const auto groups = gantt_lanes(one_chunk(), {.from_s = 4, .to_s = 12.5}, 1e-3);
  EXPECT_EQ(shown(groups[0].at(0).drawn),
            "send_operands 4-5; wait 5-8; send_operands 8-10; wait 10-12.5; ");
  EXPECT_EQ(shown(groups[1].at(1).drawn), "compute 4-12.5; | 8 ");
}

// late-c.json, its fourth transfer: 2 B and 2 C, 8-12.
TEST(Gantt, ATransferOfCAndB) {
  const auto groups = gantt_lanes(late_c(), {.from_s = 8, .to_s = 12}, 1e-3);
  EXPECT_EQ(shown(groups[1].at(0).drawn), "send_all 8-12; ");
}

// A fifth of the first four columns is C. Behind its share it is by 0.2, 0.4, then 0.6 against idle
// time's 0.4, which makes the third column C's, and leaves it 0.4 ahead.
TEST(Gantt, ThinSlicesTakeTheirShareOfColumns) {
  const std::vector<Span> slices{
      {0, 0.2, SliceRole::send_c}, {1.5, 1.7, SliceRole::send_c},  {2.25, 2.45, SliceRole::send_c},
      {3, 3.2, SliceRole::send_c}, {5, 11.5, SliceRole::return_c},
  };
  EXPECT_EQ(shown(draw_in_columns(slices, {0, 20}, 1)),
            "idle 0-2; send_c 2-3; idle 3-5; return_c 5-11.5; idle 11.5-20; ");
}

TEST(Gantt, EachRoleHasItsArea) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    test::Random random(seed);
    std::vector<Span> slices;
    double date_s = 0;
    const double scale_s = std::pow(10, random.real(-3, 1));
    for (int i = 0; i < 300; ++i) {
      if (random.integer(0, 2) > 0) date_s += scale_s * std::pow(10, random.real(-2, 1));
      const double end_s = date_s + scale_s * std::pow(10, random.real(-2, 1));
      slices.push_back({date_s, end_s, static_cast<SliceRole>(random.integer(0, 2))});
      date_s = end_s;
    }
    const TimeWindow window{date_s * random.real(0, 0.5), date_s * random.real(0.6, 1)};
    for (const int columns : {1, 50, 400, 5000}) {
      const double column_s = window.length_s() / columns;
      const DrawnLane lane = draw_in_columns(slices, window, column_s);
      std::array<double, 4> drawn_s{};
      std::array<double, 4> spent_s{};
      double free_s = window.from_s;
      for (const GanttBox& box : lane.boxes) {
        EXPECT_EQ(box.start_s, free_s);
        EXPECT_GT(box.end_s, box.start_s);
        free_s = box.end_s;
        drawn_s[box.role ? static_cast<std::size_t>(*box.role) : 3] += box.end_s - box.start_s;
      }
      EXPECT_EQ(free_s, window.to_s);
      spent_s[3] = window.length_s();
      for (const Span& slice : slices) {
        const double time_s = std::max(
            0.0, std::min(slice.end_s, window.to_s) - std::max(slice.start_s, window.from_s));
        spent_s[static_cast<std::size_t>(slice.role)] += time_s;
        spent_s[3] -= time_s;
      }
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(drawn_s[i], spent_s[i], 3 * column_s) << seed << " " << columns;
      }
    }
  }
}

std::string shown(const std::vector<MemoryPiece>& pieces) {
  std::string text;
  for (const auto& [start_s, least, most] : pieces) {
    text += fmt::format("{}:{}", start_s, least);
    text += least == most ? " " : fmt::format("-{} ", most);
  }
  return text;
}

// memory_use_test derives them. At 8 the second update's end and the fourth transfer coincide.
TEST(MemoryStrips, OfLateC) {
  const auto strips = memory_strips(late_c(), {0, 18}, 1e-3);
  ASSERT_EQ(strips.size(), 1U);
  EXPECT_EQ(strips[0].m_blocks, 12);
  EXPECT_EQ(shown(strips[0].pieces), "0:5 3:8 5:7 6:9 8:12 9:10 14:8 16:2 ");
}

TEST(MemoryStrips, WithinAWindow) {
  const auto strips = memory_strips(late_c(), {9.5, 17}, 1e-3);
  EXPECT_EQ(shown(strips[0].pieces), "9.5:10 14:8 16:2 ");
}

// At a resolution of 2.5 s, 0-3 stays alone; 3-5 and 5-6 are joined to 3 s; so are 6-8 and 8-9.
TEST(MemoryStrips, ShortStepsAreDrawnTogether) {
  const auto strips = memory_strips(late_c(), {0, 18}, 2.5);
  EXPECT_EQ(shown(strips[0].pieces), "0:5 3:7-8 6:9-12 9:10 14:2-8 ");
}

TEST(MemoryStrips, NoPeakIsLost) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto [platform, problem] = test::random_instance(seed);
    const Trace trace = test::by_recurrence("ODDOML", platform, problem);
    const Timeline file = read_back(test::trace_csv("ODDOML", platform, problem, trace));
    for (const double columns : {3.0, 30.0, 1e6}) {
      const TimeWindow window{0, file.end_s()};
      for (const MemoryStrip& strip : memory_strips(file, window, window.length_s() / columns)) {
        std::int64_t most = 0;
        for (const Slice& slice : file.slices) {
          if (file.lanes[slice.lane].group == strip.group) {
            most = std::max(most, slice.held.value().blocks);
          }
        }
        const auto drawn = std::ranges::max_element(strip.pieces, {}, &MemoryPiece::most_blocks);
        ASSERT_NE(drawn, strip.pieces.end());
        EXPECT_EQ(drawn->most_blocks, most);
        EXPECT_LE(most, strip.m_blocks);
      }
    }
  }
}

Drawing drawing_of(const char* kind, const std::string& csv,
                   const std::map<std::string, std::string>& options) {
  const test::TemporaryFile file(csv, ".csv");
  PlotRequest request;
  request.files = {file.path()};
  request.options = options;
  return plot_kind(kind).draw(request);
}

std::string data_of(const char* kind, const std::string& csv,
                    const std::map<std::string, std::string>& options) {
  return drawing_of(kind, csv, options).data;
}

std::string late_c_csv() {
  const Schedule schedule = load_schedule(STARPORT_SOURCE_DIR "/tests/fixtures/late-c.json");
  const Trace trace = replay(schedule.platform, schedule.problem, schedule.transfers);
  return test::trace_csv("late", schedule.platform, schedule.problem, trace);
}

// The updates of late-c.json: 3-5, 6-8, 8-9, 12-16.
TEST(TraceFigures, GanttData) {
  EXPECT_EQ(data_of("gantt", late_c_csv(), {{"from", "11"}}),
            "run,group,lane,role,start_s,end_s\n"
            "late,port,master's port,send_all,11,12\n"
            "late,port,master's port,return_c,12,14\n"
            "late,port,master's port,wait,14,16\n"
            "late,port,master's port,return_c,16,18\n"
            "late,P1,link,send_all,11,12\n"
            "late,P1,link,return_c,12,14\n"
            "late,P1,link,idle,14,16\n"
            "late,P1,link,return_c,16,18\n"
            "late,P1,computation,idle,11,12\n"
            "late,P1,computation,compute,12,16\n"
            "late,P1,computation,idle,16,18\n");
  const Drawing drawing = drawing_of("gantt", late_c_csv(), {{"from", "11"}});
  EXPECT_EQ(drawing.settings["title"], "late: makespan 18 s, 1.500 times the bound");
  EXPECT_EQ(drawing.settings["marks"].dump(), R"([["bound",12.0],["makespan",18.0]])");
  EXPECT_EQ(drawing.settings["roles"]["compute"], "computation");
}

// 10 blocks of 12 until 14, 8 until 16, 2 until 18; then nothing.
TEST(TraceFigures, MemoryData) {
  EXPECT_EQ(data_of("memory", late_c_csv(), {{"from", "13"}, {"to", "20"}}),
            "group,m_blocks,start_s,least_blocks,most_blocks\n"
            "P1,12,13,10,10\nP1,12,14,8,8\nP1,12,16,2,2\nP1,12,18,0,0\n");
}

TEST(TraceFigures, OfAnyModel) {
  std::string csv;
  TraceExporter exporter(TraceFormat::csv, [&](std::string_view piece) { csv += piece; });
  exporter.add(test::two_gpus());
  exporter.finish();
  std::string data = data_of("gantt", csv, {});
  boost::erase_all(data, "\"a \"\"made up\"\", one\",");
  boost::erase_first(data, "run,");
  EXPECT_EQ(data,
            "group,lane,role,start_s,end_s\n"
            "bus,bus,send_operands,0,2\n"
            "bus,bus,idle,2,5\n"
            "CPU,computation,compute,0,4\n"
            "CPU,computation,idle,4,5\n"
            "GPU 1,in,send_operands,0,2\n"
            "GPU 1,in,idle,2,5\n"
            "GPU 1,computation,idle,0,2\n"
            "GPU 1,computation,steal,2,3.5\n"
            "GPU 1,computation,idle,3.5,5\n"
            "GPU 1,out,idle,0,3\n"
            "GPU 1,out,send_operands,3,5\n"
            "GPU 2,in,idle,0,3\n"
            "GPU 2,in,send_operands,3,5\n");
  EXPECT_NE(data_of("memory", csv, {}).find("GPU 2,10,"), std::string::npos);
}

// Two runs of one trace file: a panel each, and no lanes after the end of the shorter run.
TEST(TraceFigures, PanelsOfSeveralHeuristics) {
  const Platform platform = test::star({{1, 5, 5, 0}});
  const auto trace_of = [&](const char* name, const Problem& problem) {
    return test::trace_csv(name, platform, problem, test::by_recurrence("HomI", platform, problem),
                           std::nullopt);
  };
  const std::string longer = trace_of("B[x=1,y=2]", {1, 1, 3, 1});
  const std::string both = trace_of("A", {1, 1, 1, 1}) + longer.substr(longer.find('\n') + 1);
  const Drawing drawing = drawing_of("gantt", both, {{"heuristics", "A,B[x=1,y=2]"}});
  EXPECT_EQ(
      drawing.settings["headings"],
      (nlohmann::json{{"A", "A: makespan 9 s"}, {"B[x=1,y=2]", "B[x=1,y=2]: makespan 19 s"}}));
  EXPECT_EQ(drawing.settings["makespans_s"], (nlohmann::json{{"A", 9}, {"B[x=1,y=2]", 19}}));
  EXPECT_EQ(drawing.settings["to_s"], 19);
  EXPECT_NE(drawing.data.find("\nA,P1,link,return_c,8,9\n"), std::string::npos) << drawing.data;
  EXPECT_NE(drawing.data.find("\n\"B[x=1,y=2]\",P1,link,"), std::string::npos) << drawing.data;
}

TEST(TraceFigures, Faults) {
  const test::TemporaryFile trace(late_c_csv(), ".csv");
  const test::TemporaryFile results("platform,heuristic,makespan_s\nx,Het,1\n", ".csv");
  const test::TemporaryFile instant(
      "heuristic,kind,worker,direction,start_s,end_s,held_blocks,m_blocks,bound_s,port,makespan_s,"
      "group,lane,other_group,other_lane,waits,slice,role,held_from\n"
      "H,update,1,,0,0,,,,one-port,9,P1,computation,,,,computation,compute,\n",
      ".csv");
  const std::vector<std::pair<std::string, std::string>> faults{
      {instant.path() + " --figure gantt",
       instant.path() + ": end_s: expected a date later than 0, found none in the trace"},
      {trace.path() + " " + trace.path() + " --figure gantt",
       "--figure gantt: expected one trace, found 2 files"},
      {results.path() + " --figure memory",
       results.path() +
           ": line 1: expected a trace with a column kind, found no such column (starport run "
           "... --trace FILE.csv writes traces)"},
      {trace.path() + " --figure memory --heuristics Het",
       trace.path() + ": --heuristics: expected one of the trace's: late, found 'Het'"},
      {trace.path() + " --figure memory --heuristics late,late",
       "--heuristics: expected one heuristic for --figure memory, found 2"},
      {trace.path() + " --figure gantt --from 18",
       "--from: expected a date before the end of the trace, 18 s, found 18"},
      {trace.path() + " --figure gantt --from 5 --to 4",
       "--to: expected a date after --from, 5 s, found 4"},
      {trace.path() + " --figure gantt --where 1",
       "--where: figures of kind gantt have no such option. starport plot --help lists the options "
       "of each kind"},
  };
  for (const auto& [arguments, message] : faults) {
    const test::Outcome outcome = test::shell("starport plot " + arguments + " -o never.svg");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err, "starport: " + message + "\n");
  }
  EXPECT_NE(test::shell("ls never.svg").status, 0);
}

}  // namespace
}  // namespace starport
