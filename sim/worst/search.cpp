#include "sim/worst/search.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace starport::worst {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// Temperatures at the start and at the end of the annealing, in units of the ratio's logarithm.
constexpr double kFirstTemperature = 0.2;
constexpr double kLastTemperature = 0.002;
/// Share of a chain's steps that draw instances at random before annealing starts.
constexpr double kDrawnShare = 0.1;

bool counts(double ratio) { return std::isfinite(ratio) && ratio > 0; }

/// Returns whether x is a larger loss than y, of which either may not count.
bool is_worse(double x, double y) { return counts(x) && (!counts(y) || x > y); }

/// Returns the random numbers of one step of one chain.
Random random_of(std::uint64_t seed, std::int64_t chain, std::int64_t step, int use) {
  return Random(seed_from_identity(fmt::format("{} {} {} {}", seed, chain, step, use)));
}

nlohmann::json json_of(const Found& found) {
  return {{"instance", to_json(found.instance)},
          {"ratio", counts(found.ratio) ? nlohmann::json(found.ratio) : nlohmann::json()}};
}

/// Throws the error of a state that save() has not written.
[[noreturn]] void fail_as_damaged() {
  throw InputError("", "the state of a search, as starport worst --save writes it", "damaged text");
}

/// Reads an instance of a space and its ratio; an instance that does not count may be empty.
Found found_of(const nlohmann::json& json, const SearchSpace& space) {
  Found found{.instance = instance_from_json(json.at("instance")),
              .ratio = json.at("ratio").is_null() ? kNone : double(json["ratio"])};
  if ((counts(found.ratio) || !found.instance.workers.empty()) && !space.contains(found.instance))
    fail_as_damaged();
  return found;
}

std::optional<Failure> failure_of(const nlohmann::json& json, const SearchSpace& space) {
  if (json.is_null()) return std::nullopt;
  Failure failure{instance_from_json(json.at("instance")), json.at("reason")};
  if (!space.contains(failure.instance)) fail_as_damaged();
  return failure;
}

nlohmann::json json_of(const std::optional<Failure>& failure) {
  if (!failure) return {};
  return {{"instance", to_json(failure->instance)}, {"reason", failure->reason}};
}

}  // namespace

Search::Search(const SearchSpace& space, std::int64_t evaluations, std::uint64_t seed)
    : space_(space),
      steps_((evaluations + kGroups * kChainsPerGroup - 1) / (kGroups * kChainsPerGroup)),
      seed_(seed),
      chains_(kGroups * kChainsPerGroup, {{{}, kNone}, {{}, kNone}}) {}

std::int64_t Search::evaluations() const { return steps_until(round_) * std::ssize(chains_); }

std::vector<Instance> Search::propose(std::span<const Chain> chains, std::int64_t first_chain,
                                      std::int64_t step) const {
  const bool draws = static_cast<double>(step) < kDrawnShare * static_cast<double>(steps_);
  std::vector<Instance> proposals;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    Random random = random_of(seed_, first_chain + static_cast<std::int64_t>(i), step, 0);
    const Found& from = chains[i].current;
    proposals.push_back(draws || !counts(from.ratio) ? space_.draw(random)
                                                     : space_.change(from.instance, random));
  }
  return proposals;
}

bool Search::accepts(const Chain& chain, double ratio, std::int64_t number,
                     std::int64_t step) const {
  if (!counts(ratio)) return false;
  if (!counts(chain.current.ratio)) return true;
  const double drawn = kDrawnShare * static_cast<double>(steps_);
  const double progress =
      (static_cast<double>(step) - drawn) / (static_cast<double>(steps_) - drawn);
  if (progress < 0) return ratio > chain.current.ratio;
  const double temperature =
      kFirstTemperature * std::pow(kLastTemperature / kFirstTemperature, progress);
  const double gain = std::log(ratio / chain.current.ratio);
  return gain >= 0 || random_of(seed_, number, step, 1).real(0, 1) < std::exp(gain / temperature);
}

nlohmann::json Search::advance(std::int64_t group, const Evaluate& evaluate) const {
  const std::int64_t first = group * kChainsPerGroup;
  std::vector<Chain> chains(chains_.begin() + first, chains_.begin() + first + kChainsPerGroup);
  std::optional<Failure> failure;
  for (std::int64_t step = steps_until(round_); step < steps_until(round_ + 1); ++step) {
    std::vector<Instance> proposals = propose(chains, first, step);
    std::vector<Case> cases;
    for (const Instance& proposal : proposals) cases.push_back(space_.to_case(proposal));
    const std::vector<Loss> losses = evaluate(cases);
    for (std::size_t i = 0; i < chains.size(); ++i) {
      Chain& chain = chains[i];
      if (!losses[i].failure.empty()) {
        ++chain.failures;
        if (!failure) failure = {proposals[i], losses[i].failure};
      }
      Found found{std::move(proposals[i]), losses[i].ratio};
      if (is_worse(found.ratio, chain.best.ratio)) chain.best = found;
      if (accepts(chain, found.ratio, first + static_cast<std::int64_t>(i), step))
        chain.current = std::move(found);
    }
  }
  nlohmann::json state = nlohmann::json::array();
  for (const Chain& chain : chains) state.push_back(chain.to_json());
  return {{"chains", state}, {"failure", json_of(failure)}};
}

nlohmann::json Search::Chain::to_json() const {
  return {{"current", json_of(current)}, {"best", json_of(best)}, {"failures", failures}};
}

Search::Chain Search::read_chain(const nlohmann::json& json) const {
  return {found_of(json.at("current"), space_), found_of(json.at("best"), space_),
          json.at("failures")};
}

void Search::finish_round(const std::vector<nlohmann::json>& states) {
  std::size_t number = 0;
  for (const nlohmann::json& state : states) {
    for (const nlohmann::json& chain : state.at("chains")) chains_.at(number++) = read_chain(chain);
    if (!first_failure_) first_failure_ = failure_of(state.at("failure"), space_);
  }
  ++round_;
  if (round_ == rounds() / 2 || round_ == rounds() * 3 / 4) restart_worse_half();
}

void Search::restart_worse_half() {
  std::vector<std::size_t> order(chains_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t x, std::size_t y) {
    return is_worse(chains_[x].best.ratio, chains_[y].best.ratio);
  });
  const std::size_t half = order.size() / 2;
  for (std::size_t i = 0; i < half; ++i) chains_[order[half + i]].current = chains_[order[i]].best;
}

std::optional<Found> Search::best() const {
  const Found* best = nullptr;
  for (const Chain& chain : chains_) {
    if (is_worse(chain.best.ratio, best == nullptr ? kNone : best->ratio)) best = &chain.best;
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::int64_t Search::failures() const {
  std::int64_t failures = 0;
  for (const Chain& chain : chains_) failures += chain.failures;
  return failures;
}

nlohmann::json Search::identity() const {
  return {{"steps", steps_}, {"seed", seed_}, {"space", space_.to_json()}};
}

nlohmann::json Search::save() const {
  nlohmann::json chains = nlohmann::json::array();
  for (const Chain& chain : chains_) chains.push_back(chain.to_json());
  return {{"search", identity()},
          {"round", round_},
          {"chains", chains},
          {"failure", json_of(first_failure_)}};
}

void Search::load(const nlohmann::json& state) {
  try {
    if (state.at("search") != identity()) {
      throw InputError::with_problem("/search", "it belongs to another search",
                                     "Give the same space, evaluations and seed, or another file");
    }
    const std::int64_t round = state.at("round");
    const nlohmann::json& saved = state.at("chains");
    if (saved.size() != chains_.size() || round < 0 || round > rounds()) fail_as_damaged();
    std::vector<Chain> chains;
    for (const nlohmann::json& chain : saved) chains.push_back(read_chain(chain));
    first_failure_ = failure_of(state.at("failure"), space_);
    chains_ = std::move(chains);
    round_ = round;
  } catch (const nlohmann::json::exception&) {
    fail_as_damaged();
  }
}

}  // namespace starport::worst
