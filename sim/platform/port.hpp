// The master's port: how many transfers it can take part in at once, and its form in files.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace starport {

class JsonNode;

/// Model of the master's port, for one block size (side of a matrix block): which transfers between
/// master and workers may take place at the same time. One-port (a single transfer) by default, as
/// in the papers; two-port (one send and one receive) is a variant named in IPDPS'07, section 2;
/// multi-port allows several.
struct Port {
  /// Number of transfers that may take place at the same time through the master's port: one, one
  /// per direction, or several.
  enum class Kind : std::uint8_t {
    one,   ///< one transfer at a time, in either direction
    two,   ///< one send and one receive at a time
    multi  ///< transfers on the links of all workers at once, unless limited otherwise
  };
  /// Rule that says which transfers of the master may take place at the same time; one-port by
  /// default.
  Kind kind = Kind::one;
  /// Largest number of simultaneous transfers of the master if `kind` is multi, sends and receives
  /// together; 0: no limit. 0 for the other kinds.
  std::int64_t max_transfers = 0;
  /// If `kind` is multi, seconds per matrix block at the bandwidth that all transfers of the
  /// master, in both directions, share by max-min fairness; 0: no shared bandwidth. 0 for the other
  /// kinds.
  double c_s = 0;

  bool operator==(const Port&) const = default;
};

/// Returns the name of a kind of master's port (how many transfers at a time) as in files and
/// options: "one-port", "two-port" or "multi-port"; a string literal.
const char* to_string(Port::Kind kind);

/// Describes a master's port for messages, on one line without a newline: its kind and, where set,
/// the limit of transfers and the time per block of the shared bandwidth. Examples: "two-port",
/// "multi-port, 4 transfers at once, 640 us a block in all".
std::string describe(const Port& port);

/// The master's port as in a platform file, from which at_block_size() makes the Port for any block
/// size, or, if c_s is set, for the file's only. In JSON it is a name, such as "two-port", or, for
/// a multi-port, an object such as {"kind": "multi-port", "transfers": 4, "bandwidth": "100MBps"},
/// with "c_s" (seconds per block) instead of "bandwidth" on platforms given by times per block.
struct PortFile {
  /// Rule that says which transfers of the master may take place at the same time; one-port by
  /// default.
  Port::Kind kind = Port::Kind::one;
  /// Largest number of simultaneous transfers of the master if `kind` is multi, sends and receives
  /// together; 0: no limit, and 0 for the other kinds.
  std::int64_t max_transfers = 0;
  /// Bandwidth in bytes/s, above 0, that all transfers of the master, in both directions, share if
  /// `kind` is multi; nullopt: none, or given by c_s.
  std::optional<double> bandwidth_bytes_per_s = {};
  /// Seconds per matrix block, above 0, at the bandwidth that all transfers of the master share,
  /// which hold for the file's block size only; nullopt: no shared bandwidth, or given by
  /// bandwidth_bytes_per_s. At most one of the two is set.
  std::optional<double> c_s = {};

  /// Returns the model of the master's port for blocks of q x q elements of 8 bytes (q >= 1, not
  /// checked). `block_size` is the block size of the platform file, for which c_s holds; nullopt if
  /// it has none. Throws InputError without a file name when c_s is set and q is not `block_size`,
  /// or when the shared bandwidth gives a duration that is not within 1e-100..1e100 s per block.
  Port at_block_size(std::int64_t q, std::optional<std::int64_t> block_size) const;
  /// Returns the port as text for a column of the results: "two-port", or
  /// "multi-port[transfers=4,bandwidth=100000000Bps]", with c_s= (seconds per block) instead of
  /// bandwidth= if that was given.
  std::string text() const;
  bool operator==(const PortFile&) const = default;
};

/// Reads the port of a platform file: a name or an object (see PortFile). Throws InputError without
/// a file name when `node` is neither a string nor an object, for an object without "kind", an
/// unknown name or key, "transfers", "bandwidth" or "c_s" of a one-port or two-port, both
/// "bandwidth" and "c_s", a number of transfers that is not within 1..1000000, or another value out
/// of range.
PortFile read_port(const JsonNode& node);
/// Returns the port as a JSON object for platform files, with the key "kind" and, where set,
/// "transfers", "bandwidth" ("100000000Bps") and "c_s" (seconds per block). read_port() reads the
/// same port from it.
nlohmann::ordered_json to_json(const PortFile& port);

/// Returns the model of a port for one block size, as results and schedule files have it: a JSON
/// object with the key "kind" and, where set, "transfers" and "c_s" (seconds per block).
nlohmann::ordered_json to_json(const Port& port);

}  // namespace starport
