// What the star tells who asks which schedule to run (sim/report/recommendation.hpp).
#include "sim/files/error.hpp"
#include "sim/models/star/star_figures.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/results/common_figures.hpp"
#include "sim/sweep/override.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace starport {
namespace {

/// The bound that the column "x bound" is over.
const Figure& tightest_bound(const Record& record) {
  return record.figures.real(kCStationary) == 1 ? kCStationaryBound : kAnyScheduleBound;
}

/// Workers alike one after the other: the first of each run of them, and their number last.
std::vector<std::size_t> alike(const std::vector<Worker>& workers) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (i == 0 || !(workers[i] == workers[i - 1])) starts.push_back(i);
  }
  starts.push_back(workers.size());
  return starts;
}

/// More of something that the platform has.
struct Purchase {
  std::string what;
  Override change;
};

std::vector<Purchase> purchases(const Platform& platform, double more) {
  constexpr std::size_t most_groups = 24;
  std::vector<Purchase> all;
  const auto add = [&](const std::string& what, const char* field, std::size_t first,
                       std::size_t end) {
    Override change{.column = field, .field = field, .multiply = true, .values = {1 + more}};
    change.workers.resize(end - first);
    std::iota(change.workers.begin(), change.workers.end(), static_cast<std::int64_t>(first));
    all.push_back({what, std::move(change)});
  };
  const std::size_t p = platform.workers.size();
  add(platform.port.kind == Port::Kind::multi ? "bandwidth of the links"
                                              : "bandwidth of the master's port",
      "bandwidth", 0, p);
  std::vector<std::size_t> starts = alike(platform.workers);
  if (starts.size() > most_groups) starts = {0, p};
  for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
    const std::string whose = p == 1 ? "the worker"
                              : starts.size() == 2
                                  ? "all workers"
                                  : platform.names.of_range(starts[k], starts[k + 1]);
    for (const char* field : {"speed", "memory"}) {
      add(fmt::format("{} of {}", field, whose), field, starts[k], starts[k + 1]);
    }
  }
  return all;
}

}  // namespace

const Figure* StarModel::work() const { return &kBlockUpdates; }

std::string StarModel::nearness(const Record& record, const Figures& bounds) const {
  const double makespan_s = record.figures.real(kMakespan);
  std::vector<std::string> above;
  const auto add = [&](const Figure& bound, const char* of) {
    if (is_none(bounds[bound])) return;
    above.push_back(fmt::format(
        "{:.1f}% above {} for {} ({} s)", 100 * (makespan_s / bounds.real(bound) - 1),
        above.empty() ? "the lower bound" : "that", of, shown(Form::date, bounds[bound])));
  };
  if (record.figures.real(kCStationary) == 1 &&
      bounds.real(kCStationaryBound) > bounds.real(kAnyScheduleBound)) {
    add(kCStationaryBound, "schedules that keep one rectangle of C on a worker");
  }
  add(kAnyScheduleBound, "any schedule");
  return fmt::format("{}", fmt::join(above, " and "));
}

/// By how much the bound of such a run falls: the dual prices of its program, which differences
/// give for all kinds of ports, and where memories are whole blocks.
std::string StarModel::scarcity(const Case& instance, const Record& record) const {
  constexpr double more = 0.1;
  constexpr std::size_t most_told = 3;
  const Figure& bound = tightest_bound(record);
  if (std::isnan(record.figures.real(kTimesTightest))) return "";
  const auto bound_s = [&](const PlatformFile& file) {
    return bounds({file, instance.problem}, {}).real(bound);
  };
  const double now_s = bound_s(instance.file);
  std::vector<std::pair<double, std::string>> worth;
  for (const auto& [what, change] : purchases(star_of(instance), more)) {
    try {
      const double falls = 1 - bound_s(change.applied(instance.file, 0)) / now_s;
      if (falls > 5e-4) worth.emplace_back(falls, what);
    } catch (const InputError&) {  // whoever shares the master's memory has none to buy
    }
  }
  std::ranges::stable_sort(worth, std::greater<>(), [](const auto& one) { return one.first; });
  if (worth.size() > most_told) worth.resize(most_told);
  std::vector<std::string> texts;
  for (const auto& [falls, what] : worth) {
    texts.push_back(fmt::format("{} by {:.1f}%", what, 100 * falls));
  }
  if (texts.empty()) return "";
  return fmt::format("{:.0f}% more of one thing lowers the bound: {}.", 100 * more,
                     fmt::join(texts, ", "));
}

}  // namespace starport
