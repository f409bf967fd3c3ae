#include "experiments/benchmark/bare_tiles.hpp"

#include "sim/process/isolation.hpp"
#include "sim/tiles/simgrid/simulated_node.hpp"

#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace starport::tiles {
namespace {

double simulate_bare(const Platform& platform, const TileTrace& trace) {
  SimulatedNode node(platform);
  std::vector<std::vector<const TracedTask*>> tasks(platform.workers.size());
  for (const TracedTask& task : trace.tasks) {
    tasks[static_cast<std::size_t>(task.worker)].push_back(&task);
  }
  std::vector<std::vector<const TracedTransfer*>> transfers(2 * platform.links.size());
  for (const TracedTransfer& traced : trace.transfers) {
    const auto [tile, from, to] = traced.transfer;
    const int direction = to == kHub ? 2 * from - 1 : 2 * to - 2;
    transfers[static_cast<std::size_t>(direction)].push_back(&traced);
  }
  double end_s = 0;
  for (std::size_t w = 0; w < tasks.size(); ++w) {
    sg::Actor::create("worker", node.worker(w), [&, w] {
      for (const TracedTask* task : tasks[w]) {
        node.extend_precision(task->end_s - task->start_s);
        node.compute(task->end_s - task->start_s);
      }
      end_s = node.now_s();
    });
  }
  for (const auto& list : transfers) {
    sg::Actor::create("direction", node.hub(), [&] {
      for (const TracedTransfer* traced : list) {
        node.extend_precision(traced->end_s - traced->start_s);
        node.move(traced->transfer, traced->end_s - traced->start_s);
      }
    });
  }
  node.run();
  return end_s;
}

}  // namespace

double run_bare_tiles(const Platform& platform, const TileTrace& trace) {
  double end_s = 0;
  run_in_child(
      [&](FrameWriter& out) {
        const double end = simulate_bare(platform, trace);
        out.write(std::as_bytes(std::span(&end, 1)));
        out.flush();
        _exit(0);
      },
      [&](std::span<const std::byte> frame) { std::memcpy(&end_s, frame.data(), sizeof end_s); },
      0);
  return end_s;
}

}  // namespace starport::tiles
