// The strategies that others use (StarPU's schedulers, DARTS): their rules, step by step, and what
// StarPU itself takes and moves with them.
#include "heuristics/tiles/registry.hpp"
#include "sim/files/error.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/tiles/validator.hpp"
#include "tests/paths.hpp"
#include "tests/tiles/tile_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace starport::tiles {
namespace {

/// One GPU and some CPU workers of plain_platform(), and a product of n x n x n tiles, whose copies
/// a test places.
struct Bench {
  Bench(int gpus, int cpu_workers, std::int32_t n)
      : platform(plain_platform(gpus, cpu_workers)),
        graph(n, std::nullopt),
        copies(platform.nodes(), graph.tiles()) {}

  StrategyContext context() const { return {platform, graph, copies}; }
  /// Places copies of the operands of a task at a node.
  void place(int node, const Task& task) {
    const Operands operands = graph.operands(task);
    for (const Tile tile : {operands.target, operands.first, operands.second})
      copies.set_state(node, tile, CopyState::valid);
  }

  Platform platform;
  TaskGraph graph;
  Copies copies;
};

/// The order in which a worker plans three tasks, which it is assigned one after the other: that of
/// target 4 lacks one tile, that of target 3 none, and that of target 1, at k = 0, has two tasks
/// after it.
std::vector<std::int32_t> planned_targets(Dmda::Order order) {
  Bench bench(1, 0, 3);
  bench.place(1, {.target = 3, .k = 1});
  const Task nearly{.target = 4, .k = 1};
  bench.copies.set_state(1, bench.graph.operands(nearly).target, CopyState::valid);
  const auto strategy = dmda(order)(bench.context());
  const std::vector<Task> tasks{{1, 0}, nearly, {3, 1}};
  for (const Task& task : tasks) EXPECT_EQ(strategy->push(task, 0), 0);
  std::vector<std::int32_t> targets;
  for (const Task& task : tasks) {
    targets.push_back(strategy->choose_planned(0).value_or(task).target);
  }
  return targets;
}

TEST(Dmdar, PlansTheTaskWhoseTilesAreThere) {
  EXPECT_EQ(planned_targets(Dmda::Order::assigned), (std::vector<std::int32_t>{1, 4, 3}));
  EXPECT_EQ(planned_targets(Dmda::Order::ready), (std::vector<std::int32_t>{3, 4, 1}));
  EXPECT_EQ(planned_targets(Dmda::Order::sorted), (std::vector<std::int32_t>{1, 3, 4}));
}

/// DMDAR or DMDAS by their definition: looks at all tasks that the worker has not planned.
class ScanningDmda : public Strategy {
 public:
  ScanningDmda(const StrategyContext& context, Dmda::Order order)
      : context_(context),
        order_(order),
        dmda_(context, {.transfers = Dmda::Transfers::starpu}),
        waiting_(context.platform.workers.size()) {}

  std::optional<int> push(const Task& task, double now_s) override {
    const auto worker = dmda_.push(task, now_s);
    waiting_[static_cast<std::size_t>(worker.value())].push_back(task);
    return worker;
  }
  std::optional<Task> pop(int /*worker*/) override { return std::nullopt; }
  std::optional<Task> choose_planned(int worker) override {
    const int node = context_.platform.worker(worker).node;
    const auto place = [&](const Task& task) {
      const Operands operands = context_.graph.operands(task);
      int missing = 0;
      for (const Tile tile : {operands.target, operands.first, operands.second})
        missing += int{!context_.copies.is_valid(node, tile)};
      return std::tuple(order_ == Dmda::Order::sorted ? task.k : 0, missing,
                        context_.copies.transfer_cost(node, operands));
    };
    auto& own = waiting_[static_cast<std::size_t>(worker)];
    const auto next = std::ranges::min_element(own, {}, place);
    const Task task = *next;
    own.erase(next);
    return task;
  }
  void on_task_end(int worker, const Task& task, double now_s) override {
    dmda_.on_task_end(worker, task, now_s);
  }
  void on_worker_stop(int worker) override {
    dmda_.on_worker_stop(worker);
    waiting_[static_cast<std::size_t>(worker)].clear();
  }

 private:
  StrategyContext context_;
  Dmda::Order order_;
  Dmda dmda_;
  std::vector<std::vector<Task>> waiting_;  ///< by worker
};

/// With noise, memories of a few tiles and a worker that stops.
TEST(Dmdar, PlansAsAScanOfAllAssignedTasksWould) {
  Random random(42);
  for (int draw = 0; draw < 60; ++draw) {
    const auto [platform, options, size] = hard_case(random, static_cast<std::uint64_t>(draw));
    const TaskGraph work(size, std::nullopt);
    for (const Dmda::Order order : {Dmda::Order::ready, Dmda::Order::sorted}) {
      const StrategyMaker scan = [order](const StrategyContext& context) {
        return std::make_unique<ScanningDmda>(context, order);
      };
      EXPECT_EQ(find_difference(run_event_engine(platform, work, dmda(order), options),
                                run_event_engine(platform, work, scan, options)),
                "")
          << draw;
    }
  }
}

/// A strategy that has planned a task before must not choose it again.
TEST(Scheduler, RefusesToPlanATaskThatDoesNotWait) {
  class Wrong : public Dmda {
   public:
    using Dmda::Dmda;
    std::optional<Task> choose_planned(int /*worker*/) override { return Task{0, 0}; }
  };
  EXPECT_THROW(
      run_event_engine(plain_platform(1, 0), TaskGraph(2, std::nullopt), maker<Wrong>(), {}),
      SimulationError);
}

/// In main memory, 3 s a task, or on the GPU, 1 s a task after three transfers of 0.25 s, which
/// StarPU's rule takes for 2 * 0.25 s each, counted twice: 1.5 + 1 + 1.5 s.
TEST(Dmdar, AvoidsTransfersMoreThanDmda) {
  const Bench bench(1, 1, 2);
  EXPECT_EQ(maker<Dmda>()(bench.context())->push({0, 0}, 0), 1);
  EXPECT_EQ(dmda(Dmda::Order::ready)(bench.context())->push({0, 0}, 0), 0);
}

TEST(WorkStealing, FirstOfItsOwnListThenTheLastOfAnother) {
  const Bench bench(1, 2, 3);
  WorkStealing strategy(bench.context());
  for (std::int32_t target = 0; target < 6; ++target) strategy.push({target, 0}, 0);
  // In turn from worker 1 on: 1 has 0 and 3, 2 has 1 and 4, 0 has 2 and 5.
  EXPECT_EQ(strategy.pop(1), (Task{0, 0}));
  strategy.on_task_end(1, {0, 0}, 1);
  strategy.push({0, 1}, 1);  // stays with worker 1
  EXPECT_EQ(strategy.pop(1), (Task{3, 0}));
  EXPECT_EQ(strategy.pop(1), (Task{0, 1}));
  EXPECT_EQ(strategy.pop(1), std::nullopt);
  EXPECT_EQ(strategy.steal(1), (Task{5, 0}));
  EXPECT_EQ(strategy.steal(1), (Task{4, 0}));
}

/// A task of a CPU worker lasts as long as three of the GPU's: it needs three ready tasks.
TEST(HeteroPrio, TheSlowTakeOnlyOfMany) {
  const Bench bench(1, 1, 3);
  HeteroPrio strategy(bench.context());
  for (std::int32_t target = 0; target < 4; ++target) strategy.push({target, 0}, 0);
  EXPECT_EQ(strategy.pop(0), (Task{2, 0}));  // stores task 3, which it took before
  EXPECT_EQ(strategy.pop(0), (Task{3, 0}));
  EXPECT_EQ(strategy.pop(0), std::nullopt);  // two tasks are left
  EXPECT_EQ(strategy.pop(1), (Task{0, 0}));
}

/// Workers of one kind take all tasks once the others have stopped. If all have stopped, the run
/// ends with an error.
TEST(Contenders, OthersFinishWhatStoppedWorkersLeave) {
  const Platform platform = plain_platform(2, 2);
  const std::vector<Stop> gpus{{.worker = 2, .at_s = 3.5}, {.worker = 3, .at_s = 7.5}};
  std::vector<Stop> everybody = gpus;
  everybody.push_back({.worker = 0, .at_s = 8.5});
  everybody.push_back({.worker = 1, .at_s = 8.5});
  for (const NamedStrategy& strategy : all_strategies()) {
    if (strategy.allocates) continue;
    const TaskGraph work(4, std::nullopt);
    EngineOptions options;
    options.noise.stops = gpus;
    const TileTrace trace = run_event_engine(platform, work, strategy.maker, options);
    EXPECT_EQ(find_violation(platform, work, trace, {.noise = options.noise}), "") << strategy.name;
    options.noise.stops = everybody;
    EXPECT_THROW(run_event_engine(platform, work, strategy.maker, options), SimulationError)
        << strategy.name;
  }
}

/// The tile B_01 enables two tasks, A_10 one.
TEST(Darts, FetchesTheTileThatEnablesMost) {
  Bench bench(1, 1, 3);
  Darts strategy(bench.context(), false);
  const TileNumbering& numbering = bench.graph.numbering();
  for (const Tile tile : {numbering.a(0, 0), numbering.a(2, 0), numbering.b(0, 0),
                          numbering.target(1), numbering.target(3), numbering.target(7)}) {
    bench.copies.set_state(1, tile, CopyState::valid);
  }
  for (const std::int32_t target : {8, 3, 1, 7}) strategy.push({target, 0}, 0);
  EXPECT_EQ(strategy.pop(0), std::nullopt);  // CPU workers take none
  EXPECT_EQ(strategy.pop(1), (Task{1, 0}));
  EXPECT_EQ(strategy.eviction_rank(1, numbering.a(0, 0)), 0);
  EXPECT_EQ(strategy.eviction_rank(1, numbering.b(0, 1)), 1);
  // B_01, which is not requested here, is absent: the planned task goes back, and comes again.
  strategy.on_copy_change(1, numbering.b(0, 1));
  EXPECT_EQ(strategy.eviction_rank(1, numbering.b(0, 1)), 0);
  EXPECT_EQ(strategy.pop(1), (Task{3, 0}));  // by A_10, which comes first in the list
  EXPECT_EQ(strategy.pop(1), (Task{7, 0}));
  EXPECT_EQ(strategy.pop(1), (Task{8, 0}));  // lacks two tiles
}

/// A_00, the first of all tiles, enables two tasks, and the tile of C of another one only that.
TEST(Darts, TheFirstTileMayBeTheBest) {
  Bench bench(1, 0, 3);
  const TileNumbering& numbering = bench.graph.numbering();
  for (const Tile tile : {numbering.b(0, 0), numbering.b(0, 1), numbering.a(2, 0),
                          numbering.b(0, 2), numbering.target(0), numbering.target(1)}) {
    bench.copies.set_state(1, tile, CopyState::valid);
  }
  Darts strategy(bench.context(), false);
  for (const std::int32_t target : {8, 0, 1}) strategy.push({target, 0}, 0);
  for (const std::int32_t target : {0, 1, 8}) EXPECT_EQ(strategy.pop(0), (Task{target, 0}));
}

/// Of two planned tasks the one whose tile is gone is planned no longer.
TEST(Darts, PlansOfWhatIsGoneAreGivenUp) {
  Bench bench(1, 0, 3);
  const TileNumbering& numbering = bench.graph.numbering();
  for (const Tile lost : {numbering.target(4), numbering.a(1, 0), numbering.b(0, 1)}) {
    Darts strategy(bench.context(), false);
    for (const std::int32_t target : {0, 4}) {
      bench.place(1, {target, 0});
      strategy.push({target, 0}, 0);
    }
    bench.copies.set_state(1, lost, CopyState::absent);
    strategy.on_copy_change(1, lost);
    for (const Tile tile : {numbering.target(4), numbering.a(1, 0), numbering.b(0, 1)})
      EXPECT_EQ(strategy.eviction_rank(1, tile), 0);
    for (const Tile tile : {numbering.target(0), numbering.a(0, 0), numbering.b(0, 0)})
      EXPECT_EQ(strategy.eviction_rank(1, tile), 1);
  }
}

/// What a GPU has planned goes to another one when it stops, once.
TEST(Darts, PlansOfAGpuThatStopsAreTakenOver) {
  Bench bench(2, 0, 2);
  bench.place(1, {0, 0});
  Darts strategy(bench.context(), false);
  const Tile a = bench.graph.numbering().a(0, 0);
  strategy.push({0, 0}, 0);
  EXPECT_EQ(strategy.eviction_rank(1, a), 1);
  strategy.on_worker_stop(0);
  EXPECT_EQ(strategy.eviction_rank(1, a), 0);
  bench.copies.set_state(1, a, CopyState::absent);
  strategy.on_copy_change(1, a);
  EXPECT_EQ(strategy.pop(1), (Task{0, 0}));
  EXPECT_EQ(strategy.pop(1), std::nullopt);
}

/// DARTS by its definition, which compares all ready tasks for each choice.
class ScanningDarts : public Strategy {
 public:
  explicit ScanningDarts(const StrategyContext& context)
      : context_(context), planned_(static_cast<std::size_t>(context.platform.nodes())) {
    for (const Worker& worker : context.platform.workers) {
      if (worker.node != kHub) nodes_.push_back(worker.node);
    }
  }

  std::optional<int> push(const Task& task, double /*now_s*/) override {
    ++pushes_;
    for (std::size_t step = 0; step < nodes_.size(); ++step) {
      const int node = nodes_[(pushes_ + step) % nodes_.size()];
      const auto is_coming = [&](Tile tile) { return eviction_rank(node, tile) > 0; };
      if (!std::ranges::all_of(absent(node, task), is_coming)) continue;
      auto& own = planned(node);
      own.insert(std::ranges::find_if(
                     own, [&](const Task& other) { return !absent(node, other).empty(); }),
                 task);
      return std::nullopt;
    }
    ready_.push_back(task);
    return std::nullopt;
  }
  std::optional<Task> pop(int worker) override {
    const int node = context_.platform.worker(worker).node;
    std::optional<Task> task;
    if (node == kHub) {
      for (const Task& ready : ready_) {
        if (nodes_.empty() || absent(node, ready).empty()) task = ready;
      }
    } else {
      if (planned(node).empty()) choose(node);
      if (!planned(node).empty()) task = planned(node).front();
    }
    if (task) std::erase(node == kHub ? ready_ : planned(node), *task);
    return task;
  }
  std::int64_t eviction_rank(int node, Tile tile) const override {
    return std::ranges::count_if(planned_[static_cast<std::size_t>(node)], [&](const Task& task) {
      return std::ranges::count(tiles(task), tile) > 0;
    });
  }
  void on_copy_change(int node, Tile tile) override {
    if (!context_.copies.is_absent(node, tile)) return;
    std::erase_if(planned(node), [&](const Task& task) {
      if (std::ranges::count(tiles(task), tile) == 0) return false;
      ready_.push_back(task);
      return true;
    });
  }
  void on_worker_stop(int worker) override {
    const int node = context_.platform.worker(worker).node;
    if (node == kHub) return;
    std::erase(nodes_, node);
    ready_.insert(ready_.end(), planned(node).begin(), planned(node).end());
    planned(node).clear();
  }

 private:
  std::vector<Task>& planned(int node) { return planned_[static_cast<std::size_t>(node)]; }
  std::vector<Tile> tiles(const Task& task) const {
    const Operands operands = context_.graph.operands(task);
    return {operands.target, operands.first, operands.second};
  }
  std::vector<Tile> absent(int node, const Task& task) const {
    std::vector<Tile> list = tiles(task);
    std::erase_if(list, [&](Tile tile) { return !context_.copies.is_absent(node, tile); });
    return list;
  }
  void choose(int node) {
    // Tasks enabled per second of transfer, enabled, that lack one tile more, and ready.
    std::map<Tile, std::tuple<double, int, int, int>> gains;
    std::size_t fewest = 3;
    for (const Task& task : ready_) {
      const auto own = absent(node, task);
      fewest = std::min(fewest, own.size());
      for (const Tile tile : own) {
        auto& [per_s, enabled, nearly, ready] = gains[tile];
        enabled += int{own.size() == 1};
        nearly += int{own.size() == 2};
        ++ready;
        const int source = context_.copies.source(tile);
        if (enabled > 0 && source < context_.platform.nodes())
          per_s = enabled / transfer_time_s(context_.platform, source, node);
      }
    }
    Tile best = -1;
    for (const Task& task : ready_) {
      for (const Tile tile : absent(node, task))
        if (best < 0 || gains[tile] > gains[best]) best = tile;
    }
    std::erase_if(ready_, [&](const Task& task) {
      const auto own = absent(node, task);
      const bool is_chosen =
          own.size() == fewest && (fewest == 0 || fewest == 3 || std::ranges::count(own, best) > 0);
      if (!is_chosen || (fewest >= 2 && !planned(node).empty())) return false;
      planned(node).push_back(task);
      return true;
    });
  }

  StrategyContext context_;
  std::vector<int> nodes_{};
  std::vector<Task> ready_{};
  std::vector<std::vector<Task>> planned_;
  std::size_t pushes_ = 0;
};

/// Compares both with noise, memories of a few tiles and a worker that stops, and products of which
/// one or two sides are short.
TEST(Darts, ChoosesAsAScanOfAllReadyTasksWould) {
  Random random(7);
  for (int draw = 0; draw < 60; ++draw) {
    auto [platform, options, size] = hard_case(random, static_cast<std::uint64_t>(draw));
    if (draw % 3 == 1) size = {draw % 2 == 0 ? 1 : 24, size.s, draw % 2 == 0 ? 24 : 1};
    const TaskGraph work(size, std::nullopt);
    EXPECT_EQ(find_difference(run_event_engine(platform, work, darts(true), options),
                              run_event_engine(platform, work, maker<ScanningDarts>(), options)),
              "")
        << draw;
  }
}

TEST(Darts, EvictsTheTileThatPlannedTasksUseLeast) {
  GpuMemory memory(3);
  for (const Tile tile : {5, 6, 7}) {
    memory.pin(tile);
    memory.unpin(tile);
  }
  const auto victim = [&](std::vector<std::int64_t> ranks, Tile protected_tile) {
    for (const Tile tile : {5, 6, 7}) {
      memory.set_evictability(tile,
                              tile == protected_tile ? Evictability::none : Evictability::at_once);
    }
    return memory.find_victim(Evictability::at_once,
                              [&](Tile tile) { return ranks[static_cast<std::size_t>(tile - 5)]; });
  };
  EXPECT_EQ(victim({0, 0, 0}, 0), 5);
  EXPECT_EQ(victim({2, 1, 1}, 0), 6);
  EXPECT_EQ(victim({2, 1, 1}, 6), 7);
  EXPECT_EQ(victim({2, 0, 0}, 0), 6);
}

/// Returns the trace of an algorithm on a machine that StarPU has measured, one worker a core,
/// whose links share nothing.
TileTrace run_named(const std::string& machine, std::int32_t n, const std::string& name,
                    const ParameterTexts& parameters) {
  Platform platform = make_platform(
      load_platform(STARPORT_SOURCE_DIR "/platforms/starpu-" + machine + ".json"), 960);
  platform.shared_lines.clear();
  for (Route& route : platform.routes) route.lines.clear();
  for (const Entry<TileAlgorithm>& entry : tile_registry()) {
    if (entry.name != name) continue;
    const auto algorithm = entry.make(parameters);
    std::optional<Allocation> allocation;
    if (algorithm->allocate()) allocation = algorithm->allocate()(platform, n);
    return run_event_engine(platform, TaskGraph(n, allocation), algorithm->strategy(),
                            {.runtime = algorithm->runtime_options()});
  }
  throw std::invalid_argument(name);
}

/// Time and volume of StarPU 1.4 over SimGrid (experiments/starpu/starpu.csv), whose example does
/// not read C.
TEST(Contenders, AreAsFastAsInStarPU) {
  struct Measured {
    const char* machine;
    const char* name;
    std::int32_t n;
    double time_s;
    double volume_gib;
    double tolerance;  ///< of the time
  };
  for (const Measured& starpu : {Measured{"attila", "DMDAR", 12, 3.040, 7.346, 0.01},
                                 Measured{"sirocco", "DMDAR", 6, 0.096, 1.504, 0.03},
                                 Measured{"attila", "LWS", 12, 4.549, 6.860, 0.01},
                                 Measured{"attila", "HeteroPrio", 12, 3.223, 7.284, 0.01},
                                 Measured{"attila", "Eager", 12, 3.239, 10.98, 0.06},
                                 Measured{"sirocco", "Eager", 12, 1.198, 16.80, 0.06}}) {
    const TileTrace trace = run_named(starpu.machine, starpu.n, starpu.name, {{"copies", "cuda"}});
    EXPECT_NEAR(trace.end_s() / starpu.time_s, 1, starpu.tolerance) << starpu.name;
    const double tiles = static_cast<double>(trace.transfers.size()) - starpu.n * starpu.n;
    EXPECT_NEAR(tiles * 8 * 960 * 960 / (1 << 30) / starpu.volume_gib, 1, 0.12) << starpu.name;
  }
}

/// A core's task lasts as long as 43 of a GPU's.
TEST(Contenders, SlowCoresLeaveTheLastTasksToGpus) {
  const auto end_s = [](const char* name, const char* cpus) {
    return run_named("sirocco", 12, name, {{"cpus", cpus}}).end_s();
  };
  for (const char* name : {"RandSteal", "ChoiceSteal", "EffectiveSteal", "ChoiceDyn"})
    EXPECT_LT(end_s(name, "timely"), 0.75 * end_s(name, "plan")) << name;
  EXPECT_LT(end_s("EffectiveSteal", "timely"), 0.67);  // DMDA of StarPU: 0.719 s
  EXPECT_LT(end_s("DARTS", "timely"), 0.98 * end_s("DARTS", "idle"));
}

}  // namespace
}  // namespace starport::tiles
