// Queues of the directions of links. Direction 2 (m - 1) leads to GPU m, 2 (m - 1) + 1 comes from
// it.
#include "sim/tiles/link_directions.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace starport::tiles {
namespace {

constexpr int kTo1 = 0;
constexpr int kFrom1 = 1;
constexpr int kTo2 = 2;
constexpr int kTo3 = 4;

using Directions = std::vector<int>;

/// The transfer of tile 2 was requested before that of tile 3, and reached the head of its queue
/// later. Behind it waits tile 4.
TEST(LinkDirections, OfTwoThatWaitForAGpuTheFirstRequestedGoesFirst) {
  LinkDirections links(4);
  links.add({.tile = 0, .from = 1, .to = 0});
  links.add({.tile = 1, .from = 0, .to = 2});
  links.add({.tile = 2, .from = 1, .to = 2});
  links.add({.tile = 3, .from = 1, .to = 3});
  links.add({.tile = 4, .from = 0, .to = 2});
  EXPECT_EQ(std::exchange(links.started, {}), (Directions{kFrom1, kTo2}));
  links.end(kTo2);
  EXPECT_EQ(links.started, Directions{});
  links.end(kFrom1);
  EXPECT_EQ(std::exchange(links.started, {}), Directions{kTo2});
  EXPECT_EQ(links.carried(kTo2).transfer.tile, 2);
  links.end(kTo2);
  EXPECT_EQ(links.started, (Directions{kTo3, kTo2}));
  EXPECT_EQ(links.carried(kTo2).transfer.tile, 4);
  EXPECT_EQ(links.active_transfers(), 2);
}

/// The transfer from GPU 1 to GPU 2 waits for the one into GPU 1, and one into GPU 1 waits for it,
/// while GPU 1 sends to main memory and to GPU 3.
TEST(LinkDirections, InTheOrderOfCudaTransfersWaitForThoseIntoTheirSource) {
  LinkDirections links(4, true);
  links.add({.tile = 0, .from = 0, .to = 1});
  links.add({.tile = 1, .from = 1, .to = 2});
  links.add({.tile = 2, .from = 0, .to = 1});
  links.add({.tile = 3, .from = 1, .to = 0});
  EXPECT_EQ(std::exchange(links.started, {}), (Directions{kTo1, kFrom1}));
  links.end(kTo1);
  EXPECT_EQ(std::exchange(links.started, {}), Directions{kTo2});
  links.add({.tile = 4, .from = 1, .to = 3});
  EXPECT_EQ(links.started, Directions{});  // the one into GPU 1 comes first
  EXPECT_FALSE(links.cancel(2, 1));
  EXPECT_EQ(std::exchange(links.started, {}), Directions{kTo3});
  links.add({.tile = 5, .from = 0, .to = 1});
  links.end(kTo2);
  EXPECT_EQ(links.started, Directions{});
  EXPECT_FALSE(links.has_transfer_from(1, 1));
  links.end(kTo3);
  EXPECT_EQ(links.started, Directions{kTo1});
  EXPECT_EQ(links.active_transfers(), 2);
}

TEST(LinkDirections, ACancelledTransferIsForgotten) {
  LinkDirections links(3);
  links.add({.tile = 0, .from = 1, .to = 0});
  links.add({.tile = 1, .from = 1, .to = 2});
  EXPECT_TRUE(links.has_transfer_from(1, 1));
  EXPECT_FALSE(links.cancel(1, 2));
  EXPECT_FALSE(links.has_transfer_from(1, 1));
  EXPECT_TRUE(links.cancel(0, 0));  // under way
  EXPECT_TRUE(links.is_sending(1, 0));
  EXPECT_TRUE(links.end(kFrom1).cancelled);
  EXPECT_FALSE(links.has_transfers(1));
  EXPECT_FALSE(links.has_transfer_from(1, 0));
}

}  // namespace
}  // namespace starport::tiles
