// The instances among which a worst case is searched: ranges of the figures of workers and of the
// sides of the product, for the models of all algorithms.
#pragma once

#include "sim/platform/port.hpp"
#include "sim/platform/random.hpp"
#include "sim/results/model.hpp"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starport::worst {

/// Positions of the figures of a worker in VariedWorker::figures.
enum WorkerFigure : std::size_t {
  kBandwidth,  ///< bandwidth of the worker's link in bytes/s
  kSpeed,      ///< speed in flop/s
  kMemory,     ///< memory for blocks in bytes
  kLatency     ///< start-up time of a message in seconds
};
/// Number of figures of a worker.
inline constexpr std::size_t kFigures = 4;

/// A worker of an instance that a search varies.
struct VariedWorker {
  /// True for a worker in the master's memory (a CPU of a GPU node), which has only a speed.
  bool shares_memory = false;
  /// Figures of the worker, indexed by WorkerFigure; 0 for those that it does not have.
  std::array<double, kFigures> figures{};
};

/// An instance of a search space: the figures that a search varies. A value without references;
/// SearchSpace::to_case() makes the platform and the product from it.
struct Instance {
  /// Workers of the platform.
  std::vector<VariedWorker> workers;
  /// Sides of the product in blocks: r, s, t, or one side n of square matrices.
  std::vector<std::int64_t> sides;
};

/// Returns the instance as JSON, from which instance_from_json() reads it again.
nlohmann::json to_json(const Instance& instance);
/// Returns the instance that to_json() wrote. Throws nlohmann::json::exception if the JSON has
/// another structure; the figures are not checked (see SearchSpace::contains).
Instance instance_from_json(const nlohmann::json& json);

/// A closed range [low, high] of numbers, searched on a logarithmic scale.
struct Range {
  /// Smallest value; above 0, or both ends are 0 (a figure that is not searched).
  double low = 0;
  /// Largest value; at least `low`.
  double high = 0;

  /// Returns `value`, or the closer end of the range if it lies outside.
  double clamp(double value) const;
  /// Returns a value whose logarithm is uniform in the range, with four significant digits.
  double draw(Random& random) const;
  /// Returns true if `value` is in the range, ends included.
  bool contains(double value) const { return low <= value && value <= high; }
};

/// A closed range [low, high] of integers, searched on a logarithmic scale.
struct IntegerRange {
  /// Smallest value, at least 0.
  std::int64_t low = 0;
  /// Largest value; at least `low`.
  std::int64_t high = 0;

  /// Returns `value`, rounded, or the closer end of the range if it lies outside.
  std::int64_t clamp(double value) const;
  /// Returns a value whose logarithm (of the value + 1) is about uniform in the range.
  std::int64_t draw(Random& random) const;
  /// Returns true if `value` is in the range, ends included.
  bool contains(std::int64_t value) const { return low <= value && value <= high; }
};

/// Ranges of the workers of one kind.
struct WorkerRanges {
  /// Number of workers.
  IntegerRange count;
  /// Ranges of the figures of each worker, indexed by WorkerFigure.
  std::array<Range, kFigures> figures{};
};

/// The set of instances (a platform and a product) among which a worst case is searched. Figures
/// are drawn and changed independently of each other.
struct SearchSpace {
  /// Name for messages: "typical", "anything", or the path of the file.
  std::string name;
  /// Workers behind a link: those of a star or a cluster, or the GPUs of a node.
  WorkerRanges linked;
  /// Workers in the master's memory: the CPUs of a GPU node. None if its count is 0 at most.
  WorkerRanges sharing = {};
  /// Ranges of the sides of the product in blocks: of r, s and t, or of n for square matrices.
  std::vector<IntegerRange> sides = {};
  /// Largest number of block updates of a product, which bounds the time of a simulation.
  double max_updates = 1e6;
  /// Side of a block in matrix elements.
  std::int64_t block_size = 80;
  /// The master's port, the same for all instances.
  PortFile port = {};

  /// Returns true if all counts, figures and sides of the instance are in range.
  bool contains(const Instance& instance) const;
  /// Draws an instance: all figures independently, then the product, shrunk to `max_updates`.
  Instance draw(Random& random) const;
  /// Returns a copy of an instance of this space with one random change that stays within it: a
  /// figure of one or of all workers or a side of the product scaled or drawn again, a worker
  /// added, copied, removed, or made equal to another in one figure.
  Instance change(const Instance& instance, Random& random) const;
  /// Returns the instance as a platform of physical workers, named "worst case", and a product.
  Case to_case(const Instance& instance) const;
  /// Returns the ranges as JSON: equal for two spaces exactly if they hold the same instances.
  nlohmann::json to_json() const;
  /// Returns the ranges of the workers of one kind.
  const WorkerRanges& ranges_of(const VariedWorker& worker) const {
    return worker.shares_memory ? sharing : linked;
  }
};

/// Returns the search space `name` for algorithms of `model` ("star", "tiles" or "spmd"): "typical"
/// (figures that differ by factors of up to 4 between workers, realistic products), "anything"
/// (figures over several orders of magnitude), or else the space in the JSON file of that path, in
/// the format of the generators of sweeps with ranges for the product. Throws InputError, naming
/// --within or the file, if there is no such file or it is invalid.
SearchSpace find_search_space(const std::string& name, std::string_view model);

}  // namespace starport::worst
