// The figures of a calibration on a machine whose speed varies, and how certain they are.
#include "sim/mpi/calibration/calibrated_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace starport::mpi {
namespace {

/// Adds a round with one chunk of 4 x 4 blocks for worker 0: C, the updates, C back. A message
/// takes a hundredth of a block update for each block. Updates start `delay_s` late.
void add_round(ChunkSeries& series, double& now_s, std::int64_t& updates, double update_s,
               double delay_s = 0) {
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
    dates.update_start_s = dates.update_end_s = now_s;
    if (computing_s > 0) {
      dates.update_start_s = now_s + delay_s;
      now_s = dates.update_end_s = dates.update_start_s + computing_s;
    }
    update_times_s.push_back(computing_s);
    trace.push_back({transfer, dates});
  };
  add({.c = {side, side}}, 0);
  for (int n = 0; n < kUpdatesPerChunk; ++n) {
    ++updates;
    add({.a = {side, one},
         .b = {one, side},
         .after_update = updates - 1,
         .update = {.rows = side, .columns = side, .inner = one}},
        // The first update, on blocks that have just arrived, takes twice as long.
        (n == 0 ? 2 : 1) * 16 * update_s);
  }
  add({.direction = Direction::to_master, .c = {side, side}, .after_update = updates}, 0);
  series.add(trace, times, update_times_s, true);
}

/// Returns the measures of rounds with these durations of a block update.
LinkMeasures measured(const std::vector<double>& rounds) {
  ChunkSeries series(1);
  double now_s = 0;
  std::int64_t updates = 0;
  for (const double update_s : rounds) add_round(series, now_s, updates, update_s);
  return series.measures(100);
}

TEST(Calibration, FiguresAreMeansOfAllRounds) {
  const LinkMeasures measures = measured(std::vector<double>(64, 1.0));
  const auto figures = estimate_figures(measures, CalibratedUse::star);
  ASSERT_EQ(figures.size(), 1U);
  // One of 57 counted updates is the first of its chunk and takes twice as long.
  EXPECT_NEAR(figures[0].update_s, 1 + 1 / 57.0, 0.005);
  EXPECT_NEAR(figures[0].link.bandwidth_bytes_per_s, 100 / 0.01, 1);
  std::vector<double> rounds(64, 1.0);
  std::fill(rounds.begin() + 32, rounds.end(), 1.5);
  EXPECT_NEAR(estimate_figures(measured(rounds), CalibratedUse::star)[0].update_s,
              1.25 * figures[0].update_s, 0.005);
}

// On a busy machine a worker waits for a core, which a run does as well.
TEST(Calibration, AnUpdateLastsFromWhenItCouldStart) {
  ChunkSeries series(1);
  double now_s = 0;
  std::int64_t updates = 0;
  for (int round = 0; round < 64; ++round) add_round(series, now_s, updates, 1, 8);
  EXPECT_NEAR(estimate_figures(series.measures(100), CalibratedUse::star)[0].update_s,
              1 + 1 / 57.0 + 8 / 16.0, 0.005);
}

// Schedules that use columns keep A in memory.
TEST(Calibration, AnUpdateOfAColumnCountsIfItsAHasStayed) {
  constexpr Range rows{0, 4};
  constexpr Range steps{0, kUpdatesPerChunk};
  const auto update_of = [&](const Range& inner, bool brings_a) {
    const Rectangle b{inner, {0, 1}};
    return TracedTransfer{
        .transfer = {.a = brings_a ? Rectangle{rows, inner} : Rectangle{},
                     .b = b,
                     .update = {.rows = rows, .columns = {0, 1}, .inner = inner, .release_b = b}},
        .dates = {}};
  };
  ChunkSeries series(1);
  series.add({update_of({0, 1}, true), update_of({0, 1}, false), update_of(steps, false)},
             std::vector<PortTime>(3), {4, 8, 32}, true);
  const std::vector<UpdateSample> updates = series.measures(100).updates[0];
  ASSERT_EQ(updates.size(), 2U);
  EXPECT_EQ(block_update_times_s(updates, 4), std::vector{2.0});
  EXPECT_EQ(block_update_times_s(updates, 4, kUpdatesPerChunk), std::vector{1.0});
}

// A chunk that takes long is updated a few times only.
TEST(Calibration, UpdatesOfSmallerChunksTellHowTheSpeedVaries) {
  const std::vector<UpdateSample> samples{{.rows = 1, .columns = 1, .seconds = 3},
                                          {.rows = 4, .columns = 4, .seconds = 1},
                                          {.rows = 4, .columns = 1, .seconds = 9, .inner = 8},
                                          {.rows = 1, .columns = 1, .seconds = 6},
                                          {.rows = 4, .columns = 4, .seconds = 2}};
  EXPECT_EQ(largest_update_times_s(samples), (std::vector<double>{1, 1, 2, 2}));
}

// The tallest column and the largest square by several steps at once follow the sizes by one step.
TEST(Calibration, TheFileStatesUpdatesBySeveralSteps) {
  LinkMeasures measures = measured(std::vector<double>(64, 1.0));
  measures.updates[0] = {{.rows = 1, .columns = 1, .seconds = 1},
                         {.rows = 4, .columns = 4, .seconds = 2},
                         {.rows = 3, .columns = 3, .seconds = 2.5, .inner = 3},
                         {.rows = 4, .columns = 1, .seconds = 3, .inner = 8}};
  const NodeReport node{.host = "h",
                        .processor = "p",
                        .blas = "b",
                        .memory_bytes = 24 * 100,
                        .dgemm = {{.block_size = 4, .update_s = {1}}}};
  const PlatformFile file = make_calibrated_file(
      {node}, 0, measures, estimate_figures(measures, CalibratedUse::star), {});
  const std::vector<SpeedSample>& samples = file.entries.at(0).speed_function;
  ASSERT_EQ(samples.size(), 4U);
  EXPECT_EQ(samples[2].columns, 1);
  EXPECT_EQ(samples[2].inner, 8);
  EXPECT_DOUBLE_EQ(samples[2].seconds, 4 * 8 * 3);
  EXPECT_EQ(samples[3].columns, 3);
  EXPECT_DOUBLE_EQ(samples[3].seconds, 9 * 3 * 2.5);
}

TEST(Calibration, TheLeastCertainFigureIsNamed) {
  LinkMeasures measures = measured(std::vector<double>(64, 1.0));
  EXPECT_LT(least_certain_figure(estimate_figures(measures, CalibratedUse::star)).half_width, 0.02);
  for (auto& link : measures.links) {
    for (std::size_t n = 0; n < link.to_worker_s.size() / 2; ++n) link.to_worker_s[n] *= 1.3;
  }
  const auto widest = least_certain_figure(estimate_figures(measures, CalibratedUse::star));
  EXPECT_EQ(widest.name, "c_1");
  EXPECT_GT(widest.half_width, 0.05);
}

}  // namespace
}  // namespace starport::mpi
