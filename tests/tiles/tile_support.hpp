// Platforms and strategies for the tests of tile tasks.
#pragma once

#include "heuristics/tiles/central_list.hpp"
#include "heuristics/tiles/darts.hpp"
#include "heuristics/tiles/dmda.hpp"
#include "heuristics/tiles/heteroprio.hpp"
#include "heuristics/tiles/static_strategies.hpp"
#include "heuristics/tiles/work_stealing.hpp"
#include "heuristics/tiles/zone_growth.hpp"
#include "sim/platform/random.hpp"
#include "sim/tiles/event_engine.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport::tiles {

template <class S>
StrategyMaker maker() {
  return [](const StrategyContext& context) { return std::make_unique<S>(context); };
}

inline StrategyMaker central_list(std::size_t candidates) {
  return [candidates](const StrategyContext& context) {
    return std::make_unique<CentralList>(context, candidates);
  };
}

/// A task takes 0.97 to 1.03 times its nominal length, evenly.
inline Noise jitter(std::uint64_t seed) {
  Noise noise;
  noise.seed = seed;
  for (int i = -30; i <= 30; ++i) noise.updates.ratios.push_back(1 + i * 1e-3);
  return noise;
}

inline StrategyMaker dmda(Dmda::Order order) {
  return [order](const StrategyContext& context) {
    return std::make_unique<Dmda>(
        context, Dmda::Parameters{.transfers = Dmda::Transfers::starpu, .order = order});
  };
}

inline StrategyMaker darts(bool cpus) {
  return [cpus](const StrategyContext& context) { return std::make_unique<Darts>(context, cpus); };
}

struct NamedStrategy {
  std::string name;
  StrategyMaker maker;
  bool allocates = false;  ///< needs an allocation
};

inline std::vector<NamedStrategy> all_strategies() {
  return {{"Static", maker<StaticAllocation>(), true},
          {"RandSteal", maker<RandSteal>(), true},
          {"ChoiceSteal", maker<ChoiceSteal>(), true},
          {"EffectiveSteal", maker<EffectiveSteal>(), true},
          {"FirstDyn", central_list(1), false},
          {"ChoiceDyn-10", central_list(10), false},
          {"EffectiveDyn", central_list(kAllTasks), false},
          {"DMDA", maker<Dmda>(), false},
          {"ZoneGrowth", maker<ZoneGrowth>(), false},
          {"DMDAR", dmda(Dmda::Order::ready), false},
          {"DMDAS", dmda(Dmda::Order::sorted), false},
          {"HeteroPrio", maker<HeteroPrio>(), false},
          {"LWS", maker<WorkStealing>(), false},
          {"DARTS", darts(false), false}};
}

/// As the workers of a file are.
inline void number_workers(Platform& platform) {
  for (std::size_t w = 0; w < platform.workers.size(); ++w) {
    platform.workers[w].number = static_cast<int>(w);
  }
}

/// Hop 0.25, GPU task 1, CPU task 3, reduction 0.25 on a GPU and 0.5 on a CPU, no latency.
inline Platform plain_platform(int gpus, int cpu_workers) {
  Platform platform;
  for (int w = 0; w < cpu_workers; ++w) {
    platform.workers.push_back({.node = kHub, .update_s = 3, .reduction_s = 0.5});
  }
  for (int node = 1; node <= gpus; ++node) {
    platform.workers.push_back({.node = node, .update_s = 1, .reduction_s = 0.25});
    platform.links.push_back({.latency_s = 0, .in_s = 0.25, .out_s = 0.25});
  }
  number_workers(platform);
  return platform;
}

inline Platform random_platform(Random& random) {
  Platform platform;
  const auto cpu_workers = static_cast<int>(random.integer(0, 2));
  const auto gpus = static_cast<int>(random.integer(1, 4));
  for (int w = 0; w < cpu_workers; ++w) {
    const double update_s = random.real(2e-3, 9e-3);
    platform.workers.push_back({.node = kHub, .update_s = update_s, .reduction_s = update_s / 8});
  }
  const bool alike = random.integer(0, 1) == 1;
  for (int node = 1; node <= gpus; ++node) {
    if (alike && node > 1) {
      platform.workers.push_back(platform.workers.back());
      platform.workers.back().node = node;
      platform.links.push_back(platform.links.back());
      continue;
    }
    const double update_s = random.real(1e-3, 3e-3);
    platform.workers.push_back({.node = node, .update_s = update_s, .reduction_s = update_s / 10});
    platform.links.push_back({.latency_s = random.integer(0, 1) * random.real(0, 1e-4),
                              .in_s = random.real(5e-4, 4e-3),
                              .out_s = random.real(5e-4, 4e-3)});
  }
  platform.start_up_s = random.integer(0, 1) * 0.045;
  number_workers(platform);
  return platform;
}

/// Gives each GPU a memory of 3 tiles to all of A and B.
inline void limit_memories(Platform& platform, const ProductSize& size, Random& random) {
  for (Link& link : platform.links) {
    link.memory_tiles = random.integer(3, size.t * (size.r + size.s));
  }
}

/// A product of `least` to 7 tiles along each axis.
inline ProductSize random_size(Random& random, std::int64_t least) {
  const auto length = [&] { return static_cast<std::int32_t>(random.integer(least, 7)); };
  const std::int32_t r = length();
  const std::int32_t s = length();
  return {r, s, length()};
}

/// A machine, a product and how it is run.
struct HardCase {
  Platform platform;
  EngineOptions options;
  TaskGraph work;
};

/// Draws a case with noise, and at random with memories of a few tiles and a worker that stops.
inline HardCase hard_case(Random& random, std::uint64_t seed) {
  Platform platform = random_platform(random);
  for (Link& link : platform.links) {
    if (random.integer(0, 1) == 1) link.memory_tiles = random.integer(3, 20);
  }
  EngineOptions options{.noise = jitter(seed)};
  if (platform.workers.size() > 1 && random.integer(0, 1) == 1)
    options.noise.stops = {{.worker = 0, .at_s = random.real(0.05, 0.2)}};
  return {std::move(platform), std::move(options), TaskGraph(random_size(random, 2), std::nullopt)};
}

inline Allocation random_allocation(Random& random, const ProductSize& size, int nodes, bool cube) {
  Allocation allocation{.size = size, .nodes = {}};
  const std::int64_t places = cube ? size.updates() : size.cells();
  for (std::int64_t place = 0; place < places; ++place) {
    allocation.nodes.push_back(static_cast<std::int32_t>(random.integer(0, nodes - 1)));
  }
  return allocation;
}

/// Without workers at the hub, its share goes to the first GPU.
inline Allocation computable(Allocation allocation, const Platform& platform) {
  if (!platform.workers.empty() && platform.workers.front().node == kHub) return allocation;
  for (std::int32_t& node : allocation.nodes) node = node == kHub ? 1 : node;
  return allocation;
}

}  // namespace starport::tiles
