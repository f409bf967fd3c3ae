// What is kept of a calibration on a machine that is slow at times, and what is said of it.
#include "sim/mpi/calibration/calibration_figures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace starport::mpi {
namespace {

using Flags = std::vector<bool>;

TEST(Calibration, TheMostSpansThatAreAlikeAreSteady) {
  EXPECT_EQ(steady_spans({10, 10.5, 10.9, 10.2}), Flags({true, true, true, true}));
  EXPECT_EQ(steady_spans({10, 13, 10.5, 12.9, 10.2}), Flags({true, false, true, false, true}));
  // As many of either: the faster ones.
  EXPECT_EQ(steady_spans({13, 10, 13.1, 10.1}), Flags({false, true, false, true}));
  // A drift, of which no part of 10% has more than three.
  EXPECT_EQ(steady_spans({10, 10.4, 10.9, 11.5, 12}), Flags({true, true, true, false, false}));
  EXPECT_TRUE(steady_spans({}).empty());
}

/// A round of one chunk of 4 x 4 blocks for worker 0: C, the updates, C home. Messages of one block
/// take a hundredth of an update of one. Dates of updates are cut, as where clocks differ.
void add_round(ChunkSeries& series, double& now_s, std::int64_t& updates, double update_s) {
  constexpr Range side{0, 4};
  constexpr Range one{0, 1};
  Trace trace;
  std::vector<PortTime> times;
  std::vector<double> update_times_s;
  const auto add = [&](Transfer transfer, double computing_s) {
    const double lasts_s = update_s / 100 * static_cast<double>(transfer.blocks());
    Dates dates{.start_s = now_s, .end_s = now_s + lasts_s};
    times.push_back({.start_s = now_s, .link_s = lasts_s});
    now_s += lasts_s;
    now_s += computing_s;
    dates.update_start_s = dates.update_end_s = now_s;
    update_times_s.push_back(computing_s);
    trace.push_back({transfer, dates});
  };
  add({.c = {side, side}}, 0);
  for (int n = 0; n < kSteps; ++n) {
    ++updates;
    add({.a = {side, one},
         .b = {one, side},
         .after_update = updates - 1,
         .update = {.rows = side, .columns = side, .inner = one}},
        // The first on blocks that have just come.
        (n == 0 ? 2 : 1) * 16 * update_s);
  }
  add({.direction = Direction::to_master, .c = {side, side}, .after_update = updates}, 0);
  series.add(trace, times, update_times_s, true);
}

/// With those times of an update, span after span.
StarMeasures measured(const std::vector<double>& spans) {
  ChunkSeries series(1);
  double now_s = 0;
  std::int64_t updates = 0;
  for (const double update_s : spans) {
    series.begin_span();
    for (int round = 0; round < 8; ++round) add_round(series, now_s, updates, update_s);
  }
  return {.loaded = series.measures(100), .alone = series.measures(100)};
}

std::vector<double> spans(int fast, int slow) {
  std::vector<double> all(static_cast<std::size_t>(fast), 1.0);
  all.insert(all.begin() + fast / 2, static_cast<std::size_t>(slow), 1.25);
  return all;
}

TEST(Calibration, SlowSpansDoNotCount) {
  const StarMeasures measures = measured(spans(12, 4));
  const auto figures = figures_of(measures);
  ASSERT_EQ(figures.size(), 1U);
  // Of 64 updates one is the first of its chunk.
  EXPECT_NEAR(figures[0].update_s, 1 + 1 / 57.0, 0.005);
  EXPECT_NEAR(figures[0].link.link.bandwidth_bytes_per_s, 100 / 0.01, 1);
  EXPECT_EQ(figures[0].steadiness.spans, 16);
  EXPECT_EQ(figures[0].steadiness.steady, 12);
  EXPECT_TRUE(doubts_about(figures, 2, true).empty());
  EXPECT_EQ(left_out_text(figures),
            "P1 had another speed than most of the time in 4 of 16 parts of it, which do not count "
            "(w_1 from 1 s to 1.25 s)");
  // The first time, all have to be steady.
  const auto doubts = doubts_about(figures, 1, true);
  ASSERT_EQ(doubts.size(), 1U);
  EXPECT_EQ(doubts[0].what, "w_1 changed by 25% during the measurement, between 1 s and 1.25 s");
  EXPECT_TRUE(doubts_about(figures_of(measured(spans(8, 0))), 1, true).empty());
  EXPECT_EQ(left_out_text(figures_of(measured(spans(8, 0)))), "");
}

TEST(Calibration, WhatIsMostlyUnsteadyIsDoubted) {
  EXPECT_EQ(doubts_about(figures_of(measured(spans(8, 8))), 4, true).size(), 1U);
  EXPECT_TRUE(doubts_about(figures_of(measured(spans(9, 7))), 4, true).empty());
}

TEST(Calibration, AWideIntervalIsDoubted) {
  auto measures = measured(spans(8, 0));
  for (auto& link : measures.loaded.links) {
    for (std::size_t n = 0; n < link.to_worker_s.size(); n += 4) link.to_worker_s[n] *= 3;
  }
  const auto doubts = doubts_about(figures_of(measures), 1, true);
  ASSERT_EQ(doubts.size(), 1U);
  EXPECT_TRUE(doubts[0].what.starts_with("c_1 is known to ")) << doubts[0].what;
  EXPECT_EQ(doubts[0].remedy, "--seconds, or an idle machine");
  // Links under load are of stars.
  EXPECT_TRUE(doubts_about(figures_of(measures), 1, false).empty());
}

}  // namespace
}  // namespace starport::mpi
