#include "heuristics/tiles/registry.hpp"

#include "heuristics/tiles/central_list.hpp"
#include "heuristics/tiles/darts.hpp"
#include "heuristics/tiles/dmda.hpp"
#include "heuristics/tiles/heteroprio.hpp"
#include "heuristics/tiles/static_strategies.hpp"
#include "heuristics/tiles/work_stealing.hpp"
#include "heuristics/tiles/zone_growth.hpp"
#include "heuristics/tiles/zone_trials.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace starport::tiles {
namespace {

using partition::Rounding;

/// The route of copies of tiles from one GPU to another, as the parameter `copies` names it.
enum class CopyRoute : std::uint8_t { direct, relay, cuda };

/// The parameters of all algorithms. Each algorithm declares those that it supports.
struct TileParameters {
  int planned_tasks = RuntimeOptions{}.planned_tasks;
  CpuRule cpus = RuntimeOptions{}.cpus;
  CopyRoute copies = CopyRoute::direct;
  bool limited_memory = RuntimeOptions{}.limited_memory;
  std::string partition = AllocationMethod{}.partition;
  Rounding rounding = Rounding::rounded;
  bool redux = false;
  std::size_t x = 10;
  Dmda::Transfers transfers = Dmda::Parameters{}.transfers;
  double uncertainty = ZoneGrowth::Parameters{}.uncertainty;
  int open_tiles = ZoneGrowth::Parameters{}.open_tiles;
  double slower = 0;

  RuntimeOptions runtime_options() const {
    return {.planned_tasks = planned_tasks,
            .cpus = cpus,
            .relay = copies == CopyRoute::relay,
            .cuda_order = copies == CopyRoute::cuda,
            .limited_memory = limited_memory};
  }
  AllocationMethod allocation() const {
    return {.partition = partition, .rounding = rounding, .redux = redux};
  }
};

/// The parameters of StarPU's schedulers: a GPU plans one task ahead, a CPU worker none.
struct StarpuParameters : TileParameters {
  StarpuParameters() {
    planned_tasks = 1;
    cpus = CpuRule::one;
  }
};

/// Appends the parameters of the run-time system, which all algorithms have, to those of one.
template <class Parameters>
std::vector<ParameterField<Parameters>> with_runtime_fields(
    std::vector<ParameterField<Parameters>> fields) {
  fields.push_back(choice_field<Parameters, int>(
      "prefetch", &TileParameters::planned_tasks, {{"0", 0}, {"1", 1}, {"2", 2}, {"4", 4}},
      "tasks assigned to each worker in addition to the current one, whose tiles are prefetched"));
  fields.push_back(choice_field<Parameters, CopyRoute>(
      "copies", &TileParameters::copies,
      {{"direct", CopyRoute::direct}, {"relay", CopyRoute::relay}, {"cuda", CopyRoute::cuda}},
      "transfers between GPUs: direct, through main memory (relay), or direct and in the order of "
      "StarPU's simulation of CUDA, where they wait for transfers into both GPUs (cuda)"));
  fields.push_back(choice_field<Parameters, bool>(
      "memory", &TileParameters::limited_memory, {{"limited", true}, {"unlimited", false}},
      "memory of the GPUs: as in the platform file, with eviction of the least recently used "
      "tiles (limited), or without end (unlimited)"));
  return fields;
}

/// Declares how CPU workers take tasks, a parameter of strategies whose GPUs can run all tasks.
ParameterField<TileParameters> cpus_field() {
  return choice_field(
      "cpus", &TileParameters::cpus, {{"plan", CpuRule::plan}, {"timely", CpuRule::timely}},
      "CPU workers plan tasks ahead as GPUs do (plan), or take one only if idle, and none if they "
      "would end after everybody else (timely; for one worker a core)");
}

/// Declares an algorithm with a static allocation.
template <class StaticStrategy>
Entry<TileAlgorithm> make_static_entry(std::string name, std::string description) {
  std::vector<ParameterField<TileParameters>> fields{
      choice_field("partition", &TileParameters::partition,
                   {{"NRRP", "NRRP"}, {"NRRP3D", "NRRP3D"}, {"column", "column"}, {"RP", "RP"}},
                   "method of dividing C, or the tasks (3D), among the memory nodes by speed"),
      choice_field("rounding", &TileParameters::rounding,
                   {{"ROUNDED", Rounding::rounded}, {"PRECISE", Rounding::precise}},
                   "how zones are rounded to tiles: keeping their form (ROUNDED), or their "
                   "size (PRECISE)"),
      choice_field("redux", &TileParameters::redux, {{"no", false}, {"yes", true}},
                   "in 3D, nodes that share a tile of C each update one of their own, added up "
                   "at the end")};
  if (!std::is_same_v<StaticStrategy, StaticAllocation>) fields.push_back(cpus_field());
  return make_entry<TileAlgorithm, TileParameters>(
      {std::move(name), std::move(description), "ICPP'18, section 4.2.1", {"icpp18"}, {}, false},
      with_runtime_fields(std::move(fields)), [](const TileParameters& parameters) {
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

/// Returns a function that creates strategies of a type from the context and further arguments.
template <class S, class... Arguments>
StrategyMaker make_strategy(Arguments... arguments) {
  return [=](const StrategyContext& context) { return std::make_unique<S>(context, arguments...); };
}

StrategyMaker make_dmda(Dmda::Order order) {
  return make_strategy<Dmda>(
      Dmda::Parameters{.transfers = Dmda::Transfers::starpu, .order = order});
}

/// Declares a scheduler of StarPU, whose drivers take tasks one by one if `fetches_for_one_task`.
Entry<TileAlgorithm> make_starpu_entry(std::string name, std::string description,
                                       std::string source, StrategyMaker maker,
                                       bool fetches_for_one_task) {
  return make_entry<TileAlgorithm, StarpuParameters>(
      {std::move(name), std::move(description), std::move(source), {"starpu"}, {}, false},
      with_runtime_fields<StarpuParameters>({}),
      [maker, fetches_for_one_task](const StarpuParameters& parameters) {
        RuntimeOptions options = parameters.runtime_options();
        options.fetches_for_one_task = fetches_for_one_task;
        return std::make_unique<TileAlgorithm>(maker, options);
      });
}

/// Declares DARTS, which CPU workers take part in only by the rule that they are not late.
Entry<TileAlgorithm> make_darts_entry() {
  return make_entry<TileAlgorithm, StarpuParameters>(
      {"DARTS",
       "each GPU fetches the tile that enables the most tasks; evicts the least used in future",
       "Gonthier, Marchal, Thibault, IPDPS 2022",
       {"starpu"},
       {},
       false},
      with_runtime_fields<StarpuParameters>({choice_field<StarpuParameters, CpuRule>(
          "cpus", &TileParameters::cpus, {{"idle", CpuRule::one}, {"timely", CpuRule::timely}},
          "CPU workers take no tasks (idle), or those that no GPU has planned, unless they would "
          "end after everybody else (timely, an addition of ours)")}),
      [](const StarpuParameters& parameters) {
        return std::make_unique<TileAlgorithm>(
            make_strategy<Darts>(parameters.cpus == CpuRule::timely), parameters.runtime_options());
      });
}

Entry<TileAlgorithm> make_zone_growth_entry() {
  std::vector<ParameterField<TileParameters>> fields{
      choice_field(
          "uncertainty", &TileParameters::uncertainty,
          {{"0", 0.0}, {"0.1", 0.1}, {"0.2", 0.2}, {"0.4", 0.4}},
          "maximum relative error of the durations assumed before the start, drawn from the "
          "seed"),
      choice_field(
          "open", &TileParameters::open_tiles, {{"3", 3}, {"4", 4}, {"6", 6}, {"8", 8}},
          "number of tiles of C that a GPU works on at once; up to 40,000 tasks, 1, 3 and 8 "
          "are tried, too"),
      choice_field(
          "slower", &TileParameters::slower,
          {{"0", 0.0}, {"0.05", 0.05}, {"0.1", 0.1}, {"0.25", 0.25}, {"0.5", 0.5}, {"1", 1.0}},
          "of the variants whose simulated time is at most this share above the "
          "fastest's, takes the one that moves the least (up to 40,000 tasks)")};
  return make_entry<TileAlgorithm, TileParameters>(
      {"ZoneGrowth",
       "zones of C grow from its corners; the hub computes where they meet",
       "ours",
       {},
       {},
       false},
      with_runtime_fields(std::move(fields)), [](const TileParameters& parameters) {
        const ZoneGrowth::Parameters base{.uncertainty = parameters.uncertainty,
                                          .open_tiles = parameters.open_tiles,
                                          .planned_tasks = parameters.planned_tasks};
        return std::make_unique<TileAlgorithm>(
            [base, slower = parameters.slower](const StrategyContext& context) {
              return make_by_trials(context, base, slower);
            },
            parameters.runtime_options());
      });
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
      make_dynamic_entry(
          "FirstDyn", "one list of ready tasks: the first one", {cpus_field()},
          [](const TileParameters&) { return make_strategy<CentralList>(std::size_t{1}); }),
      make_dynamic_entry(
          "ChoiceDyn", "one list: the cheapest of its first X tasks",
          {integer_field("x", &TileParameters::x, "X, the number of tasks to choose from"),
           cpus_field()},
          [](const TileParameters& parameters) {
            return make_strategy<CentralList>(parameters.x);
          }),
      make_dynamic_entry(
          "EffectiveDyn", "one list: the cheapest of all", {cpus_field()},
          [](const TileParameters&) { return make_strategy<CentralList>(kAllTasks); }),
      make_dynamic_entry(
          "DMDA", "StarPU's dmda: each task to the worker expected to end it first",
          {choice_field("transfers", &TileParameters::transfers,
                        {{"once", Dmda::Transfers::once}, {"starpu", Dmda::Transfers::starpu}},
                        "how much transfers count: their time (once), or as in StarPU 1.3 and 1.4, "
                        "which avoids them more (starpu)")},
          [](const TileParameters& parameters) {
            return make_strategy<Dmda>(Dmda::Parameters{.transfers = parameters.transfers});
          }),
      make_starpu_entry("DMDAR", "DMDA, and a worker starts with the task whose tiles are there",
                        "StarPU 1.4, dmdar", make_dmda(Dmda::Order::ready), false),
      make_starpu_entry("DMDAS", "DMDAR among the tasks with the most tasks after them",
                        "StarPU 1.4, dmdas", make_dmda(Dmda::Order::sorted), false),
      make_starpu_entry("HeteroPrio",
                        "one list: the last one; slow workers only while there are enough tasks",
                        "StarPU 1.4, heteroprio", make_strategy<HeteroPrio>(), true),
      make_starpu_entry("LWS", "a list for each worker, and idle workers steal from the next",
                        "StarPU 1.4, lws", make_strategy<WorkStealing>(), true),
      make_starpu_entry("Eager", "one list of ready tasks: the first one", "StarPU 1.4, eager",
                        make_strategy<CentralList>(std::size_t{1}), true),
      make_darts_entry(),
      make_zone_growth_entry()};
  return registry;
}

}  // namespace starport::tiles
