// C cut into strips, and strips into rectangles, one for each enrolled worker; changing that; and
// which of the tilings that a search has come by is run.
#pragma once

#include "heuristics/star/polaris/serving.hpp"
#include "sim/star/update_end_dates.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace starport::polaris {

/// A worker's part of a strip.
struct Part {
  int worker = 0;
  std::int32_t height = 0;
};

struct Strip {
  std::int32_t width = 0;
  std::vector<Part> parts;  ///< their heights sum up to the length of the strip
};

/// Strips side by side cover C: strips of columns, their parts one below the other, or, with
/// `of_rows`, strips of rows, their parts side by side.
struct Tiling {
  bool of_rows = false;
  std::vector<Strip> strips;

  std::size_t enrolled() const;
};

/// The rectangles and how each is done.
std::vector<Task> tasks_of(const Tiling& tiling, const Platform& platform, const Problem& problem,
                           const ModeChoice& modes);

/// Rounds shares of a whole to integers of the same sum, each at least 1, by largest remainders.
/// There are no more shares than the whole.
std::vector<std::int32_t> rounded(const std::vector<double>& shares, std::int64_t whole);

struct Candidate {
  Tiling tiling;
  ServingOptions options;
  double makespan_s = kUnknown;

  /// Makespan x enrolled workers.
  double work_s() const {
    return makespan_s == kUnknown ? kUnknown : makespan_s * static_cast<double>(tiling.enrolled());
  }
};

enum class Objective {
  time,  ///< the makespan; among those within 1%, the fewest enrolled workers
  work   ///< makespan x enrolled workers
};

/// The fastest for each number of enrolled workers.
class Shortlist {
 public:
  bool empty() const { return fastest_.makespan_s == kUnknown; }
  void consider(const Candidate& candidate);
  const Candidate& fastest() const { return fastest_; }
  /// By the objective; for `time`, none slower than `slowest_s`, which one of them must not be.
  /// Not of an empty list.
  Candidate chosen(Objective objective, double slowest_s) const;

 private:
  std::vector<Candidate> by_enrolled_;
  Candidate fastest_;
};

/// The same draws on every machine.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}
  /// In [0, count).
  std::size_t below(std::size_t count) { return engine_() % count; }

 private:
  std::mt19937_64 engine_;
};

/// The strips that a change touched; all of them where `all`. What is not `changed` is of no use.
struct Touched {
  bool changed = false;
  bool all = false;
  std::size_t first = 0;
  std::size_t second = 0;
};

/// Shifts widths or heights, swaps workers, moves one to another strip, lets one go or enrols
/// another. `idle` are those not enrolled; it follows.
Touched change(Tiling& tiling, std::vector<int>& idle, const Problem& problem, Draws& draws);

/// Takes one part out; its strip goes with it when it is empty. Others take their place.
void take_out(Tiling& tiling, const Problem& problem, std::size_t strip, std::size_t part);

/// The workers that can do at least a block and are not enrolled.
std::vector<int> idle_workers(const Tiling& tiling, const Platform& platform,
                              const Problem& problem, const ModeChoice& modes);

}  // namespace starport::polaris
