// Comparisons for people.
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/star/layout.hpp"
#include "sim/study/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace starport {

std::string platform_table(const Platform& platform, const Problem& problem) {
  constexpr std::size_t most_rows = 16;
  std::string text = fmt::format("{}: {} worker{}, {}blocks of {} x {}\n", platform.name,
                                 platform.workers.size(), platform.workers.size() > 1 ? "s" : "",
                                 platform.port == Port{} ? "" : describe(platform.port) + ", ",
                                 problem.block_size, problem.block_size);
  const bool latency = std::any_of(platform.workers.begin(), platform.workers.end(),
                                   [](const Worker& worker) { return worker.latency_s > 0; });
  std::vector<std::vector<std::string>> rows{{"worker", "c_i", "w_i", "m_i", "mu_i"}};
  if (latency) rows.front().push_back("latency");
  std::size_t shown = 0;
  for (std::size_t i = 0; i < platform.workers.size() && rows.size() <= most_rows;) {
    const Worker& worker = platform.workers[i];
    std::size_t end = i + 1;
    while (end < platform.workers.size() && platform.workers[end] == worker) ++end;
    rows.push_back({end == i + 1 ? fmt::format("P{}", end) : fmt::format("P{}..P{}", i + 1, end),
                    format_seconds(worker.c_s), format_seconds(worker.w_s),
                    fmt::format("{}", worker.m_blocks),
                    fmt::format("{}", kOptimizedOverlapped.side(worker.m_blocks))});
    if (latency) rows.back().push_back(format_seconds(worker.latency_s));
    shown = i = end;
  }
  text += align(rows, 2);
  if (shown < platform.workers.size()) {
    text += fmt::format("  ... and {} more\n", platform.workers.size() - shown);
  }
  return text;
}

namespace {

/// Of many ports how many are in use, of one or two each one's share of the time.
std::string port_use(const Metrics& metrics, Port::Kind kind) {
  switch (kind) {
    case Port::Kind::one:
      return fmt::format("{:.1f}%", 100 * metrics.port_utilisation);
    case Port::Kind::two:
      return fmt::format("{:.1f}%+{:.1f}%", 100 * metrics.send_utilisation,
                         100 * metrics.receive_utilisation);
    case Port::Kind::multi:
      break;
  }
  return fmt::format("{:.2f}+{:.2f}", metrics.send_utilisation, metrics.receive_utilisation);
}

constexpr std::ptrdiff_t kTimesBound = 5;  ///< a column that is left out where there is no bound

std::vector<std::string> row(const Result& result, Port::Kind port) {
  const Metrics& metrics = result.metrics;
  return {result.heuristic,
          fmt::format("{:.6g}", metrics.makespan_s),
          fmt::format("{:.3f}", result.relative_cost),
          fmt::format("{}", metrics.enrolled_workers),
          fmt::format("{:.3f}", result.relative_work),
          result.times_bound > 0 ? fmt::format("{:.3f}", result.times_bound) : "-",
          result.bound_ratio > 0 ? fmt::format("{:.3f}", result.bound_ratio) : "-",
          port_use(metrics, port),
          fmt::format("{:.4f}", metrics.ccr),
          fmt::format("{}", metrics.blocks_moved),
          result.decision_s > 0 ? format_seconds(result.decision_s) : "-"};
}

std::vector<std::string> repeated_row(const Result& result, Port::Kind port) {
  const Metrics& metrics = result.metrics;
  const Repetitions& repetitions = *result.repetitions;
  const auto& [low, high] = repetitions.above_best;
  std::string above = fmt::format("{:.2f}% .. {:.2f}%", 100 * low, 100 * high);
  if (repetitions.within_noise) above = low == high ? "-" : above + ", within noise";
  return {result.heuristic,
          fmt::format("{:.6g}", repetitions.mean_s),
          fmt::format("{:.6g} .. {:.6g}", repetitions.interval_s.low, repetitions.interval_s.high),
          fmt::format("{:.6g}", repetitions.median_s),
          fmt::format("{:.3f}", result.relative_cost),
          above,
          fmt::format("{}", metrics.enrolled_workers),
          fmt::format("{:.3f}", result.relative_work),
          result.bound_ratio > 0 ? fmt::format("{:.3f}", result.bound_ratio) : "-",
          port_use(metrics, port)};
}

std::string noise_text(const Comparison& comparison) {
  std::size_t repetitions = 0;
  for (const Result& result : comparison.results) {
    if (result.repetitions) repetitions = result.repetitions->makespans_s.size();
  }
  std::string text = fmt::format(
      "noise: {}; {} repetitions, the same for every heuristic; 95% intervals by Student\n",
      comparison.noise, repetitions);
  std::vector<std::string> pairs;
  for (const auto& [x, y] : pairs_within_noise(comparison)) pairs.push_back(x + " and " + y);
  if (pairs.empty()) return text + "no difference is within noise\n";
  return text + fmt::format("within noise of each other: {}\n", fmt::join(pairs, ", "));
}

}  // namespace

std::string to_table(const Comparison& comparison) {
  const Problem& problem = comparison.problem;
  std::string text = platform_table(comparison.platform, problem);
  text +=
      fmt::format("C += A.B with r={}, s={}, t={}: {} block updates; {}\n", problem.r, problem.s,
                  problem.t, problem.updates(),
                  comparison.bound.throughput_updates_per_s > 0
                      ? fmt::format("steady-state bound {:.4g} updates/s",
                                    comparison.bound.throughput_updates_per_s)
                      : "no steady-state bound, which is that of chunks in five blocks at least");
  if (const auto bound = comparison.bounds.any_schedule_s) {
    text += fmt::format("No schedule ends before {:.6g} s\n", *bound);
  }

  const bool repeated =
      std::any_of(comparison.results.begin(), comparison.results.end(),
                  [](const Result& result) { return result.repetitions.has_value(); });
  if (!comparison.noise.empty() && !repeated) text += "noise: " + comparison.noise + "\n";
  text += "\n";

  std::vector<const Result*> ranked;
  for (const Result& result : comparison.results) ranked.push_back(&result);
  std::stable_sort(ranked.begin(), ranked.end(), [](const Result* x, const Result* y) {
    if (x->status != Status::ok || y->status != Status::ok) return x->status < y->status;
    return x->metrics.makespan_s < y->metrics.makespan_s;
  });
  const Port::Kind port = comparison.platform.port.kind;
  const char* use = port == Port::Kind::one ? "port use" : "sends+returns";
  std::vector<std::vector<std::string>> rows{{"heuristic", "makespan (s)", "rel. cost", "enrolled",
                                              "rel. work", "x bound", "bound ratio", use, "CCR",
                                              "blocks moved", "decision"}};
  if (repeated) {
    rows = {{"heuristic", "mean (s)", "95% interval (s)", "median (s)", "rel. cost",
             "above the best", "enrolled", "rel. work", "bound ratio", use}};
  }
  const bool bounded = comparison.bounds.any_schedule_s.has_value();
  const auto without_bound = [&](std::vector<std::string> cells) {
    if (!repeated && !bounded) cells.erase(cells.begin() + kTimesBound);
    return cells;
  };
  rows.front() = without_bound(rows.front());
  std::string remarks;
  for (const Result* result : ranked) {
    if (result->status != Status::ok) {
      remarks +=
          fmt::format("{}: {}: {}\n", result->heuristic, to_string(result->status), result->error);
      continue;
    }
    rows.push_back(repeated ? repeated_row(*result, port) : without_bound(row(*result, port)));
    for (const auto& [key, value] : result->details) {
      std::string words = key;
      std::replace(words.begin(), words.end(), '_', ' ');
      remarks += fmt::format("{}: {} {}\n", result->heuristic, words, value);
    }
  }
  if (rows.size() > 1) text += align(rows);
  if (repeated) text += "\n" + noise_text(comparison);
  if (!remarks.empty()) text += "\n" + remarks;
  return text;
}

}  // namespace starport
