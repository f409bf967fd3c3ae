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
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace starport {

/// Base class of a heuristic in a shared library (plug-in), from which its author derives a class
/// to be listed with plugin_entry(). Starport creates an object of the derived class each time the
/// heuristic is requested by its name, and keeps it alive as long as the heuristic.
class PluginHeuristic {
 public:
  virtual ~PluginHeuristic() = default;
  /// Returns a plan (schedule) for the product `problem` on the platform, with a dispatcher that is
  /// not null. Called by Heuristic::plan(), e.g. before each run. The platform, the problem and
  /// this object outlive the plan. Must not change this object: it may be called any number of
  /// times. May throw NotApplicable with a reason, which is reported for this platform and product;
  /// other exceptions pass to the caller of Heuristic::plan().
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
  /// rectangles must cover C, stand in columns from top to bottom, and have at least one block
  /// each, otherwise the run fails. Called once per object, in a child process before the run. May
  /// throw NotApplicable with a reason; the run fails with any other exception.
  virtual PerWorker<NodeRectangle> divide(const Cluster& cluster, std::int64_t side) const = 0;
};

}  // namespace spmd

/// Returns a new object of a plug-in's class, never null: made from `arguments` and, if the class
/// has a constructor for them, behind these the parameters. Exceptions of the constructor pass
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

/// Returns the registry entry of `OfPlugin`, a class of a plug-in, with the name and parameters in
/// `about`. If the class has a constructor from ParameterTexts, it receives the values given for
/// the parameters that `about` declares, and any others if `about.accepts_any_parameter`.
///
/// A class derived from PluginHeuristic is a heuristic for the star. Each call of the entry's
/// `make` creates one object; exceptions of the constructor pass through. Before each plan,
/// `requirements` (on memory, ports and workers of the platform) are checked as for built-in
/// heuristics; requirements.layout, if not null, must outlive the heuristic.
///
/// A class derived from tiles::Strategy schedules tile tasks. One object is made per run, in a
/// child process, from a tiles::StrategyContext (and ParameterTexts); its decisions are checked. If
/// the class has a static function `allocate(const tiles::Platform&, const tiles::ProductSize&)`
/// that returns a tiles::Allocation, the task graph has that allocation. The parameters of the
/// run-time system are added to those of `about`.
///
/// A class derived from spmd::PluginPartition divides distributed products. The parameters
/// `multicast` and `data` are added to those of `about`.
template <class OfPlugin>
Entry<Algorithm> plugin_entry(AlgorithmEntry about, const Requirements& requirements = {}) {
  if constexpr (std::is_base_of_v<tiles::Strategy, OfPlugin>) {
    const auto make = [](const tiles::StrategyContext& context, const ParameterTexts& parameters) {
      return std::unique_ptr<tiles::Strategy>(make_of_plugin<OfPlugin>(parameters, context));
    };
    tiles::Allocate allocate;
    if constexpr (requires { &OfPlugin::allocate; }) allocate = &OfPlugin::allocate;
    return upcast_entry<Algorithm>(tiles::make_external_entry(std::move(about), make, allocate));
  } else if constexpr (std::is_base_of_v<spmd::PluginPartition, OfPlugin>) {
    return upcast_entry<Algorithm>(spmd::make_external_entry(
        std::move(about), [](const ParameterTexts& parameters) -> spmd::DivideProduct {
          return [parameters](const spmd::Cluster& cluster, std::int64_t side) {
            return make_of_plugin<OfPlugin>(parameters)->divide(cluster, side);
          };
        }));
  } else {
    return {std::move(about), [requirements](const ParameterTexts& parameters) {
              const std::shared_ptr<const PluginHeuristic> heuristic =
                  make_of_plugin<OfPlugin>(parameters);
              return std::make_unique<Heuristic>(
                  requirements,
                  [heuristic](const Platform& platform, const Problem& problem) {
                    return heuristic->plan(platform, problem);
                  },
                  Origin::external);
            }};
  }
}

/// Fingerprint of the binary interface between a plug-in and the program: interface version,
/// compiler's ABI version, and the sizes in bytes of the types that are exchanged. load_plugin()
/// refuses a library whose fingerprint differs.
using PluginInterface = std::array<std::size_t, 17>;
/// Fingerprint of the binary interface of the code that includes this header: interface version 2,
/// the compiler's ABI version, and the sizes in bytes of the types that are exchanged.
inline constexpr PluginInterface kPluginInterface{2,
                                                  __GXX_ABI_VERSION,
                                                  sizeof(std::string),
                                                  sizeof(AlgorithmEntry),
                                                  sizeof(Entry<Algorithm>),
                                                  sizeof(Heuristic),
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

/// Loads the shared library `path` (relative to the working directory) and returns the algorithms
/// that it lists with STARPORT_PLUGIN. Runs the library's code in this process, after a trial in a
/// child process of at most 60 s; so does each creation of a heuristic (the entries' `make`), which
/// blocks meanwhile. The library stays loaded until the process ends. Throws InputError, which
/// names --plugin, if it cannot be loaded, ends the child or takes too long in it, does not use
/// STARPORT_PLUGIN or was compiled for another version of Starport; `make` throws it if the
/// creation ends the child or takes too long. Other exceptions of the library's code pass through.
std::vector<Entry<Algorithm>> load_plugin(const std::string& path);

}  // namespace starport

/// Macro that exports the algorithms of a plug-in; takes a list of plugin_entry<...>(...) separated
/// by commas. Use it once per library, outside any namespace and function: a second use does not
/// compile or link. load_plugin() evaluates the list once per load.
#define STARPORT_PLUGIN(...)                                             \
  extern "C" const starport::PluginInterface starport_plugin_interface;  \
  extern "C" const starport::PluginInterface starport_plugin_interface = \
      starport::kPluginInterface;                                        \
  extern "C" void starport_plugin_entries(                               \
      std::vector<starport::Entry<starport::Algorithm>>& entries);       \
  extern "C" void starport_plugin_entries(                               \
      std::vector<starport::Entry<starport::Algorithm>>& entries) {      \
    entries = {__VA_ARGS__};                                             \
  }
