// Physical quantities with units: parsing of SimGrid's spelling, and formatting for people.
#pragma once

#include <string>
#include <string_view>

namespace starport {

/// The dimension of a quantity, as parse_quantity() takes it. Each value is listed with examples of
/// its spelling in files and options and the SI unit of its values in code.
enum class Dimension {
  bandwidth,  ///< "10MBps", "100Mbps" (bits), "1GiBps"; in bytes/s
  speed,      ///< "1.4Gf"; in flop/s
  memory,     ///< "512MiB" (2^20), "512MB" (10^6); in bytes
  time        ///< "50us", "1ms", "2s"; in seconds
};

/// Returns the value of `text`, such as "10MBps" or "50us", in the SI unit of its dimension
/// (bytes/s, flop/s, bytes, seconds): a decimal number, any spaces, and a unit in SimGrid's
/// case-sensitive spelling. Throws InputError, without a file or place, when there is no number at
/// the start (no space or '+' before it), it is out of range or not finite, or the unit is missing
/// or unknown. Zero and negative values are accepted; the caller checks the range.
double parse_quantity(std::string_view text, Dimension dimension);

/// Formats a duration in seconds with four significant digits and a unit that suits it: "7.62 s",
/// "5.12 ms", "1.3 us", "20 ns"; from 10000 s on as "1.234e+04 s". Zero gives "0 s", infinity "inf
/// s"; negative durations keep their sign.
std::string format_seconds(double seconds);
/// Formats a bandwidth in bytes/s with four significant digits and, from 1000 on, decimal prefixes
/// up to P: "0 B/s", "10 MB/s", "1.25 GB/s"; infinity gives "inf B/s", negative values keep their
/// sign.
std::string format_bandwidth(double bytes_per_s);
/// Formats a speed of computation in flop/s with four significant digits and, from 1000 on, decimal
/// prefixes up to P: "0 flop/s", "5.141 Gflop/s", "1.2 Tflop/s"; infinity gives "inf flop/s",
/// negative values keep their sign.
std::string format_speed(double flops);
/// Formats a number of bytes with four significant digits and, from 1024 on, binary prefixes
/// (powers of 1024) up to Pi: "100 B", "512 MiB"; infinity gives "inf B", negative values keep
/// their sign.
std::string format_bytes(double bytes);

}  // namespace starport
