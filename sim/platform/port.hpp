// The master's port: in how many transfers it can be at once (README, "What is modelled").
#pragma once

#include <cstdint>
#include <string>

namespace starport {

/// One-port is the papers'; two-port the variant that IPDPS'07, section 2, names.
struct Port {
  enum class Kind : std::uint8_t {
    one,   ///< one transfer at a time, sending or receiving
    two,   ///< one send and one reception at once
    multi  ///< every link at once
  };
  Kind kind = Kind::one;
  std::int64_t most_transfers = 0;  ///< multi-port: at once, both ways together; 0: no limit
  /// multi-port: time of one block through what all the transfers share, both ways together, s; 0:
  /// they share nothing. Shares are max-min fair.
  double c_s = 0;

  bool operator==(const Port&) const = default;
};

/// "one-port", "two-port", "multi-port".
const char* to_string(Port::Kind kind);

/// The port for people: "two-port", "multi-port, 4 transfers at once, 640 us a block in all".
std::string describe(const Port& port);

}  // namespace starport
