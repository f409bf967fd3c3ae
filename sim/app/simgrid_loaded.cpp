#include "sim/app/simgrid_engines.hpp"
#include "sim/files/error.hpp"
#include "sim/files/installation.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

namespace starport {
namespace {

const SimgridEngines& load() {
  using Rooms = const SimgridEngines* (*)();
  const std::filesystem::path beside =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "starport-simgrid.so";
  const std::filesystem::path path =
      std::filesystem::exists(beside) ? beside : find_installed("lib/starport/starport-simgrid.so");
  if (path.empty()) {
    throw InputError::with_problem("starport-simgrid.so", "the SimGrid engines are not installed",
                                   "Use the engine analytic, which needs no SimGrid");
  }
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto rooms = library == nullptr
                         ? nullptr
                         : reinterpret_cast<Rooms>(::dlsym(library, "starport_simgrid_engines"));
  if (rooms == nullptr) {
    throw InputError::with_problem(
        "", fmt::format("the SimGrid engines cannot be loaded: {}", ::dlerror()),
        "Install SimGrid (Debian: apt install libsimgrid3.32), or use the engine analytic, which "
        "needs none")
        .in_file(path);
  }
  return *rooms();
}

}  // namespace

const SimgridEngines& simgrid_engines() {
  static const SimgridEngines& rooms = load();
  return rooms;
}

}  // namespace starport
