// Tilings: divisions of C into strips, and of strips into one rectangle per enrolled worker; random
// changes to them; and the selection of the best tiling.
#pragma once

#include "heuristics/star/polaris/serving.hpp"
#include "sim/star/update_end_dates.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace starport::polaris {

/// One worker's rectangle of C in a tiling (division of C among workers), without its position: the
/// worker, and the extent of the rectangle along its strip; its width is that of the strip.
struct Part {
  /// Index in the platform, from 0, of the worker that computes the rectangle.
  int worker = 0;
  /// Number of blocks of the worker's rectangle along the strip: block rows of C in a strip of
  /// columns, block columns in one of rows; at least 1.
  std::int32_t height = 0;
  /// The space that the modes (ways to compute) considered for the rectangle reserve for messages
  /// that arrive during updates; nullopt: as the ModeOptions of the schedule say.
  std::optional<Prefetch> prefetch = std::nullopt;
};

/// A strip over the whole length of C (its r block rows or, if Tiling::of_rows, its s block
/// columns), divided along its length into parts, one per worker.
struct Strip {
  /// Number of blocks across the strip (block columns of C or, if Tiling::of_rows, block rows), at
  /// least 1.
  std::int32_t width = 0;
  /// The parts (one worker's rectangle each) in their order along the strip, not empty; their
  /// heights sum to the length of the strip. No worker occurs twice in a tiling.
  std::vector<Part> parts;
};

/// A division of C into strips side by side, and of the strips into one rectangle per enrolled
/// worker (a worker that takes part). The widths of the strips sum to the width of C (its s block
/// columns or, with `of_rows`, its r block rows). A plain value: nothing checks these rules.
struct Tiling {
  /// True if the strips (parts side by side) of this division of C consist of whole rows of C;
  /// false if of whole columns.
  bool of_rows = false;
  /// The strips (groups of whole columns or rows of C), side by side from the first column of C (or
  /// row, with `of_rows`) on; empty only in an object that stands for no tiling, as in the result
  /// of a search that found no schedule.
  std::vector<Strip> strips;

  /// Returns the number of enrolled workers, i.e. those that take part, each with one rectangle of
  /// C.
  std::size_t enrolled() const;
};

/// Returns the rectangle of C of each worker in a tiling (division of C), strip by strip, each with
/// the cheapest mode (way to compute it) for its worker that `modes` allow. The mode's kind is
/// `none` if the rectangle does not fit into the worker's memory in any mode; a schedule of such a
/// task would leave its rectangle out. The workers must exist and all sizes be at least 1 (not
/// checked: undefined behaviour). Returns no tasks for a tiling without strips.
std::vector<RectangleTask> make_tasks(const Tiling& tiling, const Platform& platform,
                                      const Problem& problem, const ModeOptions& modes);

/// Divides `whole` into integers, each at least 1, in proportion to `shares` (finite, >= 0, in any
/// unit), rounded by largest remainders; evenly if all shares are 0. There must be between 1 and
/// `whole` shares (not checked): with more, some results are below 1; with none and `whole` above
/// 0, the behaviour is undefined.
std::vector<std::int32_t> round_shares(const std::vector<double>& shares, std::int64_t whole);

/// One solution that Polaris' search compares: a tiling (division of C among workers), the options
/// of its schedule, and the simulated makespan of that. Owns its data.
struct Candidate {
  /// The division of C into one rectangle per enrolled worker (one that takes part).
  Tiling tiling;
  /// The options of the tiling's schedule: modes (ways in which workers compute), sizes of
  /// messages, and the rule by which the port chooses the next one.
  ServingOptions options;
  /// Makespan of the schedule of the tiling (division of C among workers) in simulated seconds;
  /// kUnknown (infinity) if it has not been simulated to its end or is impossible.
  double makespan_s = kUnknown;

  /// Returns makespan x number of enrolled workers (those that take part), in seconds; kUnknown
  /// (infinity) if the makespan is.
  double work_s() const {
    return makespan_s == kUnknown ? kUnknown : makespan_s * static_cast<double>(tiling.enrolled());
  }
};

/// The quantity that a search for a schedule minimises: the makespan, or makespan x number of
/// enrolled workers (those that take part).
enum class Objective {
  time,  ///< the makespan; among equal ones, the number of enrolled workers (those that take part)
  work   ///< makespan in seconds x number of enrolled workers
};

/// The fastest candidates (tilings with their simulated makespans) that a search has found so far,
/// one per number of enrolled workers (those that take part). Owns copies.
class Shortlist {
 public:
  /// Returns true if the list is empty, as no candidate with a known makespan has been passed to
  /// consider().
  bool empty() const { return fastest_.makespan_s == kUnknown; }
  /// Stores a copy of `candidate` in the list if it is faster than all others with as many enrolled
  /// workers. Ignores a candidate whose makespan is kUnknown.
  void consider(const Candidate& candidate);
  /// Returns the candidate with the smallest makespan, the first of equal ones; its makespan is
  /// kUnknown (infinity) if the list is empty. The reference is valid as long as the list;
  /// consider() may change the candidate.
  const Candidate& fastest() const { return fastest_; }
  /// Returns a copy of the best candidate by the objective, with the fewest enrolled workers among
  /// equal ones. The list must not be empty (undefined behaviour).
  Candidate select(Objective objective) const;

 private:
  std::vector<Candidate> by_enrolled_;
  Candidate fastest_;
};

/// A generator of pseudo-random integers (the 64-bit Mersenne Twister), seeded once, for the random
/// search of Polaris: the same seed gives the same numbers on every machine. Holds its state only;
/// copies continue independently. Not thread-safe.
class RandomGenerator {
 public:
  /// Starts the sequence of random numbers of `seed`.
  explicit RandomGenerator(std::uint64_t seed) : engine_(seed) {}
  /// Returns the next random integer in [0, count), almost uniformly distributed. `count` must not
  /// be 0 (not checked: division by zero).
  std::size_t integer_below(std::size_t count) { return engine_() % count; }

 private:
  std::mt19937_64 engine_;
};

/// Outcome of a random change to a tiling (division of C among workers) by change_randomly():
/// whether it was made, and which strips it may have changed.
struct ChangedStrips {
  /// True if the tiling (division of C) was changed. False if the random change drawn was
  /// impossible: the tiling is as before unless `all` is true, which means that it may be invalid
  /// and must be restored by the caller.
  bool changed = false;
  /// True if `first` and `second` mean nothing. With `changed` true, any strips (columns or rows of
  /// C), or their number, may have changed; with `changed` false, a change failed half-way, and the
  /// caller must restore the tiling.
  bool all = false;
  /// Index, from 0, of a strip (columns or rows of C) of the tiling that was changed; valid if
  /// `changed` is true and `all` is false.
  std::size_t first = 0;
  /// Index, from 0, of the other strip (columns or rows of C) of the tiling that was changed, or
  /// `first` if there is only one; valid if `changed` is true and `all` is false.
  std::size_t second = 0;
};

/// Changes a tiling (division of C among workers) at random: makes one part or strip smaller and
/// another larger, swaps workers, moves a worker to another strip or one of its own, or removes or
/// enrolls a worker. `idle` contains the workers (indices from 0, not enrolled) that may be
/// enrolled, and is updated. If the result's `changed` is false, the change drawn was impossible
/// and `idle` is unchanged; the tiling is unchanged, too, unless the result's `all` is true: then
/// it may be invalid and must be restored by the caller. `tiling` must have a strip, and each strip
/// a part (not checked: division by zero). Advances `random`.
ChangedStrips change_randomly(Tiling& tiling, std::vector<int>& idle, const Problem& problem,
                              RandomGenerator& random);

/// Removes a part (one worker's rectangle) from a tiling, given by the indices of its strip and of
/// the part in the strip, from 0 (not checked: undefined behaviour beyond), and the strip if that
/// becomes empty. The other parts of the strip, or the other strips, grow in proportion to fill the
/// gap. The tiling must have at least one other part, otherwise the behaviour is undefined.
/// Invalidates references to strips and parts.
void remove_part(Tiling& tiling, const Problem& problem, std::size_t strip, std::size_t part);

/// Returns the indices, from 0 and ascending, of the workers that are not enrolled in `tiling` and
/// whose memory suffices for an update of one block of C in one of the modes (ways to compute) that
/// `modes` allow; empty if there are none. The workers in `tiling` must exist (not checked:
/// undefined behaviour).
std::vector<int> idle_workers(const Tiling& tiling, const Platform& platform,
                              const Problem& problem, const ModeOptions& modes);

/// Returns the indices, from 0, of the workers enrolled in `tiling` (those with a rectangle of C),
/// by ascending area of their rectangles, of equal areas by index.
std::vector<int> enrolled_workers(const Tiling& tiling);

/// Largest number of usable workers (usable_workers()) of which Polaris, at efforts above `low`,
/// tries all sets, however large the product, for its own schedules (unless a single one has more
/// transfers than it may simulate) and, on one port, for those of rivals. Sets that a lower bound
/// excludes are left out. Of more workers it tries change_one_worker() (for rivals, leaving out the
/// worker that ends last), and all sets only as for kSeveralWorkers.
inline constexpr std::size_t kFewWorkers = 5;
/// Largest number of usable workers (usable_workers()) of which Polaris, at efforts above `low`,
/// tries all sets within limits: for its own schedules if the product has at most 7.5 million block
/// updates and no schedule has more transfers than effort `low` may simulate; for those of rivals,
/// on one port only, in about 200,000 simulated transfers. Sets that a lower bound excludes are
/// left out.
inline constexpr std::size_t kSeveralWorkers = 8;
/// Returns all subsets of `workers` but the empty one, each in the order of `workers`: 2^n - 1 sets
/// for n workers, in descending order of the numbers whose bit i stands for workers[i], so that the
/// set of all comes first. n must be at most 31 (not checked: undefined behaviour).
std::vector<std::vector<int>> sets_of(const std::vector<int>& workers);

/// Returns the workers, by index from 0 and ascending, whose memory holds three blocks: one of each
/// matrix, without which a worker can update nothing. Empty if there are none.
std::vector<int> usable_workers(const Platform& platform);

/// Returns a copy of the platform that has only the workers of these indices (from 0), in the order
/// of the list and without names. They must exist (not checked: undefined behaviour).
Platform select_workers(const Platform& platform, const std::vector<int>& workers);

/// Returns sets of workers near `workers` for a search to try, each a list of indices from 0, in
/// this order: `workers` with one idle worker put in front; `workers` without one of them; if at
/// most eight workers are usable, all usable workers but one (those in `workers` first, then the
/// idle ones); `workers` without one of them, with an idle one in front. Sets keep the order of
/// `workers`. Usable workers have memory for three blocks; idle ones are usable, but not in
/// `workers`, and those with the shortest times of updates and transfers are tried first. Empty
/// sets are left out; a set may occur twice or be `workers` itself. Returns the first `limit` sets,
/// since there are about as many as enrolled times idle workers. All of `workers` must be usable
/// workers of the platform (not checked).
std::vector<std::vector<int>> change_one_worker(const std::vector<int>& workers,
                                                const Platform& platform, std::size_t limit);

}  // namespace starport::polaris
