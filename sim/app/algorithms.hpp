// The algorithms of all models by name, including those of plug-ins.
#pragma once

#include "heuristics/registry.hpp"
#include "sim/results/model.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starport {

/// Returns the descriptions of the registered algorithms of all models (stars, tile tasks,
/// distributed products), built-in ones first, then those of plug-ins in the order of loading; no
/// pointer is null. The list and its elements are valid until the program ends; the list grows when
/// heuristics are added, which invalidates its iterators. Not thread-safe against add_heuristics().
const std::vector<const AlgorithmEntry*>& algorithm_entries();

/// Returns the names of the built-in algorithms, except those that run external programs, in the
/// order of algorithm_entries(), each with the number (from 1) of its colour in figures. Those of
/// tile tasks are numbered from 1 anew, so that one of them may have the number of another
/// algorithm.
std::vector<std::pair<std::string, std::int64_t>> numbered_algorithms();

class CommandLine;

/// Declares in `line` the option --plugin (paths of shared libraries, separated by commas), which
/// load_plugins() reads. Call it once, before CommandLine::parse().
void add_plugin_option(CommandLine& line);
/// Registers the algorithms of the shared libraries that --plugin names, as add_plugin() does for
/// each; does nothing if the option is not given. Call it after CommandLine::parse(), before
/// algorithms are looked up, and while the process has one thread, since it forks. Throws
/// InputError if a library cannot be loaded within 60 s or was made for another version, or a name
/// is taken or not allowed; the algorithms of the libraries before it stay registered.
void load_plugins(const CommandLine& line);

/// Registers the algorithms that the shared library at `path` lists by STARPORT_PLUGIN, until the
/// program ends. A child process loads the library to read the list, for at most 60 s; later each
/// process that uses one of them loads it: a child process for each simulated run, this process in
/// a real run. Throws InputError if it cannot be loaded, was made for another version or takes too
/// long, or if a name is taken or not allowed; none is registered then. Call it while the process
/// has one thread, since it forks. Not thread-safe.
void add_plugin(const std::string& path);
/// Returns the SHA-256 (64 hexadecimal digits in lower case) of each library that add_plugin() has
/// registered in this process, without repetitions and in increasing order: part of the origin of
/// results. Not thread-safe.
std::vector<std::string> plugin_checksums();
/// Registers algorithms of any model under their names until the program ends; read_algorithms()
/// then finds them. `make` of an entry must not be empty (not checked: std::bad_function_call when
/// the algorithm is requested). Throws InputError, which names `file` (the path of their library,
/// for messages only), and registers none of them, if a name is empty, is that of another algorithm
/// or of a group, or contains a comma, bracket, colon, space or control character, or if one of
/// their groups has the name of an algorithm. Not thread-safe.
void add_heuristics(std::vector<Entry<Algorithm>> entries, const std::string& file);

/// Creates the algorithms, of any model, in a list as --heuristics takes it ("Het,ODDOML",
/// "Het[clock=exact]", "all"), in the order of the list, duplicates once; never empty. `place` is
/// the option or JSON pointer for error messages. Throws InputError located there for an unknown
/// name, parameter or value or a malformed or empty list. Exceptions of an algorithm's constructor,
/// such as InputError of a plug-in, pass through.
std::vector<NamedAlgorithm> read_algorithms(std::string_view list, std::string_view place);

}  // namespace starport
