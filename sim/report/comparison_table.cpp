// Comparisons for people.
#include "sim/model/layout.hpp"
#include "sim/model/units.hpp"
#include "sim/report/comparison.hpp"
#include "sim/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport {

std::string platform_table(const Platform& platform, const Problem& problem) {
  constexpr std::size_t most_rows = 16;
  std::string text =
      fmt::format("{}: {} worker{}, blocks of {} x {}\n", platform.name, platform.workers.size(),
                  platform.workers.size() > 1 ? "s" : "", problem.block_size, problem.block_size);
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

std::string to_table(const Comparison& comparison) {
  const Problem& problem = comparison.problem;
  std::string text = platform_table(comparison.platform, problem);
  text += fmt::format(
      "C += A.B with r={}, s={}, t={}: {} block updates; steady-state bound "
      "{:.4g} updates/s\n",
      problem.r, problem.s, problem.t, problem.updates(),
      comparison.bound.throughput_updates_per_s);
  if (const auto bound = comparison.bounds.any_schedule_s) {
    text += fmt::format("No schedule ends before {:.6g} s\n", *bound);
  }
  text += "\n";

  std::vector<const Result*> ranked;
  for (const Result& result : comparison.results) ranked.push_back(&result);
  std::stable_sort(ranked.begin(), ranked.end(), [](const Result* x, const Result* y) {
    if (x->status != Status::ok || y->status != Status::ok) return x->status < y->status;
    return x->metrics.makespan_s < y->metrics.makespan_s;
  });
  std::vector<std::vector<std::string>> rows{{"heuristic", "makespan (s)", "rel. cost", "enrolled",
                                              "rel. work", "x bound", "bound ratio", "port use",
                                              "CCR", "blocks moved", "decision"}};
  std::string remarks;
  for (const Result* result : ranked) {
    if (result->status != Status::ok) {
      remarks +=
          fmt::format("{}: {}: {}\n", result->heuristic, to_string(result->status), result->error);
      continue;
    }
    const Metrics& metrics = result->metrics;
    rows.push_back({result->heuristic, fmt::format("{:.6g}", metrics.makespan_s),
                    fmt::format("{:.3f}", result->relative_cost),
                    fmt::format("{}", metrics.enrolled_workers),
                    fmt::format("{:.3f}", result->relative_work),
                    result->times_bound > 0 ? fmt::format("{:.3f}", result->times_bound) : "-",
                    result->bound_ratio > 0 ? fmt::format("{:.3f}", result->bound_ratio) : "-",
                    fmt::format("{:.1f}%", 100 * metrics.port_utilisation),
                    fmt::format("{:.4f}", metrics.ccr), fmt::format("{}", metrics.blocks_moved),
                    result->decision_s > 0 ? format_seconds(result->decision_s) : "-"});
    for (const auto& [key, value] : result->details) {
      std::string words = key;
      std::replace(words.begin(), words.end(), '_', ' ');
      remarks += fmt::format("{}: {} {}\n", result->heuristic, words, value);
    }
  }
  if (rows.size() > 1) text += align(rows);
  if (!remarks.empty()) text += "\n" + remarks;
  return text;
}

}  // namespace starport
