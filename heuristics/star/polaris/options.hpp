// The parts of Polaris' search that can be disabled, and the options of schedules that it tries.
#pragma once

#include "heuristics/star/polaris/tiling.hpp"

#include <functional>
#include <vector>

namespace starport::polaris {

/// The features of Polaris' search for a schedule, and of the schedules, an argument of search().
/// All are enabled by default; each can be disabled to measure its value.
struct Features {
  /// True to allow modes (ways to compute) in which A or B stays in a worker's memory; false for
  /// those in which only C stays.
  bool resident = true;
  /// True to allow workers to compute C^T += B^T A^T, i.e. transposed modes, which exchange rows
  /// with columns and A with B.
  bool exchanged = true;
  /// True to allow a row of blocks of B to be sent to a worker in several messages.
  bool cut_messages = true;
  /// True to also try modes without room for the next message if a worker has little memory.
  bool tight_buffers = true;
  /// True to let workers start blocks of C from zero, and receive and add their initial values
  /// later.
  bool late_c = true;
  /// True to let columns of C join those in a worker's memory gradually instead of all at once.
  bool staggered = true;
  /// True to try several sizes of messages and rules for the port.
  bool options = true;
  /// True to allow tilings (divisions of C) with several strips (groups of whole columns or rows).
  bool strips = true;
  /// True to improve tilings (divisions of C among workers) by random changes according to their
  /// estimated makespan (annealing).
  bool annealing = true;
  /// True to add to the estimated time of a worker what it waited in the last simulated schedule.
  bool lags = true;
  /// True to improve the best schedule by random changes to it according to its simulated makespan
  /// (climbing).
  bool climbing = true;
  /// True to remove workers one by one from the best schedule.
  bool fewer_workers = true;
  /// True to search again among the enrolled workers and other sets of workers.
  bool other_workers = true;
};

/// The options of schedules that a search tries on one platform: sizes and order of messages, and
/// the rule by which the port serves the workers. A plain value.
class OptionSpace {
 public:
  /// Creates the options that `features` allow on `platform`; keeps no reference to either.
  OptionSpace(const Platform& platform, const Features& features);

  /// Returns the options to begin with.
  ServingOptions initial() const;
  /// Changes one of the options at random; the draw may leave it as it is. Advances `random`.
  void change(ServingOptions& options, RandomGenerator& random) const;
  /// Returns changes of single options that are worth trying on every platform.
  std::vector<std::function<void(ServingOptions&)>> changes() const;
  /// Returns true if some worker has so little memory that estimates of schedules are inaccurate.
  bool has_small_memory() const { return has_small_memory_; }
  /// Returns true if modes without room for the next message (ModeOptions::prefetch) are worth
  /// trying, since some worker has little memory.
  bool tries_tight_buffers() const { return features_.tight_buffers && has_small_memory_; }

 private:
  Features features_;
  bool latencies_ = false;  ///< some worker has a latency, so that long messages may be better
  bool has_small_memory_ = false;
};

}  // namespace starport::polaris
