// Tilings: divisions of C into strips, and of strips into one rectangle per enrolled worker; random
// changes to them; and the selection of the best tiling.
#pragma once

#include "heuristics/star/polaris/serving.hpp"
#include "sim/star/update_end_dates.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace starport::polaris {

/// The rectangle of one worker within a strip.
struct Part {
  int worker = 0;
  std::int32_t height = 0;  ///< blocks along the strip
};

/// A strip over the whole length of C, divided into parts.
struct Strip {
  std::int32_t width = 0;   ///< blocks across the strip
  std::vector<Part> parts;  ///< their heights sum to the length of the strip
};

/// A division of C into strips side by side, whose widths sum to the width of C. Strips consist of
/// columns of C or, with `of_rows`, of rows of C.
struct Tiling {
  bool of_rows = false;
  std::vector<Strip> strips;

  /// Returns the number of enrolled workers, which is the number of parts.
  std::size_t enrolled() const;
};

/// Returns the rectangles of a tiling, each with the cheapest mode for its worker, strip by strip.
std::vector<RectangleTask> make_tasks(const Tiling& tiling, const Platform& platform,
                                      const Problem& problem, const ModeOptions& modes);

/// Rounds shares in proportion to integers that sum to `whole`, each at least 1, by largest
/// remainders. There must be at most `whole` shares.
std::vector<std::int32_t> round_shares(const std::vector<double>& shares, std::int64_t whole);

/// A tiling with the options and the makespan of its schedule.
struct Candidate {
  Tiling tiling;
  ServingOptions options;
  double makespan_s = kUnknown;

  /// Returns makespan x enrolled workers; kUnknown if the makespan is.
  double work_s() const {
    return makespan_s == kUnknown ? kUnknown : makespan_s * static_cast<double>(tiling.enrolled());
  }
};

/// The quantity that the search minimises.
enum class Objective {
  time,  ///< the makespan; among schedules within 1 %, the number of enrolled workers
  work   ///< makespan x enrolled workers
};

/// The fastest candidates found so far, one per number of enrolled workers.
class Shortlist {
 public:
  bool empty() const { return fastest_.makespan_s == kUnknown; }
  /// Adds a candidate if it is faster than all others with as many workers.
  void consider(const Candidate& candidate);
  /// Returns the candidate of least makespan; its makespan is kUnknown if the list is empty.
  const Candidate& fastest() const { return fastest_; }
  /// Returns the best candidate by the objective. For `time`, it is not slower than `limit_s`. The
  /// list must contain a candidate that is not slower than `limit_s`.
  Candidate select(Objective objective, double limit_s) const;

 private:
  std::vector<Candidate> by_enrolled_;
  Candidate fastest_;
};

/// A random number generator with the same results on every machine.
class RandomGenerator {
 public:
  explicit RandomGenerator(std::uint64_t seed) : engine_(seed) {}
  /// Returns a random integer in [0, count).
  std::size_t integer_below(std::size_t count) { return engine_() % count; }

 private:
  std::mt19937_64 engine_;
};

/// The outcome of a random change to a tiling.
struct ChangedStrips {
  bool changed = false;    ///< false if the drawn change was impossible
  bool all = false;        ///< any strip may have changed, not only the two below
  std::size_t first = 0;   ///< index of a changed strip
  std::size_t second = 0;  ///< index of the other changed strip, or the same one
};

/// Changes a tiling at random: shifts a border, swaps workers, moves a worker to another strip, or
/// removes or enrolls a worker. `idle` contains the workers that may be enrolled and is updated. If
/// nothing `changed`, the tiling may be invalid and must be restored by the caller.
ChangedStrips change_randomly(Tiling& tiling, std::vector<int>& idle, const Problem& problem,
                              RandomGenerator& random);

/// Removes a part, and its strip if that becomes empty. The other parts or strips grow to fill the
/// gap.
void remove_part(Tiling& tiling, const Problem& problem, std::size_t strip, std::size_t part);

/// Returns the indices, from 0 and ascending, of the workers that are not enrolled and whose memory
/// suffices for an update of one block of C in one of the modes.
std::vector<int> idle_workers(const Tiling& tiling, const Platform& platform,
                              const Problem& problem, const ModeOptions& modes);

}  // namespace starport::polaris
