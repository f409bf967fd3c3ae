// What a sweep runs: experiments, each a product of axes (experiments/README.md).
#pragma once

#include "sim/platform/generators/random_platforms.hpp"
#include "sim/platform/noise/noise.hpp"
#include "sim/results/heterogeneity.hpp"
#include "sim/results/model.hpp"
#include "sim/sweep/override.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace starport {

inline constexpr std::int64_t kMostInstances = 10'000'000;

/// One value of the axis of platforms.
struct PlatformSource {
  struct Generated {
    PlatformGenerator generator;
    std::int64_t workers;
    /// The generator's, with the values that this one was made with: columns and cells of results.
    std::vector<std::pair<std::string, std::string>> parameters = {};
  };
  std::variant<PlatformFile, Generated> source;

  const std::string& name() const;
  const PortFile& port() const;
  std::int64_t workers() const;
  /// Of a generator; none of a file.
  const std::vector<std::pair<std::string, std::string>>& parameters() const;
  /// The one asked for, else the platform's, else the papers'.
  std::int64_t block_size(const std::optional<std::int64_t>& asked) const;
};

/// A product of axes. Its instances vary the overrides fastest, the last one first, then the block
/// size, the problem, the repetition and the platform.
struct Experiment {
  std::string name;
  std::vector<PlatformSource> platforms;
  std::int64_t repetitions = 1;
  std::vector<std::string> problems;                     ///< "8000x8000x64000"
  std::vector<std::optional<std::int64_t>> block_sizes;  ///< nullopt: the platform's, else 80
  std::vector<Override> overrides;
  Noise noise;  ///< of its runs; the repetition makes the factors
  std::shared_ptr<const std::vector<NamedAlgorithm>> algorithms;
  std::map<std::string, std::string> runs;  ///< what is run, by the names of rows that differ

  std::int64_t size() const;  ///< instances
  /// As what the algorithm of such rows is asked for.
  const std::string& run_of(const std::string& name) const {
    const auto other = runs.find(name);
    return other == runs.end() ? name : other->second;
  }
};

/// One point of the product.
struct SweepInstance {
  std::int64_t number = 1;  ///< in the specification, from 1
  const Experiment* experiment = nullptr;
  std::string problem_text;
  std::int64_t repetition = 1;
  std::optional<std::uint64_t> seed;        ///< that the platform was drawn with
  std::vector<std::string> override_texts;  ///< a cell for each of the experiment's overrides
  std::vector<std::pair<std::string, std::string>> parameters;  ///< of the platform's generator
  std::int64_t block_size = 1;
  PlatformFile file;  ///< overrides applied
  Noise noise;        ///< the same

  /// The value of the column of an override or of a generator's parameter; empty when the
  /// experiment has none of that name.
  std::string override_text(const std::string& column) const;
  /// In blocks. Throws InputError when a figure leaves its range.
  Case in_blocks() const;
};

class Specification {
 public:
  std::string name;
  std::uint64_t seed = 0;
  std::vector<Experiment> experiments;
  std::vector<const PlatformMeasure*> measures;  ///< that results have a column of
  /// The document with the platform files in it, as JSON: with that alone, every instance can be
  /// made.
  std::string resolved;
  /// The files read, as (path, content).
  std::vector<std::pair<std::string, std::string>> inputs;

  std::int64_t size() const;  ///< instances
  std::int64_t rows() const;  ///< instances x algorithms
  /// The instance of that number, from 1. The specification must outlive it.
  SweepInstance instance(std::int64_t number) const;
  /// Those of the generators' parameters and of the overrides of all experiments, in order of
  /// appearance, each once.
  std::vector<std::string> override_columns() const;
  /// Whether any instance may have noise.
  bool noisy() const;
  /// The models of all the algorithms.
  const Models& models() const { return models_; }
  void find_models(const Models& known);

 private:
  Models models_;
};

/// A share of a sweep's instances, for one of several machines: shard i of n has every n-th, from
/// the i-th on.
struct Shard {
  std::int64_t index = 1;  ///< from 1
  std::int64_t count = 1;

  bool has(std::int64_t instance) const { return (instance - 1) % count == index - 1; }
  /// How many of `total` instances are in it.
  std::int64_t size(std::int64_t total) const { return (total - index + count) / count; }
};

/// Reads a list of algorithms, as --heuristics takes it; its errors name the place.
using ReadAlgorithms =
    std::function<std::vector<NamedAlgorithm>(std::string_view list, std::string_view place)>;

/// What a specification may name.
struct Known {
  Models models;
  ReadAlgorithms read_algorithms;
};

/// Reads and checks a specification (schema: experiments/sweep.schema.json). Paths of platform
/// files are relative to it. `noise`, where it is not empty, is the object of that name of every
/// experiment, of which none may have one of its own. Throws InputError.
Specification load_specification(const std::string& path, const Known& known,
                                 const nlohmann::ordered_json& noise);
Specification load_specification(const std::string& path, const Known& known);

/// Tries once everything about an experiment that does not depend on random draws. `node` is where
/// it stands in the specification. Throws InputError, also where no model of its algorithms can run
/// on a platform, or not under such noise.
void try_out(const Experiment& experiment, const Models& known, const JsonNode& node);

}  // namespace starport
