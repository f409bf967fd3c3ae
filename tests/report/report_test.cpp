// Metrics and exports.
#include "sim/files/text.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/report/trace_files.hpp"
#include "sim/results/comparison.hpp"
#include "sim/results/figure.hpp"
#include "sim/star/bounds/steady_state.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/star_timeline.hpp"
#include "sim/star/validator/memory_use.hpp"
#include "tests/report/timelines.hpp"
#include "tests/star/star_support.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <sstream>

namespace starport {
namespace {

// One worker, c=1 w=5, t=3 (heuristics_test): C 0-1, AB 1-3 3-5 8-10, R 18-19; u 3-18.
TEST(Metrics, OfAHandMadeTimeline) {
  const Platform platform = test::star({{1, 5, 5, 0}, {9, 9, 5, 0}});
  const Metrics metrics = compute_metrics(platform, test::simulate("HomI", platform, {1, 1, 3, 1}));
  EXPECT_EQ(metrics.makespan_s, 19);
  EXPECT_EQ(metrics.enrolled_workers, 1);
  EXPECT_EQ(metrics.blocks_moved, 8);
  EXPECT_EQ(metrics.block_updates, 3);
  EXPECT_DOUBLE_EQ(metrics.ccr, 8.0 / 3);
  EXPECT_DOUBLE_EQ(metrics.port_utilisation, 8.0 / 19);
  EXPECT_EQ(metrics.workers[0].link_busy_s, 8);
  EXPECT_EQ(metrics.workers[0].compute_busy_s, 15);
  EXPECT_EQ(metrics.workers[1].blocks_moved, 0);
}

TEST(Comparison, RelativeFigures) {
  Comparison comparison{.instance = test::case_of(test::star({{1, 1, 5, 0}}),
                                                  {.r = 10, .s = 10, .t = 1, .block_size = 1}),
                        .noise = "",
                        .models = {&star_model()},
                        .bounds = {{{&kSteadyStateRate, 2.0}}}};
  const auto add = [&](Status status, double makespan_s, std::int64_t enrolled) {
    Record record = Record::failed("x", &star_model(), status, "");
    record.figures = {
        {&kMakespan, makespan_s}, {&kEnrolledWorkers, enrolled}, {&kCStationary, std::int64_t{0}}};
    comparison.records.push_back(record);
  };
  add(Status::ok, 100, 4);  // work 400
  add(Status::ok, 150, 1);  // work 150
  add(Status::error, 1, 1);
  compute_relative_figures(comparison);
  const auto figure = [&](std::size_t record, const Figure& which) {
    return comparison.records[record].figures.real(which);
  };
  EXPECT_DOUBLE_EQ(figure(0, kRelativeCost), 1);
  EXPECT_DOUBLE_EQ(figure(1, kRelativeCost), 1.5);
  EXPECT_DOUBLE_EQ(figure(0, kRelativeWork), 400.0 / 150);
  EXPECT_DOUBLE_EQ(figure(1, kRelativeWork), 1);
  EXPECT_DOUBLE_EQ(figure(0, kBoundRatio), 2);                       // 2 / (100 updates / 100 s)
  EXPECT_TRUE(is_none(comparison.records[0].figures[kTimesBound]));  // no such bound
  EXPECT_TRUE(is_none(comparison.records[2].figures[kRelativeCost]));
}

void add_run(TraceExporter& exporter, const std::string& heuristic, const Platform& platform,
             const Problem& problem, const Trace& trace, std::optional<double> bound_s) {
  const auto held = compute_held_blocks(platform, problem, trace);
  exporter.add(star_timeline({.heuristic = heuristic,
                              .platform = platform,
                              .trace = trace,
                              .held = held,
                              .bound_s = bound_s}));
}

std::string exported(TraceFormat format, const Platform& platform, std::optional<double> bound_s) {
  std::string text;
  TraceExporter exporter(format, [&](std::string_view piece) { text += piece; });
  const Problem problem{1, 1, 1, 1};
  add_run(exporter, "DDOML", platform, problem, test::simulate("DDOML", platform, problem),
          bound_s);
  exporter.finish();
  return text;
}

// In 5 blocks mu = 1 and rho = min(1/5, 1/2): one update takes 5 s at that rate.
TEST(TraceExport, Csv) {
  EXPECT_EQ(exported(TraceFormat::csv, test::star({{1, 5, 5, 0}}), 5),
            "heuristic,kind,worker,direction,a_blocks,b_blocks,c_blocks,block_updates,"
            "released_blocks,start_s,end_s,held_blocks,m_blocks,bound_s,port,makespan_s,group,"
            "lane,other_group,other_lane,waits,slice,role,held_from,label,details\r\n"
            "DDOML,transfer,1,to_worker,0,0,1,,,0,1,1,5,5,one-port,9,P1,link,port,master's port,"
            "port waits,C sent,send_c,start,C,\"C rows 1, columns 1\"\r\n"
            "DDOML,transfer,1,to_worker,1,1,0,,,1,3,3,5,5,one-port,9,P1,link,port,master's port,"
            "port waits,\"A, B sent\",send_operands,start,A+B,"
            "\"A rows 1, k 1; B k 1, columns 1; allows update 1\"\r\n"
            "DDOML,update,1,,,,,1,2,3,8,1,5,5,one-port,9,P1,computation,,,,computation,compute,end,"
            "update,\"update 1; work rows 1, columns 1, k 1; released blocks 2\"\r\n"
            "DDOML,transfer,1,to_master,0,0,1,,,8,9,0,5,5,one-port,9,P1,link,port,master's port,"
            "port waits,C returned,return_c,end,C,\"C rows 1, columns 1; after update 1\"\r\n");
}

// 3 blocks are enough without overlap, too few for the bound's chunks.
TEST(TraceExport, CsvWhereThereIsNoBound) {
  const std::string text = exported(TraceFormat::csv, test::star({{1, 5, 3, 0}}), std::nullopt);
  EXPECT_NE(text.find("DDOML,transfer,1,to_master,0,0,1,,,8,9,0,3,,one-port,"), std::string::npos)
      << text;
}

TEST(TraceExport, ChromeOfAnyModel) {
  std::string text;
  TraceExporter exporter(TraceFormat::chrome, [&](std::string_view piece) { text += piece; });
  exporter.add(test::two_gpus());
  exporter.finish();
  std::map<int, std::string> tracks;
  std::vector<std::string> slices;
  const auto document = test::json_of(text);
  for (const auto& event : document.at("traceEvents")) {
    const int track = event.at("tid");
    if (event.at("ph") == "M") tracks[track] = event.at("args").at("name");
    if (event.at("ph") != "X") continue;
    slices.push_back(event.at("name").get<std::string>() + " on " + tracks.at(track));
  }
  EXPECT_EQ(slices,
            (std::vector<std::string>{"A(1,2) to GPU 1 on bus", "A(1,2) on GPU 1 in",
                                      "gemm on CPU computation", "gemm on GPU 1 computation",
                                      "A(1,2) to GPU 2 on GPU 1 out", "A(1,2) on GPU 2 in"}));
}

// At every time scale, from picoseconds to centuries a block.
TEST(TraceExport, ChromeSlicesDoNotOverlapOnATrack) {
  for (const double scale_s : {1e-12, 1e-4 / 3, 1.0, 1e9}) {
    std::string text;
    TraceExporter exporter(TraceFormat::chrome, [&](std::string_view piece) { text += piece; });
    double busy_s = 0;
    for (const std::uint64_t seed : {3U, 5U}) {
      const auto [platform, problem] = test::random_instance(seed, scale_s);
      const Trace trace = test::by_recurrence("ODDOML", platform, problem);
      for (const TracedTransfer& event : trace) busy_s += event.dates.end_s - event.dates.start_s;
      add_run(exporter, "ODDOML \"" + std::to_string(seed) + "\"", platform, problem, trace, 5);
    }
    exporter.finish();
    const auto document = test::json_of(text);
    std::map<std::pair<int, int>, double> track_end;
    double port_busy_us = 0;
    for (const auto& event : document.at("traceEvents")) {
      if (event.at("ph") != "X") continue;
      auto& end = track_end[{event.at("pid").get<int>(), event.at("tid").get<int>()}];
      const auto start = event.at("ts").get<double>();
      const auto duration = event.at("dur").get<double>();
      EXPECT_GE(start, end * (1 - 1e-15));
      end = start + duration;
      if (event.at("tid") == 1) port_busy_us += duration;
    }
    EXPECT_NEAR(port_busy_us, busy_s * 1e6, busy_s);
    EXPECT_GT(track_end.size(), 4U);
  }
}

TEST(Text, CsvFields) {
  EXPECT_EQ(quote_csv_field("plain"), "plain");
  EXPECT_EQ(quote_csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(quote_csv_field("say \"x\""), "\"say \"\"x\"\"\"");
}

TEST(Text, Columns) { EXPECT_EQ(align({{"a", "bb"}, {"ccc", "d"}}, 1), " a    bb\n ccc   d\n"); }

TEST(Comparison, OneHeuristicUnderNoiseHasNoDifferences) {
  const std::string run =
      "starport run platforms/first-try.json --problem 800 --engine analytic --noise cv=5% "
      "--repetitions 3 --heuristics ";
  EXPECT_EQ(test::shell(run + "Het").out.find("differences"), std::string::npos);
  EXPECT_NE(test::shell(run + "Het,BMM").out.find("differences"), std::string::npos);
}

}  // namespace
}  // namespace starport
