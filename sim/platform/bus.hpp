// Buses that the links of several workers share, and links between workers, as platform files state
// them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {

class JsonNode;
class WorkerNames;

/// A bus between the master and workers, for instance a PCI root or switch: the transfers of all
/// workers behind it share its bandwidths, max-min fairly. Buses form trees; the root of each hangs
/// from the master's memory. An element of PlatformFile::buses. Bandwidths are in bytes/s and above
/// 0; at least one is given.
struct Bus {
  /// Name of the bus, unique in its file.
  std::string name;
  /// Name of the bus through which this one reaches the master; "" if there is none between them.
  std::string parent{};
  /// Bandwidth towards the workers in bytes/s, which transfers from beyond the bus to a worker
  /// behind it share; nullopt: no limit.
  std::optional<double> bandwidth_bytes_per_s{};
  /// Bandwidth towards the master in bytes/s, which transfers from a worker behind the bus to
  /// beyond it share; nullopt: no limit.
  std::optional<double> return_bandwidth_bytes_per_s{};
  /// Bandwidth in bytes/s that all transfers through the bus share, in both directions, with those
  /// between two workers for which it is the last bus in common on their paths from the master;
  /// nullopt: no limit.
  std::optional<double> total_bandwidth_bytes_per_s{};

  bool operator==(const Bus&) const = default;
};

/// The direct link from one worker to another, such as two GPUs, in one direction, with its
/// bandwidth; the other direction needs an element of its own. Its transfers are also limited by
/// the buses on the way between the two workers. An element of PlatformFile::peer_links.
struct PeerLink {
  /// Index, from 0, of the worker that the link leads from, i.e. that sends.
  std::int64_t from;
  /// Index, from 0, of the worker that the link leads to, i.e. that receives; differs from `from`.
  std::int64_t to;
  /// Bandwidth of the link in bytes/s; above 0, as read_peer_links() ensures.
  double bandwidth_bytes_per_s;
  /// Start-up time in seconds of each message; at least 0.
  double latency_s;

  bool operator==(const PeerLink&) const = default;
};

/// Reads the list of buses of a platform file: objects with "name", "parent" (without it, the bus
/// itself reaches the master), and at least one of "bandwidth", "return_bandwidth" (the same as
/// "bandwidth" unless given) and "total_bandwidth", which are strings with a unit, such as
/// "10GBps". `used` has the names of the buses that workers name; those that the list lacks are
/// ignored. Throws InputError without a file name for over 500 buses, an invalid object, a name
/// given twice, a bus without a bandwidth or with an unknown parent, one that never reaches the
/// master because its parents form a cycle, or one that no worker is behind.
std::vector<Bus> read_buses(const JsonNode& node, const std::vector<std::string>& used);
/// Returns the buses as the JSON list of a platform file, which read_buses() reads back. A bus with
/// a bandwidth towards the workers but none towards the master is read back with the same one for
/// both.
nlohmann::ordered_json to_json(const std::vector<Bus>& buses);
/// Returns the indices in `buses` of the bus called `name` and of those through which it reaches
/// the master, in this order; empty for "". Not checked: the name and all parents must exist (else
/// undefined behaviour), and no parents may form a cycle (else it does not end; see find_cycle()).
std::vector<std::size_t> path_to_master(const std::vector<Bus>& buses, const std::string& name);
/// Describes the cycle that the parents of the bus with this index (from 0) in `buses` lead into,
/// such as "a, b, a", or returns "" if they lead to the master. All parents must exist (not
/// checked: undefined behaviour).
std::string find_cycle(const std::vector<Bus>& buses, std::size_t index);

/// Reads the list of links between workers of a platform file: objects with "from" and "to" (the
/// names of workers by `names`: P1, P2, ... only for those without a given name), "bandwidth" and
/// "latency" (0 unless given). These two are strings with a unit, such as "10GBps" and "5us", and
/// are returned in bytes/s and seconds. A link has one direction: the one back needs an object of
/// its own. `has_link` says for each worker of the platform, by index, whether it has a link of its
/// own to the master. Throws InputError without a file name for an invalid object, an unknown
/// worker or one without a link, a link from a worker to itself, or two links from the same worker
/// to the same other one.
std::vector<PeerLink> read_peer_links(const JsonNode& node, const WorkerNames& names,
                                      const std::vector<bool>& has_link);
/// Returns the links as the JSON list of a platform file that read_peer_links() reads back, if it
/// is given the same names of workers.
nlohmann::ordered_json to_json(const std::vector<PeerLink>& links, const WorkerNames& names);

}  // namespace starport
