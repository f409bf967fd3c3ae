#include "sim/tiles/trace.hpp"

#include "sim/platform/ties.hpp"

#include <fmt/format.h>

namespace starport::tiles {
namespace {

bool are_equal(const TracedTask& a, const TracedTask& b) {
  return a.task == b.task && a.worker == b.worker && a.stolen == b.stolen &&
         nearly_equal(a.start_s, b.start_s) && nearly_equal(a.end_s, b.end_s);
}

bool are_equal(const TracedTransfer& a, const TracedTransfer& b) {
  return a.transfer == b.transfer && nearly_equal(a.start_s, b.start_s) &&
         nearly_equal(a.end_s, b.end_s);
}

bool are_equal(const TracedEviction& a, const TracedEviction& b) {
  return a.eviction == b.eviction && nearly_equal(a.date_s, b.date_s);
}

template <class Entry>
std::string find_list_difference(const char* what, const std::vector<Entry>& ours,
                                 const std::vector<Entry>& theirs) {
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    if (!are_equal(ours[i], theirs[i])) return fmt::format("{} {} differs", what, i + 1);
  }
  if (ours.size() == theirs.size()) return {};
  return fmt::format("{} {}s, not {}", ours.size(), what, theirs.size());
}

}  // namespace

std::string find_difference(const Trace& ours, const Trace& theirs) {
  std::string text = find_list_difference("task", ours.tasks, theirs.tasks);
  if (text.empty()) text = find_list_difference("transfer", ours.transfers, theirs.transfers);
  if (text.empty()) text = find_list_difference("eviction", ours.evictions, theirs.evictions);
  return text;
}

}  // namespace starport::tiles
