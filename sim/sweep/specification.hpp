// The specification of a sweep: experiments, each the Cartesian product of its axes (documented in
// experiments/README.md).
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

/// Largest number of instances of a sweep.
inline constexpr std::int64_t kMaxInstances = 10'000'000;

/// One value of the platform axis: a platform file, or a generator that draws platforms.
struct PlatformSource {
  /// A generator with a fixed number of workers and fixed parameter values.
  struct Generated {
    PlatformGenerator generator;
    std::int64_t workers;
    /// Names and values of the generator's parameters; each is a column of the results.
    std::vector<std::pair<std::string, std::string>> parameters = {};
  };
  std::variant<PlatformFile, Generated> source;

  const std::string& name() const;
  const PortFile& port() const;
  std::int64_t workers() const;
  /// Returns the names and values of the generator's parameters; empty for a platform file.
  const std::vector<std::pair<std::string, std::string>>& parameters() const;
  /// Returns q: `requested` if given, else the block size of the platform file, else 80.
  std::int64_t block_size(const std::optional<std::int64_t>& requested) const;
};

/// The Cartesian product of axes. The number of an instance varies the overrides fastest (the last
/// one first), then the block size, the problem, the repetition and the platform.
struct Experiment {
  std::string name;
  std::vector<PlatformSource> platforms;
  std::int64_t repetitions = 1;       ///< number of random draws of the platform or the noise
  std::vector<std::string> problems;  ///< products in elements: "8000x8000x64000"
  std::vector<std::optional<std::int64_t>>
      block_sizes;  ///< q; nullopt: that of the platform, else 80
  std::vector<Override> overrides;
  Noise noise;  ///< noise of all runs; its factors depend on the repetition
  std::shared_ptr<const std::vector<NamedAlgorithm>> algorithms;
  /// Row names that differ from the algorithm that is run: the algorithm, by row name.
  std::map<std::string, std::string> algorithms_by_row;

  /// Returns the number of instances; kMaxInstances + 1 when there are more.
  std::int64_t size() const;
  /// Returns the name of the algorithm that is run for rows called `row_name`.
  const std::string& algorithm_of_row(const std::string& row_name) const {
    const auto renamed = algorithms_by_row.find(row_name);
    return renamed == algorithms_by_row.end() ? row_name : renamed->second;
  }
};

/// One point of an experiment, with its platform made and its overrides applied.
struct SweepInstance {
  std::int64_t number = 1;  ///< number of the instance in the specification, from 1
  const Experiment* experiment = nullptr;
  std::string problem_text;  ///< the product in elements, as in the specification
  std::int64_t repetition = 1;
  std::optional<std::uint64_t> seed;  ///< seed from which the platform was drawn; none for files
  std::vector<std::string> override_texts;  ///< value of each override as a cell of the results
  std::vector<std::pair<std::string, std::string>>
      parameters;  ///< names and values of the parameters of the platform's generator
  std::int64_t block_size = 1;
  PlatformFile file;  ///< the platform with overrides applied
  Noise noise;        ///< the noise with overrides applied

  /// Returns the cell for the column of an override or of a generator's parameter; empty when the
  /// experiment has no such column.
  std::string override_text(const std::string& column) const;
  /// Returns the platform and the problem in blocks. Throws InputError when the problem is out of
  /// range at this block size.
  Case in_blocks() const;
};

/// A sweep as read from its file. Instances are made on demand, so that a sweep of millions takes
/// little memory.
class Specification {
 public:
  std::string name;
  std::uint64_t seed = 0;
  std::vector<Experiment> experiments;
  std::vector<const PlatformMeasure*> measures;  ///< platform measures that results have columns of
  /// The specification as JSON text with the contents of all referenced files; it suffices to make
  /// every instance.
  std::string resolved;
  /// Path and content of each file that was read.
  std::vector<std::pair<std::string, std::string>> inputs;

  /// Returns the number of instances.
  std::int64_t size() const;
  /// Returns the number of rows: instances times algorithms.
  std::int64_t rows() const;
  /// Makes the instance with this number (from 1); draws its platform when it has a generator. The
  /// specification must outlive the instance.
  SweepInstance instance(std::int64_t number) const;
  /// Returns the columns of generator parameters and overrides of all experiments, each once, in
  /// the order in which they appear.
  std::vector<std::string> override_columns() const;
  /// Returns whether any instance has noise.
  bool has_noise() const;
  /// Returns the models of all algorithms; set_models() must have been called.
  const Models& models() const { return models_; }
  /// Selects the models of the algorithms among `available`.
  void set_models(const Models& available);

 private:
  Models models_;
};

/// A part of a sweep's instances, to be run on one of several machines: shard i of n has the
/// instances i, i + n, i + 2n, ...
struct Shard {
  std::int64_t index = 1;  ///< number of the shard, from 1
  std::int64_t count = 1;  ///< number of shards

  /// Returns whether the shard has the instance with this number (from 1).
  bool has(std::int64_t instance) const { return (instance - 1) % count == index - 1; }
  /// Returns the number of its instances in a sweep of `total` instances.
  std::int64_t size(std::int64_t total) const { return (total - index + count) / count; }
};

/// Parses a list of algorithms as `--heuristics` accepts it. Throws InputError located at `place`.
using ReadAlgorithms =
    std::function<std::vector<NamedAlgorithm>(std::string_view list, std::string_view place)>;

/// The models of a program and the function that finds algorithms by name.
struct ModelRegistry {
  Models models;
  ReadAlgorithms read_algorithms;
};

/// Reads and checks a specification (schema: experiments/sweep.schema.json). Paths of platform
/// files are relative to its directory. `noise`, unless empty, becomes the noise of every
/// experiment, none of which may then have its own. Throws InputError.
Specification load_specification(const std::string& path, const ModelRegistry& registry,
                                 const nlohmann::ordered_json& noise);
/// Reads and checks a specification like the other overload; its experiments keep their own noise.
/// Throws InputError.
Specification load_specification(const std::string& path, const ModelRegistry& registry);

/// Checks everything about an experiment that does not depend on random draws, without running
/// anything. `node` is the experiment in the document. Throws InputError, also when no model of its
/// algorithms can run on one of the platforms or under the noise.
void check_experiment(const Experiment& experiment, const Models& available, const JsonNode& node);

}  // namespace starport
