// Tasks and tiles of a product, recomputed from the specification: engines and validators share
// them.
#include "sim/tiles/task_graph.hpp"

#include "sim/platform/random.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace starport::tiles {
namespace {

TEST(TaskGraph, IsThatOfTheSpecification) {
  for (std::uint64_t draw = 0; draw < 40; ++draw) {
    Random random(draw);
    const auto side = [&] { return static_cast<std::int32_t>(random.integer(1, 5)); };
    const std::int32_t r = side();
    const std::int32_t s = side();
    const std::int32_t t = side();
    Allocation allocation{.size = {r, s, t}, .redux = draw % 2 == 0};
    for (std::int32_t task = 0; task < r * s * t; ++task) {
      allocation.nodes.push_back(static_cast<std::int32_t>(random.integer(0, 3)));
    }
    const TaskGraph graph({r, s, t}, allocation);
    // Tiles of A, then of B, then targets: C, and partial sums.
    const std::int32_t of_b = r * t;
    const std::int32_t of_c = of_b + t * s;
    std::set<std::tuple<std::int32_t, std::int32_t, std::int32_t>> updates;
    std::map<Tile, int> added;
    int tasks = 0;
    const auto follow = [&](Task first) {
      for (std::optional<Task> task = first; task; task = graph.next(*task)) {
        ++tasks;
        const Operands operands = graph.operands(*task);
        const std::int32_t cell = graph.cell_of(task->target);
        const std::int32_t i = cell / s;
        const std::int32_t j = cell % s;
        EXPECT_EQ(operands.target, of_c + task->target);
        if (task->k < t) {
          EXPECT_EQ(operands.first, i * t + task->k);
          EXPECT_EQ(operands.second, of_b + task->k * s + j);
          updates.insert({i, j, task->k});
        } else {
          EXPECT_LT(task->target, r * s);
          EXPECT_GE(operands.first, of_c + r * s);
          EXPECT_EQ(graph.cell_of(operands.first - of_c), cell);
          ++added[operands.first];
        }
      }
    };
    for (const Task& first : graph.initial_tasks()) follow(first);
    for (std::int32_t cell = 0; cell < r * s; ++cell) {
      if (graph.parts(cell) > 0) follow({.target = cell, .k = t});
    }
    EXPECT_EQ(std::ssize(updates), r * s * t) << draw;
    EXPECT_EQ(tasks, r * s * t + std::ssize(added)) << draw;  // each update once
    EXPECT_EQ(std::ssize(added), graph.targets() - r * s) << draw;
    for (const auto& [tile, times] : added) EXPECT_EQ(times, 1) << draw;
  }
}

}  // namespace
}  // namespace starport::tiles
