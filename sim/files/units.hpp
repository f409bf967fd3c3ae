// Physical quantities with units: parsing of SimGrid's spelling, and formatting for people.
#pragma once

#include <string>
#include <string_view>

namespace starport {

/// The dimension of a quantity, with examples of its spelling and its SI unit.
enum class Dimension {
  bandwidth,  ///< "10MBps", "100Mbps" (bits), "1GiBps"; in bytes/s
  speed,      ///< "1.4Gf"; in flop/s
  memory,     ///< "512MiB" (2^20), "512MB" (10^6); in bytes
  time        ///< "50us", "1ms", "2s"; in seconds
};

/// Returns the value of `text` in the SI unit of its dimension (bytes/s, flop/s, bytes, seconds).
/// Throws InputError, without a place, on a missing or unknown unit or a number that is not finite.
/// Zero and negative values are accepted; the caller checks the range.
double parse_quantity(std::string_view text, Dimension dimension);

/// Formats a duration with four significant digits: "7.62 s", "5.12 ms", "1.3 us", "20 ns".
std::string format_seconds(double seconds);
/// Formats a bandwidth with four significant digits: "10 MB/s", "1.25 GB/s".
std::string format_bandwidth(double bytes_per_s);
/// Formats a speed of computation with four significant digits: "5.141 Gflop/s", "1.2 Tflop/s".
std::string format_speed(double flops);
/// Formats an amount of memory with four significant digits and binary prefixes: "512 MiB".
std::string format_bytes(double bytes);

}  // namespace starport
