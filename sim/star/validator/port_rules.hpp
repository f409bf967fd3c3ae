// Validator rules about the master's ports: number of simultaneous transfers and their durations.
#pragma once

#include "sim/platform/ties.hpp"
#include "sim/star/trace.hpp"
#include "sim/star/validator/broken_rule.hpp"
#include "sim/star/validator/validator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace starport {

/// A flow of blocks through a link of its own and a bandwidth shared by all flows.
struct Flow {
  /// Date in simulated seconds at which the flow starts.
  double start_s;
  /// Amount of data in blocks; above 0.
  double blocks;
  /// Seconds per block on its own link; above 0.
  double c_s;
};

/// Returns the date in simulated seconds at which each flow ends, by the same index, if a bandwidth
/// of 1 / shared_c_s blocks per second is shared max-min fairly at any time: equally, except that a
/// flow never gets more than its own link allows (progressive filling). `shared_c_s` must be above
/// 0 (not checked). O(n k log k) for n flows, k of them at once.
std::vector<double> max_min_end_dates(const std::vector<Flow>& flows, double shared_c_s);

/// Checks the rules of a trace about the master's ports, transfer by transfer. Part of the
/// validator. For each transfer, in the order of decisions, call check_start() and
/// check_duration(), then add(); after the last one finish(). Workers of transfers must exist (not
/// checked). The platform must outlive it.
class PortRules {
 public:
  /// Starts with an empty trace. `platform` must outlive this object.
  explicit PortRules(const Platform& platform) : platform_(platform) {
    switch (platform.port.kind) {
      case Port::Kind::one:
        single_ports_ = {{.name = "port"}};
        return;
      case Port::Kind::two:
        single_ports_ = {{.name = "send port"}, {.name = "receive port"}};
        break;
      case Port::Kind::multi:
        break;
    }
    ends_s_.resize(platform.workers.size());
  }

  /// Returns the date in simulated seconds from which port and worker are free for the transfer. On
  /// many ports considers only the worker; finish() checks the number of ports. Throws BrokenRule
  /// if the transfer starts earlier.
  double check_start(const TracedTransfer& event) const {
    const auto& [transfer, dates] = event;
    double due_s = 0;
    if (!single_ports_.empty()) {
      const auto& [name, free_s] = single_ports_[port_of(transfer)];
      if (clearly_earlier(dates.start_s, free_s)) {
        throw_broken_rule("the transfer starts at {} s, the {} is busy until {} s", dates.start_s,
                          name, free_s);
      }
      due_s = free_s;
    }
    if (ends_s_.empty() || ends_s_[transfer.worker].empty()) return due_s;
    const auto& ends = ends_s_[transfer.worker];
    if (clearly_earlier(dates.start_s, ends.back())) {
      throw_broken_rule("the transfer starts at {} s, worker {} is in another one until {} s",
                        dates.start_s, transfer.worker + 1, ends.back());
    }
    return std::max(due_s, ends.back());
  }

  /// Throws BrokenRule if the duration of the transfer is not that of the model without noise. If
  /// transfers share a bandwidth, checks only that it lasts no less than its own link and the whole
  /// bandwidth allow.
  void check_duration(const TracedTransfer& event) const {
    const auto& [transfer, dates] = event;
    const Worker& worker = platform_.workers[transfer.worker];
    const double alone_s = worker.transfer_time_s(transfer.blocks());
    if (platform_.port.c_s == 0) {
      starport::check_duration("transfer", dates.start_s, dates.end_s, alone_s);
      return;
    }
    const double shared_s =
        worker.latency_s + static_cast<double>(transfer.blocks()) * platform_.port.c_s;
    const double least_s = std::max(alone_s, shared_s);
    if (dates.end_s - dates.start_s < least_s - duration_tolerance_s(dates.end_s, least_s)) {
      throw_broken_rule("the transfer lasts {} s, but at least {} s in the model",
                        dates.end_s - dates.start_s, least_s);
    }
  }

  /// Records a transfer that passed check_start() and check_duration(), for checks of later ones.
  void add(const TracedTransfer& event) {
    const auto& [transfer, dates] = event;
    if (!ends_s_.empty()) ends_s_[transfer.worker].push_back(dates.end_s);
    if (!single_ports_.empty()) {
      single_ports_[port_of(transfer)].free_s = dates.end_s;
      return;
    }
    const Worker& worker = platform_.workers[transfer.worker];
    flows_.push_back({.start_s = dates.start_s + worker.latency_s,
                      .blocks = static_cast<double>(transfer.blocks()),
                      .c_s = worker.c_s});
    start_s_.push_back(dates.start_s);
    end_s_.push_back(dates.end_s);
  }

  /// Returns true if a transfer added so far ends at `date_s` simulated seconds, within a relative
  /// 2^-46. Always false on one port.
  bool has_transfer_ending_at(double date_s) const {
    return std::any_of(ends_s_.begin(), ends_s_.end(),
                       [&](const auto& ends) { return is_among(ends, date_s); });
  }

  /// Checks rules of many ports that need the complete trace: the number of simultaneous transfers,
  /// and that shares of a bandwidth are max-min fair. Returns the first violation; nullopt if there
  /// is none, as always on one and two ports.
  std::optional<Violation> finish() const {
    if (!single_ports_.empty()) return std::nullopt;
    if (const auto violation = find_excess_transfers()) return violation;
    return platform_.port.c_s > 0 ? find_unfair_share() : std::nullopt;
  }

 private:
  struct SinglePort {
    const char* name;
    double free_s = 0;
  };
  /// Returns the index of the transfer's port in single_ports_.
  std::size_t port_of(const Transfer& transfer) const {
    return single_ports_.size() == 2 && transfer.direction == Direction::to_master ? 1 : 0;
  }

  std::optional<Violation> find_excess_transfers() const {
    const std::int64_t limit = platform_.port.max_transfers;
    if (limit == 0) return std::nullopt;
    struct Start {
      double start_s;
      std::size_t transfer;
    };
    std::vector<Start> starts;
    for (std::size_t i = 0; i < flows_.size(); ++i) starts.push_back({start_s_[i], i});
    std::stable_sort(starts.begin(), starts.end(),
                     [](const Start& x, const Start& y) { return x.start_s < y.start_s; });
    std::priority_queue<double, std::vector<double>, std::greater<>> ends;  // of those under way
    for (const auto& [start_s, transfer] : starts) {
      while (!ends.empty() && !clearly_earlier(start_s, ends.top())) ends.pop();
      ends.push(end_s_[transfer]);
      if (std::cmp_greater(ends.size(), limit)) {
        return Violation{transfer,
                         fmt::format("{} transfers at once at {} s, but at most {} are allowed",
                                     ends.size(), start_s, limit)};
      }
    }
    return std::nullopt;
  }

  /// Computes the ends of all transfers from their starts, and compares.
  std::optional<Violation> find_unfair_share() const {
    const std::vector<double> expected = max_min_end_dates(flows_, platform_.port.c_s);
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      const double lasts_s = expected[i] - flows_[i].start_s;
      // Each end depends on the other ends, so that rounding errors add up.
      const double tolerance_s = 100 * duration_tolerance_s(expected[i], lasts_s);
      if (std::abs(end_s_[i] - expected[i]) > tolerance_s) {
        return Violation{i,
                         fmt::format("the transfer ends at {} s, but at {} s if the bandwidth is "
                                     "shared max-min fairly",
                                     end_s_[i], expected[i])};
      }
    }
    return std::nullopt;
  }

  const Platform& platform_;
  std::vector<SinglePort> single_ports_;  ///< one, or one per direction; empty: many ports
  PerWorker<std::vector<double>>
      ends_s_;                   ///< several ports: ends of each worker's transfers, sorted
  std::vector<Flow> flows_;      ///< many ports: all transfers, after their latencies
  std::vector<double> start_s_;  ///< many ports: starts of all transfers
  std::vector<double> end_s_;
};

}  // namespace starport
