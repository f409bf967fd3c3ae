// The one list of heuristics. A new one gets a file pair here and an entry in registry.cpp.
#pragma once

#include "heuristics/star/heuristic.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace starport {

struct HeuristicParameter {
  std::string key;
  std::vector<std::string> values;  ///< the values accepted; empty: an integer >= 1
  std::string description;
};

using ParameterValues = std::map<std::string, std::string>;

struct HeuristicEntry {
  std::string name;
  std::string description;  ///< one line
  std::string source;       ///< paper and section
  bool in_ppopp08;          ///< one of the seven of PPoPP'08, which `all` means
  std::vector<HeuristicParameter> parameters;
  std::function<std::unique_ptr<Heuristic>(const ParameterValues&)> make;
};

const std::vector<HeuristicEntry>& heuristic_registry();

}  // namespace starport
