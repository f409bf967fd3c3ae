#include "heuristics/tiles/registry.hpp"

#include "heuristics/tiles/dmda.hpp"
#include "heuristics/tiles/one_list.hpp"
#include "heuristics/tiles/stealing.hpp"
#include "heuristics/tiles/zone_growth.hpp"

#include <memory>
#include <string>
#include <utility>

namespace starport::tiles {
namespace {

using partition::Rounding;

/// Those of all algorithms; each takes some.
struct Given {
  int planned_tasks = Rules{}.planned_tasks;
  bool relay = false;
  bool limited_memory = false;
  std::string partition = AllocationRule{}.method;
  Rounding rounding = Rounding::rounded;
  bool redux = false;
  std::size_t x = 10;
  double uncertainty = ZoneGrowth::Parameters{}.uncertainty;
  int open_tiles = ZoneGrowth::Parameters{}.open_tiles;

  Rules rules() const {
    return {.planned_tasks = planned_tasks, .relay = relay, .limited_memory = limited_memory};
  }
  AllocationRule allocation() const {
    return {.method = partition, .rounding = rounding, .redux = redux};
  }
};

std::vector<Field<Given>> run_time_fields() {
  return {one_of("prefetch", &Given::planned_tasks, {{"0", 0}, {"1", 1}, {"2", 2}, {"4", 4}},
                 "tasks planned behind the current one, whose tiles are on their way"),
          one_of("copies", &Given::relay, {{"direct", false}, {"relay", true}},
                 "from GPU to GPU directly, or through main memory"),
          one_of("memory", &Given::limited_memory, {{"unlimited", false}, {"limited", true}},
                 "of the GPUs; limited: the platform's, tiles of A and B leave, the least recently "
                 "used first")};
}

std::vector<Field<Given>> with(std::vector<Field<Given>> own) {
  for (Field<Given>& field : run_time_fields()) own.push_back(std::move(field));
  return own;
}

template <class Steals>
Entry<TileAlgorithm> allocated(std::string name, std::string description) {
  return entry<TileAlgorithm, Given>(
      {std::move(name), std::move(description), "ICPP'18, section 4.2.1", {"icpp18"}, {}, false},
      with({one_of("partition", &Given::partition,
                   {{"NRRP", "NRRP"}, {"NRRP3D", "NRRP3D"}, {"column", "column"}, {"RP", "RP"}},
                   "of C, or of the tasks (3D), among the memory nodes by speed"),
            one_of("rounding", &Given::rounding,
                   {{"ROUNDED", Rounding::rounded}, {"PRECISE", Rounding::precise}},
                   "of the zones to tiles: keeping their form, or their size"),
            one_of("redux", &Given::redux, {{"no", false}, {"yes", true}},
                   "in 3D, nodes that share a tile of C each update one of their own, added up "
                   "at the end")}),
      [](const Given& given) {
        return std::make_unique<TileAlgorithm>(
            [](const Scene& scene) { return std::make_unique<Steals>(scene); }, given.rules(),
            [rule = given.allocation()](const Platform& platform, std::int32_t n) {
              return allocate(platform, n, rule);
            });
      });
}

Entry<TileAlgorithm> dynamic(std::string name, std::string description,
                             std::vector<Field<Given>> own,
                             std::function<StrategyMaker(const Given&)> maker) {
  return entry<TileAlgorithm, Given>(
      {std::move(name), std::move(description), "ICPP'18, section 4.2.2", {"icpp18"}, {}, false},
      with(std::move(own)), [maker](const Given& given) {
        return std::make_unique<TileAlgorithm>(maker(given), given.rules());
      });
}

Entry<TileAlgorithm> zone_growth() {
  std::vector<Field<Given>> fields{
      one_of("uncertainty", &Given::uncertainty,
             {{"0", 0.0}, {"0.1", 0.1}, {"0.2", 0.2}, {"0.4", 0.4}},
             "of the durations known before the start: wrong by up to this part of them, by the "
             "seed"),
      one_of("open", &Given::open_tiles, {{"3", 3}, {"4", 4}, {"6", 6}, {"8", 8}},
             "tiles of C that a GPU works on at once")};
  return entry<TileAlgorithm, Given>(
      {"ZoneGrowth",
       "zones of C grow from its corners; the hub computes where they meet",
       "ours",
       {},
       {},
       false},
      with(std::move(fields)), [](const Given& given) {
        const ZoneGrowth::Parameters parameters{.uncertainty = given.uncertainty,
                                                .open_tiles = given.open_tiles};
        return std::make_unique<TileAlgorithm>(
            [=](const Scene& scene) { return std::make_unique<ZoneGrowth>(scene, parameters); },
            given.rules());
      });
}

StrategyMaker one_list(std::size_t choice) {
  return [choice](const Scene& scene) { return std::make_unique<OneList>(scene, choice); };
}

}  // namespace

const std::vector<Entry<TileAlgorithm>>& tile_registry() {
  static const std::vector<Entry<TileAlgorithm>> registry{
      allocated<StaticAllocation>("Static", "tasks stay where the allocation puts them"),
      allocated<RandSteal>("RandSteal", "the same; who has none steals the last of a random node"),
      allocated<ChoiceSteal>("ChoiceSteal", "the same; the cheapest of the nodes' last tasks"),
      allocated<EffectiveSteal>("EffectiveSteal", "the same; the cheapest of all tasks"),
      dynamic("FirstDyn", "one list of ready tasks: the first one", {},
              [](const Given&) { return one_list(1); }),
      dynamic("ChoiceDyn", "one list: the cheapest of its first X tasks",
              {integer("x", &Given::x, "X, how many it looks at")},
              [](const Given& given) { return one_list(given.x); }),
      dynamic("EffectiveDyn", "one list: the cheapest of all", {},
              [](const Given&) { return one_list(kAllTasks); }),
      dynamic("DMDA", "StarPU's dmda: each task to the worker expected to end it first", {},
              [](const Given&) -> StrategyMaker {
                return [](const Scene& scene) { return std::make_unique<Dmda>(scene); };
              }),
      zone_growth()};
  return registry;
}

}  // namespace starport::tiles
