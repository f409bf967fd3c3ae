#include "heuristics/tournament.hpp"

namespace starport {

/// Near-equality is not transitive. If no number stands between 1 and 3 tolerances above the least
/// before the first one near the least, the scan arrives there with a best that is clearly more,
/// takes it, and leaves it for nothing. Otherwise the scan is walked, from each best to the next.
std::size_t Tournament::first_of_least() const {
  const double window = least() * (1 + 3 * kRelativeTolerance);
  std::size_t best = first(0, [&](double value) { return value <= window && value < kNone; });
  if (best == size_ || nearly_equal((*this)[best], least())) return best;

  best = first(0, [](double value) { return value < kNone; });
  for (;;) {
    const double best_value = (*this)[best];
    const std::size_t next =
        first(best + 1, [&](double value) { return clearly_less(value, best_value); });
    if (next == size_) return best;
    best = next;
  }
}

}  // namespace starport
