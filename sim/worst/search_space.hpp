// The instances among which a worst case is searched: ranges of the figures of stars and products.
#pragma once

#include "sim/platform/port.hpp"
#include "sim/platform/random.hpp"
#include "sim/results/model.hpp"

#include <cstdint>
#include <string>

namespace starport::worst {

/// A closed range [low, high] of positive numbers, searched on a logarithmic scale; a range that
/// starts at 0 holds only 0 (latencies that are not searched).
struct Range {
  /// Smallest value; 0 only if `high` is 0 too.
  double low = 1;
  /// Largest value; at least `low`.
  double high = 1;

  /// Returns `value`, or the closer end of the range if it lies outside.
  double clamp(double value) const;
  /// Returns a value whose logarithm is uniform in the range, with four significant digits.
  double draw(Random& random) const;
  /// Returns true if `value` is in the range, ends included.
  bool contains(double value) const { return low <= value && value <= high; }
};

/// The set of instances (a star and a product) among which a worst case is searched: a range for
/// each figure. Workers are physical; figures are drawn and changed independently of each other.
struct SearchSpace {
  /// Name for messages: "typical", "anything", or the path of the file.
  std::string name;
  /// Number of workers, an integer.
  Range workers;
  /// Bandwidth of a worker's link in bytes/s.
  Range bandwidth;
  /// Speed of a worker in flop/s.
  Range speed;
  /// Memory of a worker for blocks in bytes.
  Range memory;
  /// Start-up time of a message in seconds.
  Range latency{0, 0};
  /// Number of block rows of A and C (r), an integer.
  Range r;
  /// Number of block columns of B and C (s), an integer.
  Range s;
  /// Number of block columns of A (t), an integer.
  Range t;
  /// Largest number of block updates r s t of a product, which bounds the time of a simulation.
  double max_updates = 1e6;
  /// Side of a block in matrix elements.
  std::int64_t block_size = 80;
  /// The master's port, the same for all instances.
  PortFile port = {};

  /// Returns true if the instance consists of physical workers and all its figures are in range.
  bool contains(const Case& instance) const;
  /// Draws an instance: all figures independently, then the product, shrunk to `max_updates`.
  Case draw(Random& random) const;
  /// Returns a copy of an instance of this space with one random change that stays within it: a
  /// figure of one or of all workers or a side of the product scaled or drawn again, a worker
  /// added, copied, removed, or made equal to another in one figure.
  Case change(const Case& instance, Random& random) const;
};

/// Returns the search space `name`: "typical" (the ranges of PPoPP'08, Figure 7: bandwidths, speeds
/// and memories that differ by factors of up to 4), "anything" (figures over several orders of
/// magnitude), or else the space in the JSON file of that path, in the format of the generators of
/// sweeps with ranges for the product. Throws InputError, naming --within or the file, if there is
/// no such file or it is invalid.
SearchSpace find_search_space(const std::string& name);

}  // namespace starport::worst
