// The rules about the master's port: how many transfers at once, and how long they last.
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

/// Data that flows over a link of its own and then through what all flows share.
struct Flow {
  double start_s;
  double blocks;
  double c_s;  ///< time of a block on its own link
};

/// When each flow ends, if at any time the shares of a bandwidth of 1 / shared_c_s blocks a second
/// are max-min fair: equal, but for the flows whose own links allow less, which get that. O(n k log
/// k) for n flows of which k go on at once.
std::vector<double> max_min_end_dates(const std::vector<Flow>& flows, double shared_c_s);

/// Follows a trace transfer by transfer.
class PortRules {
 public:
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

  /// The date from which the transfer has its port and its worker to itself; on many ports, from
  /// when it may have: `finish` looks at how many there are. Throws BrokenRule when it starts
  /// before.
  double check_start(const TracedTransfer& event) const {
    const auto& [transfer, dates] = event;
    double due_s = 0;
    if (!single_ports_.empty()) {
      const auto& [name, free_s] = single_ports_[port_of(transfer)];
      if (clearly_earlier(dates.start_s, free_s)) {
        broken("the transfer starts at {} s, the {} is busy until {} s", dates.start_s, name,
               free_s);
      }
      due_s = free_s;
    }
    if (ends_s_.empty() || ends_s_[transfer.worker].empty()) return due_s;
    const auto& ends = ends_s_[transfer.worker];
    if (clearly_earlier(dates.start_s, ends.back())) {
      broken("the transfer starts at {} s, worker {} is in another one until {} s", dates.start_s,
             transfer.worker + 1, ends.back());
    }
    return std::max(due_s, ends.back());
  }

  /// Throws BrokenRule when the transfer does not last as long as the model says, or, where it
  /// shares a bandwidth, less than its own link would take.
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
      broken("the transfer lasts {} s, at least {} in the model", dates.end_s - dates.start_s,
             least_s);
    }
  }

  /// The transfer is valid: those after it meet it.
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

  /// Whether a transfer ends then, so that the master may decide something. Of one port that says
  /// nothing.
  bool a_transfer_ends(double date_s) const {
    return std::any_of(ends_s_.begin(), ends_s_.end(),
                       [&](const auto& ends) { return is_among(ends, date_s); });
  }

  /// What only the whole trace can tell of many ports: more transfers at once than there may be, or
  /// shares of the bandwidth that are not max-min fair.
  std::optional<Violation> finish() const {
    if (!single_ports_.empty()) return std::nullopt;
    if (const auto violation = too_many_at_once()) return violation;
    return platform_.port.c_s > 0 ? unfair_share() : std::nullopt;
  }

 private:
  struct SinglePort {
    const char* name;
    double free_s = 0;
  };
  /// That of a direction, where there is one for it.
  std::size_t port_of(const Transfer& transfer) const {
    return single_ports_.size() == 2 && transfer.direction == Direction::to_master ? 1 : 0;
  }

  std::optional<Violation> too_many_at_once() const {
    const std::int64_t most = platform_.port.max_transfers;
    if (most == 0) return std::nullopt;
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
      if (std::cmp_greater(ends.size(), most)) {
        return Violation{transfer,
                         fmt::format("{} transfers at once at {} s, at most {} in the model",
                                     ends.size(), start_s, most)};
      }
    }
    return std::nullopt;
  }

  /// Each transfer is given its start; when it ends follows from those of all.
  std::optional<Violation> unfair_share() const {
    const std::vector<double> expected = max_min_end_dates(flows_, platform_.port.c_s);
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      const double lasts_s = expected[i] - flows_[i].start_s;
      // The end of each moves those of the others: their roundings add up.
      const double tolerance_s = 100 * duration_tolerance_s(expected[i], lasts_s);
      if (std::abs(end_s_[i] - expected[i]) > tolerance_s) {
        return Violation{i,
                         fmt::format("the transfer ends at {} s, at {} s were the bandwidth shared "
                                     "max-min",
                                     end_s_[i], expected[i])};
      }
    }
    return std::nullopt;
  }

  const Platform& platform_;
  std::vector<SinglePort> single_ports_;   ///< one, or one each way; empty: many ports
  PerWorker<std::vector<double>> ends_s_;  ///< of the transfers, in growing order; several ports
  std::vector<Flow> flows_;                ///< many ports: all transfers, after their latencies
  std::vector<double> start_s_;            ///< many ports: theirs
  std::vector<double> end_s_;
};

}  // namespace starport
