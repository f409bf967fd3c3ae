// The algorithms of all models by name, including those of plug-ins.
#pragma once

#include "heuristics/star/registry.hpp"
#include "sim/results/model.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// Returns the registered algorithms of all models, built-in ones first, then those of plug-ins in
/// the order of loading. The list and its elements are static; the list grows when heuristics are
/// added, which invalidates its iterators. Not thread-safe against add_heuristics().
const std::vector<const AlgorithmEntry*>& algorithm_entries();

class CommandLine;

/// Adds the option --plugin (paths of shared libraries, separated by commas), which load_plugins()
/// reads. Call it before CommandLine::parse().
void add_plugin_option(CommandLine& line);
/// Loads the shared libraries that --plugin names, which runs their code in this process, and
/// registers their heuristics; does nothing if the option is not given. Call it after
/// CommandLine::parse() and before algorithms are looked up. Throws InputError if a library cannot
/// be loaded, or a heuristic's name is taken or not allowed.
void load_plugins(const CommandLine& line);

/// Loads the shared library at `path`, which runs its code in this process, and registers its
/// heuristics until the program ends. Throws InputError if it cannot be loaded or was made for
/// another version, or if a heuristic's name is taken or not allowed.
void add_plugin(const std::string& path);
/// Registers heuristics under their names until the program ends; read_algorithms() then finds
/// them. Throws InputError, which names `file`, and registers none of them, if a name is empty, is
/// taken, or contains a comma, bracket, colon, space or control character. Two equal names within
/// `entries` are not detected.
void add_heuristics(std::vector<HeuristicEntry> entries, const std::string& file);

/// Creates the algorithms of a list as --heuristics takes it ("Het,ODDOML", "Het[clock=exact]",
/// "all"), in the order of the list. `place` is the option or JSON pointer for error messages.
/// Throws InputError located there for an unknown name or parameter or a malformed list.
std::vector<NamedAlgorithm> read_algorithms(std::string_view list, std::string_view place);

}  // namespace starport
