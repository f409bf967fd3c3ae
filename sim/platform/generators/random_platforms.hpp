// Random platforms, whose workers have links, speeds and memories drawn from the distributions in a
// sweep's specification.
#pragma once

#include "sim/files/json.hpp"
#include "sim/files/units.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/platform/random.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace starport {

/// A distribution of random values, made by read(). In JSON: "10MBps" (constant), {"uniform": [low,
/// high]}, {"log_uniform": [low, high]} (its logarithm is uniform), {"two_valued": [a, b], "share":
/// 0.25} (a with that probability, 1/2 unless given), {"choice": [a, b, c], "weights": [3, 1, 1]}
/// (equal weights unless given), or {"divide": "10MBps", "by": D}, the quotient of a constant and a
/// value drawn from D, a distribution of plain numbers that is itself no division.
class Distribution {
 public:
  /// Reads a distribution of quantities (strings with a unit of `dimension`), or of plain numbers
  /// for nullopt: a value, or an object with uniform, log_uniform, two_valued, choice or divide
  /// (see the class). Throws InputError without a file name for another form or an unknown key, a
  /// `low` above `high`, a share not within 0..1, weights that are not one per value, or a value or
  /// weight not above 0 (times may be 0, except in log_uniform).
  static Distribution read(const JsonNode& node, std::optional<Dimension> dimension);

  /// Draws a value in the SI unit of the dimension (bytes/s, flop/s, bytes, seconds) or a plain
  /// number. Values of uniform, log_uniform and divide are rounded to ten significant digits, since
  /// the last bits of exp and log differ between machines; constants and values of a choice are
  /// not, except as divisors. Takes one number from `random`, none for a constant or a division by
  /// one.
  double draw(Random& random) const;
  /// Returns the smallest and the largest value that draw() may return, in this order and in the
  /// same unit, before it rounds to ten digits; equal for a constant. nullopt for two_valued and
  /// choice, also in a division.
  std::optional<std::pair<double, double>> range() const;

 private:
  struct Uniform {
    double low;
    double high;
  };
  struct LogUniform {
    double low;
    double high;
  };
  struct Choice {
    std::vector<double> values;
    std::vector<double> cumulated;  ///< cumulative probabilities, up to 1
  };
  using Kind = std::variant<double, Uniform, LogUniform, Choice>;

  explicit Distribution(Kind kind) : kind_(std::move(kind)) {}
  static Distribution read_choice(const JsonNode& node, std::optional<Dimension> dimension);

  Kind kind_;
  std::optional<double> dividend_;
};

/// A generator of random platforms whose workers have links, speeds, memories and latencies that
/// are drawn independently of each other. Each call of draw() makes a platform from a number of
/// workers and a seed.
struct PlatformGenerator {
  /// Name of the platforms, also used as their path in error messages.
  std::string name;
  /// Distribution of the bandwidth of a worker's link, in bytes/s.
  Distribution bandwidth;
  /// Distribution of the speed of a worker, in flop/s.
  Distribution speed;
  /// Distribution of the memory of a worker for blocks, in bytes.
  Distribution memory;
  /// Distribution of the start-up time in seconds of every message of a worker, drawn once per
  /// worker; nullopt: 0 for every worker.
  std::optional<Distribution> latency;
  /// The master's port, the same on each platform; one-port by default. Its c_s must not be set,
  /// since a drawn platform has no block size for which it would hold:
  /// PlatformFile::at_block_size() of the platform would throw InputError.
  PortFile port = {};

  /// Draws a platform of `workers` physical workers without names, one entry each, and without a
  /// block size. The same generator, number of workers and seed give the same platform, whose
  /// provenance names the seed. For 0 or fewer workers it has none, and
  /// PlatformFile::at_block_size() then throws InputError. The order of draws is, for each worker,
  /// bandwidth, speed, memory, latency.
  PlatformFile draw(std::int64_t workers, std::uint64_t seed) const {
    Random random(seed);
    PlatformFile file;
    file.path = name;
    file.name = name;
    file.provenance = "drawn with seed " + std::to_string(seed);
    file.port = port;
    for (std::int64_t i = 0; i < workers; ++i) {
      PlatformFile::Physical worker{};
      worker.bandwidth_bytes_per_s = bandwidth.draw(random);
      worker.speed_flops = speed.draw(random);
      worker.memory_bytes = memory.draw(random);
      worker.latency_s = latency ? latency->draw(random) : 0;
      file.entries.push_back({.worker = worker, .count = 1, .pointer = ""});
    }
    return file;
  }
};

}  // namespace starport
