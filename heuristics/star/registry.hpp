// The list of the built-in heuristics of the star model. A new heuristic gets a pair of files in
// this folder and an entry in registry.cpp.
#pragma once

#include "heuristics/registry.hpp"
#include "sim/star/heuristic.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// A heuristic in a list: its name, description, parameters, and how it is made.
using HeuristicEntry = Entry<Heuristic>;

/// Returns the built-in heuristics, in the order in which they are listed.
const std::vector<HeuristicEntry>& heuristic_registry();

/// A heuristic that was requested, with its parameters set.
struct NamedHeuristic {
  std::string name;  ///< canonical name with parameters: "Het" or "Het[ratio=local]"
  std::unique_ptr<Heuristic> heuristic;
  bool named = true;  ///< requested by its own name, not only as a member of a group
};

/// Parses a list of built-in heuristics such as "Het[ratio=local],ODDOML" (see
/// parse_algorithm_list()); the group `all` is the seven of PPoPP'08, `all+` every heuristic.
/// Throws InputError that names `option` if a name or parameter is unknown.
std::vector<NamedHeuristic> parse_heuristics(std::string_view text,
                                             std::string_view option = "--heuristics");

}  // namespace starport
