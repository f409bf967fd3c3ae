// The inter-device partitioning algorithm (HeteroPar'12, section 3).
#pragma once

#include "heuristics/spmd/balance.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace starport::spmd {

/// The kernel on device j: its time for d columns of elements, d >= 1.
using Kernel = std::function<double(std::size_t j, std::int64_t d)>;

inline constexpr Passes kIdpaPasses{.tolerance = 0.03, .most = 21};

/// Slices of d_1 + ... + d_p = `columns` for a node's devices.
Balance idpa(std::int64_t columns, std::size_t devices, Strategy strategy, const Kernel& kernel,
             const Passes& passes = kIdpaPasses);

}  // namespace starport::spmd
