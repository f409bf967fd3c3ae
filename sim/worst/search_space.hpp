// The instances among which a worst case is searched: ranges of the figures of workers and of the
// sides of the product, for the models of all algorithms.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/port.hpp"
#include "sim/platform/random.hpp"
#include "sim/results/model.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starport::worst {

/// Indices into a VariedWorker: 0 for the bandwidth of the worker's link (bytes/s), 1 for its speed
/// (flop/s), 2 for its memory (bytes), 3 for the latency of the link (s).
enum WorkerFigure : std::size_t {
  kBandwidth,  ///< bandwidth of the worker's link in bytes/s
  kSpeed,      ///< computing speed of the worker in flop/s
  kMemory,     ///< memory of the worker for blocks in bytes
  kLatency     ///< start-up time in seconds of each message on the worker's link
};
/// Number of figures that describe a worker: bandwidth, speed, memory and latency.
inline constexpr std::size_t kFigures = 4;

/// Bandwidth (bytes/s), speed (flop/s), memory (bytes) and latency (s) of a worker that a search
/// for worst cases varies, indexed by WorkerFigure. A worker that computes in the master's memory
/// (a CPU of a machine with GPUs) has only a speed; its other figures are 0.
using VariedWorker = std::array<double, kFigures>;

/// Returns true if the worker computes in the master's memory, i.e. has no link (bandwidth 0).
inline bool shares_memory(const VariedWorker& worker) { return worker[kBandwidth] == 0; }

/// An instance of a search space: what a search for worst cases varies, i.e. the workers and the
/// size of the product. A value without references; SearchSpace::to_case() makes the platform and
/// the product from it.
struct Instance {
  /// Workers of the platform, in its order; those with and without a link (see shares_memory()) may
  /// be mixed. At least one in an instance of a space.
  std::vector<VariedWorker> workers = {};
  /// Sizes of the product in blocks, integers: r, s, t (A is r x t, B is t x s blocks), or one side
  /// n of square matrices.
  std::vector<double> sides = {};

  bool operator==(const Instance&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Instance, workers, sides)

/// A closed range [low, high] of the values that a figure of a worker, a number of workers or a
/// side of the product may take, searched on a logarithmic scale.
struct Range {
  /// Smallest value of the range; above 0, or an integer, or both ends are 0 (a figure that workers
  /// do not have).
  double low = 0;
  /// Largest value of the range; at least `low`.
  double high = 0;
  /// True if the range holds only the integers from `low` to `high`, which are integers then.
  bool integral = false;

  /// Returns the value of the range that is closest to `value` rounded: to an integer, or else to
  /// four significant digits, so that results do not depend on the last bits of exp and log, which
  /// differ between machines.
  double nearest(double value) const;
  /// Returns a random value of the range, rounded as by nearest(), whose logarithm (of an integer:
  /// that of the integer + 1) is about uniform; `low`, without using `random`, if both ends are
  /// equal.
  double draw(Random& random) const;
  /// Returns true if `value` is in the range, ends included, and an integer if the range is
  /// integral.
  bool contains(double value) const {
    return low <= value && value <= high && (!integral || value == std::floor(value));
  }
};

/// Returns `value` rounded to `digits` significant decimal digits; 0, infinities and NaN as they
/// are. Throws fmt::format_error if `digits` is less than 1.
double round_to_digits(double value, int digits);

/// Ranges of the number and of the figures (bandwidth, speed, ...) of the workers of one kind in a
/// search space: those behind a link, or those in the master's memory.
struct WorkerRanges {
  /// Range of the number of workers of this kind, integral; 0 to 0 by default.
  Range count = {.integral = true};
  /// Ranges of bandwidth (bytes/s), speed (flop/s), memory (bytes) and latency (s) of each worker
  /// of this kind, indexed by WorkerFigure; 0 to 0 for a figure that they do not have.
  std::array<Range, kFigures> figures = {};
};

/// The set of instances (a platform and a product) among which a worst case is searched. Bandwidth,
/// speed, memory and latency of each worker are drawn independently; a change may scale one of them
/// for several workers, or copy it to another. Made by find_search_space(); owns its data.
struct SearchSpace {
  /// Name of the space for messages: "typical", "anything", or the path of its file.
  std::string name = {};
  /// The JSON document that the space was read from, also for "typical" and "anything"; null by
  /// default. Search::load() refuses a state that was saved with another document.
  nlohmann::json document = {};
  /// Ranges of the workers behind a link: those of a star or a cluster, or the GPUs of a machine.
  WorkerRanges linked = {};
  /// Ranges of the workers in the master's memory: the CPUs of a machine with GPUs. By default
  /// there are none (their count is 0).
  WorkerRanges sharing = {};
  /// Ranges, integral, of the sizes of the product in blocks: of r, s and t (A is r x t, B is t x s
  /// blocks), or one range, of n, for square matrices.
  std::vector<Range> sides = {};
  /// Largest number r s t of block updates of a product, above 0, which bounds the time of a
  /// simulation; the smallest sides must allow it (find_search_space() checks; otherwise draw() and
  /// change() may never return).
  double max_updates = 1e6;
  /// Side of a block in matrix elements, the same for all instances.
  std::int64_t block_size = 80;
  /// The master's port (which transfers may take place at once), the same for all instances of the
  /// space; one-port by default.
  PortFile port = {};
  /// Noise of the runs (random durations, slow-downs and stops), the same for all instances; none
  /// by default. The caller passes it to the runs, since to_case() does not contain it.
  Noise noise = {};

  /// Returns true if the instance belongs to the space: it has a worker, and as many sides as the
  /// space; the numbers of workers, all their figures and all sides of the product are in range;
  /// and the product has at most `max_updates` block updates.
  bool contains(const Instance& instance) const;
  /// Returns a random instance of the space: the numbers of workers (at least one in all), their
  /// figures and the sides of the product, each drawn independently on a logarithmic scale. While
  /// the product has more than `max_updates` block updates, the side that exceeds its smallest
  /// value by the most blocks is shortened by a quarter, but not below that value; a product of the
  /// smallest sides must not have more (not checked: otherwise the function may never return).
  Instance draw(Random& random) const;
  /// Returns a copy of `instance`, which must be of this space (not checked), with one random
  /// change that stays within it (or none, if the one drawn would not): a figure (bandwidth, speed,
  /// memory or latency) of one worker scaled or drawn again, or of all workers of its kind
  /// (`linked` or `sharing`) scaled by the same factor; a worker added, copied, removed, or made
  /// equal to another of its kind in one figure; or a side of the product scaled, after which sides
  /// are reduced as in draw().
  Instance change(const Instance& instance, Random& random) const;
  /// Returns `instance`, which must have one or three sides (not checked: undefined behaviour), as
  /// the input of a simulation: a product, and a platform named "worst case" whose workers have
  /// bandwidth, speed, memory and latency, or, in the master's memory, a speed only. `block_size`
  /// and `port` are those of this space; its noise is not part of the result.
  Case to_case(const Instance& instance) const;
  /// Returns `sharing` if `sharing_memory` is true, otherwise `linked`. The reference is valid as
  /// long as this object.
  const WorkerRanges& ranges_of(bool sharing_memory) const {
    return sharing_memory ? sharing : linked;
  }
};

/// Returns the search space `name` for algorithms of `model` ("star", "tiles" or "spmd"): "typical"
/// (bandwidths, speeds and memories that differ by factors of up to 4 between workers of a kind,
/// realistic products), "anything" (these over several orders of magnitude), or else the space in
/// the JSON file of that path: schema_version 1; workers (0 to 1000), r, s, t (or n alone; 1 to
/// 100000 blocks) as a number or [low, high]; bandwidth, speed, memory as a value with a unit,
/// {"uniform": [low, high]} or {"log_uniform": [low, high]}, which give the same range; and
/// optionally latency, shares_memory, port, noise, block_size, max_updates, comment. Throws
/// InputError, naming --within or the file, if there is no such file or it is invalid;
/// nlohmann::json::out_of_range for another `model`.
SearchSpace find_search_space(const std::string& name, std::string_view model);

}  // namespace starport::worst
