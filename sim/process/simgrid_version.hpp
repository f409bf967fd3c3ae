// Which SimGrid: told without its library, which is only loaded to simulate.
#pragma once

#include <string>

namespace starport {

/// That of the library this was built for, "3.32": no other one has its name.
std::string simgrid_version();

}  // namespace starport
