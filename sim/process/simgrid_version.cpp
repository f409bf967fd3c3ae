#include "sim/process/simgrid_version.hpp"

namespace starport {

std::string simgrid_version() { return STARPORT_SIMGRID_VERSION; }

}  // namespace starport
