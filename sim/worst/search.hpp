// The search for the instance of a space on which an algorithm loses most (PISA, arXiv 2403.07120,
// with Metropolis' rule on the logarithm of the loss), and its simplification.
#pragma once

#include "sim/worst/search_space.hpp"

#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace starport::worst {

/// The loss of an algorithm on one instance.
struct Loss {
  /// Makespan of the algorithm over that of the best rival, or over a lower bound; NaN if one of
  /// them has no makespan, so that the instance does not count.
  double ratio = 0;
  /// Why the algorithm under test failed on the instance; empty if it did not.
  std::string failure = {};
};

/// Function that returns the loss on each of some instances, in their order. It must give the same
/// result for the same instance each time.
using Evaluate = std::function<std::vector<Loss>(std::span<const Case> instances)>;

/// An instance together with the loss on it.
struct Found {
  /// The instance.
  Instance instance;
  /// Makespan over that of the best rival, or over the bound; NaN if the instance does not count.
  double ratio = 0;
};

/// An instance on which the algorithm under test failed, so that it does not count.
struct Failure {
  /// The instance.
  Instance instance;
  /// Error of the run, for people.
  std::string reason;
};

/// A search by simulated annealing: 32 chains, each of which changes its instance step by step.
/// Each chain first draws instances at random, then accepts a change by Metropolis' rule on the
/// logarithm of the ratio, at a temperature that decreases. Twice, the worse half of the chains
/// restarts from the better half. The result depends on the seed and the budget only. The state is
/// a value that can be saved as JSON, so that a search can be interrupted and resumed.
class Search {
 public:
  /// Number of groups of chains; the groups can be advanced in parallel.
  static constexpr std::int64_t kGroups = 8;
  /// Number of chains of a group, whose instances are evaluated together.
  static constexpr std::int64_t kChainsPerGroup = 4;
  /// Largest number of rounds into which a search is divided: after each, its state is complete.
  static constexpr std::int64_t kMaxRounds = 100;

  /// Starts a search of about `evaluations` (at least 1) evaluations, rounded up to a multiple of
  /// the number of chains. Copies `space`.
  Search(const SearchSpace& space, std::int64_t evaluations, std::uint64_t seed);

  /// Returns true once all rounds have been done.
  bool is_complete() const { return round_ == rounds(); }
  /// Returns the number of rounds that have been done.
  std::int64_t round() const { return round_; }
  /// Returns the number of evaluations of the rounds that have been done.
  std::int64_t evaluations() const;

  /// Advances the chains of one group (from 0) through the current round with `evaluate` and
  /// returns their new state as JSON. Does not change this object, so that each group can be
  /// advanced in a process of its own. Exceptions of `evaluate` pass through.
  nlohmann::json advance(std::int64_t group, const Evaluate& evaluate) const;
  /// Ends the current round: `states` are the results of advance() for all groups, in order.
  void finish_round(const std::vector<nlohmann::json>& states);

  /// Returns the instance with the largest ratio found so far; nullopt if no instance counted.
  std::optional<Found> best() const;
  /// Returns the number of instances on which the algorithm under test failed.
  std::int64_t failures() const;
  /// Returns the first of these instances; nullopt if there is none.
  const std::optional<Failure>& first_failure() const { return first_failure_; }

  /// Returns the complete state between two rounds, from which load() continues.
  nlohmann::json save() const;
  /// Replaces the state by one that save() returned for the same space, budget and seed. Throws
  /// InputError without a file name if it is another one or damaged.
  void load(const nlohmann::json& state);

 private:
  struct Chain {
    Found current;
    Found best;
    std::int64_t failures = 0;

    nlohmann::json to_json() const;
  };

  std::int64_t rounds() const { return std::min(steps_, kMaxRounds); }
  std::int64_t steps_until(std::int64_t round) const { return steps_ * round / rounds(); }
  std::vector<Instance> propose(std::span<const Chain> chains, std::int64_t first_chain,
                                std::int64_t step) const;
  bool accepts(const Chain& chain, double ratio, std::int64_t number, std::int64_t step) const;
  void restart_worse_half();
  Chain read_chain(const nlohmann::json& json) const;
  nlohmann::json identity() const;

  SearchSpace space_;
  std::int64_t steps_;
  std::uint64_t seed_;
  std::int64_t round_ = 0;
  std::vector<Chain> chains_;
  std::optional<Failure> first_failure_;
};

/// Returns a simpler instance of the space with at least `share` (0 to 1) of the ratio of `found`:
/// fewer workers, equal and round figures, a smaller product. Tries simplifications one after the
/// other until none succeeds, `evaluations` have been made, or `should_continue`, called before
/// each evaluation, returns false.
Found simplify(const Found& found, const SearchSpace& space, double share, std::int64_t evaluations,
               const Evaluate& evaluate, const std::function<bool()>& should_continue);

}  // namespace starport::worst
