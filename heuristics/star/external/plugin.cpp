#include "heuristics/star/external/plugin.hpp"

#include "sim/files/error.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

namespace starport {
namespace {

constexpr const char* kOption = "--plugin";

}  // namespace

std::vector<HeuristicEntry> load_plugin(const std::string& path) {
  std::error_code ignored;
  const std::string file = std::filesystem::absolute(path, ignored).string();
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw InputError(kOption, "a shared library", ::dlerror());
  const auto* interface =
      static_cast<const PluginInterface*>(::dlsym(library, "starport_plugin_interface"));
  using Entries = void(std::vector<HeuristicEntry>&);
  auto* const entries = reinterpret_cast<Entries*>(::dlsym(library, "starport_plugin_entries"));
  if (interface == nullptr || entries == nullptr) {
    throw InputError(kOption, "a library with STARPORT_PLUGIN", "none",
                     "heuristics/PROTOCOL.md has an example")
        .in_file(path);
  }
  if (*interface != kPluginInterface) {
    throw InputError(
        kOption, fmt::format("a library for this Starport, {}", fmt::join(kPluginInterface, "-")),
        fmt::format("one for another, {}", fmt::join(*interface, "-")),
        "compile it again, with this one's headers")
        .in_file(path);
  }
  std::vector<HeuristicEntry> heuristics;
  entries(heuristics);
  return heuristics;
}

}  // namespace starport
