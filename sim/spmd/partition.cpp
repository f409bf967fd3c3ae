#include "sim/spmd/partition.hpp"

namespace starport::spmd {

std::int64_t Arrangement::half_perimeters() const {
  std::int64_t sum = 0;
  for (const Rectangle& rectangle : rectangles) sum += rectangle.m + rectangle.n;
  return sum;
}

}  // namespace starport::spmd
