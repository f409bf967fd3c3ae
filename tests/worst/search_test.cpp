// The search for worst cases on objectives whose answer is known, and beside other searches.
#include "sim/worst/search.hpp"

#include "sim/files/error.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace starport::worst {
namespace {

using Physical = PlatformFile::Physical;
/// A planted weakness: the ratio on an instance.
using Objective = std::function<double(const Case& instance)>;

const Physical& worker(const Case& instance, std::size_t i) {
  return std::get<Physical>(instance.file.entries[i].worker);
}
const Physical& slowest(const Case& instance) {
  std::size_t slowest = 0;
  for (std::size_t i = 1; i < instance.file.entries.size(); ++i) {
    if (worker(instance, i).speed_flops < worker(instance, slowest).speed_flops) slowest = i;
  }
  return worker(instance, slowest);
}
double blocks(const Physical& worker) { return std::floor(worker.memory_bytes / 51200); }
/// Returns c_i / w_i of a worker.
double ratio_c_w(const Physical& worker) {
  return 51200 / worker.bandwidth_bytes_per_s / (1024000 / worker.speed_flops);
}
double total(const Case& instance, double Physical::*figure) {
  double sum = 0;
  for (const auto& entry : instance.file.entries) sum += std::get<Physical>(entry.worker).*figure;
  return sum;
}

/// Ratio above which a planted weakness counts as found.
constexpr double kFound = 2.7;

/// A heuristic that loses a factor of 3 in a small part of the space and little elsewhere.
struct Planted {
  std::string name;
  Objective objective;
};
const std::vector<Planted>& planted() {
  static const std::vector<Planted> weaknesses{
      {"small memory behind a slow link of the slowest worker",
       [](const Case& x) {
         const double m = blocks(slowest(x));
         return 30 < m && m < 40 && ratio_c_w(slowest(x)) > 2 ? 3 : 1;
       }},
      {"three workers and a flat product",
       [](const Case& x) {
         return x.file.size() == 3 && x.problem.t < 4 && x.problem.s > 4 * x.problem.r ? 3 : 1;
       }},
      {"two workers of equal speed and unlike links",
       [](const Case& x) {
         for (std::size_t i = 0; i + 1 < x.file.entries.size(); ++i) {
           const Physical& a = worker(x, i);
           const Physical& b = worker(x, i + 1);
           const double links = a.bandwidth_bytes_per_s / b.bandwidth_bytes_per_s;
           if (a.speed_flops == b.speed_flops && links > 50) return 3;
         }
         return 1;
       }},
      {"one worker has nearly all the memory and nearly no speed",
       [](const Case& x) {
         const Physical& worst = slowest(x);
         return x.file.size() > 2 && worst.memory_bytes > 0.8 * total(x, &Physical::memory_bytes) &&
                        worst.speed_flops < 1e-4 * total(x, &Physical::speed_flops)
                    ? 3
                    : 1;
       }},
      {"many workers behind one fast link",
       [](const Case& x) {
         double fastest = 0;
         for (std::size_t i = 0; i < x.file.entries.size(); ++i)
           fastest = std::max(fastest, worker(x, i).bandwidth_bytes_per_s);
         return x.file.size() > 15 && fastest > 0.9 * total(x, &Physical::bandwidth_bytes_per_s)
                    ? 3
                    : 1;
       }},
      {"a smooth peak in all figures of the first worker", [](const Case& x) {
         const Physical& w = worker(x, 0);
         const double distance = std::abs(std::log(w.bandwidth_bytes_per_s / 3e6)) +
                                 std::abs(std::log(w.speed_flops / 2e9)) +
                                 std::abs(std::log(w.memory_bytes / 2e7));
         return 1 + 2 * std::exp(-distance);
       }}};
  return weaknesses;
}

Evaluate evaluate_by(const Objective& objective) {
  return [objective](std::span<const Case> instances) {
    std::vector<Loss> losses;
    for (const Case& instance : instances) losses.push_back({.ratio = objective(instance)});
    return losses;
  };
}

void run_round(Search& search, const Evaluate& evaluate) {
  std::vector<nlohmann::json> states;
  for (std::int64_t group = 0; group < Search::kGroups; ++group)
    states.push_back(search.advance(group, evaluate));
  search.finish_round(states);
}

double search_by_annealing(const Objective& objective, std::int64_t evaluations,
                           std::uint64_t seed) {
  Search search(find_search_space("anything", "star"), evaluations, seed);
  do run_round(search, evaluate_by(objective));
  while (!search.is_complete() && search.best()->ratio < kFound);
  return search.best()->ratio;
}

double search_at_random(const Objective& objective, std::int64_t evaluations, std::uint64_t seed) {
  const SearchSpace space = find_search_space("anything", "star");
  Random random(seed);
  double best = 0;
  for (std::int64_t i = 0; i < evaluations; ++i)
    best = std::max(best, objective(space.to_case(space.draw(random))));
  return best;
}

/// PISA's rule: a worse neighbour is accepted with probability exp(-(neighbour / present) / T), T
/// from 10 to 0.1.
double search_by_pisa(const Objective& objective, std::int64_t evaluations, std::uint64_t seed) {
  const SearchSpace space = find_search_space("anything", "star");
  Random random(seed);
  Instance present = space.draw(random);
  double ratio = objective(space.to_case(present));
  double best = ratio;
  for (std::int64_t i = 1; i < evaluations; ++i) {
    const double temperature =
        10 * std::pow(0.01, static_cast<double>(i) / static_cast<double>(evaluations));
    Instance neighbour = space.change(present, random);
    const double next = objective(space.to_case(neighbour));
    best = std::max(best, next);
    if (next < ratio && random.real(0, 1) >= std::exp(-(next / ratio) / temperature)) continue;
    present = std::move(neighbour);
    ratio = next;
  }
  return best;
}

int successes(double (*search)(const Objective&, std::int64_t, std::uint64_t),
              const Objective& objective, std::int64_t evaluations, int seeds) {
  int found = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    found += search(objective, evaluations, static_cast<std::uint64_t>(seed)) > kFound ? 1 : 0;
  }
  return found;
}

TEST(WorstSearch, FindsPlantedWeaknesses) {
  for (const Planted& weakness : planted()) {
    EXPECT_GE(successes(search_by_annealing, weakness.objective, 20000, 20), 19) << weakness.name;
  }
}

TEST(WorstSearch, NeedsFewerEvaluationsThanRandomSearchAndThanPisa) {
  int annealing = 0;
  int random = 0;
  int pisa = 0;
  for (const Planted& weakness : planted()) {
    annealing += successes(search_by_annealing, weakness.objective, 2000, 10);
    random += successes(search_at_random, weakness.objective, 2000, 10);
    pisa += successes(search_by_pisa, weakness.objective, 2000, 10);
  }
  RecordProperty("annealing", annealing);
  RecordProperty("random", random);
  RecordProperty("pisa", pisa);
  EXPECT_GT(annealing, random);
  EXPECT_GT(annealing, pisa);
}

TEST(WorstSearch, FindsTheExhaustiveMaximumOfADiscreteSpace) {
  SearchSpace space = find_search_space("anything", "star");
  space.linked.count = {2, 2, true};
  space.sides.assign(3, {1, 8, true});
  const auto level = [](double value, double low, double high) {
    return std::min(2.0, std::floor(3 * std::log(value / low) / std::log(high / low)));
  };
  // A deterministic, rugged function of the discrete instance.
  const Objective objective = [&](const Case& x) {
    double code = static_cast<double>(x.problem.r * 64 + x.problem.s * 8 + x.problem.t);
    for (std::size_t i = 0; i < 2; ++i) {
      code = 9 * code + 3 * level(worker(x, i).bandwidth_bytes_per_s, 1e5, 1e10) +
             level(worker(x, i).speed_flops, 1e7, 1e13);
    }
    return 1 + to_unit_interval(mix_bits(static_cast<std::uint64_t>(code)));
  };
  double most = 0;
  for (std::int64_t r = 1; r <= 8; ++r) {
    for (std::int64_t s = 1; s <= 8; ++s) {
      for (std::int64_t t = 1; t <= 8; ++t) {
        for (std::int64_t figures = 0; figures < 81; ++figures) {
          const std::int64_t code = (r * 64 + s * 8 + t) * 81 + figures;
          most = std::max(most, 1 + to_unit_interval(mix_bits(static_cast<std::uint64_t>(code))));
        }
      }
    }
  }
  Search search(space, 300000, 1);
  while (!search.is_complete()) run_round(search, evaluate_by(objective));
  EXPECT_GE(search.best()->ratio, most - 1e-4);
}

TEST(WorstSearch, StaysWithinTheSpaceAndIsReproducible) {
  for (const auto& [name, model] :
       std::vector<std::pair<const char*, const char*>>{{"typical", "star"},
                                                        {"anything", "star"},
                                                        {"typical", "tiles"},
                                                        {"anything", "tiles"},
                                                        {"typical", "spmd"},
                                                        {"anything", "spmd"}}) {
    const SearchSpace space = find_search_space(name, model);
    Search first(space, 2000, 5);
    Search second(space, 2000, 5);
    Search other(space, 2000, 6);
    const Evaluate by_sides =
        evaluate_by([](const Case& x) { return 1 + double(x.problem.r) / double(x.file.size()); });
    while (!first.is_complete()) {
      run_round(first, by_sides);
      run_round(other, by_sides);
      EXPECT_TRUE(space.contains(first.best()->instance)) << name << model;
      // The second search goes through its saved state after each round.
      Search resumed(space, 2000, 5);
      if (second.evaluations() > 0) resumed.load(nlohmann::json::parse(second.save().dump()));
      run_round(resumed, by_sides);
      second = resumed;
    }
    EXPECT_EQ(first.save(), second.save());
    EXPECT_NE(first.save(), other.save());
    EXPECT_THROW(other.load(first.save()), InputError);
    EXPECT_THROW(first.load(nlohmann::json::array()), InputError);
    for (const char* key : {"chains", "failure", "round", "checksum"}) {
      nlohmann::json damaged = first.save();
      damaged[key] = 1;
      EXPECT_THROW(first.load(damaged), InputError) << key;
    }
  }
}

TEST(WorstSearch, ChangesStayWithinTheSpace) {
  for (const char* model : {"star", "tiles", "spmd"}) {
    for (const char* name : {"typical", "anything"}) {
      const SearchSpace space = find_search_space(name, model);
      Random random(3);
      Instance instance = space.draw(random);
      std::set<std::int64_t> sizes;
      for (int i = 0; i < 5000; ++i) {
        instance = space.change(instance, random);
        ASSERT_TRUE(space.contains(instance))
            << name << " " << model << " " << nlohmann::json(instance);
        sizes.insert(std::ssize(instance.workers));
        if (i % 100 == 0) {
          EXPECT_EQ(nlohmann::json(instance).get<Instance>(), instance);
          instance = space.draw(random);
          ASSERT_TRUE(space.contains(instance))
              << name << " " << model << " " << nlohmann::json(instance);
        }
      }
      EXPECT_GT(sizes.size(), 5U) << name << " " << model;
    }
  }
}

TEST(WorstSearch, FailuresDoNotCount) {
  const Evaluate evaluate = [](std::span<const Case> instances) {
    std::vector<Loss> losses;
    for (const Case& instance : instances) {
      const bool fails = instance.file.size() > 5;
      losses.push_back({.ratio = fails ? std::nan("") : double(instance.file.size()),
                        .failure = fails ? "too many" : ""});
    }
    return losses;
  };
  Search search(find_search_space("anything", "star"), 1000, 1);
  while (!search.is_complete()) run_round(search, evaluate);
  EXPECT_EQ(search.best()->ratio, 5);
  EXPECT_GT(search.failures(), 0);
  EXPECT_EQ(search.first_failure().failure, "too many");
  EXPECT_GT(search.first_failure().instance.workers.size(), 5U);
}

TEST(WorstSearch, SimplifiesAndKeepsTheLoss) {
  const Objective objective = planted()[0].objective;
  Search search(find_search_space("anything", "star"), 20000, 1);
  while (!search.is_complete()) run_round(search, evaluate_by(objective));
  const SearchSpace space = find_search_space("anything", "star");
  const Found found =
      simplify(*search.best(), space, 0.95, 2000, evaluate_by(objective), [] { return true; });
  const Case simple = space.to_case(found.instance);
  EXPECT_EQ(found.ratio, 3);
  EXPECT_EQ(simple.file.size(), 1);
  EXPECT_EQ(simple.problem.updates(), 1);
  const double memory = worker(simple, 0).memory_bytes;
  const double unit = std::pow(10, std::floor(std::log10(memory)) - 1);
  EXPECT_EQ(std::round(memory / unit) * unit, memory);
}

}  // namespace
}  // namespace starport::worst
