// Algorithms in shared libraries (plug-ins). A library includes this header and lists its classes
// with STARPORT_PLUGIN. For the star:
//
//   class Mine final : public starport::PluginHeuristic {
//    public:
//     starport::Plan plan(const starport::Platform&, const starport::Problem&) const override;
//   };
//   STARPORT_PLUGIN(starport::plugin_entry<Mine>({"Mine", "one line", "where it comes from", {}}))
//
// For tile tasks, a class derived from starport::tiles::Strategy; for distributed products, one
// derived from starport::spmd::PluginPartition (heuristics/PROTOCOL.md).
#pragma once

#include "heuristics/external/distribution.hpp"
#include "heuristics/external/tile_strategy.hpp"
#include "heuristics/star/registry.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace starport {

/// Base class of a heuristic in a shared library (plug-in), from which its author derives a class
/// to be listed with plugin_entry(). Each process that plans with the heuristic (such as a child
/// process for each simulated run, or that of MPI rank 0 in a real run) creates one object of the
/// derived class for each requested heuristic (name and parameter values) and keeps it alive;
/// before that, a child process creates another one, only to try the constructor.
class PluginHeuristic {
 public:
  virtual ~PluginHeuristic() = default;
  /// Returns a plan (schedule) for the product `problem` on the platform, with a dispatcher that is
  /// not null. Called by Heuristic::plan(), before each run. The platform, the problem and this
  /// object outlive the plan. Must not change this object: it may be called any number of times.
  /// May throw NotApplicable with a reason, which is reported for this platform and product; other
  /// exceptions pass to the caller of Heuristic::plan().
  virtual Plan plan(const Platform& platform, const Problem& problem) const = 0;
};

namespace spmd {

/// Base class of an algorithm for distributed products in a shared library (plug-in), from which
/// its author derives a class to be listed with plugin_entry(). Starport creates an object in a
/// child process before each run and destroys it when divide() has returned.
class PluginPartition {
 public:
  virtual ~PluginPartition() = default;
  /// Returns the rectangle of each worker in the side x side blocks of C, by index from 0. The
  /// rectangles must cover C without overlaps and have at least one block each, and those that
  /// begin in the same block column must be equally wide and fill C from top to bottom; otherwise
  /// the run fails with SimulationError. Called once per object, in a child process before the run.
  /// May throw NotApplicable with a reason; the run fails with any other exception.
  virtual PerWorker<NodeRectangle> divide(const Cluster& cluster, std::int64_t side) const = 0;
};

}  // namespace spmd

/// Returns a new object, never null, of a class of a plug-in, constructed from `arguments`,
/// followed by `parameters` if the class has such a constructor. Exceptions of the constructor pass
/// through.
template <class OfPlugin, class... Arguments>
std::unique_ptr<OfPlugin> make_of_plugin(const ParameterTexts& parameters,
                                         const Arguments&... arguments) {
  if constexpr (std::is_constructible_v<OfPlugin, const Arguments&..., const ParameterTexts&>) {
    return std::make_unique<OfPlugin>(arguments..., parameters);
  } else {
    return std::make_unique<OfPlugin>(arguments...);
  }
}

/// An algorithm that a plug-in lists: its description and the functions of its class, which depend
/// on its model (the star, tile tasks or distributed products). Made by plugin_entry() in the
/// library; load_plugin() makes a registry entry of it.
struct PluginEntry {
  /// Part of a PluginEntry for a heuristic for the star: its requirements and the function that
  /// makes it.
  struct Star {
    /// Requirements of the heuristic on the memory, port and workers of the platform and on the
    /// block size, checked before each plan: Heuristic::plan() throws InputError if no worker has
    /// the memory, and NotApplicable if another one is not met.
    Requirements requirements;
    /// Function that makes a new object of the plug-in's class from the given parameter values;
    /// exceptions of the constructor pass through. Neither the function nor its result is null.
    std::function<std::unique_ptr<const PluginHeuristic>(const ParameterTexts&)> make;
  };
  /// Part of a PluginEntry for a strategy for tile tasks: the functions that make the strategy and
  /// its static allocation.
  struct Tiles {
    /// Function, not empty, that makes a new strategy for one run.
    tiles::MakeStrategy make;
    /// Function that returns the static allocation of all tasks to memory nodes; empty if tasks are
    /// assigned at run time.
    tiles::Allocate allocate;
  };
  /// Part of a PluginEntry for an algorithm for distributed products: a factory of functions that
  /// divide C among the workers.
  struct Products {
    /// Function that returns, for the given parameter values, the function that divides C; neither
    /// is empty.
    std::function<spmd::DivideProduct(const ParameterTexts&)> make;
  };

  /// Name, description and own parameters of the algorithm.
  AlgorithmEntry about;
  /// Functions of the algorithm; the type held tells its model: the star, tile tasks or distributed
  /// products.
  std::variant<Star, Tiles, Products> functions;
};

/// Returns the entry of `OfPlugin`, a class of a plug-in derived from one of the base classes
/// below, for STARPORT_PLUGIN, with the name and parameters in `about`. If the class has a
/// constructor from ParameterTexts, it receives the values given for the parameters that `about`
/// declares, and any others if `about.accepts_any_parameter`.
///
/// A class derived from PluginHeuristic is a heuristic for the star. `requirements`, ignored for
/// other classes, are checked before each plan, as for built-in heuristics; requirements.layout may
/// be null, and must be valid as long as the library is loaded.
///
/// A class derived from tiles::Strategy schedules tile tasks. One object is made per run, from a
/// tiles::StrategyContext (and ParameterTexts); its decisions are checked. If the class has a
/// static function `allocate(const tiles::Platform&, const tiles::ProductSize&)` that returns a
/// tiles::Allocation, its result, which is checked too, is the allocation of the task graph in the
/// context. The parameters of the run-time system are added to those of `about`.
///
/// A class derived from spmd::PluginPartition divides distributed products. The parameters
/// `multicast` and `data` are added to those of `about`.
template <class OfPlugin>
PluginEntry plugin_entry(AlgorithmEntry about, const Requirements& requirements = {}) {
  if constexpr (std::is_base_of_v<tiles::Strategy, OfPlugin>) {
    PluginEntry::Tiles functions;
    functions.make = [](const tiles::StrategyContext& context, const ParameterTexts& parameters) {
      return make_of_plugin<OfPlugin>(parameters, context);
    };
    if constexpr (requires { &OfPlugin::allocate; }) functions.allocate = &OfPlugin::allocate;
    return {std::move(about), std::move(functions)};
  } else if constexpr (std::is_base_of_v<spmd::PluginPartition, OfPlugin>) {
    return {std::move(about),
            PluginEntry::Products{[](const ParameterTexts& parameters) -> spmd::DivideProduct {
              return [parameters](const spmd::Cluster& cluster, std::int64_t side) {
                return make_of_plugin<OfPlugin>(parameters)->divide(cluster, side);
              };
            }}};
  } else {
    return {std::move(about), PluginEntry::Star{requirements, [](const ParameterTexts& parameters) {
                                                  return make_of_plugin<OfPlugin>(parameters);
                                                }}};
  }
}

/// Fingerprint of the binary interface between a plug-in and the program: interface version,
/// compiler's ABI version, and the sizes in bytes of the types that are exchanged. load_plugin()
/// refuses a library whose fingerprint differs.
using PluginInterface = std::array<std::size_t, 17>;
/// Fingerprint of the binary interface of the code that includes this header: interface version 3,
/// the compiler's ABI version, and the sizes in bytes of the types that are exchanged.
inline constexpr PluginInterface kPluginInterface{3,
                                                  __GXX_ABI_VERSION,
                                                  sizeof(std::string),
                                                  sizeof(AlgorithmEntry),
                                                  sizeof(PluginEntry),
                                                  sizeof(Requirements),
                                                  sizeof(Platform),
                                                  sizeof(Worker),
                                                  sizeof(Problem),
                                                  sizeof(Plan),
                                                  sizeof(Transfer) + sizeof(Message),
                                                  sizeof(MasterView),
                                                  sizeof(tiles::Platform),
                                                  sizeof(tiles::TaskGraph),
                                                  sizeof(tiles::Copies),
                                                  sizeof(tiles::Worker) + sizeof(tiles::Link),
                                                  sizeof(spmd::Node) + sizeof(spmd::Processor)};

/// Returns registry entries of the algorithms that the shared library `path` (relative to the
/// working directory) lists with STARPORT_PLUGIN, in its order. A child process, not this one,
/// loads the library to read the list; later, each process that uses one of the algorithms loads
/// it: a child process for each simulated run; in a real run, the process of MPI rank 0 or the one
/// that runs StarPU. `make` of the entry of a heuristic for the star first tries the constructor of
/// its class in another child process. Both calls block until the child ends, for at most 60 s.
/// Throws InputError if the library cannot be loaded, does not use STARPORT_PLUGIN, was compiled
/// for another version of Starport, lists invalid values (such as a memory layout with negative
/// sizes), crashes, throws or takes too long; `make` likewise for the constructor. An InputError
/// that the library throws passes through. Runs throw SimulationError if the file has changed since
/// load_plugin().
std::vector<Entry<Algorithm>> load_plugin(const std::string& path);

}  // namespace starport

/// Macro that exports the algorithms of a plug-in; takes a list of plugin_entry<...>(...) separated
/// by commas. Use it once per library, outside any namespace and function: a second use does not
/// compile or link. The list is evaluated in every process that loads the library, perhaps several
/// times.
#define STARPORT_PLUGIN(...)                                                             \
  extern "C" const starport::PluginInterface starport_plugin_interface;                  \
  extern "C" const starport::PluginInterface starport_plugin_interface =                 \
      starport::kPluginInterface;                                                        \
  extern "C" void starport_plugin_entries(std::vector<starport::PluginEntry>& entries);  \
  extern "C" void starport_plugin_entries(std::vector<starport::PluginEntry>& entries) { \
    entries = {__VA_ARGS__};                                                             \
  }
