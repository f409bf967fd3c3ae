#include "heuristics/star/fast/step_ends.hpp"

#include <cmath>

namespace starport::fast {

void StepEnds::set(std::size_t i, double a_s, double ready_s, double d_s) {
  figures_[i] = {.a_s = a_s, .ready_s = ready_s, .d_s = d_s};
  least_a_s_ = std::min(least_a_s_, a_s);
  place(i);
}

void StepEnds::withdraw(std::size_t i) {
  idle_.set(i, kNever);
  busy_.set(i, kNever);
}

void StepEnds::advance(double now_s) {
  now_s_ = now_s;
  while (!releases_.empty() && releases_.top().first <= now_s) {
    const auto [date_s, i] = releases_.top();
    releases_.pop();
    if (date_s != entries_[i]) continue;
    entries_[i] = kNever;
    if (busy_[i] != kNever) place(i);
  }
}

void StepEnds::place(std::size_t i) {
  const auto& [a_s, ready_s, d_s] = figures_[i];
  const bool busy = now_s_ + a_s < ready_s;
  idle_.set(i, busy ? kNever : a_s + d_s);
  busy_.set(i, busy ? ready_s + d_s : kNever);
  if (!busy) return;
  // Early by more than rounding can be late; then from the next T on.
  const double release_s = ready_s - a_s - 0x1p-50 * ready_s;
  const double date_s = std::max(release_s, std::nextafter(now_s_, kNever));
  if (date_s >= entries_[i]) return;  // there is one, which will be seen to be too early
  entries_[i] = date_s;
  releases_.emplace(date_s, i);
}

double StepEnds::least_then(double then_s, std::size_t excluded) const {
  double best = then_s + idle_.least_but(excluded);
  const auto consider = [&](std::size_t j) {
    if (j == excluded) return;
    best = std::min(best, std::max(then_s + figures_[j].a_s, figures_[j].ready_s));
  };
  const double first_ready = busy_.least();
  if (first_ready >= best) return best;
  consider(busy_.first(0, [&](double ready) { return ready <= first_ready; }));
  const auto sooner = [&](double ready) { return ready < best; };
  for (std::size_t j = busy_.first(0, sooner); j < size(); j = busy_.first(j + 1, sooner)) {
    consider(j);
  }
  return best;
}

}  // namespace starport::fast
