#include "sim/worst/search.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json.hpp"

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
      chains_(kGroups * kChainsPerGroup) {}

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
  std::vector<Chain> chains(chains_.begin() + first, chains_.begin() + first + kChainsPerGroup);
  Found failure;
  for (std::int64_t step = steps_until(round_); step < steps_until(round_ + 1); ++step) {
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
        ++chain.failures;
        if (failure.failure.empty()) failure = found;
      }
      if (std::isfinite(losses[i].ratio)) found.ratio = std::max(losses[i].ratio, 0.0);
      if (found.ratio > chain.best.ratio) chain.best = found;
      if (accepts(chain, found.ratio, first + static_cast<std::int64_t>(i), step))
        chain.current = std::move(found);
    }
  }
  return {{"chains", chains}, {"failure", failure}};
}

void Search::finish_round(const std::vector<nlohmann::json>& states) {
  std::size_t number = 0;
  for (const nlohmann::json& state : states) {
    for (const nlohmann::json& chain : state.at("chains")) chains_.at(number++) = chain;
    if (first_failure_.failure.empty()) first_failure_ = state.at("failure");
  }
  ++round_;
  if (round_ != rounds() / 2 && round_ != rounds() * 3 / 4) return;
  std::vector<Chain*> order;
  for (Chain& chain : chains_) order.push_back(&chain);
  std::ranges::stable_sort(order, std::greater(), [](const Chain* x) { return x->best.ratio; });
  const std::size_t half = order.size() / 2;
  for (std::size_t i = 0; i < half; ++i) order[half + i]->current = order[i]->best;
}

std::optional<Found> Search::best() const {
  const auto ratio = [](const Chain& chain) { return chain.best.ratio; };
  const Found& best = std::ranges::max_element(chains_, {}, ratio)->best;
  return best.ratio > 0 ? std::optional(best) : std::nullopt;
}

std::int64_t Search::failures() const {
  std::int64_t failures = 0;
  for (const Chain& chain : chains_) failures += chain.failures;
  return failures;
}

std::uint64_t Search::checksum_of(const nlohmann::json& state) const {
  return seed_from_identity(
      to_json_line(nlohmann::json{objective_, steps_, seed_, space_.document, state}));
}

nlohmann::json Search::save() const {
  nlohmann::json state{{"round", round_}, {"chains", chains_}, {"failure", first_failure_}};
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
  state.at("round").get_to(round_);
  state.at("chains").get_to(chains_);
  state.at("failure").get_to(first_failure_);
}

Found simplify(const Found& found, const SearchSpace& space, double share, std::int64_t evaluations,
               const Evaluate& evaluate, const std::function<bool()>& should_continue) {
  Found best = found;
  // Changes a copy of the best instance, which it replaces if it loses enough.
  const auto accepts = [&](const std::function<void(Instance&)>& change) {
    Instance simpler = best.instance;
    change(simpler);
    if (simpler == best.instance || evaluations <= 0 || !space.contains(simpler)) return false;
    if (!should_continue()) evaluations = 0;
    if (evaluations-- <= 0) return false;
    const Case instance = space.to_case(simpler);
    const double ratio = evaluate({&instance, 1}).front().ratio;
    if (!std::isfinite(ratio) || ratio < share * found.ratio) return false;
    best = {std::move(simpler), ratio};
    return true;
  };
  // Calls change(instance, i, figure) for each figure of the workers from `first` on.
  const auto change_figures = [&](std::size_t first, const auto& change) {
    bool improved = false;
    for (std::size_t i = first; i < best.instance.workers.size(); ++i) {
      for (std::size_t figure = 0; figure < kFigures; ++figure)
        improved |= accepts([&](Instance& instance) { change(instance.workers, i, figure); });
    }
    return improved;
  };
  using Workers = std::vector<VariedWorker>;
  // Workers with the same figure change together.
  const auto round_figures = [&](int digits) {
    return change_figures(0, [&](Workers& workers, std::size_t i, std::size_t figure) {
      const double exact = workers[i][figure];
      for (VariedWorker& worker : workers) {
        if (worker[figure] == exact) worker[figure] = round_to_digits(exact, digits);
      }
    });
  };
  const auto join_with_worker_before = [](Workers& workers, std::size_t i, std::size_t figure) {
    if (shares_memory(workers[i]) == shares_memory(workers[i - 1]))
      workers[i][figure] = workers[i - 1][figure];
  };
  for (bool improved = true; improved && evaluations > 0;) {
    improved = false;
    for (std::size_t i = best.instance.workers.size(); i-- > 0;) {
      improved |= accepts([&](Instance& instance) {
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
        while (accepts(shrink)) improved = true;
      }
    }
    improved |= change_figures(1, join_with_worker_before);
    improved |= round_figures(1);
  }
  round_figures(2);
  return best;
}

}  // namespace starport::worst
