// The port as files give it.
#pragma once

#include "sim/platform/port.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace starport {

class JsonNode;

/// What a platform file says of the port: a name, "two-port", or for a multi-port an object,
/// {"kind": "multi-port", "transfers": 4, "bandwidth": "100MBps"}, with "c_s" instead of
/// "bandwidth" in the model's own figures for one block size.
struct PortFile {
  Port::Kind kind = Port::Kind::one;
  std::int64_t most_transfers = 0;
  std::optional<double> bandwidth_bytes_per_s;
  std::optional<double> c_s;

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
