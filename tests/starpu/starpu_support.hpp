// StarPU in tests: small machines, and models of their buses that are measured once.
#pragma once

#include <cstdlib>
#include <string>

namespace starport::test {

/// Folder of StarPU's performance models for tests.
inline std::string starpu_home() {
  const char* temporary = std::getenv("TMPDIR");
  return std::string(temporary == nullptr ? "/tmp" : temporary) + "/starport-starpu-tests";
}

/// Environment of a program that runs on one CPU worker and one OpenCL device of one thread, which
/// is a CPU too: assignments of a shell, and a space.
inline const std::string kStarpuEnvironment =
    "STARPU_HOME='" + starpu_home() +
    "' STARPU_SILENT=1 STARPU_OPENCL_ON_CPUS=1 STARPU_NOPENCL=1 STARPU_NCPU=1 "
    "POCL_MAX_PTHREAD_COUNT=1 ";

/// Sets the variables of StarPU's environment that concern a session in this process.
inline void set_starpu_environment() {
  setenv("STARPU_HOME", starpu_home().c_str(), 1);
  setenv("STARPU_SILENT", "1", 1);
}

}  // namespace starport::test
