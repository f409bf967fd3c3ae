#include "heuristics/star/chunks.hpp"
#include "heuristics/star/demand_driven.hpp"
#include "heuristics/star/fast/indexed_requests.hpp"
#include "sim/star/port_clock.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

namespace starport {
namespace {

/// A step of one update for a worker.
Message step(int worker) {
  return {.worker = worker, .allows_update = true, .blocks = 1, .block_updates = 1};
}

// An update that ends sooner or later than expected changes who is first.
template <class Requests>
void expect_corrected_dates() {
  const Platform platform = test::star({{1, 10, 12}, {1, 12, 12}});
  const Problem problem{.r = 1, .s = 1, .t = 1, .block_size = 1};
  MasterView master(platform, problem);
  OnePortClock clock(master);
  clock.advance(step(0));  // [0, 1], its update [1, 11]
  clock.advance(step(1));  // [1, 2], its update [2, 14]
  Requests requests(2);
  requests.post(0, 1);
  requests.post(1, 1);
  EXPECT_EQ(requests.find_earliest(master)->worker, 0);
  EXPECT_EQ(requests.find_earliest(master)->date_s, 11);
  master.correct_update_end(1, 1, 10);
  EXPECT_EQ(requests.find_earliest(master)->worker, 1);
  EXPECT_EQ(requests.find_earliest(master)->date_s, 10);
  // More corrections than the view remembers.
  for (int i = 0; i < 9; ++i) master.correct_update_end(i % 2, 1, 20 + i);
  EXPECT_EQ(requests.find_earliest(master)->worker, 1);
  EXPECT_EQ(requests.find_earliest(master)->date_s, 27);
  requests.withdraw(1);
  EXPECT_EQ(requests.find_earliest(master)->date_s, 28);
  requests.withdraw(0);
  EXPECT_FALSE(requests.find_earliest(master));
}
TEST(Requests, FollowTheDatesThatAnEngineCorrects) {
  expect_corrected_dates<ScannedRequests>();
  expect_corrected_dates<fast::IndexedRequests>();
}

}  // namespace
}  // namespace starport
