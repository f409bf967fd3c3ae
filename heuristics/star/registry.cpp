#include "heuristics/star/registry.hpp"

#include "heuristics/star/adaptive.hpp"
#include "heuristics/star/chunks.hpp"
#include "heuristics/star/demand_driven.hpp"
#include "heuristics/star/fast/large_platforms.hpp"
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

/// Parameters of a heuristic of the papers, and the one that all of them have.
template <class Parameters>
struct WithPanels : Parameters {
  bool even_panels = false;  ///< panels of equal width (with_even_panels)
};

template <class Parameters>
using PlanFunction = std::function<Plan(const Parameters&, const Platform&, const Problem&)>;
template <class Parameters>
using PlanBatchFunction =
    std::function<std::vector<Plan>(const Parameters&, std::span<const Instance>)>;

/// Makes the entry of a heuristic of the papers. `plan_batch`, if given, makes the same plans as
/// `plan` for several instances at once.
template <class Parameters>
HeuristicEntry make_paper_entry(AlgorithmEntry about, const Requirements& requirements,
                                const std::vector<ParameterField<Parameters>>& fields,
                                const PlanFunction<Parameters>& plan,
                                const PlanBatchFunction<Parameters>& plan_batch = nullptr) {
  using Given = WithPanels<Parameters>;
  std::vector<ParameterField<Given>> given_fields;
  for (const ParameterField<Parameters>& field : fields) {
    given_fields.push_back({field.parameter, field.set});
  }
  given_fields.push_back(choice_field(
      "panels", &Given::even_panels, {{"full", false}, {"even", true}},
      "width of panels: as wide as memory allows with a narrower last one, or of equal width"));
  return make_entry<Heuristic, Given>(
      std::move(about), std::move(given_fields),
      [requirements, plan, plan_batch](const Given& given) {
        Requirements required = requirements;
        if constexpr (requires { given.in_elements; }) required.in_elements = given.in_elements;
        const auto make_plan = [=](const Platform& platform, const Problem& problem) {
          if (!given.even_panels) return plan(given, platform, problem);
          return plan(given, with_even_panels(platform, problem, *requirements.layout), problem);
        };
        Heuristic::MakePlans make_plans;
        if (plan_batch && !given.even_panels) make_plans = std::bind_front(plan_batch, given);
        return std::make_unique<Heuristic>(required, make_plan, Origin::built_in, make_plans);
      });
}

struct NoParameters {};
/// Makes the entry of a heuristic of the papers that has no parameters of its own.
HeuristicEntry make_plain_entry(AlgorithmEntry about, const Heuristic::MakePlan& make_plan) {
  return make_paper_entry<NoParameters>(
      std::move(about), memory_for(kOptimizedOverlapped), {},
      [make_plan](const NoParameters&, const Platform& platform, const Problem& problem) {
        return make_plan(platform, problem);
      });
}

/// Parameters of heuristics whose layout has square buffers.
struct SquareParameters {
  bool in_elements = false;  ///< cut matrices anywhere, not only between blocks
};
HeuristicEntry make_demand_driven_entry(AlgorithmEntry about, const MemoryLayout& layout) {
  std::vector<ParameterField<SquareParameters>> fields;
  if (layout.square_buffers) {
    fields = {choice_field("squares", &SquareParameters::in_elements,
                           {{"blocks", false}, {"elements", true}},
                           "cut matrices between blocks, or at any element; the latter is "
                           "simulated only, not planned")};
  }
  return make_paper_entry<SquareParameters>(
      std::move(about), memory_for(layout), fields,
      [&layout](const SquareParameters&, const Platform& platform, const Problem& problem) {
        return plan_demand_driven(platform, problem, layout);
      });
}

using Groups = std::vector<std::string>;

/// Returns the seven heuristics of PPoPP'08.
std::vector<HeuristicEntry> make_ppopp08_entries() {
  const Groups ppopp08{"all", "ppopp08"};
  const Groups both{"all", "ppopp08", "ipdps07"};
  const std::string source = "PPoPP'08, section 6.2";
  using Given = HetParameters;
  return {
      make_paper_entry<Given>(
          {"Het", "incremental selection of workers, the best of eight variants",
           "PPoPP'08, section 5", ppopp08},
          memory_for(kOptimizedOverlapped),
          {choice_field("ratio", &Given::local, {{"global", false}, {"local", true}},
                        "try only the variants with this ratio"),
           choice_field("look_ahead", &Given::look_ahead, {{"yes", true}, {"no", false}},
                        "try only the variants with, or without, look-ahead"),
           choice_field("count_c", &Given::count_c, {{"yes", true}, {"no", false}},
                        "try only the variants that count, or ignore, the cost of C"),
           choice_field("clock", &Given::clock,
                        {{"coarse", PlanningDates::coarse}, {"exact", PlanningDates::exact}},
                        "plan by the paper's dates, or by the dates of execution")},
          [](const Given& given, const Platform& platform, const Problem& problem) {
            const Instance instance{&platform, &problem};
            return std::move(fast::plan_het_batch(given, {&instance, 1}).front());
          },
          fast::plan_het_batch),
      make_plain_entry(
          {"Hom", "the homogeneous algorithm on the best memory threshold", source, ppopp08},
          std::bind_front(fast::plan_extraction, Thresholds::memory)),
      make_paper_entry<HomiParameters>(
          {"HomI", "the homogeneous algorithm on the best memory, link and speed thresholds",
           source, ppopp08},
          memory_for(kOptimizedOverlapped),
          {choice_field("thresholds", &HomiParameters::thresholds,
                        {{"all", Thresholds::all}, {"own", Thresholds::own}},
                        "try every combination of the workers' memories, links and speeds, or each "
                        "worker's own")},
          fast::plan_homi),
      make_plain_entry(
          {"ORROML", "round-robin over all workers, optimized memory layout", source, both},
          plan_round_robin),
      make_paper_entry<MinMinParameters>(
          {"OMMOML", "min-min: to the worker that will finish first, optimized memory layout",
           source, both},
          memory_for(kOptimizedOverlapped),
          {choice_field("count_c", &MinMinParameters::counts_c, {{"yes", true}, {"no", false}},
                        "count or ignore that a worker between chunks must first be sent C")},
          fast::plan_min_min),
      make_paper_entry<OddomlParameters>(
          {"ODDOML", "demand-driven, optimized memory layout", source, both},
          memory_for(kOptimizedOverlapped),
          {choice_field(
              "serve", &OddomlParameters::by_index, {{"earliest", false}, {"index", true}},
              "of the workers that can receive, the first to ask, or the one of smallest index")},
          plan_oddoml),
      make_demand_driven_entry(
          {"BMM", "demand-driven, Toledo's layout in three squares", source, both}, kToledo),
  };
}

/// Returns the heuristics that only IPDPS'07 has.
std::vector<HeuristicEntry> make_ipdps07_entries() {
  const Groups ipdps07{"ipdps07"};
  Requirements identical_workers = memory_for(kOptimizedOverlapped);
  identical_workers.homogeneous = true;
  return {
      make_paper_entry<HolmParameters>(
          {"HoLM", "the homogeneous algorithm, for workers all alike", "IPDPS'07, section 4",
           ipdps07},
          identical_workers,
          {integer_field("workers", &HolmParameters::workers,
                         "enrol this many workers instead of ceil(mu w / (2 c))")},
          plan_holm),
      make_demand_driven_entry({"DDOML", "demand-driven, optimized memory layout without overlap",
                                "IPDPS'07, section 5", ipdps07},
                               kOptimized),
      make_demand_driven_entry(
          {"OBMM", "demand-driven, Toledo's layout in five squares, overlapped",
           "IPDPS'07, section 5", ipdps07},
          kToledoOverlapped)};
}

/// Returns the heuristics of PPoPP'08 with which Polaris competes. Het comes last, as planning it
/// takes longest.
std::vector<polaris::Rival> make_rivals() {
  std::vector<polaris::Rival> rivals;
  for (const HeuristicEntry& entry : make_ppopp08_entries()) {
    const std::string& name = entry.name;
    polaris::ChunkSides sides = polaris::ChunkSides::optimized;
    if (name == "Hom" || name == "HomI") sides = polaris::ChunkSides::equal;
    if (name == "BMM") sides = polaris::ChunkSides::toledo;
    rivals.push_back({.name = name,
                      .heuristic = entry.make({}),
                      .sides = sides,
                      .adapts = name == "ODDOML" || name == "BMM"});
  }
  std::rotate(rivals.begin(), rivals.begin() + 1, rivals.end());
  return rivals;
}

HeuristicEntry make_adaptive_entry() {
  Requirements required = memory_for(kOptimizedOverlapped);
  required.ports = SupportedPorts::one;
  return make_entry<Heuristic, NoParameters>(
      {"Adaptive",
       "demand-driven by the c_i and w_i observed in the run; redistributes what is left",
       "heuristics/README.md",
       {"adaptive"}},
      {},
      [=](const NoParameters&) { return std::make_unique<Heuristic>(required, plan_adaptive); });
}

HeuristicEntry make_polaris_entry() {
  using polaris::Features;
  using polaris::Level;
  using polaris::Objective;
  using Given = polaris::Parameters;
  return make_entry<Heuristic, Given>(
      {"Polaris",
       "rectangles of C with resident A or B, ordered by simulation; near the lower bound",
       "heuristics/star/polaris/README.md",
       {"polaris"}},
      {choice_field("effort", &Given::level,
                    {{"low", Level::low}, {"normal", Level::normal}, {"high", Level::high}},
                    "effort of the search"),
       integer_field("seed", &Given::seed, "seed of the random search"),
       choice_field("objective", &Given::objective,
                    {{"time", Objective::time}, {"work", Objective::work}},
                    "minimise the makespan, or makespan times enrolled workers"),
       choice_field("adapt", &Given::adapt, {{"no", false}, {"yes", true}},
                    "keep the planned order, unless ODDOML or BMM is better, or decide it during "
                    "the run and share out anew what workers that slow down have not begun, and "
                    "what those that stop have not returned"),
       choice_field("split_k", &Given::split_k, {{"no", false}, {"yes", true}},
                    "let each worker do all updates of its blocks of C, or also share them between "
                    "workers, whose partial sums the master adds up, where that is faster"),
       choice_field("without", &Given::without,
                    {{"resident", &Features::resident},
                     {"exchanged", &Features::exchanged},
                     {"cut-messages", &Features::cut_messages},
                     {"tight-buffers", &Features::tight_buffers},
                     {"late-c", &Features::late_c},
                     {"staggered", &Features::staggered},
                     {"options", &Features::options},
                     {"strips", &Features::strips},
                     {"annealing", &Features::annealing},
                     {"lags", &Features::lags},
                     {"climbing", &Features::climbing},
                     {"fewer-workers", &Features::fewer_workers},
                     {"other-workers", &Features::other_workers}},
                    "disable a part of the heuristic, to measure its benefit")},
      [](const Given& given) {
        const Requirements required{
            .blocks = 3, .ports = given.adapt ? SupportedPorts::one : SupportedPorts::any};
        return std::make_unique<Heuristic>(
            required, std::bind_front(given.split_k ? polaris::plan_split_k : polaris::plan, given,
                                      make_rivals()));
      });
}

}  // namespace

const std::vector<HeuristicEntry>& heuristic_registry() {
  static const std::vector<HeuristicEntry> registry = [] {
    std::vector<HeuristicEntry> entries = make_ppopp08_entries();
    for (HeuristicEntry& entry : make_ipdps07_entries()) entries.push_back(std::move(entry));
    entries.push_back(make_polaris_entry());
    entries.push_back(make_adaptive_entry());
    return entries;
  }();
  return registry;
}

std::vector<NamedHeuristic> parse_heuristics(std::string_view text, std::string_view option) {
  std::vector<const AlgorithmEntry*> entries;
  for (const HeuristicEntry& entry : heuristic_registry()) entries.push_back(&entry);
  std::vector<NamedHeuristic> heuristics;
  for (const SelectedAlgorithm& selected : parse_algorithm_list(entries, text, option)) {
    heuristics.push_back(
        {.name = selected.name(),
         .heuristic = static_cast<const HeuristicEntry&>(*selected.entry).make(selected.parameters),
         .named = selected.is_explicit});
  }
  return heuristics;
}

}  // namespace starport
