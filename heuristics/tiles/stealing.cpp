#include "heuristics/tiles/stealing.hpp"

#include "heuristics/tiles/cheapest.hpp"

namespace starport::tiles {

std::optional<Task> RandSteal::steal(int /*worker*/) {
  const auto first = static_cast<int>(random_.integer(0, nodes() - 1));
  for (int step = 0; step < nodes(); ++step) {
    TaskList& victim = list((first + step) % nodes());
    if (!victim.empty()) return victim.take_back();
  }
  return std::nullopt;
}

std::optional<Task> ChoiceSteal::steal(int worker) {
  TaskList* cheapest = nullptr;
  int least = 0;
  for (int step = 1; step < nodes(); ++step) {
    TaskList& victim = list((node(worker) + step) % nodes());
    if (victim.empty()) continue;
    const int cost = scene_.copies.cost(node(worker), scene_.work.needs(victim.back()));
    if (cheapest != nullptr && cost >= least) continue;
    cheapest = &victim;
    least = cost;
  }
  if (cheapest == nullptr) return std::nullopt;
  return cheapest->take_back();
}

std::optional<Task> EffectiveSteal::steal(int worker) {
  TaskList* victim = nullptr;
  Cheapest cheapest;
  for (int step = 1; step < nodes() && cheapest.cost > 0; ++step) {
    TaskList& candidate = list((node(worker) + step) % nodes());
    const Cheapest found = find_cheapest(scene_, node(worker), candidate, candidate.size());
    if (found.cost >= cheapest.cost) continue;
    victim = &candidate;
    cheapest = found;
  }
  if (victim == nullptr) return RandSteal::steal(worker);
  return victim->take(cheapest.place);
}

}  // namespace starport::tiles
