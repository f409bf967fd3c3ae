#include "sim/starpu/policy/machine.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace starport::starpu {

Machine find_machine(std::span<const int> workers, struct starpu_task* task) {
  Machine machine{.nodes = {STARPU_MAIN_RAM}};
  std::vector<int> gpu_workers;
  for (const int worker : workers) {
    const auto number = static_cast<unsigned>(worker);
    if (!starpu_worker_can_execute_task_first_impl(number, task, nullptr)) continue;
    const unsigned node = starpu_worker_get_memory_node(number);
    if (starpu_node_get_kind(node) == STARPU_CPU_RAM) {
      machine.workers.push_back(worker);
      continue;
    }
    gpu_workers.push_back(worker);
    if (std::find(machine.nodes.begin(), machine.nodes.end(), node) == machine.nodes.end()) {
      machine.nodes.push_back(node);
    }
  }
  machine.platform.name = "StarPU";
  machine.platform.links.resize(machine.nodes.size() - 1);
  machine.workers.insert(machine.workers.end(), gpu_workers.begin(), gpu_workers.end());
  for (std::size_t w = 0; w < machine.workers.size(); ++w) {
    const unsigned node = starpu_worker_get_memory_node(static_cast<unsigned>(machine.workers[w]));
    const auto place = std::find(machine.nodes.begin() + 1, machine.nodes.end(), node);
    machine.platform.workers.push_back(
        {.node = place == machine.nodes.end() ? 0 : static_cast<int>(place - machine.nodes.begin()),
         .number = static_cast<int>(w)});
  }
  return machine;
}

void add_measured_durations(Machine& machine, struct starpu_task* task, double tile_bytes,
                            unsigned context) {
  tiles::Platform& platform = machine.platform;
  bool all_known = true;
  for (std::size_t w = 0; w < machine.workers.size(); ++w) {
    const int number = machine.workers[w];
    unsigned implementation = 0;
    starpu_worker_can_execute_task_first_impl(static_cast<unsigned>(number), task, &implementation);
    const double expected_us = starpu_task_expected_length(
        task, starpu_worker_get_perf_archtype(number, context), implementation);
    platform.workers[w].update_s = 1e-6 * expected_us;
    all_known = all_known && std::isfinite(expected_us) && expected_us > 0;
  }
  if (!all_known) {
    machine.unknown =
        "the codelet has no calibrated performance model, so that all workers count as equally "
        "fast";
    for (tiles::Worker& worker : platform.workers) worker.update_s = 1e-3;
  }
  for (std::size_t node = 1; node < machine.nodes.size(); ++node) {
    // MB/s are bytes per microsecond.
    const auto transfer_us = [&](unsigned from, unsigned to) {
      const double bandwidth = starpu_transfer_bandwidth(from, to);
      return bandwidth > 0 ? tile_bytes / bandwidth : 1.0;
    };
    const auto latency_us = [&](unsigned from, unsigned to) {
      const double latency = starpu_transfer_latency(from, to);
      return latency > 0 ? latency : 0.0;
    };
    const unsigned number = machine.nodes[node];
    tiles::Link& link = platform.links[node - 1];
    link.in_s = 1e-6 * transfer_us(STARPU_MAIN_RAM, number);
    link.out_s = 1e-6 * transfer_us(number, STARPU_MAIN_RAM);
    link.latency_s =
        1e-6 * std::max(latency_us(STARPU_MAIN_RAM, number), latency_us(number, STARPU_MAIN_RAM));
    const starpu_ssize_t bytes = starpu_memory_get_total(number);
    if (bytes > 0) {
      link.memory_tiles = static_cast<std::int64_t>(static_cast<double>(bytes) / tile_bytes);
    }
  }
}

bool opencl_uses_cpus() {
  const char* on_cpus = std::getenv("STARPU_OPENCL_ON_CPUS");
  return on_cpus != nullptr && std::atoi(on_cpus) > 0;
}

bool devices_are_cpus() { return opencl_uses_cpus() && starpu_cuda_worker_get_count() == 0; }

}  // namespace starport::starpu
