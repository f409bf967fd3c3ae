#include "sim/cli/algorithms.hpp"

#include "heuristics/star/registry.hpp"

#include <utility>

namespace starport {

std::vector<NamedAlgorithm> read_algorithms(std::string_view list, std::string_view place) {
  std::vector<NamedAlgorithm> algorithms;
  for (NamedHeuristic& named : parse_heuristics(list, place)) {
    algorithms.push_back({.name = std::move(named.name),
                          .algorithm = std::move(named.heuristic),
                          .named = named.named});
  }
  return algorithms;
}

}  // namespace starport
