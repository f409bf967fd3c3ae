// The algorithms of all models, by name.
#pragma once

#include "heuristics/star/registry.hpp"
#include "sim/results/model.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// Those that lists can name, of every model.
const std::vector<const AlgorithmEntry*>& algorithm_entries();

class CommandLine;

/// --plugin, and once the command line is parsed what it asks for. Throws InputError.
void add_plugin_option(CommandLine& line);
void load_plugins(const CommandLine& line);

/// Adds heuristics of others, which have names of their own; else throws InputError that names the
/// file. Those of a shared library, and any.
void add_plugin(const std::string& path);
void add_heuristics(std::vector<HeuristicEntry> entries, const std::string& file);

/// Reads a list as --heuristics takes it. Throws InputError that names the place.
std::vector<NamedAlgorithm> read_algorithms(std::string_view list, std::string_view place);

}  // namespace starport
