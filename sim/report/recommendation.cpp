// Derives a recommendation from a comparison.
#include "sim/report/comparison_text.hpp"
#include "sim/results/figure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace starport {
namespace {

using Texts = std::vector<std::string>;

/// Recommends the first record, and tells how much longer the next ones take. `ranked` is ordered
/// by makespan.
std::string choice(const std::vector<const Record*>& ranked, const Comparison& comparison) {
  const Record& best = *ranked.front();
  const std::string nearness =
      best.model->presentation().bound_distance(best, comparison.bounds_of(best.model));
  Texts as_fast;
  Texts within_noise;
  Texts next;
  std::string longer;  // the rounded difference of `next`: equal ones are named together
  for (const Record* other : ranked) {
    if (other == &best) continue;
    const std::string more = fmt::format("{:.1f}%", 100 * (other->figures.real(kRelativeCost) - 1));
    if (other->figures.real(kWithinNoise) == 1) {
      within_noise.push_back(other->algorithm);
    } else if (more == "0.0%") {
      as_fast.push_back(other->algorithm);
    } else if (next.empty() || more == longer) {
      next.push_back(other->algorithm);
      longer = more;
    }
  }
  std::string text = fmt::format("Run {}: {} s{}{}.", best.algorithm,
                                 format_value(Form::date, best.figures[kMakespan]),
                                 nearness.empty() ? "" : ", ", nearness);
  if (!as_fast.empty()) text += fmt::format(" As fast: {}.", fmt::join(as_fast, ", "));
  if (!within_noise.empty()) {
    text += fmt::format(" Within noise of it: {}.", fmt::join(within_noise, ", "));
  }
  if (!next.empty()) {
    text += fmt::format(" {}, the next, {} {} longer.", fmt::join(next, ", "),
                        next.size() == 1 ? "takes" : "take", longer);
  }
  return text;
}

/// Lists the workers' shares of the work; consecutive workers with equal shares are grouped,
/// "P1..P2 6.2% each". Empty if the model does not report work.
std::string shares(const Record& record, const WorkerNames& names) {
  constexpr std::size_t most_groups = 12;  // on a line
  const Figure* work = record.model->presentation().work_figure();
  if (work == nullptr || record.workers.empty()) return "";
  const auto of = [&](std::size_t i) { return record.workers[i].real(*work); };
  double total = 0;
  for (std::size_t i = 0; i < record.workers.size(); ++i) total += of(i);
  Texts groups;
  for (std::size_t i = 0; i < record.workers.size();) {
    const std::string share = format_value(Form::share, of(i) / total);
    std::size_t end = i + 1;
    while (end < record.workers.size() && (of(end) > 0) == (of(i) > 0) &&
           format_value(Form::share, of(end) / total) == share)
      ++end;
    if (of(i) > 0) {
      groups.push_back(
          fmt::format("{} {}{}", names.format_range(i, end), share, end == i + 1 ? "" : " each"));
    }
    i = end;
  }
  const bool too_many = groups.size() > most_groups;
  if (too_many) groups.resize(most_groups);
  return fmt::format("It enrols {} of {} workers; their shares of the {}: {}{}.",
                     format_value(Form::count, record.figures[kEnrolledWorkers]),
                     record.workers.size(), work->unit, fmt::join(groups, ", "),
                     too_many ? ", ... (--json has all)" : "");
}

/// Whether that holds on the platform as it may be, too.
std::string ranking_confidence_text(const std::optional<RankingConfidence>& confidence) {
  if (!confidence) return "";
  const RankingConfidence::Share& first = confidence->shares.front();
  Texts beaten;
  for (const RankingConfidence::Share& share : confidence->shares) {
    const bool as_fast = share.beaten == 0 && share.fastest == first.fastest;
    if (!as_fast)
      beaten.push_back(fmt::format("{} on {:.0f}%", share.algorithm, 100 * share.beaten));
  }
  if (beaten.empty()) return "";
  return fmt::format("On {} platforms drawn from the measured intervals, {} is faster than {}.",
                     confidence->draws, first.algorithm, fmt::join(beaten, ", "));
}

}  // namespace

std::optional<Recommendation> recommend(const Comparison& comparison) {
  std::vector<const Record*> ranked;
  for (const Record& record : comparison.records) {
    if (record.status == Status::ok) ranked.push_back(&record);
  }
  if (ranked.size() < 2) return std::nullopt;
  std::ranges::stable_sort(ranked, {},
                           [](const Record* record) { return record->figures.real(kMakespan); });
  const Record& best = *ranked.front();
  Recommendation recommendation{.algorithm = best.algorithm, .lines = {}};
  for (std::string line :
       {choice(ranked, comparison), ranking_confidence_text(comparison.ranking_confidence),
        shares(best, comparison.instance.file.names),
        best.model->presentation().bottleneck(comparison.instance, best)}) {
    if (!line.empty()) recommendation.lines.push_back(std::move(line));
  }
  return recommendation;
}

std::string recommendation_text(const Comparison& comparison) {
  const auto recommendation = recommend(comparison);
  return recommendation ? fmt::format("\n{}\n", fmt::join(recommendation->lines, "\n")) : "";
}

}  // namespace starport
