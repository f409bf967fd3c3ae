#include "sim/spmd/partition.hpp"

namespace starport::spmd {

std::int64_t Arrangement::half_perimeters() const {
  std::int64_t sum = 0;
  for (const Rectangle& rectangle : rectangles) sum += rectangle.m + rectangle.n;
  return sum;
}

const char* to_string(Ending ending) {
  switch (ending) {
    case Ending::balanced:
      return "balanced";
    case Ending::repeated:
      return "repeated";
    case Ending::two_cycle:
      return "2-cycle";
    case Ending::cap:
      break;
  }
  return "cap";
}

}  // namespace starport::spmd
