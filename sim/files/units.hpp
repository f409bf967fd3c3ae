// Physical quantities as strings with a unit, spelled as SimGrid spells them.
#pragma once

#include <string>
#include <string_view>

namespace starport {

enum class Dimension {
  bandwidth,  ///< "10MBps", "100Mbps" (bits), "1GiBps"; in bytes/s
  speed,      ///< "1.4Gf"; in flop/s
  memory,     ///< "512MiB" (2^20), "512MB" (10^6); in bytes
  time        ///< "50us", "1ms", "2s"; in seconds
};

/// The value of `text` in the SI unit of its dimension (bytes/s, flop/s, bytes, seconds).
/// Throws InputError (without a place) on a missing or unknown unit or a number that is not
/// finite. Zero and negative values are returned as they are: the caller knows what it allows.
double parse_quantity(std::string_view text, Dimension dimension);

/// A duration for people: "7.62 s", "5.12 ms", "1.30 us"; four significant digits.
std::string format_seconds(double seconds);

}  // namespace starport
