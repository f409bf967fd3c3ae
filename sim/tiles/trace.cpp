#include "sim/tiles/trace.hpp"

#include "sim/platform/ties.hpp"

#include <fmt/format.h>

namespace starport::tiles {
namespace {

bool same(const TracedTask& a, const TracedTask& b) {
  return a.task == b.task && a.worker == b.worker && a.stolen == b.stolen &&
         nearly_equal(a.start_s, b.start_s) && nearly_equal(a.end_s, b.end_s);
}

bool same(const TracedTransfer& a, const TracedTransfer& b) {
  return a.transfer == b.transfer && nearly_equal(a.start_s, b.start_s) &&
         nearly_equal(a.end_s, b.end_s);
}

bool same(const TracedDeparture& a, const TracedDeparture& b) {
  return a.departure == b.departure && nearly_equal(a.at_s, b.at_s);
}

template <class Entry>
std::string difference(const char* what, const std::vector<Entry>& ours,
                       const std::vector<Entry>& theirs) {
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    if (!same(ours[i], theirs[i])) return fmt::format("{} {} differs", what, i + 1);
  }
  if (ours.size() == theirs.size()) return {};
  return fmt::format("{} {}s, not {}", ours.size(), what, theirs.size());
}

}  // namespace

std::string find_difference(const Trace& ours, const Trace& theirs) {
  std::string text = difference("task", ours.tasks, theirs.tasks);
  if (text.empty()) text = difference("transfer", ours.transfers, theirs.transfers);
  if (text.empty()) text = difference("departure", ours.departures, theirs.departures);
  return text;
}

}  // namespace starport::tiles
