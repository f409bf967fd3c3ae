#include "sim/worst/search.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

Search::Search(const SearchSpace& space, std::int64_t evaluations, std::uint64_t seed)
    : space_(space),
      steps_((evaluations + kGroups * kChainsPerGroup - 1) / (kGroups * kChainsPerGroup)),
      seed_(seed),
      chains_(kGroups * kChainsPerGroup) {}

std::int64_t Search::evaluations() const { return steps_until(round_) * std::ssize(chains_); }

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
  Failure failure;
  for (std::int64_t step = steps_until(round_); step < steps_until(round_ + 1); ++step) {
    const bool draws = static_cast<double>(step) < kDrawnShare * static_cast<double>(steps_);
    std::vector<Instance> proposals;
    std::vector<Case> cases;
    for (std::int64_t i = 0; i < kChainsPerGroup; ++i) {
      Random random = random_of(seed_, first + i, step, 0);
      const Found& from = chains[static_cast<std::size_t>(i)].current;
      proposals.push_back(draws || from.ratio == 0 ? space_.draw(random)
                                                   : space_.change(from.instance, random));
      cases.push_back(space_.to_case(proposals.back()));
    }
    const std::vector<Loss> losses = evaluate(cases);
    for (std::size_t i = 0; i < chains.size(); ++i) {
      Chain& chain = chains[i];
      if (!losses[i].failure.empty()) {
        ++chain.failures;
        if (failure.reason.empty()) failure = {proposals[i], losses[i].failure};
      }
      const double ratio = losses[i].ratio;
      Found found{std::move(proposals[i]), std::isfinite(ratio) ? std::max(ratio, 0.0) : 0};
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
    if (first_failure_.reason.empty()) first_failure_ = state.at("failure");
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

nlohmann::json Search::identity() const {
  return {{"steps", steps_}, {"seed", seed_}, {"space", space_.document}};
}

nlohmann::json Search::save() const {
  return {
      {"search", identity()}, {"round", round_}, {"chains", chains_}, {"failure", first_failure_}};
}

void Search::load(const nlohmann::json& state) {
  const InputError damaged("", "the state of a search, as starport worst --save writes it",
                           "damaged text");
  try {
    if (state.at("search") != identity()) {
      throw InputError::with_problem("/search", "it belongs to another search",
                                     "Give the same space, evaluations and seed, or another file");
    }
    const std::int64_t round = state.at("round");
    const std::vector<Chain> chains = state.at("chains");
    const Failure failure = state.at("failure");
    const auto is_valid = [&](const Found& found) {
      return found.ratio == 0 || (found.ratio > 0 && space_.contains(found.instance));
    };
    const auto are_valid = [&](const Chain& chain) {
      return is_valid(chain.current) && is_valid(chain.best);
    };
    if (chains.size() != chains_.size() || round < 0 || round > rounds() ||
        !std::ranges::all_of(chains, are_valid) ||
        !(failure.reason.empty() || space_.contains(failure.instance))) {
      throw damaged;
    }
    first_failure_ = failure;
    chains_ = chains;
    round_ = round;
  } catch (const nlohmann::json::exception&) {
    throw damaged;
  }
}

}  // namespace starport::worst
