// Where the elements of a message are.
#pragma once

#include <cstdint>

namespace starport::mpi {

/// Doubles side by side.
struct Run {
  double* first;
  std::int64_t count;
};

}  // namespace starport::mpi
