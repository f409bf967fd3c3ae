#include "heuristics/tiles/registry.hpp"

#include "heuristics/tiles/central_list.hpp"
#include "heuristics/tiles/dmda.hpp"
#include "heuristics/tiles/static_strategies.hpp"
#include "heuristics/tiles/zone_growth.hpp"

#include <memory>
#include <string>
#include <utility>

namespace starport::tiles {
namespace {

using partition::Rounding;

/// The parameters of all algorithms. Each algorithm declares those that it supports.
struct TileParameters {
  int planned_tasks = RuntimeOptions{}.planned_tasks;
  bool relay = false;
  bool limited_memory = RuntimeOptions{}.limited_memory;
  std::string partition = AllocationMethod{}.partition;
  Rounding rounding = Rounding::rounded;
  bool redux = false;
  std::size_t x = 10;
  double uncertainty = ZoneGrowth::Parameters{}.uncertainty;
  int open_tiles = ZoneGrowth::Parameters{}.open_tiles;

  RuntimeOptions runtime_options() const {
    return {.planned_tasks = planned_tasks, .relay = relay, .limited_memory = limited_memory};
  }
  AllocationMethod allocation() const {
    return {.partition = partition, .rounding = rounding, .redux = redux};
  }
};

/// Declares the parameters of the run-time system, which all algorithms have.
std::vector<ParameterField<TileParameters>> runtime_fields() {
  return {
      choice_field("prefetch", &TileParameters::planned_tasks,
                   {{"0", 0}, {"1", 1}, {"2", 2}, {"4", 4}},
                   "tasks assigned to each worker in addition to the current one, whose tiles are "
                   "prefetched"),
      choice_field("copies", &TileParameters::relay, {{"direct", false}, {"relay", true}},
                   "transfers between GPUs: direct, or through main memory (relay)"),
      choice_field(
          "memory", &TileParameters::limited_memory, {{"limited", true}, {"unlimited", false}},
          "memory of the GPUs: as in the platform file, with eviction of the least recently used "
          "tiles (limited), or without end (unlimited)")};
}

/// Appends the parameters of the run-time system to those of an algorithm.
std::vector<ParameterField<TileParameters>> with_runtime_fields(
    std::vector<ParameterField<TileParameters>> fields) {
  for (ParameterField<TileParameters>& field : runtime_fields()) fields.push_back(std::move(field));
  return fields;
}

/// Declares an algorithm with a static allocation.
template <class StaticStrategy>
Entry<TileAlgorithm> make_static_entry(std::string name, std::string description) {
  return make_entry<TileAlgorithm, TileParameters>(
      {std::move(name), std::move(description), "ICPP'18, section 4.2.1", {"icpp18"}, {}, false},
      with_runtime_fields(
          {choice_field(
               "partition", &TileParameters::partition,
               {{"NRRP", "NRRP"}, {"NRRP3D", "NRRP3D"}, {"column", "column"}, {"RP", "RP"}},
               "method of dividing C, or the tasks (3D), among the memory nodes by speed"),
           choice_field("rounding", &TileParameters::rounding,
                        {{"ROUNDED", Rounding::rounded}, {"PRECISE", Rounding::precise}},
                        "how zones are rounded to tiles: keeping their form (ROUNDED), or their "
                        "size (PRECISE)"),
           choice_field(
               "redux", &TileParameters::redux, {{"no", false}, {"yes", true}},
               "in 3D, nodes that share a tile of C each update one of their own, added up "
               "at the end")}),
      [](const TileParameters& parameters) {
        return std::make_unique<TileAlgorithm>(
            [](const StrategyContext& context) {
              return std::make_unique<StaticStrategy>(context);
            },
            parameters.runtime_options(),
            [method = parameters.allocation()](const Platform& platform, const ProductSize& size) {
              return allocate(platform, size, method);
            });
      });
}

/// Declares an algorithm that assigns tasks to workers only at run time.
Entry<TileAlgorithm> make_dynamic_entry(std::string name, std::string description,
                                        std::vector<ParameterField<TileParameters>> fields,
                                        std::function<StrategyMaker(const TileParameters&)> maker) {
  return make_entry<TileAlgorithm, TileParameters>(
      {std::move(name), std::move(description), "ICPP'18, section 4.2.2", {"icpp18"}, {}, false},
      with_runtime_fields(std::move(fields)), [maker](const TileParameters& parameters) {
        return std::make_unique<TileAlgorithm>(maker(parameters), parameters.runtime_options());
      });
}

Entry<TileAlgorithm> make_zone_growth_entry() {
  std::vector<ParameterField<TileParameters>> fields{
      choice_field(
          "uncertainty", &TileParameters::uncertainty,
          {{"0", 0.0}, {"0.1", 0.1}, {"0.2", 0.2}, {"0.4", 0.4}},
          "maximum relative error of the durations assumed before the start, drawn from the "
          "seed"),
      choice_field("open", &TileParameters::open_tiles, {{"3", 3}, {"4", 4}, {"6", 6}, {"8", 8}},
                   "number of tiles of C that a GPU works on at once")};
  return make_entry<TileAlgorithm, TileParameters>(
      {"ZoneGrowth",
       "zones of C grow from its corners; the hub computes where they meet",
       "ours",
       {},
       {},
       false},
      with_runtime_fields(std::move(fields)), [](const TileParameters& parameters) {
        const ZoneGrowth::Parameters growth{.uncertainty = parameters.uncertainty,
                                            .open_tiles = parameters.open_tiles};
        return std::make_unique<TileAlgorithm>(
            [=](const StrategyContext& context) {
              return std::make_unique<ZoneGrowth>(context, growth);
            },
            parameters.runtime_options());
      });
}

StrategyMaker central_list(std::size_t candidates) {
  return [candidates](const StrategyContext& context) {
    return std::make_unique<CentralList>(context, candidates);
  };
}

}  // namespace

const std::vector<Entry<TileAlgorithm>>& tile_registry() {
  static const std::vector<Entry<TileAlgorithm>> registry{
      make_static_entry<StaticAllocation>(
          "Static", "tasks run on the memory node that the allocation assigns them to"),
      make_static_entry<RandSteal>("RandSteal",
                                   "Static, and idle workers steal the last task of a random node"),
      make_static_entry<ChoiceSteal>(
          "ChoiceSteal", "Static, and idle workers steal the cheapest of the nodes' last tasks"),
      make_static_entry<EffectiveSteal>("EffectiveSteal",
                                        "Static, and idle workers steal the cheapest of all tasks"),
      make_dynamic_entry("FirstDyn", "one list of ready tasks: the first one", {},
                         [](const TileParameters&) { return central_list(1); }),
      make_dynamic_entry(
          "ChoiceDyn", "one list: the cheapest of its first X tasks",
          {integer_field("x", &TileParameters::x, "X, the number of tasks to choose from")},
          [](const TileParameters& parameters) { return central_list(parameters.x); }),
      make_dynamic_entry("EffectiveDyn", "one list: the cheapest of all", {},
                         [](const TileParameters&) { return central_list(kAllTasks); }),
      make_dynamic_entry(
          "DMDA", "StarPU's dmda: each task to the worker expected to end it first", {},
          [](const TileParameters&) -> StrategyMaker {
            return [](const StrategyContext& context) { return std::make_unique<Dmda>(context); };
          }),
      make_zone_growth_entry()};
  return registry;
}

}  // namespace starport::tiles
