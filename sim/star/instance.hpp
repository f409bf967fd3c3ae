// One platform and one product, for those who plan several at once.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

namespace starport {

/// Both outlive it.
struct Instance {
  const Platform* platform;
  const Problem* problem;
};

}  // namespace starport
