// The figures of a calibration on a machine whose speed varies, and the warnings about them.
#include "sim/mpi/calibration/calibrated_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace starport::mpi {
namespace {

using Flags = std::vector<bool>;

TEST(Calibration, LargestGroupOfSimilarSpansIsSteady) {
  EXPECT_EQ(find_steady_spans({10, 10.5, 10.9, 10.2}), Flags({true, true, true, true}));
  EXPECT_EQ(find_steady_spans({10, 13, 10.5, 12.9, 10.2}), Flags({true, false, true, false, true}));
  // Two groups of the same size: the faster one counts.
  EXPECT_EQ(find_steady_spans({13, 10, 13.1, 10.1}), Flags({false, true, false, true}));
  // A drift: no range of 10 % contains more than three values.
  EXPECT_EQ(find_steady_spans({10, 10.4, 10.9, 11.5, 12}), Flags({true, true, true, false, false}));
  EXPECT_TRUE(find_steady_spans({}).empty());
}

/// Adds a round with one chunk of 4 x 4 blocks for worker 0: C, the updates, C back. A message
/// takes a hundredth of a block update for each block. The dates of updates are empty intervals, as
/// if they had been cut because the clocks of the machines differ.
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

/// Returns the measures of eight rounds in each span, with these durations of a block update.
StarMeasures measured(const std::vector<double>& spans) {
  ChunkSeries series(1);
  double now_s = 0;
  std::int64_t updates = 0;
  for (const double update_s : spans) {
    series.start_span();
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
  const auto figures = estimate_figures(measures);
  ASSERT_EQ(figures.size(), 1U);
  // One of 57 counted updates is the first of its chunk and takes twice as long.
  EXPECT_NEAR(figures[0].update_s, 1 + 1 / 57.0, 0.005);
  EXPECT_NEAR(figures[0].link.link.bandwidth_bytes_per_s, 100 / 0.01, 1);
  EXPECT_EQ(figures[0].steadiness.spans, 16);
  EXPECT_EQ(figures[0].steadiness.steady_spans, 12);
  EXPECT_TRUE(find_unreliable_figures(figures, 2, CheckedFigures::links_and_updates).empty());
  EXPECT_EQ(
      describe_excluded_spans(figures),
      "4 of 16 time spans of P1 do not count, since its speed then differed from that of most "
      "spans (w_1 from 1 s to 1.25 s)");
  // In the first attempt, all spans have to be steady.
  const auto unreliable = find_unreliable_figures(figures, 1, CheckedFigures::links_and_updates);
  ASSERT_EQ(unreliable.size(), 1U);
  EXPECT_EQ(unreliable[0].problem,
            "w_1 changed by 25% during the measurement, between 1 s and 1.25 s");
  EXPECT_TRUE(find_unreliable_figures(estimate_figures(measured(spans(8, 0))), 1,
                                      CheckedFigures::links_and_updates)
                  .empty());
  EXPECT_EQ(describe_excluded_spans(estimate_figures(measured(spans(8, 0)))), "");
}

TEST(Calibration, WorkersThatAreMostlyUnsteadyAreUnreliable) {
  EXPECT_EQ(find_unreliable_figures(estimate_figures(measured(spans(8, 8))), 4,
                                    CheckedFigures::links_and_updates)
                .size(),
            1U);
  EXPECT_TRUE(find_unreliable_figures(estimate_figures(measured(spans(9, 7))), 4,
                                      CheckedFigures::links_and_updates)
                  .empty());
}

TEST(Calibration, WideIntervalsAreUnreliable) {
  auto measures = measured(spans(8, 0));
  for (auto& link : measures.loaded.links) {
    for (std::size_t n = 0; n < link.to_worker_s.size(); n += 4) link.to_worker_s[n] *= 3;
  }
  const auto unreliable =
      find_unreliable_figures(estimate_figures(measures), 1, CheckedFigures::links_and_updates);
  ASSERT_EQ(unreliable.size(), 1U);
  EXPECT_TRUE(unreliable[0].problem.starts_with("c_1 is known to only +-"))
      << unreliable[0].problem;
  EXPECT_EQ(unreliable[0].remedy, "Measure on an idle machine, or longer with --seconds");
  // Distributed products do not use the links under load.
  EXPECT_TRUE(
      find_unreliable_figures(estimate_figures(measures), 1, CheckedFigures::updates).empty());
}

}  // namespace
}  // namespace starport::mpi
