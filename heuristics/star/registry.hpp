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

/// Entry of a heuristic of the star model in a list of heuristics: its name, description and
/// parameters, and the function that creates it (Entry::make, which returns a
/// std::unique_ptr<Heuristic>).
using HeuristicEntry = Entry<Heuristic>;

/// Returns the entries (names, parameters, factories) of the built-in heuristics of the star model,
/// in the order in which users see them listed; never empty. Created at the first call, which is
/// thread-safe; constant and valid until the program ends.
const std::vector<HeuristicEntry>& heuristic_registry();

/// A heuristic that the user requested, with its parameters set, ready to plan. Made by
/// parse_heuristics(). Owns the heuristic; movable, not copyable.
struct NamedHeuristic {
  /// Name of the heuristic with the parameters given, sorted by key: "Het" or "Het[ratio=local]".
  std::string name;
  /// The heuristic, with its parameters set; not null.
  std::unique_ptr<Heuristic> heuristic;
  /// True if the user's list has the heuristic by its own name; false if it has only a group that
  /// contains it.
  bool named = true;
};

/// Parses and creates the heuristics in `text`, a list of names and groups of built-in heuristics
/// separated by commas such as "Het[ratio=local],ODDOML". The groups "all" and "ppopp08" stand for
/// the seven of PPoPP'08, "ipdps07" for those of IPDPS'07, "adaptive" and "polaris" for the
/// heuristic of that name, "all+" for every built-in heuristic. Spaces around items are ignored,
/// and so is the case of a name that fits only one. Returns them in the order of the list (a group
/// in that of heuristic_registry(), without parameters), duplicates (same parameters) once, at the
/// first place; never empty. Throws InputError if a name, group, parameter or value is unknown, a
/// parameter is given twice, or the list is malformed or empty; the message names `option` as the
/// place of the error. Does not find heuristics of plug-ins.
std::vector<NamedHeuristic> parse_heuristics(std::string_view text,
                                             std::string_view option = "--heuristics");

}  // namespace starport
