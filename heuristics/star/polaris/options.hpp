// The parts of Polaris' search that can be disabled, and the options of schedules that it tries.
#pragma once

#include "heuristics/star/polaris/tiling.hpp"

#include <functional>
#include <vector>

namespace starport::polaris {

/// The parts of the heuristic Polaris that can be disabled one by one, to measure their value: one
/// switch each for modes, messages and stages of its search. All are enabled by default. A plain
/// value, an argument of search().
struct Features {
  /// True to allow modes (ways to compute) in which A or B stays in a worker's memory; false for
  /// those in which only C stays.
  bool resident = true;
  /// True to allow workers to compute C^T += B^T A^T, i.e. transposed modes (ways to compute),
  /// which exchange rows with columns and A with B.
  bool exchanged = true;
  /// True to allow a row of blocks of B (one value of k; a column of A in transposed modes) to be
  /// sent in several messages to a worker without latency in whose memory C stays; search() still
  /// sends whole rows if it expects more than 10^8 transfers, weighted by weigh_transfers().
  bool cut_messages = true;
  /// True to also try modes (ways to compute a rectangle of C) that leave less room for messages
  /// that arrive while an update runs, or none if some worker has memory for fewer than 400 blocks.
  bool tight_buffers = true;
  /// True to let workers start blocks of C from zero, and receive and add their initial values
  /// later.
  bool late_c = true;
  /// True to let columns of C join those that stay in a worker's memory (c_stationary) gradually
  /// (MessageOptions::joining), not at once.
  bool staggered = true;
  /// True to try several sizes and orders of messages, and several values of
  /// ServingOptions::patience (whether finished blocks of C return before the next message is
  /// sent); false to keep those with which the search begins.
  bool options = true;
  /// True to allow tilings (divisions of C) with several strips (groups of whole columns or rows).
  bool strips = true;
  /// True to improve tilings (divisions of C among workers) by random changes according to their
  /// estimated makespan (annealing).
  bool annealing = true;
  /// True to add to a worker's estimated computation time its lag in seconds: the time that it
  /// takes beyond its computations until its last return of C (e.g. waiting for the port), a mean
  /// over simulated schedules (0 before the first) in which the last one counts half.
  bool lags = true;
  /// True to improve the best schedule by random changes to it according to its simulated makespan
  /// (climbing).
  bool climbing = true;
  /// True to try the fastest schedule's tiling (division of C) also without the worker of its
  /// smallest rectangle, and so on, as long as this may improve the objective.
  bool fewer_workers = true;
  /// True to search again on the workers of the best schedule alone and, with two or more budgets,
  /// on other sets of workers.
  bool other_workers = true;
};

/// The options of schedules that a search tries on one platform: sizes and order of messages, and
/// whether finished blocks of C return before the next message is sent (ServingOptions::patience).
/// Refers to nothing; a plain value.
class OptionSpace {
 public:
  /// Determines the options of schedules that `features` allow and that are worth trying on
  /// `platform`; keeps no reference to either.
  OptionSpace(const Platform& platform, const Features& features);

  /// Returns the options of schedules with which a search begins: the defaults of ServingOptions,
  /// without what the features disable.
  ServingOptions initial() const;
  /// Changes one of the options to a value drawn at random, which may be the one that it has;
  /// changes none if it draws an option that the features disable. Does so even if
  /// Features::options is false. Advances the state of `random`.
  void change(ServingOptions& options, RandomGenerator& random) const;
  /// Returns functions each of which sets one option of a schedule (or, only if some worker has a
  /// latency, all lengths of messages together) to a value worth trying on the platform, which may
  /// be the one that it has. They may outlive this object. Empty if Features::options is false.
  std::vector<std::function<void(ServingOptions&)>> changes() const;
  /// Returns true if some worker has so little memory (less than 400 blocks) that estimates of
  /// schedules are inaccurate.
  bool has_small_memory() const { return has_small_memory_; }
  /// Returns the values of ModeOptions::prefetch (space in modes, i.e. ways to compute, for
  /// messages that arrive during an update) that a search should try, in this order:
  /// Prefetch::column first and, with Features::tight_buffers, those that leave less space and may
  /// be better.
  std::vector<Prefetch> prefetches() const;

 private:
  Features features_;
  bool latencies_ = false;  ///< some worker has a latency, so that long messages may be better
  bool cuts_rows_ = false;  ///< some worker has no latency, so that rows of B may come in pieces
  bool has_small_memory_ = false;
};

}  // namespace starport::polaris
