// The validator on schedules made by hand, each for one rule: late dates, many pieces, copies.
#include "sim/star/validator/validator.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

namespace starport {
namespace {

// Worker 1's chunk keeps the port until 49001 s. Then worker 2, of three blocks, gets C, and an A
// and a B each 0.2 us while an update takes 1 us: it holds 3 blocks if each step waits for the
// update before, and 13 at the end if none does. A relative 1e-9 of the date is 49 us.
TEST(Validator, ForgivesOfLateDatesTheirRoundingAlone) {
  const Platform platform = test::star({{3500, 1, 20, 0}, {1e-7, 1e-6, 3, 0}});
  const Problem problem{.r = 1, .s = 2, .t = 6, .block_size = 1};
  const auto violation = [&](bool waits) {
    std::vector<Transfer> transfers;
    for (const int worker : {0, 1}) {
      Transfer move;
      move.worker = worker;
      move.c = {{0, 1}, {worker, worker + 1}};
      transfers.push_back(move);
      for (int k = 0; k < 6; ++k) {
        Transfer step;
        step.worker = worker;
        step.a = {{0, 1}, {k, k + 1}};
        step.b = {{k, k + 1}, move.c.columns};
        step.update = {.rows = {0, 1},
                       .columns = move.c.columns,
                       .inner = {k, k + 1},
                       .add_c = false,
                       .release_a = step.a,
                       .release_b = step.b};
        if (waits) step.after_update = k;
        transfers.push_back(step);
      }
      move.direction = Direction::to_master;
      move.after_update = 6;
      transfers.push_back(move);
    }
    return find_violation(platform, problem, transfers);
  };
  EXPECT_FALSE(violation(true));
  ASSERT_TRUE(violation(false));
  EXPECT_EQ(violation(false)->transfer, 10U);
  EXPECT_TRUE(violation(false)->message.starts_with("worker 2 would hold 5 blocks at 49001."))
      << violation(false)->message;
}

// A worker that holds 300,000 pieces of A which do not fit together: looking through all of them
// for each would take an hour.
TEST(Validator, ManyPiecesAreFoundByAnIndex) {
  constexpr std::int32_t side = 800;
  const Platform platform = test::star({{1, 1, 1'000'000, 0}});
  const Problem problem{.r = side, .s = 1, .t = side, .block_size = 1};
  std::vector<Transfer> transfers;
  for (std::int32_t i = 0; i < side; ++i) {
    for (std::int32_t k = i % 2; k < side; k += 2) {
      Transfer transfer;
      transfer.a = {{i, i + 1}, {k, k + 1}};
      transfers.push_back(transfer);
    }
  }
  Transfer twice;
  twice.a = {{side - 1, side}, {side - 1, side}};
  transfers.push_back(twice);
  const auto violation = find_violation(platform, problem, transfers);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->transfer, transfers.size() - 1);
  EXPECT_EQ(violation->message,
            "A[799..799][799..799] is sent to worker 1, which holds some of it");
}

// Two blocks of C from the same A, which is sent for each: C [0, 1], A and B [1, 3], update [3, 3 +
// w], C [3, 4], A again. While the update goes on that lets it go, both copies take room.
TEST(Validator, ABlockMayComeAgainBesideOneThatIsLetGoOf) {
  const auto message = [](double w_s, std::int64_t waits_for,
                          std::int64_t m_blocks) -> std::string {
    const Platform platform = test::star({{1, w_s, m_blocks, 0}});
    const Problem problem{.r = 1, .s = 2, .t = 1, .block_size = 1};
    std::vector<Transfer> transfers(4);
    for (std::int32_t j = 0; j < 2; ++j) {
      Transfer& c = transfers[2 * static_cast<std::size_t>(j)];
      Transfer& step = transfers[2 * static_cast<std::size_t>(j) + 1];
      c.c = step.b = {{0, 1}, {j, j + 1}};
      step.a = {{0, 1}, {0, 1}};
      step.update = {.rows = {0, 1},
                     .columns = {j, j + 1},
                     .inner = {0, 1},
                     .add_c = false,
                     .release_a = step.a,
                     .release_b = step.b};
    }
    transfers.back().after_update = waits_for;
    Transfer home;
    home.direction = Direction::to_master;
    home.after_update = 2;
    home.c = {{0, 1}, {0, 2}};
    transfers.push_back(home);
    const auto violation = find_violation(platform, problem, transfers);
    return violation ? std::to_string(violation->transfer) + ": " + violation->message : "valid";
  };
  EXPECT_EQ(message(1, 0, 4), "valid");
  EXPECT_EQ(message(5, 1, 4), "valid");
  EXPECT_EQ(message(5, 0, 6), "valid");
  EXPECT_EQ(message(5, 0, 5), "3: worker 1 would hold 6 blocks at 4 s, its memory is 5");
}

}  // namespace
}  // namespace starport
