#include "sim/worst/search.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/process/process_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace starport::worst {
namespace {

/// Temperatures at the start and at the end of the annealing, in units of the ratio's logarithm.
constexpr double kFirstTemperature = 0.2;
constexpr double kLastTemperature = 0.002;
/// Share of a chain's steps that draw instances at random before annealing starts.
constexpr double kDrawnShare = 0.1;

/// Returns the random numbers of one step of one chain.
Random random_of(std::uint64_t seed, std::int64_t chain, std::int64_t step, int use) {
  return Random(seed_from_identity(fmt::format("{} {} {} {}", seed, chain, step, use)));
}

}  // namespace

Search::Search(const SearchSpace& space, std::int64_t evaluations, std::uint64_t seed,
               std::string objective)
    : space_(space),
      steps_((evaluations + kGroups * kChainsPerGroup - 1) / (kGroups * kChainsPerGroup)),
      seed_(seed),
      objective_(std::move(objective)),
      state_{.chains = std::vector<Chain>(kGroups * kChainsPerGroup)} {}

bool Search::accepts(const Chain& chain, double ratio, std::int64_t number,
                     std::int64_t step) const {
  const double drawn = kDrawnShare * static_cast<double>(steps_);
  const double progress =
      (static_cast<double>(step) - drawn) / (static_cast<double>(steps_) - drawn);
  if (ratio == 0 || chain.current.ratio == 0 || progress < 0) return ratio > chain.current.ratio;
  const double temperature =
      kFirstTemperature * std::pow(kLastTemperature / kFirstTemperature, progress);
  const double gain = std::log(ratio / chain.current.ratio);
  return gain >= 0 || random_of(seed_, number, step, 1).real(0, 1) < std::exp(gain / temperature);
}

nlohmann::json Search::advance(std::int64_t group, const Evaluate& evaluate) const {
  const std::int64_t first = group * kChainsPerGroup;
  const auto begin = state_.chains.begin() + first;
  std::vector<Chain> chains(begin, begin + kChainsPerGroup);
  Found failure;
  std::int64_t failures = 0;
  for (std::int64_t step = steps_until(state_.round); step < steps_until(state_.round + 1);
       ++step) {
    const bool draws = static_cast<double>(step) < kDrawnShare * static_cast<double>(steps_);
    std::vector<Found> proposals;
    std::vector<Case> cases;
    for (std::int64_t i = 0; i < kChainsPerGroup; ++i) {
      Random random = random_of(seed_, first + i, step, 0);
      const Found& from = chains[static_cast<std::size_t>(i)].current;
      proposals.push_back(
          {draws || from.ratio == 0 ? space_.draw(random) : space_.change(from.instance, random)});
      cases.push_back(space_.to_case(proposals.back().instance));
    }
    const std::vector<Loss> losses = evaluate(cases);
    for (std::size_t i = 0; i < chains.size(); ++i) {
      Chain& chain = chains[i];
      Found& found = proposals[i];
      found.failure = losses[i].failure;
      if (!found.failure.empty()) {
        ++failures;
        if (failure.failure.empty()) failure = found;
      }
      if (std::isfinite(losses[i].ratio)) found.ratio = std::max(losses[i].ratio, 0.0);
      if (found.ratio > chain.best.ratio) chain.best = found;
      if (accepts(chain, found.ratio, first + static_cast<std::int64_t>(i), step))
        chain.current = std::move(found);
    }
  }
  return {{"chains", chains}, {"failures", failures}, {"failure", failure}};
}

void Search::finish_round(const std::vector<nlohmann::json>& states) {
  std::size_t number = 0;
  for (const nlohmann::json& state : states) {
    for (const nlohmann::json& chain : state.at("chains")) state_.chains.at(number++) = chain;
    state_.failures += state.at("failures").get<std::int64_t>();
    if (state_.first_failure.failure.empty()) state_.first_failure = state.at("failure");
  }
  const std::int64_t round = ++state_.round;
  if (round != rounds() / 2 && round != rounds() * 3 / 4) return;
  std::vector<Chain*> order;
  for (Chain& chain : state_.chains) order.push_back(&chain);
  std::ranges::stable_sort(order, std::greater(), [](const Chain* x) { return x->best.ratio; });
  const std::size_t half = order.size() / 2;
  for (std::size_t i = 0; i < half; ++i) order[half + i]->current = order[i]->best;
}

std::optional<Found> Search::best() const {
  const auto ratio = [](const Chain& chain) { return chain.best.ratio; };
  const Found& best = std::ranges::max_element(state_.chains, {}, ratio)->best;
  return best.ratio > 0 ? std::optional(best) : std::nullopt;
}

std::uint64_t Search::checksum_of(const nlohmann::json& state) const {
  return seed_from_identity(
      to_json_line(nlohmann::json{objective_, steps_, seed_, space_.document, state}));
}

nlohmann::json Search::save() const {
  nlohmann::json state = state_;
  state["checksum"] = checksum_of(state);
  return state;
}

void Search::load(nlohmann::json state) {
  const nlohmann::json checksum = state.is_object() ? state["checksum"] : nlohmann::json();
  if (state.is_object()) state.erase("checksum");
  if (checksum != checksum_of(state)) {
    throw InputError::with_problem(
        "/checksum", "it is the state of another search, or was changed",
        "Give the same heuristics, space, evaluations and seed, or another file");
  }
  state_ = state;
}

bool run_search(Search& search, const Evaluate& evaluate, int processes,
                const std::function<bool()>& should_continue,
                const std::function<void(const Search&)>& on_round) {
  while (!search.is_complete()) {
    std::vector<nlohmann::json> states(Search::kGroups);
    std::string fault;
    const PoolTasks tasks{
        .run = [&](std::int64_t group) { return to_json_line(search.advance(group, evaluate)); },
        .on_finished =
            [&](std::int64_t group, std::string_view state) {
              states[static_cast<std::size_t>(group)] = nlohmann::json::parse(state);
            },
        .on_lost = [&](std::int64_t, const std::string& reason, FailureCause) { fault = reason; },
        .should_continue = should_continue};
    if (!run_in_processes(Search::kGroups, processes, tasks)) return false;
    if (!fault.empty()) throw SimulationError("the search ended early: " + fault);
    search.finish_round(states);
    on_round(search);
  }
  return true;
}

Found simplify(const Found& found, const SearchSpace& space, double share, std::int64_t evaluations,
               const Evaluate& evaluate, const std::function<bool()>& should_continue) {
  Found best = found;
  bool improved = true;
  // Changes a copy of the best instance, which it replaces if it loses enough.
  const auto try_change = [&](const std::function<void(Instance&)>& change) {
    Found simpler{best.instance};
    change(simpler.instance);
    if (simpler.instance == best.instance || !space.contains(simpler.instance)) return false;
    if (evaluations <= 0 || !should_continue()) return false;
    --evaluations;
    const Case instance = space.to_case(simpler.instance);
    simpler.ratio = evaluate({&instance, 1}).front().ratio;
    if (!std::isfinite(simpler.ratio) || simpler.ratio < share * found.ratio) return false;
    best = std::move(simpler);
    return improved = true;
  };
  // Calls change(workers, i, figure) for each figure of the workers from `first` on.
  const auto try_figures = [&](std::size_t first, const auto& change) {
    for (std::size_t i = first; i < best.instance.workers.size(); ++i) {
      for (std::size_t figure = 0; figure < kFigures; ++figure)
        try_change([&](Instance& instance) { change(instance.workers, i, figure); });
    }
  };
  using Workers = std::vector<VariedWorker>;
  const auto join_with_worker_before = [](Workers& workers, std::size_t i, std::size_t figure) {
    if (shares_memory(workers[i]) == shares_memory(workers[i - 1]))
      workers[i][figure] = workers[i - 1][figure];
  };
  // Rounds a figure of a worker, and equal ones of others.
  const auto round_to = [](int digits) {
    return [digits](Workers& workers, std::size_t i, std::size_t figure) {
      const double exact = workers[i][figure];
      for (VariedWorker& worker : workers) {
        if (worker[figure] == exact) worker[figure] = round_to_digits(exact, digits);
      }
    };
  };
  while (std::exchange(improved, false)) {
    for (std::size_t i = best.instance.workers.size(); i-- > 0;) {
      try_change([&](Instance& instance) {
        instance.workers.erase(instance.workers.begin() + static_cast<std::ptrdiff_t>(i));
      });
    }
    for (std::size_t side = 0; side < best.instance.sides.size(); ++side) {
      for (const double factor : {0.5, 0.8}) {
        const auto shrink = [&](Instance& instance) {
          const double shorter = std::ceil(instance.sides[side] * factor);
          const double round = shorter >= 20 ? std::floor(shorter / 10) * 10 : shorter;
          instance.sides[side] = std::min(instance.sides[side], round);
        };
        while (try_change(shrink)) continue;
      }
    }
    try_figures(1, join_with_worker_before);
    try_figures(0, round_to(1));
  }
  try_figures(0, round_to(2));
  return best;
}

}  // namespace starport::worst
