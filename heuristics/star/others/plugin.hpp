// Heuristics in shared libraries. A library includes this, has classes that plan, and names them:
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

class PluginHeuristic {
 public:
  virtual ~PluginHeuristic() = default;
  /// The platform and the problem outlive the plan, and so does this.
  virtual Plan plan(const Platform& platform, const Problem& problem) const = 0;
};

/// The entry of a class. One that is made from ParameterTexts takes parameters: those declared, and
/// any others where `about` says that it is open.
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
                Origin::somebody_else);
          }};
}

/// What a library and the program must have in common: the version of this interface, the
/// compiler's, and the sizes of what they hand to each other.
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

/// The heuristics of a library, which stays loaded. Throws InputError naming the option.
std::vector<HeuristicEntry> load_plugin(const std::string& path);

}  // namespace starport

#define STARPORT_PLUGIN(...)                                                                \
  extern "C" const starport::PluginInterface starport_plugin_interface;                     \
  extern "C" const starport::PluginInterface starport_plugin_interface =                    \
      starport::kPluginInterface;                                                           \
  extern "C" void starport_plugin_entries(std::vector<starport::HeuristicEntry>& entries);  \
  extern "C" void starport_plugin_entries(std::vector<starport::HeuristicEntry>& entries) { \
    entries = {__VA_ARGS__};                                                                \
  }
