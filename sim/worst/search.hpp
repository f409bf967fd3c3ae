// The search for the instance of a space on which an algorithm loses most (PISA, arXiv 2403.07120,
// with Metropolis' rule on the logarithm of the loss), and its simplification.
#pragma once

#include "sim/worst/search_space.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace starport::worst {

/// Loss of an algorithm under test on one instance (platform and product), compared with the best
/// of its rivals (other algorithms) or with a lower bound. Made by an Evaluate function.
struct Loss {
  /// Makespan of the algorithm under test divided by that of the best rival (other algorithm), or
  /// by a lower bound; larger is worse. Only finite ratios above 0 count: it is 0 or NaN if the
  /// algorithm or all rivals failed or do not apply, or if there is no bound.
  double ratio = 0;
  /// Reason, for users, why the algorithm under test failed on the instance or does not apply to
  /// it; empty if it ran.
  std::string failure = {};
};

/// Function that returns the loss of the algorithm under test (its makespan divided by that of the
/// best rival, or by a lower bound) on each of several instances, in their order: one element per
/// instance (not checked: undefined behaviour with fewer). It must give the same result for the
/// same instance each time. `instances` is valid during the call only.
using Evaluate = std::function<std::vector<Loss>(std::span<const Case> instances)>;

/// An instance (workers and product) together with the loss of the algorithm under test on it (its
/// makespan divided by that of the best rival, or by a lower bound), as Search and simplify()
/// return it. A value without references.
struct Found {
  /// The instance that was found: the workers of its platform and the sides of its product.
  Instance instance = {};
  /// Makespan of the algorithm under test divided by that of the best rival, or by the lower bound;
  /// 0 if there is no finite ratio above 0, e.g. because the algorithm or all rivals failed.
  double ratio = 0;
  /// Reason, for users, why the algorithm under test failed on the instance or does not apply to
  /// it; empty if it ran.
  std::string failure = {};
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Found, instance, ratio, failure)

/// A search, by simulated annealing, for the instance (platform and product) on which an algorithm
/// loses most: 32 chains, each of which changes its instance step by step. In the first tenth of
/// its steps, and until one counts, each chain draws instances at random and keeps the one with the
/// largest loss; then it accepts a change by Metropolis' rule on the logarithm of the loss (a ratio
/// of makespans), at a temperature that decreases. Twice, the worse half of the chains restarts
/// from the best instances of the better half. The result depends on the space, the losses, the
/// seed and the number of evaluations only. The state is a value that can be saved as JSON, so that
/// a search can be interrupted and resumed.
class Search {
 public:
  /// Number of groups into which the chains of a search (its sequences of instances) are divided;
  /// groups can be advanced in parallel.
  static constexpr std::int64_t kGroups = 8;
  /// Number of chains (sequences of instances, each changed step by step) in a group; their
  /// instances are evaluated together.
  static constexpr std::int64_t kChainsPerGroup = 4;
  /// Prepares a search of `evaluations` (at least 1, not checked) evaluations of instances, rounded
  /// up to a multiple of the 32 chains, among the instances of `space`, which is copied. `seed` is
  /// that of all random numbers. `objective` names what is searched, such as "Het against ODDOML",
  /// so that load() can tell the states of different searches apart.
  Search(const SearchSpace& space, std::int64_t evaluations, std::uint64_t seed,
         std::string objective = "");

  /// Returns true once all rounds of the search have been done, so that best() is its result.
  bool is_complete() const { return state_.round == rounds(); }
  /// Returns the number of evaluations of instances in the rounds that have been done, 32 (one per
  /// chain) for each step.
  std::int64_t evaluations() const { return steps_until(state_.round) * kGroups * kChainsPerGroup; }

  /// Advances the chains of one group (0 to kGroups - 1, not checked) through the current round,
  /// calling `evaluate` once per step with one instance of each chain, and returns their new state
  /// as JSON, with the failures of the round, for finish_round(). Does not change this object, so
  /// that each group can be advanced in a process of its own. Must not be called when is_complete()
  /// (not checked). Exceptions of `evaluate` pass through.
  nlohmann::json advance(std::int64_t group, const Evaluate& evaluate) const;
  /// Ends the current round: replaces the state of all chains by `states`, the results of advance()
  /// for all groups in order, and counts the round; after 1/2 and 3/4 of the rounds, the worse half
  /// of the chains restarts from the better half. Must not be called when is_complete() (not
  /// checked). Throws nlohmann::json::exception for a malformed state, std::out_of_range for too
  /// many states; the search is then partly changed.
  void finish_round(const std::vector<nlohmann::json>& states);

  /// Returns the instance with the largest loss (ratio of makespans) in the rounds that have been
  /// done; nullopt if no instance counted, i.e. had a finite loss above 0.
  std::optional<Found> best() const;
  /// Returns the number of evaluations, in the rounds that have been done, in which the algorithm
  /// under test failed or did not apply.
  std::int64_t failures() const { return state_.failures; }
  /// Returns an instance on which the algorithm under test failed or did not apply: in the first
  /// round with one, the first of the first group of chains that had any; `failure` is empty if
  /// there is none. The reference is valid as long as this object.
  const Found& first_failure() const { return state_.first_failure; }

  /// Returns the complete state of the search after the last finished round as JSON, from which
  /// load() continues.
  nlohmann::json save() const;
  /// Replaces the state of the search by one that save() returned for a search of the same
  /// objective, space, evaluations and seed. Throws InputError without a file name if it belongs to
  /// another search or was changed since; the state then stays as it was.
  void load(nlohmann::json state);

 private:
  struct Chain {
    Found current = {};
    Found best = {};
    NLOHMANN_DEFINE_TYPE_INTRUSIVE(Chain, current, best)
  };
  struct State {
    std::int64_t round = 0;
    std::vector<Chain> chains = {};
    std::int64_t failures = 0;
    Found first_failure = {};
    NLOHMANN_DEFINE_TYPE_INTRUSIVE(State, round, chains, failures, first_failure)
  };

  /// Returns the number of rounds: 100, or as many that each has 1 to 21 steps.
  std::int64_t rounds() const { return std::min(steps_, std::max<std::int64_t>(100, steps_ / 20)); }
  std::int64_t steps_until(std::int64_t round) const { return steps_ * round / rounds(); }
  bool accepts(const Chain& chain, double ratio, std::int64_t number, std::int64_t step) const;
  std::uint64_t checksum_of(const nlohmann::json& state) const;

  SearchSpace space_;
  std::int64_t steps_;
  std::uint64_t seed_;
  std::string objective_;
  State state_;
};

/// Advances `search` to its end; blocks meanwhile. Calls `evaluate` in up to `processes` child
/// processes (at least 1, not checked), so that changes that it makes to memory are lost. Calls
/// `on_round` in this process after each round, a part of the search of at most 672 evaluations,
/// and `should_continue` several times a second. Returns true when the search is complete, false
/// once `should_continue` has returned false. Call it from a process with one thread: it forks.
///
/// Throws SimulationError if a child process dies during an evaluation, as when `evaluate` throws
/// (the message says how the process died, not what was thrown), if child processes keep dying
/// between evaluations, or if no memory can be shared with them; MachineError if no process can be
/// created. Exceptions of `on_round` and `should_continue`, which must not be empty, pass through.
/// After false or an exception, `search` is as after its last complete round, and the function may
/// be called again.
bool run_search(Search& search, const Evaluate& evaluate, int processes,
                const std::function<bool()>& should_continue,
                const std::function<void(const Search&)>& on_round);

/// Returns a simpler instance of `space`, with its own loss, which is at least `share` (above 0, at
/// most 1) times that of `found` (an instance of `space` with a finite loss above 0); neither is
/// checked. It has fewer workers, equal and round bandwidths, speeds, memories and latencies, or a
/// smaller product. Tries simplifications one after the other until none succeeds, `evaluations`
/// have been made, or `should_continue`, called before each evaluation, returns false. Returns
/// `found` if none succeeds. Calls `evaluate` with one instance at a time, in this process. Neither
/// function may be empty (std::bad_function_call); exceptions of both pass through.
Found simplify(const Found& found, const SearchSpace& space, double share, std::int64_t evaluations,
               const Evaluate& evaluate, const std::function<bool()>& should_continue);

}  // namespace starport::worst
