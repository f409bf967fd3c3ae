// Constant performance models (HeteroPar'12, section 4): a speed is a number.
#pragma once

#include "heuristics/spmd/balance.hpp"

#include <cstddef>
#include <cstdint>

namespace starport::spmd {

/// Shares of n in proportion to the speeds just measured, one each or more where n suffices. The
/// iteration x' ~ s(x) converges where |x s'(x) / s(x)| < 1, and else ends in a 2-cycle.
PerWorker<std::int64_t> cpm(std::int64_t n, const Measure& measure);

/// w_1 = w_2 = ..., but for rounding.
PerWorker<std::int64_t> even_shares(std::int64_t n, std::size_t elements);

}  // namespace starport::spmd
