// The master's port: how many transfers it can take part in at once, and its form in files.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace starport {

class JsonNode;

/// The model of the master's port. The papers use one-port; two-port is a variant named in
/// IPDPS'07, section 2.
struct Port {
  enum class Kind : std::uint8_t {
    one,   ///< one transfer at a time, in either direction
    two,   ///< one send and one receive at a time
    multi  ///< transfers on all links at once
  };
  Kind kind = Kind::one;
  std::int64_t max_transfers = 0;  ///< multi-port: limit in both directions together; 0: none
  /// For multi-port, seconds per block of the bandwidth shared by all transfers in both directions,
  /// by max-min fairness; 0: no shared bandwidth.
  double c_s = 0;

  bool operator==(const Port&) const = default;
};

/// Returns "one-port", "two-port" or "multi-port".
const char* to_string(Port::Kind kind);

/// Describes a port for messages: "two-port", "multi-port, 4 transfers at once, 640 us a block in
/// all".
std::string describe(const Port& port);

/// The port of a platform file, for any block size. In JSON it is a name, such as "two-port", or,
/// for a multi-port, an object
/// {"kind": "multi-port", "transfers": 4, "bandwidth": "100MBps"}, with "c_s" instead of
/// "bandwidth" for figures of the model, which hold for one block size.
struct PortFile {
  Port::Kind kind = Port::Kind::one;
  std::int64_t max_transfers = 0;
  std::optional<double> bandwidth_bytes_per_s = {};
  std::optional<double> c_s = {};

  /// Returns the port for blocks of q x q elements. `block_size` is the one for which c_s holds.
  /// Throws InputError without a file name when c_s is for another block size.
  Port at_block_size(std::int64_t q, std::optional<std::int64_t> block_size) const;
  /// Returns the port as a column of results has it: "two-port",
  /// "multi-port[transfers=4,bandwidth=1e+08Bps]".
  std::string text() const;
  bool operator==(const PortFile&) const = default;
};

/// Reads the port of a platform file. Throws InputError without a file name.
PortFile read_port(const JsonNode& node);
/// Returns the port as read_port() reads it.
nlohmann::ordered_json to_json(const PortFile& port);

/// Returns the port for one block size, as results and schedule files have it.
nlohmann::ordered_json to_json(const Port& port);

}  // namespace starport
