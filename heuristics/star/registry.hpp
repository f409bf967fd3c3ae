// The one list of heuristics of the star. A new one gets a file pair here and an entry in
// registry.cpp.
#pragma once

#include "heuristics/registry.hpp"
#include "sim/star/heuristic.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

using HeuristicEntry = Entry<Heuristic>;

const std::vector<HeuristicEntry>& heuristic_registry();

struct NamedHeuristic {
  std::string name;  ///< as it is asked for again: "Het" or "Het[ratio=local]"
  std::unique_ptr<Heuristic> heuristic;
  bool named = true;  ///< asked for by name, not only as one of a group
};

/// Reads a list of names and groups (parse_list): `all` is the seven of PPoPP'08, `all+` every one.
/// Throws InputError naming the option.
std::vector<NamedHeuristic> parse_heuristics(std::string_view text,
                                             std::string_view option = "--heuristics");

}  // namespace starport
