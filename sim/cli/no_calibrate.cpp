// starport calibrate where the build found no BLAS.
#include "sim/cli/command.hpp"
#include "sim/files/error.hpp"

namespace starport {

int calibrate_command(const std::vector<std::string>&) {
  throw InputError("starport calibrate", "a build with a BLAS", "one without",
                   "install libopenblas-dev and run cmake again");
}

}  // namespace starport
