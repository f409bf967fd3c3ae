// The allocation of a worker's memory, and the chunks that arrive in parts.
#include "sim/mpi/matrices/block_store.hpp"

#include "sim/files/error.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/platform/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

namespace starport::mpi {
namespace {

Rectangle box(std::int32_t row, std::int32_t column, std::int32_t height, std::int32_t width) {
  return {{row, row + height}, {column, column + width}};
}
Rectangle block(std::int32_t i, std::int32_t j) { return box(i, j, 1, 1); }

TEST(BlockStore, NeverHoldsMoreThanItsBlocks) {
  BlockStore store(2, 3, 1);
  store.allocate(BlockKind::a, block(0, 1));
  store.allocate(BlockKind::c, block(0, 1));
  const std::int64_t a = store.at(BlockKind::a, 0, 1).first;
  EXPECT_EQ(std::abs(a - store.at(BlockKind::c, 0, 1).first), 9);  // blocks of 3 x 3
  EXPECT_TRUE(store.holds(BlockKind::a, 0, 1));
  EXPECT_FALSE(store.holds(BlockKind::b, 0, 1));
  EXPECT_THROW(store.allocate(BlockKind::b, block(5, 5)), SimulationError);  // full
  store.release(BlockKind::a, 0, 1);
  EXPECT_THROW(store.release(BlockKind::a, 0, 1), SimulationError);
  EXPECT_THROW(store.allocate(BlockKind::c, block(0, 1)), SimulationError);  // there already
  store.allocate(BlockKind::b, block(5, 5));
  const std::int64_t b = store.at(BlockKind::b, 5, 5).first;
  EXPECT_NE(b, store.at(BlockKind::c, 0, 1).first);
  EXPECT_LT(b, BlockStore::places(2) * 9);
  EXPECT_EQ(store.peak_blocks(), 2);
  EXPECT_EQ(store.free(), 0);
}

TEST(BlockStore, ARectangleIsOneMatrixByRows) {
  BlockStore store(20, 2, 20);
  store.allocate(BlockKind::c, box(4, 7, 2, 3));
  const BlockPlace first = store.at(BlockKind::c, 4, 7);
  EXPECT_EQ(first.stride, 6);
  EXPECT_EQ(store.at(BlockKind::c, 5, 9), (BlockPlace{first.first + 2 * 6 + 2 * 2, 6}));
  std::vector<mpi::ElementRun> runs;
  store.add_runs(BlockKind::c, box(4, 7, 2, 3), runs);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.front().first, first.first);
  EXPECT_EQ(runs.front().count, 24);
  // A column of it: four rows of two elements.
  runs.clear();
  store.add_runs(BlockKind::c, box(4, 8, 2, 1), runs);
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs.at(3).first, first.first + 3 * 6 + 2);
  EXPECT_EQ(runs.at(3).count, 2);
}

// Five places, and two rectangles of two blocks, each of which loses one: no two free places are
// adjacent.
TEST(BlockStore, WhereNoRoomLiesTogetherBlocksLieApart) {
  BlockStore store(4, 2, 4);
  ASSERT_EQ(BlockStore::places(4), 5);
  store.allocate(BlockKind::a, box(0, 0, 1, 2));
  store.allocate(BlockKind::b, box(0, 0, 2, 1));
  store.release(BlockKind::a, 0, 0);
  store.release(BlockKind::b, 1, 0);
  store.allocate(BlockKind::c, box(0, 0, 1, 2));
  EXPECT_EQ(store.free(), 0);
  std::vector<mpi::ElementRun> runs;
  store.add_runs(BlockKind::c, box(0, 0, 1, 2), runs);
  EXPECT_GT(runs.size(), 1U);
  std::set<std::int64_t> places;
  for (const auto& [kind, i, j] : {std::tuple{BlockKind::a, 0, 1},
                                   {BlockKind::b, 0, 0},
                                   {BlockKind::c, 0, 0},
                                   {BlockKind::c, 0, 1}}) {
    const BlockPlace place = store.at(kind, i, j);
    for (int row = 0; row < 2; ++row) {
      for (int column = 0; column < 2; ++column) {
        EXPECT_TRUE(places.insert(place.first + row * place.stride + column).second);
      }
    }
  }
  EXPECT_EQ(places.size(), 16U);
}

/// Returns true if the rectangle lies as one matrix by rows.
bool one_matrix(const BlockStore& store, BlockKind kind, const Rectangle& blocks, std::int64_t q) {
  const BlockPlace first = store.at(kind, blocks.rows.begin, blocks.columns.begin);
  for (std::int64_t i = blocks.rows.begin; i < blocks.rows.end; ++i) {
    for (std::int64_t j = blocks.columns.begin; j < blocks.columns.end; ++j) {
      const BlockPlace expected{
          first.first + (i - blocks.rows.begin) * q * first.stride + (j - blocks.columns.begin) * q,
          first.stride};
      if (store.at(kind, i, j) != expected) return false;
    }
  }
  return true;
}

// As with Polaris, in a full memory: each row (or column) of a chunk arrives when one of the
// previous chunk has been sent back.
TEST(BlockStore, AChunkThatComesPartByPartLiesAsOneMatrix) {
  constexpr std::int32_t side = 6;
  constexpr std::int64_t q = 2;
  for (const bool by_rows : {true, false}) {
    const auto part = [&](std::int32_t n) {
      return by_rows ? box(n, 0, 1, side) : box(0, n, side, 1);
    };
    const auto chunk = [&](std::int32_t n) {
      const std::int32_t first = n / side * side;
      return by_rows ? box(first, 0, side, side) : box(0, first, side, side);
    };
    BlockStore store(side * side + side, q, side * side + side);
    for (std::int32_t n = 0; n < 4 * side; ++n) {
      store.allocate(BlockKind::c, part(n), chunk(n));
      store.allocate(BlockKind::b, box(n, 0, 1, side));
      if (n % side == side - 1) {
        EXPECT_TRUE(one_matrix(store, BlockKind::c, chunk(n), q)) << by_rows << ' ' << n;
      }
      EXPECT_TRUE(one_matrix(store, BlockKind::b, box(n, 0, 1, side), q)) << by_rows << ' ' << n;
      for (std::int32_t j = 0; j < side; ++j) store.release(BlockKind::b, n, j);
      if (n < side - 1) continue;
      const Rectangle home = part(n - side + 1);
      for (std::int32_t i = home.rows.begin; i < home.rows.end; ++i) {
        for (std::int32_t j = home.columns.begin; j < home.columns.end; ++j) {
          store.release(BlockKind::c, i, j);
        }
      }
    }
    EXPECT_EQ(store.peak_blocks(), side * side + side);
  }
}

// Reserved places are used for other blocks if there are no others.
TEST(BlockStore, WhatIsSetAsideIsNotLost) {
  BlockStore store(16, 2, 16);
  ASSERT_EQ(BlockStore::places(16), 18);
  store.allocate(BlockKind::c, box(0, 0, 1, 4), box(0, 0, 4, 4));
  store.allocate(BlockKind::a, box(0, 0, 2, 3));
  EXPECT_TRUE(one_matrix(store, BlockKind::a, box(0, 0, 2, 3), 2));
  EXPECT_EQ(store.at(BlockKind::a, 0, 0).stride, store.at(BlockKind::c, 0, 0).stride);
  store.allocate(BlockKind::c, box(3, 0, 1, 4), box(0, 0, 4, 4));  // its own places are taken
  store.allocate(BlockKind::b, box(0, 0, 1, 2));
  EXPECT_EQ(store.free(), 0);
}

// Operands may occupy the places of a chunk while the previous one is being sent back.
TEST(BlockStore, WhatLiesInTheWayOfAPartIsKnown) {
  BlockStore store(10, 2, 10);  // 12 places
  const Rectangle first = box(0, 0, 3, 3);
  const Rectangle second = box(3, 0, 3, 3);
  for (std::int32_t j = 0; j < 3; ++j) store.allocate(BlockKind::c, box(0, j, 3, 1), first);
  EXPECT_TRUE(store.find_obstacles(box(3, 0, 3, 1), {}).empty());
  const auto c = store.find_obstacles(box(3, 0, 3, 1), second);
  EXPECT_EQ(c.size(), 3U);
  EXPECT_EQ(std::ranges::count(c, HeldBlock{BlockKind::c, 2, 0}), 1);
  for (std::int32_t i = 0; i < 3; ++i) store.release(BlockKind::c, i, 0);
  EXPECT_TRUE(store.find_obstacles(box(3, 0, 3, 1), second).empty());
  store.allocate(BlockKind::b, box(0, 0, 1, 3));
  store.allocate(BlockKind::a, box(7, 5, 1, 1));  // the only spare ones are in the chunk
  EXPECT_EQ(store.find_obstacles(box(3, 0, 3, 1), second),
            (std::vector<HeldBlock>{{BlockKind::a, 7, 5}}));
  EXPECT_TRUE(store.find_obstacles(box(3, 0, 3, 3), second).empty());  // whole
  store.release(BlockKind::a, 7, 5);
  for (std::int32_t j = 0; j < 3; ++j) store.release(BlockKind::b, 0, j);
  store.allocate(BlockKind::c, box(3, 0, 3, 1), second);
  EXPECT_EQ(store.at(BlockKind::c, 3, 0), (BlockPlace{.first = 0, .stride = 6}));
}

// Updates of later chunks on the same blocks do not count.
TEST(ChunkParts, TheLargestUpdateBeforeAPartGoesHomeIsItsChunk) {
  Trace trace;
  const auto add = [&](const Transfer& transfer) { trace.push_back({transfer, {}}); };
  const auto bring = [&](const Rectangle& c, const Rectangle& updated) {
    Transfer transfer;
    transfer.c = c;
    transfer.update.rows = updated.rows;
    transfer.update.columns = updated.columns;
    transfer.update.inner = {0, 1};
    add(transfer);
  };
  bring(box(0, 0, 1, 4), box(0, 0, 1, 4));
  bring(box(1, 0, 1, 4), box(0, 0, 2, 4));
  add({.direction = Direction::to_master, .c = box(0, 0, 1, 4)});
  bring(box(2, 0, 1, 4), box(1, 0, 2, 4));
  bring(box(8, 0, 2, 2), box(8, 0, 2, 2));
  const ChunkParts parts(trace);
  const auto chunk_of = [&](const Rectangle& c) { return parts.chunk_of({.c = c}); };
  EXPECT_EQ(chunk_of(box(0, 0, 1, 4)), box(0, 0, 2, 4));
  EXPECT_EQ(chunk_of(box(2, 0, 1, 4)), box(1, 0, 2, 4));
  EXPECT_TRUE(chunk_of(box(8, 0, 2, 2)).empty());
  EXPECT_TRUE(chunk_of(box(0, 0, 3, 4)).empty());  // more than the chunk
  EXPECT_TRUE(parts.chunk_of({.worker = 1, .c = box(0, 0, 1, 4)}).empty());
  EXPECT_TRUE(chunk_of({}).empty());
}

/// Allocates and frees rectangles at random; each element keeps the value written to it.
TEST(BlockStore, NoBlockTouchesAnother) {
  constexpr std::int64_t q = 2;
  constexpr std::int64_t m = 40;
  Random random(3);
  for (int round = 0; round < 20; ++round) {
    BlockStore store(m, q, random.integer(0, m));
    std::vector<double> memory(static_cast<std::size_t>(BlockStore::places(m) * q * q));
    std::vector<std::array<std::int32_t, 2>> held;
    std::int32_t next = 0;
    const auto value = [](std::int32_t i, std::int32_t j, std::int64_t element) {
      return 1000.0 * i + 10.0 * j + static_cast<double>(element);
    };
    const auto for_each_element = [&](std::int32_t i, std::int32_t j, auto&& visit) {
      const BlockPlace place = store.at(BlockKind::b, i, j);
      for (std::int64_t e = 0; e < q * q; ++e) {
        visit(memory.at(static_cast<std::size_t>(place.first + e / q * place.stride + e % q)),
              value(i, j, e));
      }
    };
    for (int step = 0; step < 300; ++step) {
      const Rectangle wish = box(next, 0, static_cast<std::int32_t>(random.integer(1, 4)),
                                 static_cast<std::int32_t>(random.integer(1, 4)));
      if (wish.size() <= store.free() && random.integer(0, 1) == 0) {
        const Rectangle chunk = random.integer(0, 1) == 0
                                    ? Rectangle{}
                                    : box(wish.rows.begin, 0, wish.rows.size() + 2, 4);
        store.allocate(BlockKind::b, wish, chunk);
        for (std::int32_t i = wish.rows.begin; i < wish.rows.end; ++i) {
          for (std::int32_t j = 0; j < wish.columns.end; ++j) {
            held.push_back({i, j});
            for_each_element(i, j, [](double& element, double expected) { element = expected; });
          }
        }
        next = wish.rows.end;
      } else if (!held.empty()) {
        std::swap(held[static_cast<std::size_t>(random.integer(0, std::ssize(held) - 1))],
                  held.back());
        store.release(BlockKind::b, held.back()[0], held.back()[1]);
        held.pop_back();
      }
      ASSERT_EQ(store.held(), std::ssize(held));
      for (const auto& [i, j] : held) {
        for_each_element(i, j,
                         [](double element, double expected) { EXPECT_EQ(element, expected); });
      }
    }
  }
}

TEST(Blas, AKernelForAnOlderProcessorIsTold) {
  EXPECT_EQ(
      kernel_mismatch_warning("Prescott", "sse2 avx2 fma"),
      "OpenBLAS uses its dgemm for Prescott, which does not use the AVX2 instructions of this "
      "processor and is several times slower (export OPENBLAS_CORETYPE=HASWELL, and mpirun "
      "-x OPENBLAS_CORETYPE for other machines)");
  EXPECT_NE(kernel_mismatch_warning("Nehalem", "avx2 avx512f").find("=SKYLAKEX"),
            std::string::npos);
  EXPECT_EQ(kernel_mismatch_warning("Prescott", "sse2 avx"), "");
  EXPECT_EQ(kernel_mismatch_warning("SkylakeX", "avx2 avx512f"), "");
  EXPECT_EQ(kernel_mismatch_warning("", "avx2"), "");
}

}  // namespace
}  // namespace starport::mpi
