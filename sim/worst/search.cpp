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

using Physical = PlatformFile::Physical;

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

nlohmann::json to_json(const Found& found) {
  nlohmann::json workers = nlohmann::json::array();
  for (const PlatformFile::Entry& entry : found.instance.file.entries) {
    const auto& worker = std::get<Physical>(entry.worker);
    workers.push_back(
        {worker.bandwidth_bytes_per_s, worker.speed_flops, worker.memory_bytes, worker.latency_s});
  }
  const Problem& problem = found.instance.problem;
  return {{"workers", workers},
          {"problem", {problem.r, problem.s, problem.t}},
          {"ratio", counts(found.ratio) ? nlohmann::json(found.ratio) : nlohmann::json()}};
}

Found found_of(const nlohmann::json& json, const SearchSpace& space) {
  Found found{.instance = {}, .ratio = json.at("ratio").is_null() ? kNone : double(json["ratio"])};
  PlatformFile& file = found.instance.file;
  file.path = file.name = "worst case";
  file.block_size = space.block_size;
  file.port = space.port;
  for (const nlohmann::json& figures : json.at("workers")) {
    Physical worker{};
    worker.bandwidth_bytes_per_s = figures.at(0);
    worker.speed_flops = figures.at(1);
    worker.memory_bytes = figures.at(2);
    worker.latency_s = figures.at(3);
    file.entries.push_back({.worker = worker, .count = 1, .pointer = ""});
  }
  const nlohmann::json& sides = json.at("problem");
  found.instance.problem = {
      .r = sides.at(0), .s = sides.at(1), .t = sides.at(2), .block_size = space.block_size};
  return found;
}

}  // namespace

Search::Search(const SearchSpace& space, std::int64_t evaluations, std::uint64_t seed)
    : space_(space),
      steps_((evaluations + kGroups * kChainsPerGroup - 1) / (kGroups * kChainsPerGroup)),
      seed_(seed),
      chains_(kGroups * kChainsPerGroup, {{{}, kNone}, {{}, kNone}}) {}

std::int64_t Search::evaluations() const { return steps_until(round_) * std::ssize(chains_); }

std::vector<Case> Search::propose(std::span<const Chain> chains, std::int64_t first_chain,
                                  std::int64_t step) const {
  const bool draws = static_cast<double>(step) < kDrawnShare * static_cast<double>(steps_);
  std::vector<Case> proposals;
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
  nlohmann::json failure;
  for (std::int64_t step = steps_until(round_); step < steps_until(round_ + 1); ++step) {
    std::vector<Case> proposals = propose(chains, first, step);
    const std::vector<Loss> losses = evaluate(proposals);
    for (std::size_t i = 0; i < chains.size(); ++i) {
      Chain& chain = chains[i];
      Found found{std::move(proposals[i]), losses[i].ratio};
      if (!losses[i].failure.empty()) {
        ++chain.failures;
        if (failure.is_null()) failure = {{"instance", to_json(found)}, {"why", losses[i].failure}};
      }
      if (is_worse(found.ratio, chain.best.ratio)) chain.best = found;
      if (accepts(chain, found.ratio, first + static_cast<std::int64_t>(i), step))
        chain.current = std::move(found);
    }
  }
  nlohmann::json state = nlohmann::json::array();
  for (const Chain& chain : chains) {
    state.push_back({{"current", to_json(chain.current)},
                     {"best", to_json(chain.best)},
                     {"failures", chain.failures}});
  }
  return {{"chains", state}, {"failure", failure}};
}

void Search::finish_round(const std::vector<nlohmann::json>& states) {
  std::size_t number = 0;
  for (const nlohmann::json& state : states) {
    for (const nlohmann::json& chain : state.at("chains")) {
      chains_.at(number++) = {found_of(chain.at("current"), space_),
                              found_of(chain.at("best"), space_), chain.at("failures")};
    }
    const nlohmann::json& failure = state.at("failure");
    if (!failure.is_null() && first_failure_.second.empty()) {
      first_failure_ = {found_of(failure.at("instance"), space_).instance, failure.at("why")};
    }
  }
  ++round_;
  if (round_ == kRounds / 2 || round_ == kRounds * 3 / 4) restart_worse_half();
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
  const auto range = [](const Range& r) { return nlohmann::json{r.low, r.high}; };
  nlohmann::json space{{"workers", range(space_.workers)},
                       {"bandwidth", range(space_.bandwidth)},
                       {"speed", range(space_.speed)},
                       {"memory", range(space_.memory)},
                       {"latency", range(space_.latency)},
                       {"r", range(space_.r)},
                       {"s", range(space_.s)},
                       {"t", range(space_.t)},
                       {"max_updates", space_.max_updates},
                       {"block_size", space_.block_size},
                       {"port", space_.port.text()}};
  return {{"steps", steps_}, {"seed", seed_}, {"space", space}};
}

nlohmann::json Search::save() const {
  nlohmann::json chains = nlohmann::json::array();
  for (const Chain& chain : chains_) {
    chains.push_back({{"current", to_json(chain.current)},
                      {"best", to_json(chain.best)},
                      {"failures", chain.failures}});
  }
  nlohmann::json failure;
  if (!first_failure_.second.empty()) {
    failure = {{"instance", to_json({first_failure_.first, kNone})},
               {"why", first_failure_.second}};
  }
  return {{"search", identity()}, {"round", round_}, {"chains", chains}, {"failure", failure}};
}

void Search::load(const nlohmann::json& state) {
  const auto fail = [] {
    throw InputError("", "the state of a search, as starport worst --save writes it",
                     "damaged text");
  };
  try {
    if (state.at("search") != identity()) {
      throw InputError::with_problem("/search", "it belongs to another search",
                                     "Give the same space, evaluations and seed, or another file");
    }
    const std::int64_t round = state.at("round");
    if (state.at("chains").size() != chains_.size() || round < 0 || round > kRounds) fail();
    Search loaded = *this;
    loaded.finish_round({{{"chains", state["chains"]}, {"failure", state.at("failure")}}});
    for (const Chain& chain : loaded.chains_) {
      for (const Found* found : {&chain.current, &chain.best}) {
        if (counts(found->ratio) && !space_.contains(found->instance)) fail();
      }
    }
    round_ = round;
    chains_ = std::move(loaded.chains_);
    first_failure_ = std::move(loaded.first_failure_);
  } catch (const nlohmann::json::exception&) {
    fail();
  }
}

namespace {

/// Tries simpler instances one at a time and keeps those that lose enough.
class Simplifier {
 public:
  Simplifier(const Found& found, const SearchSpace& space, double share, std::int64_t evaluations,
             const Evaluate& evaluate)
      : found_(found),
        space_(space),
        least_(found.ratio * share),
        left_(evaluations),
        evaluate_(evaluate) {}

  Found simplify() {
    for (bool improved = true; improved && left_ > 0;) {
      improved = false;
      improved |= remove_workers();
      improved |= shrink_product();
      improved |= join_figures();
      improved |= round_figures(1);
    }
    round_figures(2);
    return found_;
  }

 private:
  bool accept(Case simpler) {
    if (left_ <= 0 || !space_.contains(simpler)) return false;
    --left_;
    const double ratio = evaluate_({&simpler, 1}).front().ratio;
    if (!counts(ratio) || ratio < least_) return false;
    found_ = {std::move(simpler), ratio};
    return true;
  }

  bool remove_workers() {
    bool improved = false;
    for (std::size_t i = found_.instance.file.entries.size(); i-- > 0;) {
      Case simpler = found_.instance;
      simpler.file.entries.erase(simpler.file.entries.begin() + static_cast<std::ptrdiff_t>(i));
      improved |= accept(std::move(simpler));
    }
    return improved;
  }

  bool shrink_product() {
    bool improved = false;
    for (std::int64_t Problem::*side : {&Problem::s, &Problem::r, &Problem::t}) {
      for (const double factor : {0.5, 0.8}) {
        for (;;) {
          Case simpler = found_.instance;
          const std::int64_t before = simpler.problem.*side;
          const auto after =
              static_cast<std::int64_t>(std::ceil(static_cast<double>(before) * factor));
          simpler.problem.*side = after >= 20 ? after / 10 * 10 : after;
          if (simpler.problem.*side >= before || !accept(std::move(simpler))) break;
          improved = true;
        }
      }
    }
    return improved;
  }

  /// Makes figures of workers equal to those of the worker before.
  bool join_figures() {
    bool improved = false;
    for (std::size_t i = 1; i < found_.instance.file.entries.size(); ++i) {
      for (double Physical::*figure : kFigures) {
        Case simpler = found_.instance;
        const double before = figure_of(simpler, i - 1, figure);
        if (figure_of(simpler, i, figure) == before) continue;
        figure_of(simpler, i, figure) = before;
        improved |= accept(std::move(simpler));
      }
    }
    return improved;
  }

  /// Rounds figures to `digits` significant digits: of all workers that have the same one, then one
  /// by one.
  bool round_figures(int digits) {
    bool improved = false;
    for (std::size_t i = 0; i < found_.instance.file.entries.size(); ++i) {
      for (double Physical::*figure : kFigures) {
        Case simpler = found_.instance;
        const double exact = figure_of(simpler, i, figure);
        const double round =
            std::strtod(fmt::format("{:.{}e}", exact, digits - 1).c_str(), nullptr);
        if (exact == round) continue;
        for (std::size_t j = 0; j < simpler.file.entries.size(); ++j) {
          if (figure_of(simpler, j, figure) == exact) figure_of(simpler, j, figure) = round;
        }
        improved |= accept(std::move(simpler));
      }
    }
    return improved;
  }

  static constexpr double Physical::*kFigures[] = {&Physical::bandwidth_bytes_per_s,
                                                   &Physical::speed_flops, &Physical::memory_bytes,
                                                   &Physical::latency_s};
  static double& figure_of(Case& instance, std::size_t i, double Physical::*figure) {
    return std::get<Physical>(instance.file.entries[i].worker).*figure;
  }

  Found found_;
  const SearchSpace& space_;
  double least_;
  std::int64_t left_;
  const Evaluate& evaluate_;
};

}  // namespace

Found simplify(const Found& found, const SearchSpace& space, double share, std::int64_t evaluations,
               const Evaluate& evaluate) {
  return Simplifier(found, space, share, evaluations, evaluate).simplify();
}

}  // namespace starport::worst
