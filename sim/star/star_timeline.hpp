// What happened on the star, for who draws it.
#pragma once

#include "sim/star/trace.hpp"

#include <optional>

namespace starport {

struct Timeline {
  const Platform& platform;
  const Problem& problem;
  const Trace& trace;
  std::optional<double> bound_s;  ///< no schedule ends before
};

}  // namespace starport
