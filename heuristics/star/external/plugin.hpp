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

/// Base class of a heuristic in a shared library. Created by Starport when a heuristic of its name
/// is requested.
class PluginHeuristic {
 public:
  virtual ~PluginHeuristic() = default;
  /// Returns a plan for the product on the platform. The platform, the problem and this object
  /// outlive the plan. May throw NotApplicable with a reason.
  virtual Plan plan(const Platform& platform, const Problem& problem) const = 0;
};

/// Makes the registry entry of a PluginHeuristic class. If the class has a constructor from
/// ParameterTexts, it receives the parameters that `about` declares, and any others if
/// `about.open`.
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

/// Fingerprint of the binary interface, which must be equal in the plug-in and in the program: the
/// interface version, the compiler's ABI version, and the sizes of the types that are exchanged.
using PluginInterface = std::array<std::size_t, 12>;
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

/// Loads a shared library and returns the heuristics that it lists. The library stays loaded until
/// the process ends. Throws InputError, naming --plugin, if it cannot be loaded or was compiled for
/// another version of Starport.
std::vector<HeuristicEntry> load_plugin(const std::string& path);

}  // namespace starport

/// Exports the heuristics of a plug-in; takes a list of plugin_entry<...>(...). Use once per
/// library.
#define STARPORT_PLUGIN(...)                                                                \
  extern "C" const starport::PluginInterface starport_plugin_interface;                     \
  extern "C" const starport::PluginInterface starport_plugin_interface =                    \
      starport::kPluginInterface;                                                           \
  extern "C" void starport_plugin_entries(std::vector<starport::HeuristicEntry>& entries);  \
  extern "C" void starport_plugin_entries(std::vector<starport::HeuristicEntry>& entries) { \
    entries = {__VA_ARGS__};                                                                \
  }
