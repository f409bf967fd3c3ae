#include "sim/cli/algorithms.hpp"

#include "heuristics/spmd/registry.hpp"
#include "heuristics/star/registry.hpp"
#include "heuristics/tiles/registry.hpp"

#include <functional>
#include <map>
#include <memory>

namespace starport {
namespace {

using Make = std::function<std::shared_ptr<const Algorithm>(const ParameterTexts&)>;

struct AllAlgorithms {
  std::vector<const AlgorithmEntry*> entries;
  std::map<const AlgorithmEntry*, Make> make;

  template <class Kind>
  void add(const std::vector<Entry<Kind>>& registry) {
    for (const Entry<Kind>& entry : registry) {
      entries.push_back(&entry);
      make[&entry] = [&entry](const ParameterTexts& texts) { return entry.make(texts); };
    }
  }
};

const AllAlgorithms& all_algorithms() {
  static const AllAlgorithms all = [] {
    AllAlgorithms known;
    known.add(heuristic_registry());
    known.add(spmd::distribution_registry());
    known.add(tiles::tile_registry());
    return known;
  }();
  return all;
}

}  // namespace

const std::vector<const AlgorithmEntry*>& algorithm_entries() { return all_algorithms().entries; }

std::vector<NamedAlgorithm> read_algorithms(std::string_view list, std::string_view place) {
  std::vector<NamedAlgorithm> algorithms;
  for (const Asked& asked : parse_list(algorithm_entries(), list, place)) {
    algorithms.push_back({.name = asked.name(),
                          .algorithm = all_algorithms().make.at(asked.entry)(asked.parameters),
                          .named = asked.named});
  }
  return algorithms;
}

}  // namespace starport
