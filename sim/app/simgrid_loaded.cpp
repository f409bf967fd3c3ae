#include "sim/app/simgrid_engines.hpp"
#include "sim/files/error.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

namespace starport {
namespace {

const SimgridEngines& load() {
  using Rooms = const SimgridEngines* (*)();
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::filesystem::path beside = here / "starport-simgrid.so";
  const std::filesystem::path installed =
      here.parent_path() / "lib" / "starport" / "starport-simgrid.so";
  const std::filesystem::path& path = std::filesystem::exists(beside) ? beside : installed;
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto rooms = library == nullptr
                         ? nullptr
                         : reinterpret_cast<Rooms>(::dlsym(library, "starport_simgrid_engines"));
  if (rooms == nullptr) {
    throw InputError::with_problem(
        "", fmt::format("the SimGrid engines cannot be loaded: {}", ::dlerror()),
        "Install Starport again, or use --engine analytic, which needs no SimGrid")
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
