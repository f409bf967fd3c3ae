// Heuristics in shared libraries (plug-ins). A library includes this header, derives a class from
// PluginHeuristic, and lists it with STARPORT_PLUGIN:
//
//   class Mine final : public starport::PluginHeuristic {
//    public:
//     starport::Plan plan(const starport::Platform&, const starport::Problem&) const override;
//   };
//   STARPORT_PLUGIN(starport::plugin_entry<Mine>({"Mine", "one line", "where it comes from", {}}))
#pragma once

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

/// Returns the registry entry of `OfPlugin`, a class derived from PluginHeuristic, with the name
/// and parameters in `about`. Each call of the entry's `make` creates one object. If the class has
/// a constructor from ParameterTexts, it receives the values given for the parameters that `about`
/// declares, and any others if `about.accepts_any_parameter`; otherwise it is default-constructed.
/// Exceptions of the constructor pass through `make`. Before each plan, `requirements` (on memory,
/// ports and workers of the platform) are checked as for built-in heuristics; requirements.layout,
/// if not null, must outlive the heuristic.
template <class OfPlugin>
HeuristicEntry plugin_entry(AlgorithmEntry about, const Requirements& requirements = {}) {
  return {std::move(about), [requirements](const ParameterTexts& parameters) {
            std::shared_ptr<const PluginHeuristic> heuristic;
            if constexpr (std::is_constructible_v<OfPlugin, const ParameterTexts&>) {
              heuristic = std::make_shared<const OfPlugin>(parameters);
            } else {
              heuristic = std::make_shared<const OfPlugin>();
            }
            return std::make_unique<Heuristic>(
                requirements,
                [heuristic](const Platform& platform, const Problem& problem) {
                  return heuristic->plan(platform, problem);
                },
                Origin::external);
          }};
}

/// Fingerprint of the binary interface between a plug-in and the program: interface version,
/// compiler's ABI version, and the sizes in bytes of the types that are exchanged. load_plugin()
/// refuses a library whose fingerprint differs.
using PluginInterface = std::array<std::size_t, 12>;
/// Fingerprint of the binary interface of the code that includes this header: interface version 1,
/// the compiler's ABI version, and the sizes in bytes of the types that are exchanged.
inline constexpr PluginInterface kPluginInterface{1,
                                                  __GXX_ABI_VERSION,
                                                  sizeof(std::string),
                                                  sizeof(AlgorithmEntry),
                                                  sizeof(HeuristicEntry),
                                                  sizeof(Heuristic),
                                                  sizeof(Platform),
                                                  sizeof(Worker),
                                                  sizeof(Problem),
                                                  sizeof(Plan),
                                                  sizeof(Transfer) + sizeof(Message),
                                                  sizeof(MasterView)};

/// Loads the shared library `path` (relative to the working directory) and returns the heuristics
/// that it lists with STARPORT_PLUGIN. Runs the library's code in this process, after a trial in a
/// child process of at most 60 s; so does each creation of a heuristic (the entries' `make`), which
/// blocks meanwhile. The library stays loaded until the process ends. Throws InputError, which
/// names --plugin, if it cannot be loaded, ends the child or takes too long in it, does not use
/// STARPORT_PLUGIN or was compiled for another version of Starport; `make` throws it if the
/// creation ends the child or takes too long. Other exceptions of the library's code pass through.
std::vector<HeuristicEntry> load_plugin(const std::string& path);

}  // namespace starport

/// Macro that exports the heuristics of a plug-in; takes a list of plugin_entry<...>(...) separated
/// by commas. Use it once per library, outside any namespace and function: a second use does not
/// compile or link. load_plugin() evaluates the list once per load.
#define STARPORT_PLUGIN(...)                                                                \
  extern "C" const starport::PluginInterface starport_plugin_interface;                     \
  extern "C" const starport::PluginInterface starport_plugin_interface =                    \
      starport::kPluginInterface;                                                           \
  extern "C" void starport_plugin_entries(std::vector<starport::HeuristicEntry>& entries);  \
  extern "C" void starport_plugin_entries(std::vector<starport::HeuristicEntry>& entries) { \
    entries = {__VA_ARGS__};                                                                \
  }
