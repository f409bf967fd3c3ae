// The rules about the master's port: how many transfers at once, and how long they last.
#pragma once

#include "sim/star/trace.hpp"
#include "sim/star/validator/validator.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace starport {

/// Data that flows over a link of its own and then through what all flows share.
struct Flow {
  double start_s;
  double blocks;
  double c_s;  ///< time of a block on its own link
};

/// When each flow ends, if at any time the shares of a bandwidth of 1 / shared_c_s blocks a second
/// are max-min fair: equal, but for the flows whose own links allow less, which get that. O(n k log
/// k) for n flows of which k go on at once.
std::vector<double> max_min_ends(const std::vector<Flow>& flows, double shared_c_s);

/// Follows a trace transfer by transfer.
class PortRules {
 public:
  explicit PortRules(const Platform& platform);

  /// The date from which the transfer has its port and its worker to itself; on many ports, from
  /// when it may have: `finish` looks at how many there are. Throws BrokenRule when it starts
  /// before.
  double check_start(const TracedTransfer& event) const;
  /// Throws BrokenRule when the transfer does not last as long as the model says, or, where it
  /// shares a bandwidth, less than its own link would take.
  void check_duration(const TracedTransfer& event) const;
  /// The transfer is valid: those after it meet it.
  void add(const TracedTransfer& event);

  /// Whether a transfer ends then, so that the master may decide something. Of one port that says
  /// nothing.
  bool a_transfer_ends(double date_s) const;

  /// What only the whole trace can tell of many ports: more transfers at once than there may be, or
  /// shares of the bandwidth that are not max-min fair.
  std::optional<Violation> finish() const;

 private:
  struct SinglePort {
    const char* name;
    double free_s = 0;
  };
  /// That of a direction, where there is one for it.
  std::size_t port_of(const Transfer& transfer) const;

  std::optional<Violation> too_many_at_once() const;
  std::optional<Violation> unfair_share() const;

  const Platform& platform_;
  std::vector<SinglePort> single_ports_;   ///< one, or one each way; empty: many ports
  PerWorker<std::vector<double>> ends_s_;  ///< of the transfers, in growing order; several ports
  std::vector<Flow> flows_;                ///< many ports: all transfers, after their latencies
  std::vector<double> start_s_;            ///< many ports: theirs
  std::vector<double> end_s_;
};

}  // namespace starport
