#include "sim/report/claims/search.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/random.hpp"
#include "sim/process/process_pool.hpp"
#include "sim/results/common_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace starport::fit {
namespace {

auto key(const Claims& claims, const Attempt& attempt) {
  return std::tuple(-holding(claims, attempt.answers), missed(claims, attempt.answers),
                    attempt.number);
}

Random random_of(std::uint64_t seed, const char* use, std::int64_t number) {
  return Random(seed_of(fmt::format("{}\n{}\n{}", seed, use, number)));
}

Calibration drawn(const std::vector<Parameter>& parameters, Random random) {
  Calibration calibration;
  for (const Parameter& parameter : parameters) {
    calibration.push_back(parameter.value_at(random.real(0, 1)));
  }
  return calibration;
}

/// Near one of the best: some of its values from another of them, some moved by up to a step that
/// is large or small, as it comes.
Calibration refined(const std::vector<Parameter>& parameters,
                    const std::vector<const Attempt*>& best, Random random) {
  constexpr double smallest_step = 0.003;
  constexpr double largest_step = 0.3;
  const auto pick = [&] {
    // The better, the likelier.
    const double place = random.real(0, 1) * random.real(0, 1);
    return best[static_cast<std::size_t>(place * static_cast<double>(best.size()))];
  };
  const Attempt* one = pick();
  const Attempt* other = pick();
  const double crossing = random.real(0, 1) < 0.5 ? 0.5 : 0;
  const double step = smallest_step * std::pow(largest_step / smallest_step, random.real(0, 1));
  const auto always = random.integer(0, static_cast<std::int64_t>(parameters.size()) - 1);
  Calibration calibration;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    const Attempt* from = random.real(0, 1) < crossing ? other : one;
    double place = parameter.place_of(from->calibration[i]);
    const bool moved = static_cast<std::int64_t>(i) == always || random.real(0, 1) < 0.3;
    const double move = random.real(-1, 1);
    if (moved && !parameter.is_reading()) place += step * move;
    // A reading is another one, any of them, now and then.
    if (moved && parameter.is_reading()) place = random.real(0, 1);
    calibration.push_back(parameter.value_at(place));
  }
  return calibration;
}

}  // namespace

std::vector<const Attempt*> ranked(const Claims& claims, const Attempts& attempts) {
  std::vector<std::pair<decltype(key(claims, {})), const Attempt*>> keyed;
  for (const auto& [number, attempt] : attempts) keyed.emplace_back(key(claims, attempt), &attempt);
  std::sort(keyed.begin(), keyed.end());
  std::vector<const Attempt*> order;
  for (const auto& entry : keyed) order.push_back(entry.second);
  return order;
}

void Laboratory::make(Attempts& attempts, std::int64_t first, std::int64_t last,
                      const std::function<Attempt(std::int64_t number)>& work) const {
  std::vector<std::int64_t> missing;
  for (std::int64_t number = first; number <= last; ++number) {
    if (attempts.count(number) == 0) missing.push_back(number);
  }
  const auto number_of = [&](std::int64_t k) { return missing[static_cast<std::size_t>(k)]; };
  std::string failure;
  const PoolWork pool{.run = [&](std::int64_t k) { return file.row_text(work(number_of(k))); },
                      .finished =
                          [&](std::int64_t k, std::string_view text) {
                            file.append(text);
                            attempts[number_of(k)] = file.parse(text, number_of(k) + 1);
                            show(std::ssize(attempts));
                          },
                      .lost =
                          [&](std::int64_t k, const std::string& why, Cause) {
                            failure =
                                fmt::format("attempt {}: its process died: {}", number_of(k), why);
                          },
                      .time_limit_s = time_limit_s,
                      .go_on = [&] { return failure.empty(); }};
  const auto count = std::ssize(missing);
  run_in_processes(count, static_cast<int>(std::min<std::int64_t>(processes, count)), pool);
  if (!failure.empty()) throw SimulationError(failure);
}

void search(const Specification& specification, const std::vector<Parameter>& parameters,
            const Inquiry& inquiry, const Effort& effort, const Laboratory& laboratory,
            Attempts& attempts) {
  constexpr std::size_t most_parents = 20;
  const auto attempt = [&](std::int64_t number, Calibration calibration) {
    Attempt made{.number = number, .calibration = std::move(calibration)};
    made.answers = inquiry.ask(calibrated(specification, parameters, made.calibration));
    return made;
  };
  laboratory.make(attempts, 1, effort.drawn, [&](std::int64_t number) {
    if (number == 1) return attempt(1, {});  // as it is
    return attempt(number, drawn(parameters, random_of(effort.seed, "drawn", number)));
  });
  for (std::int64_t done = effort.drawn; done < effort.total(); done += Effort::kRound) {
    // Those before this round alone, whatever is there: so that -j and --resume change nothing.
    const Attempts before(attempts.begin(), attempts.upper_bound(done));
    std::vector<const Attempt*> best = ranked(laboratory.claims, before);
    std::erase_if(best, [](const Attempt* one) { return one->calibration.empty(); });
    best.resize(std::min(best.size(), most_parents));
    laboratory.make(attempts, done + 1, std::min(done + Effort::kRound, effort.total()),
                    [&](std::int64_t number) {
                      return attempt(number, refined(parameters, best,
                                                     random_of(effort.seed, "refined", number)));
                    });
  }
  laboratory.file.finish(attempts);
}

namespace {

/// Every worker's bandwidth, speed and memory times one factor each.
void shake(Specification& specification, double within, Random random) {
  for (const char* field : {"bandwidth", "speed", "memory"}) {
    Override axis{.column = field, .field = field, .multiply = true};
    axis.values = {random.real(1 - within, 1 + within)};
    for (Experiment& experiment : specification.experiments) {
      experiment.overrides.push_back(axis);
    }
  }
}

/// Makespans as of one run among several: times a factor of an interval whose ends are 1 + runs
/// apart.
Inquiry::Disturb disturbance(double runs, Random& random) {
  return [runs, &random](const SweepInstance&, Comparison& comparison) {
    for (Record& record : comparison.records) {
      const double factor = std::pow(1 + runs, random.real(-0.5, 0.5));
      if (record.status != Status::ok) continue;
      record.figures.set(kMakespan, record.figures.real(kMakespan) * factor);
    }
    relate(comparison);
  };
}

}  // namespace

void vary(const Specification& specification, const Inquiry& inquiry, const Variation& variation,
          std::int64_t count, const Laboratory& laboratory, Attempts& attempts) {
  laboratory.make(attempts, 1, count, [&](std::int64_t number) {
    Specification changed = specification;
    if (variation.platforms && number > 1) {
      changed.seed = seed_of(fmt::format("{}\nplatforms\n{}", variation.seed, number));
    }
    if (variation.within > 0) {
      shake(changed, variation.within, random_of(variation.seed, "within", number));
    }
    Random random = random_of(variation.seed, "runs", number);
    Attempt made{.number = number};
    made.answers = variation.runs > 0 ? inquiry.ask(changed, disturbance(variation.runs, random))
                                      : inquiry.ask(changed);
    return made;
  });
  laboratory.file.finish(attempts);
}

void read_otherwise(const Specification& specification, const std::vector<Parameter>& parameters,
                    const Inquiry& inquiry, const Laboratory& laboratory, Attempts& attempts) {
  std::vector<Calibration> campaigns{readings_of(specification, parameters)};
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    for (std::size_t reading = 0; reading < parameters[i].readings.size(); ++reading) {
      const auto value = static_cast<double>(reading);
      if (value == campaigns.front()[i]) continue;
      campaigns.push_back(campaigns.front());
      campaigns.back()[i] = value;
    }
  }
  laboratory.make(attempts, 1, std::ssize(campaigns), [&](std::int64_t number) {
    Attempt made{.number = number, .calibration = campaigns[static_cast<std::size_t>(number - 1)]};
    made.answers = inquiry.ask(calibrated(specification, parameters, made.calibration));
    return made;
  });
  laboratory.file.finish(attempts);
}

}  // namespace starport::fit
