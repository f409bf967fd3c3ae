#include "heuristics/star/registry.hpp"

#include "heuristics/star/adaptive.hpp"
#include "heuristics/star/chunks.hpp"
#include "heuristics/star/demand_driven.hpp"
#include "heuristics/star/fast/for_many.hpp"
#include "heuristics/star/het.hpp"
#include "heuristics/star/homogeneous.hpp"
#include "heuristics/star/min_min.hpp"
#include "heuristics/star/polaris/polaris.hpp"
#include "heuristics/star/round_robin.hpp"

#include <algorithm>
#include <functional>
#include <span>

namespace starport {
namespace {

/// What each of the papers' heuristics may be asked, beside what is its own.
template <class Parameters>
struct InPanels : Parameters {
  bool even_panels = false;
};

/// Plans that do not gain by it: their runs do.
Heuristic::MakePlans one_by_one(const Heuristic::MakePlan& make_plan) {
  return [make_plan](std::span<const Instance> instances) {
    std::vector<Plan> plans;
    for (const auto& [platform, problem] : instances) {
      plans.push_back(make_plan(*platform, *problem));
    }
    return plans;
  };
}

/// One of the papers', whose chunks take the memory of a layout, and which plans by its parameters.
template <class Parameters>
HeuristicEntry with_parameters(
    AlgorithmEntry about, const Requirements& requirements,
    const std::vector<Field<Parameters>>& fields,
    const std::function<Plan(const Parameters&, const Platform&, const Problem&)>& plan,
    const std::function<std::vector<Plan>(const Parameters&, std::span<const Instance>)>&
        plan_each = nullptr) {
  using Given = InPanels<Parameters>;
  std::vector<Field<Given>> all;
  for (const Field<Parameters>& field : fields) all.push_back({field.parameter, field.set});
  all.push_back(one_of("panels", &Given::even_panels, {{"full", false}, {"even", true}},
                       "as wide as memory allows, the last one narrower, or of equal width"));
  return entry<Heuristic, Given>(
      std::move(about), std::move(all), [requirements, plan, plan_each](const Given& given) {
        Requirements required = requirements;
        if constexpr (requires { given.in_elements; }) required.in_elements = given.in_elements;
        const auto make_plan = [=](const Platform& platform, const Problem& problem) {
          if (!given.even_panels) return plan(given, platform, problem);
          return plan(given, with_even_panels(platform, problem, *requirements.layout), problem);
        };
        Heuristic::MakePlans make_plans;
        if (plan_each && !given.even_panels) {
          make_plans = std::bind_front(plan_each, given);
        } else {
          make_plans = one_by_one(make_plan);
        }
        return std::make_unique<Heuristic>(required, make_plan, Origin::ours, make_plans);
      });
}

struct NoParameters {};
HeuristicEntry plain(AlgorithmEntry about, const Heuristic::MakePlan& make_plan) {
  return with_parameters<NoParameters>(
      std::move(about), memory_for(kOptimizedOverlapped), {},
      [make_plan](const NoParameters&, const Platform& platform, const Problem& problem) {
        return make_plan(platform, problem);
      });
}

struct SquareParameters {
  bool in_elements = false;
};
HeuristicEntry demand_driven(AlgorithmEntry about, const MemoryLayout& layout) {
  std::vector<Field<SquareParameters>> fields;
  if (layout.square_buffers) {
    fields = {one_of("squares", &SquareParameters::in_elements,
                     {{"blocks", false}, {"elements", true}},
                     "cut the matrices between blocks, or anywhere; that is simulated, no plan")};
  }
  return with_parameters<SquareParameters>(
      std::move(about), memory_for(layout), fields,
      [&layout](const SquareParameters&, const Platform& platform, const Problem& problem) {
        return plan_demand_driven(platform, problem, layout);
      });
}

using Groups = std::vector<std::string>;

std::vector<HeuristicEntry> the_seven() {
  const Groups ppopp08{"all", "ppopp08"};
  const Groups both{"all", "ppopp08", "ipdps07"};
  const std::string source = "PPoPP'08, section 6.2";
  using Given = VariantsAsked;
  return {
      with_parameters<Given>(
          {"Het", "incremental selection of workers, the best of eight variants",
           "PPoPP'08, section 5", ppopp08},
          memory_for(kOptimizedOverlapped),
          {one_of("ratio", &Given::local, {{"global", false}, {"local", true}},
                  "try only the variants with this ratio"),
           one_of("look_ahead", &Given::look_ahead, {{"yes", true}, {"no", false}},
                  "try only the variants with, or without, look-ahead"),
           one_of("count_c", &Given::count_c, {{"yes", true}, {"no", false}},
                  "try only the variants that count, or ignore, the cost of C"),
           one_of("clock", &Given::clock,
                  {{"coarse", PlanningDates::coarse}, {"exact", PlanningDates::exact}},
                  "plan by the paper's dates, or by those of execution")},
          plan_het, fast::plan_het_each),
      plain({"Hom", "the homogeneous algorithm on the best memory threshold", source, ppopp08},
            std::bind_front(plan_extraction, Thresholds::memory)),
      with_parameters<HomiParameters>(
          {"HomI", "the homogeneous algorithm on the best memory, link and speed thresholds",
           source, ppopp08},
          memory_for(kOptimizedOverlapped),
          {one_of("thresholds", &HomiParameters::thresholds,
                  {{"all", Thresholds::all}, {"own", Thresholds::own}},
                  "try every triple of values present, or those that some worker has")},
          plan_homi),
      plain({"ORROML", "round-robin over all workers, optimized memory layout", source, both},
            plan_round_robin),
      with_parameters<MinMinParameters>(
          {"OMMOML", "min-min: to the worker that will finish first, optimized memory layout",
           source, both},
          memory_for(kOptimizedOverlapped),
          {one_of("count_c", &MinMinParameters::count_c, {{"yes", true}, {"no", false}},
                  "count that a worker between chunks must be sent C first, or ignore it")},
          plan_min_min, plan_min_min_each),
      with_parameters<OddomlParameters>(
          {"ODDOML", "demand-driven, optimized memory layout", source, both},
          memory_for(kOptimizedOverlapped),
          {one_of(
              "serve", &OddomlParameters::by_index, {{"earliest", false}, {"index", true}},
              "of the workers that can receive, who asked first, or who has the smallest index")},
          plan_oddoml),
      demand_driven({"BMM", "demand-driven, Toledo's layout in three squares", source, both},
                    kToledo),
  };
}

std::vector<HeuristicEntry> those_of_ipdps07() {
  const Groups ipdps07{"ipdps07"};
  Requirements all_alike = memory_for(kOptimizedOverlapped);
  all_alike.homogeneous = true;
  return {with_parameters<HolmParameters>(
              {"HoLM", "the homogeneous algorithm, for workers all alike", "IPDPS'07, section 4",
               ipdps07},
              all_alike,
              {integer("workers", &HolmParameters::workers,
                       "enrol this many workers instead of ceil(mu w / (2 c))")},
              plan_holm),
          demand_driven({"DDOML", "demand-driven, optimized memory layout without overlap",
                         "IPDPS'07, section 5", ipdps07},
                        kOptimized),
          demand_driven({"OBMM", "demand-driven, Toledo's layout in five squares, overlapped",
                         "IPDPS'07, section 5", ipdps07},
                        kToledoOverlapped)};
}

/// The seven that Polaris runs where they are better; Het is planned last, being the dearest.
std::vector<polaris::Rival> rivals() {
  std::vector<polaris::Rival> rivals;
  for (const HeuristicEntry& seventh : the_seven()) {
    const std::string& name = seventh.name;
    const bool narrower = name == "Hom" || name == "HomI" || name == "BMM";
    rivals.push_back({.name = name,
                      .heuristic = seventh.make({}),
                      .panels = narrower ? polaris::Panels::any : polaris::Panels::full});
  }
  std::rotate(rivals.begin(), rivals.begin() + 1, rivals.end());
  return rivals;
}

HeuristicEntry adaptive_entry() {
  Requirements required = memory_for(kOptimizedOverlapped);
  required.one_port = true;
  return entry<Heuristic, NoParameters>(
      {"Adaptive",
       "demand-driven by the c_i and w_i that the run shows; what is left is shared out anew",
       "heuristics/README.md",
       {"adaptive"}},
      {},
      [=](const NoParameters&) { return std::make_unique<Heuristic>(required, plan_adaptive); });
}

HeuristicEntry polaris_entry() {
  using polaris::Level;
  using polaris::Objective;
  using polaris::Parts;
  using Given = polaris::Parameters;
  const Requirements a_block_of_each{.blocks = 3, .one_port = true};
  return entry<Heuristic, Given>(
      {"Polaris",
       "rectangles of C with resident A or B, the order of the port simulated; near the bound",
       "heuristics/star/polaris/README.md",
       {"polaris"}},
      {one_of("effort", &Given::level,
              {{"low", Level::low}, {"normal", Level::normal}, {"high", Level::high}},
              "how long it searches"),
       integer("seed", &Given::seed, "of its search"),
       one_of("objective", &Given::objective,
              {{"time", Objective::time}, {"work", Objective::work}},
              "the makespan, or makespan x enrolled workers"),
       one_of("without", &Given::without,
              {{"resident", &Parts::resident},
               {"exchanged", &Parts::exchanged},
               {"cut-messages", &Parts::cut_messages},
               {"late-c", &Parts::late_c},
               {"staggered", &Parts::staggered},
               {"strips", &Parts::strips},
               {"annealing", &Parts::annealing},
               {"climbing", &Parts::climbing}},
              "leave a part of it out, to see what that is worth")},
      [=](const Given& given) {
        return std::make_unique<Heuristic>(a_block_of_each,
                                           std::bind_front(polaris::plan, given, rivals()));
      });
}

}  // namespace

const std::vector<HeuristicEntry>& heuristic_registry() {
  static const std::vector<HeuristicEntry> registry = [] {
    std::vector<HeuristicEntry> entries = the_seven();
    for (HeuristicEntry& other : those_of_ipdps07()) entries.push_back(std::move(other));
    entries.push_back(polaris_entry());
    entries.push_back(adaptive_entry());
    return entries;
  }();
  return registry;
}

std::vector<NamedHeuristic> parse_heuristics(std::string_view text, std::string_view option) {
  std::vector<const AlgorithmEntry*> known;
  for (const HeuristicEntry& entry : heuristic_registry()) known.push_back(&entry);
  std::vector<NamedHeuristic> heuristics;
  for (const Asked& asked : parse_list(known, text, option)) {
    heuristics.push_back(
        {.name = asked.name(),
         .heuristic = static_cast<const HeuristicEntry&>(*asked.entry).make(asked.parameters),
         .named = asked.named});
  }
  return heuristics;
}

}  // namespace starport
