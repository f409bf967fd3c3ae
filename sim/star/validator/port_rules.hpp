// The rules about the master's port: how many transfers at once, and how long they last.
#pragma once

#include "sim/star/trace.hpp"
#include "sim/star/validator/max_min.hpp"
#include "sim/star/validator/validator.hpp"

#include <array>
#include <optional>
#include <vector>

namespace starport {

/// Follows a trace transfer by transfer.
class PortRules {
 public:
  explicit PortRules(const Platform& platform)
      : platform_(platform), workers_(platform.workers.size()) {}

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
  bool one() const { return platform_.port.kind == Port::Kind::one; }
  std::optional<Violation> too_many_at_once() const;
  std::optional<Violation> unfair_share() const;

  struct WorkerTransfers {
    std::vector<double> end_s;  ///< in growing order
  };

  const Platform& platform_;
  std::array<double, 2> free_s_{};        ///< by direction; one port: the same
  std::vector<WorkerTransfers> workers_;  ///< several ports
  std::vector<Flow> flows_;               ///< many ports: all transfers, after their latencies
  std::vector<double> start_s_;           ///< many ports: theirs
  std::vector<double> end_s_;
};

}  // namespace starport
