#include "heuristics/star/registry.hpp"

#include "heuristics/star/demand_driven.hpp"
#include "heuristics/star/het.hpp"
#include "heuristics/star/homogeneous.hpp"
#include "heuristics/star/min_min.hpp"
#include "heuristics/star/polaris/polaris.hpp"
#include "heuristics/star/round_robin.hpp"

#include <algorithm>

namespace starport {
namespace {

/// An entry without parameters.
template <class Kind, class... Arguments>
HeuristicEntry plain(AlgorithmEntry about, const Arguments&... arguments) {
  return {std::move(about),
          [arguments...](const ParameterTexts&) { return std::make_unique<Kind>(arguments...); }};
}
HeuristicEntry demand_driven(AlgorithmEntry about, const MemoryLayout& layout) {
  return {std::move(about),
          [&layout](const ParameterTexts&) { return std::make_unique<DemandDriven>(layout); }};
}
/// One that is made from its parameters.
template <class Kind, class Parameters>
HeuristicEntry with_parameters(AlgorithmEntry about, std::vector<Field<Parameters>> fields) {
  return entry<Heuristic, Parameters>(
      std::move(about), std::move(fields),
      [](const Parameters& parameters) { return std::make_unique<Kind>(parameters); });
}

std::vector<HeuristicEntry> the_seven() {
  using Given = Het::Parameters;
  return {
      with_parameters<Het, Given>(
          {"Het",
           "incremental selection of workers, the best of eight variants",
           "PPoPP'08, section 5",
           {"all", "ppopp08"}},
          {one_of("ratio", &Given::local, {{"global", false}, {"local", true}},
                  "try only the variants with this ratio"),
           one_of("look_ahead", &Given::look_ahead, {{"yes", true}, {"no", false}},
                  "try only the variants with, or without, look-ahead"),
           one_of("count_c", &Given::count_c, {{"yes", true}, {"no", false}},
                  "try only the variants that count, or ignore, the cost of C")}),
      plain<HomogeneousExtraction>({"Hom",
                                    "the homogeneous algorithm on the best memory threshold",
                                    "PPoPP'08, section 6.2",
                                    {"all", "ppopp08"}},
                                   Thresholds::memory),
      plain<HomogeneousExtraction>(
          {"HomI",
           "the homogeneous algorithm on the best memory, link and speed thresholds",
           "PPoPP'08, section 6.2",
           {"all", "ppopp08"}},
          Thresholds::all),
      plain<RoundRobin>({"ORROML",
                         "round-robin over all workers, optimized memory layout",
                         "PPoPP'08, section 6.2",
                         {"all", "ppopp08", "ipdps07"}}),
      plain<MinMin>({"OMMOML",
                     "min-min: to the worker that will finish first, optimized memory layout",
                     "PPoPP'08, section 6.2",
                     {"all", "ppopp08", "ipdps07"}}),
      demand_driven({"ODDOML",
                     "demand-driven, optimized memory layout",
                     "PPoPP'08, section 6.2",
                     {"all", "ppopp08", "ipdps07"}},
                    kOptimizedOverlapped),
      demand_driven({"BMM",
                     "demand-driven, Toledo's layout in three squares",
                     "PPoPP'08, section 6.2",
                     {"all", "ppopp08", "ipdps07"}},
                    kToledo),
  };
}

std::vector<HeuristicEntry> those_of_ipdps07() {
  using Given = HomogeneousMaster::Parameters;
  return {with_parameters<HomogeneousMaster, Given>(
              {"HoLM",
               "the homogeneous algorithm, for workers all alike",
               "IPDPS'07, section 4",
               {"ipdps07"}},
              {integer("workers", &Given::workers,
                       "enrol this many workers instead of ceil(mu w / (2 c))")}),
          demand_driven({"DDOML",
                         "demand-driven, optimized memory layout without overlap",
                         "IPDPS'07, section 5",
                         {"ipdps07"}},
                        kOptimized),
          demand_driven({"OBMM",
                         "demand-driven, Toledo's layout in five squares, overlapped",
                         "IPDPS'07, section 5",
                         {"ipdps07"}},
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

HeuristicEntry polaris_entry() {
  using Given = Polaris::Parameters;
  using polaris::Parts;
  return entry<Heuristic, Given>(
      {"Polaris",
       "rectangles of C with resident A or B, the order of the port simulated; near the bound",
       "heuristics/star/polaris/README.md",
       {"polaris"}},
      {one_of("effort", &Given::level,
              {{"low", Polaris::Level::low},
               {"normal", Polaris::Level::normal},
               {"high", Polaris::Level::high}},
              "how long it searches"),
       integer("seed", &Given::seed, "of its search"),
       one_of("objective", &Given::objective,
              {{"time", Polaris::Objective::time}, {"work", Polaris::Objective::work}},
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
      [](const Given& given) { return std::make_unique<Polaris>(given, rivals()); });
}

}  // namespace

const std::vector<HeuristicEntry>& heuristic_registry() {
  static const std::vector<HeuristicEntry> registry = [] {
    std::vector<HeuristicEntry> entries = the_seven();
    for (HeuristicEntry& other : those_of_ipdps07()) entries.push_back(std::move(other));
    entries.push_back(polaris_entry());
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
