// Explains by parts why a real run took longer or shorter than predicted.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/star/trace.hpp"

#include <vector>

namespace starport::mpi {

/// The time that one transfer of a real run occupied the master's port, by activity, as
/// Master::port_times() returns it. The activities may alternate; their parts add up to the time
/// from start_s to end_s().
struct PortTime {
  /// Start of the transfer, in seconds since the start of the run on the master's clock: the date
  /// at which the master ordered it from the worker, or, if later, the date at which the worker had
  /// memory for the blocks.
  double start_s = 0;
  /// Seconds of packing or unpacking (copying between matrix and buffers) while no blocks were
  /// under way between the master and any worker.
  double packing_s = 0;
  /// Seconds from the start until the worker had received the order of the transfer, without those
  /// of packing, and, in a transfer to the worker, from the arrival of the blocks until the master
  /// was informed.
  double latency_s = 0;
  /// Seconds for which the transfer's blocks were under way on the link: all that are neither
  /// packing nor latency.
  double link_s = 0;

  /// Returns the end of the transfer, in seconds since the start of the run, without the wait that
  /// prolongs it in an emulated run.
  double end_s() const { return start_s + packing_s + latency_s + link_s; }
};

/// Real minus predicted seconds of one worker, by cause, as explain_differences() computes them.
/// link_s, latency_s, packing_s and idle_s divide the time of the master's port: summed over all
/// workers, they add up to the difference of the makespans. computing_s and gaps_s divide the time
/// of the worker: they add up to the difference of the ends of its last update.
struct TimeDifference {
  /// Real minus predicted seconds in which blocks to or from the worker were under way (the
  /// bandwidth of its link).
  double link_s = 0;
  /// Real minus predicted seconds that messages to and from the worker spent without carrying data:
  /// their latencies and handshakes.
  double latency_s = 0;
  /// Real minus predicted seconds of packing and unpacking (copying between matrix and buffers) the
  /// worker's blocks while no blocks were under way; predicted as 0.
  double packing_s = 0;
  /// Real minus predicted seconds for which the master's port was idle before transfers of the
  /// worker.
  double idle_s = 0;
  /// Real minus predicted seconds for which the worker computed updates.
  double computing_s = 0;
  /// Real minus predicted seconds for which the worker waited before its first update and between
  /// updates.
  double gaps_s = 0;
};

/// Returns the differences between a real run and its prediction for each worker of `platform`, by
/// index from 0. `predicted` and `real` are traces of the same product, with dates in seconds since
/// the start of the run and transfers in the order in which the master's port carries them out;
/// `port_times` has one element per transfer of `real`, in the same order (not checked: undefined
/// behaviour if shorter). Latencies of the prediction are those of `platform`. In an emulated run,
/// waits that prolong transfers count as idle.
PerWorker<TimeDifference> explain_differences(const Platform& platform, const Trace& predicted,
                                              const Trace& real,
                                              const std::vector<PortTime>& port_times);
/// Returns the sum over all workers of the differences between real and predicted seconds, cause by
/// cause; zeros for an empty list.
TimeDifference sum_differences(const PerWorker<TimeDifference>& differences);

}  // namespace starport::mpi
