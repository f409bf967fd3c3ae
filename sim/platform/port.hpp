// The master's port: in how many transfers it can be at once (README, "What is modelled"), and as
// files give it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace starport {

class JsonNode;

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

/// What a platform file says of the port: a name, "two-port", or for a multi-port an object,
/// {"kind": "multi-port", "transfers": 4, "bandwidth": "100MBps"}, with "c_s" instead of
/// "bandwidth" in the model's own figures for one block size.
struct PortFile {
  Port::Kind kind = Port::Kind::one;
  std::int64_t most_transfers = 0;
  std::optional<double> bandwidth_bytes_per_s = {};
  std::optional<double> c_s = {};

  /// The port for blocks of q x q; `block_size` is the one for which c_s holds. Throws InputError
  /// without a file.
  Port at_block_size(std::int64_t q, std::optional<std::int64_t> block_size) const;
  /// As a column of results: "two-port", "multi-port[transfers=4,bandwidth=1e+08Bps]".
  std::string text() const;
  bool operator==(const PortFile&) const = default;
};

/// Throws InputError.
PortFile read_port(const JsonNode& node);
nlohmann::ordered_json to_json(const PortFile& port);

/// The effective port, as results and schedule files have it.
nlohmann::ordered_json to_json(const Port& port);

}  // namespace starport
