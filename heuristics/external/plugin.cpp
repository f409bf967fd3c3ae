#include "heuristics/external/plugin.hpp"

#include "sim/files/error.hpp"
#include "sim/process/isolation.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <filesystem>
#include <functional>
#include <stdexcept>

namespace starport {
namespace {

constexpr const char* kOption = "--plugin";

/// Runs `code` of the library `path` in a child process first, so that a crash or an exit ends that
/// one only. Throws InputError then; exceptions of `code` are left to the second run, in this
/// process.
void try_in_child(const std::string& path, const char* expected,
                  const std::function<void()>& code) {
  constexpr double time_limit_s = 60;
  bool returned = false;
  std::string problem = "one that ends the program";
  try {
    run_in_child(
        [&](FrameWriter& out) {
          try {
            code();
          } catch (const std::exception&) {
          }
          out.write({});
        },
        [&](auto) { returned = true; }, time_limit_s);
  } catch (const std::runtime_error& error) {
    problem = error.what();
    returned = false;
  }
  if (!returned) throw InputError(kOption, expected, problem).in_file(path);
}

std::vector<Entry<Algorithm>> read_entries(const std::string& path) {
  std::error_code ignored;
  const std::string file = std::filesystem::absolute(path, ignored).string();
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw InputError(kOption, "a shared library", ::dlerror());
  const auto* interface =
      static_cast<const PluginInterface*>(::dlsym(library, "starport_plugin_interface"));
  using Entries = void(std::vector<Entry<Algorithm>>&);
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
  std::vector<Entry<Algorithm>> heuristics;
  entries(heuristics);
  return heuristics;
}

}  // namespace

std::vector<Entry<Algorithm>> load_plugin(const std::string& path) {
  try_in_child(path, "a library that can be loaded", [&] { read_entries(path); });
  std::vector<Entry<Algorithm>> heuristics = read_entries(path);
  for (Entry<Algorithm>& entry : heuristics) {
    entry.make = [path, name = entry.name, make = entry.make](const ParameterTexts& parameters) {
      const std::string expected = fmt::format("a library whose {} can be created", name);
      try_in_child(path, expected.c_str(), [&] { make(parameters); });
      return make(parameters);
    };
  }
  return heuristics;
}

}  // namespace starport
