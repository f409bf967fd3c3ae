// The algorithms of all models by name, including those of plug-ins.
#pragma once

#include "heuristics/star/registry.hpp"
#include "sim/results/model.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// Returns the registered algorithms of all models, built-in ones first. Pointers stay valid; the
/// vector grows when heuristics are added.
const std::vector<const AlgorithmEntry*>& algorithm_entries();

class CommandLine;

/// Adds the option --plugin.
void add_plugin_option(CommandLine& line);
/// Loads the shared libraries of --plugin, if given, and registers their heuristics. Throws
/// InputError if one cannot be loaded or repeats a name.
void load_plugins(const CommandLine& line);

/// Loads one shared library and registers its heuristics. Throws InputError, which names the file.
void add_plugin(const std::string& path);
/// Registers heuristics. Throws InputError, which names `file`, if a name is taken or contains a
/// comma, bracket, colon, space or control character.
void add_heuristics(std::vector<HeuristicEntry> entries, const std::string& file);

/// Creates the algorithms of a list as --heuristics takes it ("Het,ODDOML", "all"). Throws
/// InputError located at `place` for an unknown name or parameter.
std::vector<NamedAlgorithm> read_algorithms(std::string_view list, std::string_view place);

}  // namespace starport
