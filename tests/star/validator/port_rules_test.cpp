// What the validator refuses of traces on several ports.
#include "sim/star/validator/date_rules.hpp"
#include "sim/star/validator/validator.hpp"
#include "tests/star/port_platforms.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace starport {
namespace {

using test::kFourBlocks;
using test::kTwo;
using test::many;
using test::two_workers;
using test::uneven_links;
using test::with_port;

/// The message of the validator after a change to the trace of ORROML on two_workers().
std::string after(const Port& port, const std::function<void(Trace&)>& change) {
  const Platform platform = with_port(two_workers(), port);
  Trace trace = test::simulate("ORROML", platform, kFourBlocks);
  change(trace);
  const auto violation = find_violation(platform, kFourBlocks, trace);
  return violation ? std::to_string(violation->transfer) + ": " + violation->message : "valid";
}

void shift(TracedTransfer& event, double by_s) {
  Dates& dates = event.dates;
  for (double* date : {&dates.start_s, &dates.end_s, &dates.update_start_s, &dates.update_end_s}) {
    *date += by_s;
  }
}

TEST(PortRules, TwoPortMustFail) {
  EXPECT_EQ(after(kTwo, [](Trace&) {}), "valid");
  EXPECT_EQ(after(kTwo, [](Trace& t) { t[1].dates.start_s = 0.5; }),
            "1: the transfer starts at 0.5 s, the send port is busy until 1 s");
  // R2 from 9: R1 is back at 7 only.
  EXPECT_EQ(after(kTwo, [](Trace& t) { t[4].dates.end_s = 9.5; }),
            "4: the transfer lasts 3.5 s instead of 1 s");
  EXPECT_EQ(after(kTwo, [](Trace& t) { t[5].dates.start_s = 6.5; }),
            "5: the transfer starts at 6.5 s, the receive port is busy until 7 s");
  // The send port is free from 6, but R1 of the same worker takes until 7.
  EXPECT_EQ(after(kTwo, [](Trace& t) { shift(t[6], -0.5); }),
            "6: the transfer starts at 6.5 s, worker 1 is in another one until 7 s");
  EXPECT_EQ(after(kTwo, [](Trace& t) { shift(t[6], 0.5); }),
            "6: the transfer starts at 7.5 s, but it was due at 7 s");
  // At the end of another transfer, or of an update, the master may have decided.
  EXPECT_EQ(after(kTwo, [](Trace& t) { shift(t[11], 1); }),
            "11: the transfer starts at 19 s, but it was due at 18 s");
}

TEST(PortRules, MultiPortMustFail) {
  EXPECT_EQ(after(many(), [](Trace&) {}), "valid");
  EXPECT_EQ(after(many(), [](Trace& t) { t[2].dates.start_s = 0.5; }),
            "2: the transfer starts at 0.5 s, worker 1 is in another one until 1 s");
  EXPECT_EQ(after(many(), [](Trace& t) { t[2].dates.end_s = 2.5; }),
            "2: the transfer lasts 1.5 s instead of 2 s");
  EXPECT_EQ(after(many(), [](Trace& t) { shift(t[11], 0.5); }),
            "11: the transfer starts at 13.5 s, but it was due at 13 s");
  // A trace of as many transfers at once as there are links, where there may be one.
  const Trace trace = test::simulate("ORROML", with_port(two_workers(), many()), kFourBlocks);
  const auto violation = find_violation(with_port(two_workers(), many(1)), kFourBlocks, trace);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->transfer, 1U);
  EXPECT_EQ(violation->message, "2 transfers at once at 0 s, but at most 1 are allowed");
}

TEST(PortRules, SharesThatAreNotMaxMin) {
  const Problem problem{1, 2, 1, 1};
  const Platform platform = with_port(uneven_links(), many(0, 0.8));
  Trace trace = test::simulate("ORROML", platform, problem);
  const auto said = [&](std::size_t transfer, double end_s) {
    Trace changed = trace;
    Dates& dates = changed[transfer].dates;
    dates.end_s = dates.update_start_s = dates.update_end_s = end_s;
    const auto violation = find_violation(platform, problem, changed);
    return violation ? std::to_string(violation->transfer) + ": " + violation->message : "valid";
  };
  EXPECT_EQ(said(5, 10.5), "5: the transfer lasts 1.5 s, but at least 2 s in the model");
  // The last return, alone, with the whole of its link at its disposal, takes longer.
  EXPECT_EQ(
      said(5, 11.5),
      "5: the transfer ends at 11.5 s, but at 11 s if the bandwidth is shared max-min fairly");
}

}  // namespace
}  // namespace starport
