#include "sim/report/recommendation.hpp"

#include "sim/study/common_figures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace starport {
namespace {

using Texts = std::vector<std::string>;

/// The first of those, and what the next one loses.
std::string choice(const std::vector<const Record*>& ranked) {
  const Record& best = *ranked.front();
  const std::string nearness = best.model->nearness(best);
  std::string text =
      fmt::format("Run {}: {} s{}{}.", best.algorithm, shown(Form::date, best.figures[kMakespan]),
                  nearness.empty() ? "" : ", ", nearness);
  Texts as_fast;
  Texts within_noise;
  for (const Record* other : ranked) {
    if (other == &best) continue;
    const double cost = other->figures.real(kRelativeCost);
    if (other->figures.real(kWithinNoise) == 1) {
      within_noise.push_back(other->algorithm);
    } else if (cost <= 1 + 1e-9) {
      as_fast.push_back(other->algorithm);
    } else {
      text +=
          fmt::format(" {}, the next, takes {:.1f}% longer.", other->algorithm, 100 * (cost - 1));
      break;
    }
  }
  if (!as_fast.empty()) text += fmt::format(" As fast: {}.", fmt::join(as_fast, ", "));
  if (!within_noise.empty()) {
    text += fmt::format(" Within noise of it: {}.", fmt::join(within_noise, ", "));
  }
  return text + "\n";
}

/// Consecutive workers with the same share, "P1..P2 6.2% each".
std::string shares(const Record& record, const WorkerNames& names) {
  constexpr std::size_t most_groups = 12;  // on a line
  const Figure* work = record.model->work();
  if (work == nullptr || record.workers.empty()) return "";
  const auto of = [&](std::size_t i) { return record.workers[i].real(*work); };
  double all = 0;
  for (std::size_t i = 0; i < record.workers.size(); ++i) all += of(i);
  Texts groups;
  for (std::size_t i = 0; i < record.workers.size();) {
    const std::string share = shown(Form::share, of(i) / all);
    std::size_t end = i + 1;
    while (end < record.workers.size() && shown(Form::share, of(end) / all) == share) ++end;
    if (of(i) > 0) {
      groups.push_back(
          fmt::format("{} {}{}", names.of_range(i, end), share, end == i + 1 ? "" : " each"));
    }
    i = end;
  }
  const bool too_many = groups.size() > most_groups;
  if (too_many) groups.resize(most_groups);
  return fmt::format("It enrols {} of {} workers; their shares of the {}: {}{}.\n",
                     shown(Form::count, record.figures[kEnrolledWorkers]), record.workers.size(),
                     work->unit, fmt::join(groups, ", "), too_many ? ", ... (--json has all)" : "");
}

/// Whether that holds on the platform as it may be, too.
std::string certainty_text(const std::optional<Certainty>& certainty) {
  if (!certainty) return "";
  const Certainty::Share& first = certainty->shares.front();
  Texts beaten;
  for (const Certainty::Share& share : certainty->shares) {
    const bool as_fast = share.beaten == 0 && share.fastest == first.fastest;
    if (!as_fast)
      beaten.push_back(fmt::format("{} with {:.0f}%", share.algorithm, 100 * share.beaten));
  }
  if (beaten.empty()) return "";
  return fmt::format("{} beats {} of {} platforms drawn from the measured intervals.\n",
                     first.algorithm, fmt::join(beaten, ", "), certainty->draws);
}

}  // namespace

std::string recommendation(const Comparison& comparison) {
  std::vector<const Record*> ranked;
  for (const Record& record : comparison.records) {
    if (record.status == Status::ok) ranked.push_back(&record);
  }
  if (ranked.size() < 2) return "";
  std::ranges::stable_sort(ranked, {},
                           [](const Record* record) { return record->figures.real(kMakespan); });
  const Record& best = *ranked.front();
  const std::string scarcity = best.model->scarcity(comparison.instance);
  return "\n" + choice(ranked) + certainty_text(comparison.certainty) +
         shares(best, comparison.instance.file.names) +
         (scarcity.empty() ? "" : scarcity + " (starport bound).\n");
}

}  // namespace starport
