// Timelines of each heuristic, derived by hand from the rules of the model. Notation: "C 0-1" a
// SendC from date 0 to 1, "AB1" the worker's first SendAB, "u" its update, "R" a RecvC.
#include "heuristics/star/het.hpp"
#include "heuristics/star/homogeneous.hpp"
#include "heuristics/star/registry.hpp"
#include "sim/files/error.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

namespace starport {
namespace {

using test::makespan;
using test::simulate;
using test::star;

/// Start dates of the transfers, in the order of the port, and their workers (from 1).
std::vector<double> starts(const Trace& trace) {
  std::vector<double> dates;
  for (const TracedTransfer& event : trace) dates.push_back(event.dates.start_s);
  return dates;
}
std::vector<int> workers(const Trace& trace) {
  std::vector<int> numbers;
  for (const TracedTransfer& event : trace) numbers.push_back(event.transfer.worker + 1);
  return numbers;
}

// One worker, c=1 w=5, one block of C, three steps; mu = 1 in 5 blocks.
//   C 0-1   AB1 1-3 u 3-8   AB2 3-5 u 8-13   AB3 waits for u1: 8-10 u 13-18   R 18-19
std::string star_names() {
  std::string names;
  for (const HeuristicEntry& entry : heuristic_registry()) {
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  return names;
}

TEST(Timeline, OverlappedLayoutOnOneWorker) {
  const Platform platform = star({{1, 5, 5, 0}});
  const Problem problem{1, 1, 3, 1};
  for (const char* name : {"Het", "Hom", "HomI", "ORROML", "OMMOML", "ODDOML", "HoLM", "OBMM"}) {
    EXPECT_EQ(starts(simulate(name, platform, problem)), (std::vector<double>{0, 1, 3, 8, 18}))
        << name;
    EXPECT_EQ(makespan(simulate(name, platform, problem)), 19) << name;
  }
}

// The same without spare buffers: each AB waits for the update before it.
//   C 0-1   AB1 1-3 u 3-8   AB2 8-10 u 10-15   AB3 15-17 u 17-22   R 22-23
TEST(Timeline, LayoutWithoutOverlapOnOneWorker) {
  for (const char* name : {"DDOML", "BMM"}) {
    EXPECT_EQ(starts(simulate(name, star({{1, 5, 3, 0}}), {1, 1, 3, 1})),
              (std::vector<double>{0, 1, 8, 15, 22}))
        << name;
  }
}

// BMM, sigma = 2 in 12 blocks, r = s = 2, t = 3: steps of depth 2 and 1, w = 5.
//   C 4 blocks 0-4   AB1 8 blocks 4-12 u 8 updates 12-52   AB2 4 blocks 52-56 u 56-76   R 76-80
TEST(Timeline, ToledoStepsAreDeepAndTheLastShallower) {
  EXPECT_EQ(starts(simulate("BMM", star({{1, 5, 12, 0}}), {2, 2, 3, 1})),
            (std::vector<double>{0, 4, 52, 76}));
}

// OBMM, sigma = 1 in 5 blocks, is ODDOML with mu = 1; with sigma = 2 in 20 blocks, t = 4, w = 5:
//   C 0-4   AB1 8 blocks 4-12 u 12-52   AB2 12-20 u 52-92   R 92-96
TEST(Timeline, OverlappedToledo) {
  EXPECT_EQ(starts(simulate("OBMM", star({{1, 5, 20, 0}}), {2, 2, 4, 1})),
            (std::vector<double>{0, 4, 12, 92}));
}

// A fast and a slow worker (w = 1 and 10), c = 1, mu = 1; r = 1, s = 3, t = 2.
const Platform kFastAndSlow = star({{1, 1, 5, 0}, {1, 10, 5, 0}});
const Problem kThreeColumns{1, 3, 2, 1};

// P1: C 0-1. P2: C 1-2. P1: AB1 2-4 u 4-5. P2: AB1 4-6 u 6-16. P1: AB2 6-8 u 8-9.
// P2: AB2 8-10 u 16-26. P1: R 10-11. P2: R waits for its update, 26-27, and holds the port.
// P1: its second panel, C 27-28, AB1 28-30, AB2 30-32 u 32-33, R 33-34.
TEST(Timeline, RoundRobinIsHeldByTheSlowest) {
  const Trace trace = simulate("ORROML", kFastAndSlow, kThreeColumns);
  EXPECT_EQ(starts(trace), (std::vector<double>{0, 1, 2, 4, 6, 8, 10, 26, 27, 28, 30, 33}));
  EXPECT_EQ(workers(trace), (std::vector<int>{1, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1, 1}));
  EXPECT_EQ(makespan(trace), 34);
}

// Requests: P1 C@0, P2 C@0: P1 C 0-1, P2 C 1-2. P1 AB1@1, P2 AB1@2: P1 2-4 u 4-5; P1 AB2@4.
// P2 4-6 u 6-16; P2 AB2@6. P1 AB2 6-8 u 8-9; P1 R@9. P2 AB2 8-10 u 16-26; P2 R@26.
// P1 R 10-11; P1 takes the third column, C@11: 11-12, AB1 12-14 u 14-15, AB2 14-16 u 16-17,
// R@17 17-18. P2 R 26-27.
TEST(Timeline, DemandDrivenServesTheEarliestRequest) {
  const Trace trace = simulate("ODDOML", kFastAndSlow, kThreeColumns);
  EXPECT_EQ(starts(trace), (std::vector<double>{0, 1, 2, 4, 6, 8, 10, 11, 12, 14, 17, 26}));
  EXPECT_EQ(workers(trace), (std::vector<int>{1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2}));
  EXPECT_EQ(makespan(trace), 27);
}

// Hom: one memory size, so c = 1 and w = 10: P = min(2, ceil(1*10/2)) = 2 and Algorithm 1 runs
// the first round on both, the third column on P1 alone, as the round-robin above.
TEST(Timeline, HomTakesTheWorstOfTheEligible) {
  EXPECT_EQ(makespan(simulate("Hom", kFastAndSlow, kThreeColumns)), 34);
}

// HomI: with W = 1 only P1 is eligible, P = 1: three chunks of
//   C 0-1   AB1 1-3 u 3-4   AB2 3-5 u 5-6   R 6-7
// one after the other: 21. With W = 10 the estimate is 51.
TEST(Timeline, HomImprovedPicksTheFastWorkerAlone) {
  const Trace trace = simulate("HomI", kFastAndSlow, kThreeColumns);
  EXPECT_EQ(makespan(trace), 21);
  EXPECT_EQ(workers(trace), std::vector<int>(12, 1));
}

// OMMOML: P1 would finish a step at T + 2 + 1, P2 at T + 2 + 10: always P1.
TEST(Timeline, MinMinPicksTheFastWorkerAlone) {
  const Trace trace = simulate("OMMOML", kFastAndSlow, kThreeColumns);
  EXPECT_EQ(makespan(trace), 21);
  EXPECT_EQ(workers(trace), std::vector<int>(12, 1));
}

// Het: P1 is always ready again when its next step has been received (ready = T + 1 < T + 2), so
// the ratios tie at best and P1, of smallest index, is chosen at every step by every selection.
TEST(Timeline, HetPicksTheFastWorkerAloneAndTheFirstSelection) {
  const auto heuristics = parse_heuristics("Het");
  const Plan plan = heuristics[0].heuristic->plan(kFastAndSlow, kThreeColumns);
  EXPECT_EQ(plan.details.at(0).second, "ratio=global,look_ahead=no,count_c=no");
  EXPECT_EQ(makespan(simulate("Het", kFastAndSlow, kThreeColumns)), 21);
}

// HoLM: mu w / (2c) = 2 of three workers. w = 4, r = 1, s = 2, t = 2:
//   P1: C 0-1   P2: C 1-2   P1: AB1 2-4 u 4-8   P2: AB1 4-6 u 6-10
//   P1: AB2 6-8 u 8-12   P2: AB2 8-10 u 10-14   P1: R 12-13   P2: R 14-15
TEST(Timeline, HomogeneousMasterEnrolsTwo) {
  const Platform platform = star({{1, 4, 5, 0}, {1, 4, 5, 0}, {1, 4, 5, 0}});
  const Trace trace = simulate("HoLM", platform, {1, 2, 2, 1});
  EXPECT_EQ(starts(trace), (std::vector<double>{0, 1, 2, 4, 6, 8, 12, 14}));
  EXPECT_EQ(workers(trace), (std::vector<int>{1, 2, 1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(workers(simulate("HoLM[workers=1]", platform, {1, 2, 2, 1})), std::vector<int>(8, 1));
}

// The order P1 P1 P2 P1 P2 P1..., as PPoPP'08 wants it: look at Het's plan where the second worker
// pays. c = 1, w = 4 for both, mu = 1, r = 1, s = 2, t = 1 (a panel is one step).
// global/next: P1 (1/2, T=2, ready 6); then P1 has end 6: 2/6, P2 has end 4: 2/4: P2. Two panels.
//   P1: C 0-1   AB1 1-3 u 3-7   P2: C 3-4   AB1 4-6 u 6-10   R P1 7-8   R P2 10-11
TEST(Timeline, HetEnrolsTheSecondWorkerWhenTheFirstIsBusy) {
  const Trace trace = simulate("Het[ratio=global,look_ahead=no,count_c=no]",
                               star({{1, 4, 5, 0}, {1, 4, 5, 0}}), {1, 2, 1, 1});
  EXPECT_EQ(starts(trace), (std::vector<double>{0, 1, 3, 4, 7, 10}));
  EXPECT_EQ(workers(trace), (std::vector<int>{1, 1, 2, 2, 1, 2}));
}

TEST(Homogeneous, SaturatingWorkers) {
  EXPECT_EQ(saturating_workers(4, 2, 4.5, 100), 5);  // the papers' example
  EXPECT_EQ(saturating_workers(4, 2, 4.5, 3), 3);    // no more than there are
  EXPECT_EQ(saturating_workers(4, 2, 4.0, 100), 4);  // an exact quotient
  EXPECT_EQ(saturating_workers(1, 100, 0.1, 8), 1);  // at least one
  EXPECT_EQ(saturating_workers(3, 0.1, 0.2, 8), 3);  // 3.0000000000000004 is 3
  EXPECT_EQ(saturating_workers(1'000'000, 1e-90, 1e90, 7), 7);
}

TEST(Homogeneous, HoLMDoesNotApplyWhereWorkersDiffer) {
  EXPECT_THROW(simulate("HoLM", kFastAndSlow, kThreeColumns), NotApplicable);
}

TEST(Variants, NamesInTheOrderOfTies) {
  EXPECT_EQ(kVariants[0].name(), "ratio=global,look_ahead=no,count_c=no");
  EXPECT_EQ(kVariants[1].name(), "ratio=global,look_ahead=no,count_c=yes");
  EXPECT_EQ(kVariants[2].name(), "ratio=global,look_ahead=yes,count_c=no");
  EXPECT_EQ(kVariants[7].name(), "ratio=local,look_ahead=yes,count_c=yes");
}

// A worker without memory for one chunk is left out; if all are, the error says what is needed.
TEST(Memory, UnusableWorkersAreLeftOut) {
  const Platform platform = star({{1, 1, 4, 0}, {2, 2, 5, 0}});
  for (const char* name : {"Het", "Hom", "HomI", "ORROML", "OMMOML", "ODDOML"}) {
    for (const int worker : workers(simulate(name, platform, {2, 2, 2, 1}))) {
      EXPECT_EQ(worker, 2) << name;
    }
  }
  try {
    parse_heuristics("Het").at(0).heuristic->plan(star({{1, 1, 4, 0}, {1, 1, 3, 0}}),
                                                  {2, 2, 2, 10});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "/workers: expected a worker with memory for at least 5 blocks of 800 bytes "
                 "(optimized, overlapped layout), found at most 4");
  }
}

TEST(HeuristicList, NamesAndParameters) {
  const auto names = [](const char* text) {
    std::vector<std::string> list;
    for (const NamedHeuristic& heuristic : parse_heuristics(text)) list.push_back(heuristic.name);
    return list;
  };
  EXPECT_EQ(names("all"),
            (std::vector<std::string>{"Het", "Hom", "HomI", "ORROML", "OMMOML", "ODDOML", "BMM"}));
  EXPECT_EQ(names("ppopp08"), names("all"));
  EXPECT_EQ(names("ipdps07,Polaris"),
            (std::vector<std::string>{"ORROML", "OMMOML", "ODDOML", "BMM", "HoLM", "DDOML", "OBMM",
                                      "Polaris"}));
  EXPECT_EQ(names("Het,all").size(), 7U);
  EXPECT_EQ(names("all+").size(), heuristic_registry().size());
  EXPECT_EQ(names("Het[count_c=no,ratio=local],BMM,BMM"),
            (std::vector<std::string>{"Het[count_c=no,ratio=local]", "BMM"}));
  EXPECT_EQ(names(" het[count_c=no, ratio=local], POLARIS,bmm ,homi"),
            (std::vector<std::string>{"Het[count_c=no,ratio=local]", "Polaris", "BMM", "HomI"}));
}

TEST(HeuristicList, RefusesWhatItDoesNotKnow) {
  const auto message = [](const char* text) -> std::string {
    try {
      parse_heuristics(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::string choices =
      "Choose one of: " + star_names() + "; groups: all, ppopp08, ipdps07, polaris, adaptive, all+";
  EXPECT_EQ(message("ODOML"),
            "--heuristics: 'ODOML' is not a heuristic or a group. Did you mean 'ODDOML'?");
  EXPECT_EQ(message("Quicksort"),
            "--heuristics: 'Quicksort' is not a heuristic or a group. " + choices);
  const std::string missing = "--heuristics: a heuristic or a group is missing. " + choices;
  EXPECT_EQ(message(""), missing);
  EXPECT_EQ(message("Het,"), missing);
  EXPECT_EQ(message("Het[ratio]"), "--heuristics: expected Het[key=value,...], found 'ratio'");
  EXPECT_EQ(
      message("Het[ratios=local]"),
      "--heuristics: 'ratios' is not a parameter of Het. Did you mean 'ratio'? Choose one of: "
      "ratio, look_ahead, count_c, clock, panels");
  EXPECT_EQ(message("Het[ratio=globl]"),
            "--heuristics: expected Het[ratio=global|local], found 'globl' (did you mean "
            "'global'?)");
  EXPECT_EQ(message("Het[ratio=local,ratio=local]"),
            "--heuristics: expected each parameter of Het once, found 'ratio' twice");
  EXPECT_EQ(message("BMM[x=1]"),
            "--heuristics: 'x' is not a parameter of BMM. Choose one of: squares, panels");
  EXPECT_EQ(message("HoLM[workers=0]"),
            "--heuristics: expected HoLM[workers=N], N an integer from 1 to 2147483647, found '0'");
  EXPECT_EQ(message("Het[ratio=local"),
            "--heuristics: expected a closing ']', found "
            "'Het[ratio=local'");
}

}  // namespace
}  // namespace starport
