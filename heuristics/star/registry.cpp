#include "heuristics/star/registry.hpp"

#include "heuristics/star/demand_driven.hpp"
#include "heuristics/star/heterogeneous.hpp"
#include "heuristics/star/homogeneous.hpp"
#include "heuristics/star/min_min.hpp"
#include "heuristics/star/polaris/polaris.hpp"
#include "heuristics/star/round_robin.hpp"

#include <optional>

namespace starport {
namespace {

std::unique_ptr<Heuristic> make_het(const ParameterValues& parameters) {
  const auto admits = [&](const char* key, const char* value) {
    const auto it = parameters.find(key);
    return it == parameters.end() || it->second == value;
  };
  std::vector<Selection> selections;
  for (const Selection& selection : kSelections) {
    if (admits("ratio", selection.local ? "local" : "global") &&
        admits("look_ahead", selection.look_ahead ? "yes" : "no") &&
        admits("count_c", selection.count_c ? "yes" : "no")) {
      selections.push_back(selection);
    }
  }
  return std::make_unique<Heterogeneous>(std::move(selections));
}

std::unique_ptr<Heuristic> make_holm(const ParameterValues& parameters) {
  std::optional<std::int64_t> enrolled;
  if (const auto it = parameters.find("workers"); it != parameters.end()) {
    enrolled = std::stoll(it->second);
  }
  return std::make_unique<HomogeneousMaster>(enrolled);
}

std::unique_ptr<Heuristic> make_polaris(const ParameterValues& parameters) {
  const auto given = [&](const char* key, const char* otherwise) {
    const auto it = parameters.find(key);
    return it == parameters.end() ? std::string(otherwise) : it->second;
  };
  const std::string effort = given("effort", "normal");
  const std::string left_out = given("without", "");
  polaris::Without without;
  without.modes.resident = left_out != "resident";
  without.modes.exchanged = left_out != "exchanged";
  without.modes.cut_messages = left_out != "cut-messages";
  without.late_c = left_out == "late-c";
  without.staggered = left_out == "staggered";
  without.strips = left_out == "strips";
  without.annealing = left_out == "annealing";
  without.climbing = left_out == "climbing";
  return std::make_unique<Polaris>(
      effort == "low"    ? Polaris::Level::low
      : effort == "high" ? Polaris::Level::high
                         : Polaris::Level::normal,
      std::stoull(given("seed", "1")),
      given("objective", "time") == "work" ? Polaris::Objective::work : Polaris::Objective::time,
      without);
}

template <class Kind, auto... arguments>
std::unique_ptr<Heuristic> make(const ParameterValues&) {
  return std::make_unique<Kind>(arguments...);
}
template <const MemoryLayout& layout>
std::unique_ptr<Heuristic> make_demand_driven(const ParameterValues&) {
  return std::make_unique<DemandDriven>(layout);
}

using Thresholds = HomogeneousExtraction::Thresholds;

}  // namespace

const std::vector<HeuristicEntry>& heuristic_registry() {
  static const std::vector<HeuristicEntry> registry{
      {"Het",
       "incremental selection of workers, the best of eight variants",
       "PPoPP'08, section 5",
       true,
       {{"ratio", {"global", "local"}, "try only the variants with this ratio"},
        {"look_ahead", {"yes", "no"}, "try only the variants with, or without, look-ahead"},
        {"count_c", {"yes", "no"}, "try only the variants that count, or ignore, the cost of C"}},
       make_het},
      {"Hom",
       "the homogeneous algorithm on the best memory threshold",
       "PPoPP'08, section 6.2",
       true,
       {},
       make<HomogeneousExtraction, Thresholds::memory>},
      {"HomI",
       "the homogeneous algorithm on the best memory, link and speed thresholds",
       "PPoPP'08, section 6.2",
       true,
       {},
       make<HomogeneousExtraction, Thresholds::all>},
      {"ORROML",
       "round-robin over all workers, optimized memory layout",
       "PPoPP'08, section 6.2",
       true,
       {},
       make<RoundRobin>},
      {"OMMOML",
       "min-min: to the worker that will finish first, optimized memory layout",
       "PPoPP'08, section 6.2",
       true,
       {},
       make<MinMin>},
      {"ODDOML",
       "demand-driven, optimized memory layout",
       "PPoPP'08, section 6.2",
       true,
       {},
       make_demand_driven<kOptimizedOverlapped>},
      {"BMM",
       "demand-driven, Toledo's layout in three squares",
       "PPoPP'08, section 6.2",
       true,
       {},
       make_demand_driven<kToledo>},
      {"HoLM",
       "the homogeneous algorithm, for workers all alike",
       "IPDPS'07, section 4",
       false,
       {{"workers", {}, "enrol this many workers instead of ceil(mu w / (2 c))"}},
       make_holm},
      {"DDOML",
       "demand-driven, optimized memory layout without overlap",
       "IPDPS'07, section 5",
       false,
       {},
       make_demand_driven<kOptimized>},
      {"OBMM",
       "demand-driven, Toledo's layout in five squares, overlapped",
       "IPDPS'07, section 5",
       false,
       {},
       make_demand_driven<kToledoOverlapped>},
      {"Polaris",
       "rectangles of C with resident A or B, the order of the port simulated; near the bound",
       "heuristics/star/polaris/README.md",
       false,
       {{"effort", {"low", "normal", "high"}, "how long it searches; normal unless given"},
        {"seed", {}, "of its search, 1 unless given"},
        {"objective",
         {"time", "work"},
         "the makespan (the default), or makespan x enrolled workers"},
        {"without",
         {"resident", "exchanged", "cut-messages", "late-c", "staggered", "strips", "annealing",
          "climbing"},
         "leave a part of it out, to see what that is worth"}},
       make_polaris},
  };
  return registry;
}

}  // namespace starport
