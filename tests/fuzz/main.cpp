// One program for all targets: --reader=NAME, then what libFuzzer takes.
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "tests/fuzz/targets.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace starport::fuzz {

void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "starport_fuzz: %s\n", what);
  std::abort();
}

InputFile::InputFile() : file_(::memfd_create("input", MFD_CLOEXEC)) {
  must(file_.get() >= 0, "no file in memory");
}

void InputFile::set(std::string_view text) const {
  const bool empty = ::ftruncate(file_.get(), 0) == 0 && ::lseek(file_.get(), 0, SEEK_SET) == 0;
  must(empty && write_all(file_.get(), text) == 0, "no room in memory");
}

std::string InputFile::path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }

namespace {

Target chosen;

void choose(std::string_view name) {
  for (const auto& targets : {file_targets(), directory_targets()}) {
    for (const Target& target : targets) {
      if (target.name == name) chosen = target;
      if (name.empty()) std::printf("%.*s\n", int(target.name.size()), target.name.data());
    }
  }
  if (name.empty()) std::exit(0);
  must(chosen.read != nullptr, "no reader of that name: --reader= lists them");
}

}  // namespace
}  // namespace starport::fuzz

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view option = "--reader=";
  std::string_view name;
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    if (argument.starts_with(option)) name = argument.substr(option.size());
  }
  starport::fuzz::choose(name);
  // What commands print is of no interest here.
  ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    starport::fuzz::chosen.read({reinterpret_cast<const char*>(data), size});
  } catch (const starport::InputError&) {
  } catch (const starport::SimulationError&) {
  } catch (const starport::NotApplicable&) {
  }
  return 0;
}
