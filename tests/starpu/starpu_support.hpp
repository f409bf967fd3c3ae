// StarPU in tests: small machines, and models of their buses that each process measures once.
#pragma once

#include "tests/support.hpp"

#include <cstdlib>
#include <string>

namespace starport::test {

/// Folder of StarPU's performance models, one for each process of tests, deleted at its end. StarPU
/// writes the files of the buses without a lock, so that processes that share a folder read files
/// that are half written.
inline const std::string& starpu_home() {
  static const TemporaryDirectory folder;
  static const std::string path = folder.path().string();
  return path;
}

/// Environment of a program that runs on one CPU worker and one OpenCL device of one thread, which
/// is a CPU too: env with assignments, and a space.
inline const std::string kStarpuEnvironment =
    "env -u XDG_CACHE_HOME STARPU_HOME='" + starpu_home() +
    "' STARPU_SILENT=1 STARPU_OPENCL_ON_CPUS=1 STARPU_NOPENCL=1 STARPU_NCPU=1 "
    "POCL_MAX_PTHREAD_COUNT=1 ";

/// Sets the variables of StarPU's environment that concern a session in this process.
inline void set_starpu_environment() {
  unsetenv("XDG_CACHE_HOME");
  setenv("STARPU_HOME", starpu_home().c_str(), 1);
  setenv("STARPU_SILENT", "1", 1);
}

}  // namespace starport::test
