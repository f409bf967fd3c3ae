// When a computed date comes before another: for rules, which may forgive rounding and no more.
// What an engine or a heuristic takes for a tie is coarser (ties.hpp).
#pragma once

namespace starport {

/// Of a date: 64 units in the last place. SimGrid takes dates within eight for one.
inline constexpr double kDateRounding = 0x1p-46;

/// a < b, beyond what the rounding of the dates explains.
inline bool clearly_earlier(double a_s, double b_s) { return a_s < b_s * (1 - kDateRounding); }

}  // namespace starport
