#include "heuristics/tiles/stealing.hpp"

namespace starport::tiles {

/// Draws no node when there is nothing to steal: how often it is asked then does not matter.
std::optional<Task> RandSteal::steal(int /*worker*/) {
  if (lists_.all_empty()) return std::nullopt;
  auto victim = static_cast<int>(random_.integer(0, nodes() - 1));
  while (lists_.empty(victim)) victim = (victim + 1) % nodes();
  return lists_.take_back(victim);
}

std::optional<Task> ChoiceSteal::steal(int worker) {
  std::optional<Task> cheapest;
  int least = 0;
  for (int step = 1; step < nodes(); ++step) {
    const int victim = (node(worker) + step) % nodes();
    if (lists_.empty(victim)) continue;
    const Task& last = lists_.tasks(victim).back();
    const int cost = scene_.copies.cost(node(worker), scene_.work.needs(last));
    if (cheapest && cost >= least) continue;
    cheapest = last;
    least = cost;
  }
  if (!cheapest) return std::nullopt;
  return lists_.take(*cheapest);
}

std::optional<Task> EffectiveSteal::steal(int worker) {
  TaskLists::Cheapest cheapest;
  bool found = false;
  for (int step = 1; step < nodes() && cheapest.cost > 0; ++step) {
    const int victim = (node(worker) + step) % nodes();
    if (lists_.empty(victim)) continue;
    const TaskLists::Cheapest theirs = lists_.cheapest(node(worker), victim);
    if (theirs.cost >= cheapest.cost) continue;
    cheapest = theirs;
    found = true;
  }
  if (!found) return RandSteal::steal(worker);
  return lists_.take(cheapest.task);
}

}  // namespace starport::tiles
