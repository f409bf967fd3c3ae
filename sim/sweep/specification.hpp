// The specification of a sweep: experiments, each the Cartesian product of its axes (documented in
// experiments/README.md).
#pragma once

#include "sim/files/json.hpp"
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

/// Largest number of instances (inputs to be simulated) that a sweep may have, over all its
/// experiments and shards; load_specification() throws InputError for more.
inline constexpr std::int64_t kMaxInstances = 10'000'000;

/// One value of the platform axis of an experiment of a sweep: a given platform, from a file or
/// written out in the specification, or a generator that draws random platforms
/// (Specification::instance() draws them). Owns its data.
struct PlatformSource {
  /// A generator of random platforms with the number of workers, and the values of its parameters,
  /// that one point of a sweep's platform axis has.
  struct Generated {
    /// The generator: its name, the distributions from which bandwidth, speed, memory and latency
    /// of each worker are drawn, and the master's port (which transfers may take place at a time).
    PlatformGenerator generator;
    /// Number of workers of each random platform that is drawn, at least 1.
    std::int64_t workers;
    /// Names and values of the generator's parameters: each name is that of a column of the
    /// results, each value the text of its cell, not quoted for CSV.
    std::vector<std::pair<std::string, std::string>> parameters = {};
  };
  /// The given platform, from a file or written out in the specification, or the generator of
  /// random platforms.
  std::variant<PlatformFile, Generated> source;

  /// Returns the name of the platform as its JSON object gives it (key "name"; not the name of a
  /// file), or that of the generator of random platforms; the reference is valid as long as this
  /// object.
  const std::string& name() const;
  /// Returns the number of workers of the platform, or of each random platform that the generator
  /// draws.
  std::int64_t workers() const;
  /// Returns the names and values (as cells of the results) of the parameters of the generator of
  /// random platforms, a reference that is valid as long as this object; empty for a platform that
  /// is not drawn.
  const std::vector<std::pair<std::string, std::string>>& parameters() const;
  /// Returns the side in matrix elements of the blocks to use on this platform: `requested` if
  /// given, else the block size that the platform itself has, else kDefaultBlockSize (80).
  std::int64_t block_size(const std::optional<std::int64_t>& requested) const;
};

/// An experiment of a sweep: the Cartesian product of its axes (lists of platforms, products, block
/// sizes, ...), and the algorithms to run on each point (instance). With increasing instance number
/// the last override varies fastest, then the other overrides, the block size, the problem, the
/// repetition and the platform. load_specification() reads and checks it; it owns all its values.
struct Experiment {
  /// Name of the experiment, not empty and distinct from those of the other experiments of the
  /// sweep.
  std::string name;
  /// The question that the experiment answers, in words for the report; empty: none is stated.
  std::string question;
  /// Platforms, or generators of random platforms, on which the algorithms are compared; at least
  /// one.
  std::vector<PlatformSource> platforms;
  /// Number of repetitions, at least 1: for each, generated platforms and the noise are drawn at
  /// random anew.
  std::int64_t repetitions = 1;
  /// Matrix products to compute, as text with sizes in matrix elements: "nAxnABxnB" as in
  /// "8000x8000x64000" (A is nA x nAB, B is nAB x nB), or "N" for square matrices; at least one.
  std::vector<std::string> problems;
  /// List of block sizes, at least one entry: sides of a block in matrix elements, each at least 1.
  /// nullopt stands for the block size of the platform file, or 80 if it has none.
  std::vector<std::optional<std::int64_t>> block_sizes;
  /// Further axes, each of which gives several values to a field of the platform or the noise; may
  /// be empty.
  std::vector<Override> overrides;
  /// Noise (random durations, slow-downs and stops of workers) of all runs, before overrides change
  /// it; Specification::instance() sets its repetition.
  Noise noise;
  /// Algorithms that are run on each instance, in the order of the rows of results and under the
  /// names that these have, all distinct; neither null nor empty after load_specification().
  std::shared_ptr<const std::vector<NamedAlgorithm>> algorithms;
  /// Map from the name in rows of results to the name of the algorithm that is run for them, for
  /// algorithms where the two differ; may be empty.
  std::map<std::string, std::string> algorithms_by_row;

  /// Returns the number of instances of the experiment, the product of the numbers of values of all
  /// axes; kMaxInstances + 1 when it is larger than kMaxInstances.
  std::int64_t size() const;
  /// Returns the name of the algorithm that is run for the rows of results called `row_name`, which
  /// is `row_name` itself unless it is in `algorithms_by_row`. The reference is valid as long as
  /// both the argument and this object exist.
  const std::string& algorithm_of_row(const std::string& row_name) const {
    const auto renamed = algorithms_by_row.find(row_name);
    return renamed == algorithms_by_row.end() ? row_name : renamed->second;
  }
};

/// An instance of a sweep: one point of an experiment, i.e. a platform, a matrix product and noise,
/// with its platform made and its overrides (values of axes) applied, as Specification::instance()
/// makes it. Points to its experiment, whose Specification must outlive it.
struct SweepInstance {
  /// Number of the instance in the sweep, from 1, counted over all experiments of the
  /// specification.
  std::int64_t number = 1;
  /// The experiment that contains the instance; owned by the Specification. Never null in an
  /// instance made by Specification::instance().
  const Experiment* experiment = nullptr;
  /// Matrix product with sizes in matrix elements, as the specification has it: "nAxnABxnB" as in
  /// "8000x8000x64000" (A is nA x nAB, B is nAB x nB), or "N" for square matrices.
  std::string problem_text;
  /// Number of the repetition, from 1: for each, a generated platform and the noise are drawn at
  /// random anew.
  std::int64_t repetition = 1;
  /// Seed from which the platform was drawn, derived from the sweep's seed, the generator's name,
  /// the number of workers and the repetition; nullopt for a platform from a file.
  std::optional<std::uint64_t> seed;
  /// Value of each override (axis that changes a field of the platform or the noise) as the text of
  /// a cell of the results, not quoted for CSV, in the order of Experiment::overrides.
  std::vector<std::string> override_texts;
  /// Names and values of the parameters of the generator that drew the platform, values as the text
  /// of a cell of the results; empty for a platform from a file.
  std::vector<std::pair<std::string, std::string>> parameters;
  /// Block size: side of a block in matrix elements, at least 1.
  std::int64_t block_size = 1;
  /// The platform of the instance, with the values of the experiment's overrides applied.
  PlatformFile file;
  /// The noise of the instance, for its repetition, with the values of the experiment's overrides
  /// applied.
  Noise noise;

  /// Returns the value of the instance in the column of this name, for an override or a parameter
  /// of the platform's generator, as the text of a cell of the results, not quoted for CSV; an
  /// empty text when the instance has no such value. The specification must still exist.
  std::string override_text(const std::string& column) const;
  /// Returns the input of a simulation: a copy of the platform, unchanged, and the product with its
  /// sizes in blocks of `block_size` elements a side, each rounded up to whole blocks. Throws
  /// InputError when the product is malformed or has too many blocks. Does not check the platform.
  Case in_blocks() const;
};

/// The specification of a sweep (simulations of several algorithms on many instances), as
/// load_specification() reads it from a file: its experiments, and functions that make their
/// instances on demand, so that a sweep of millions takes little memory. Owns everything but the
/// models (models()).
class Specification {
 public:
  /// Name of the sweep, such as that of the study it belongs to; not empty.
  std::string name;
  /// Seed of the random numbers of the sweep: drawn platforms, noise without a seed of its own, and
  /// the choice of instances to cross-check; at most 2^53, 0 if the file gives none.
  std::uint64_t seed = 0;
  /// Experiments of the sweep, in the order of the numbers of their instances.
  std::vector<Experiment> experiments;
  /// Measures of the heterogeneity of platforms, for each of which the results have a column, in
  /// this order; static objects, none null. Empty unless the file names some.
  std::vector<const PlatformMeasure*> measures;
  /// The specification as JSON text that also has the contents of all files that it names, and the
  /// noise given to load_specification(); it suffices to make every instance.
  std::string resolved;
  /// Path and content of each file that load_specification() read, each once: the specification
  /// itself, platforms and noise.
  std::vector<std::pair<std::string, std::string>> inputs;

  /// Returns the number of instances of the sweep, over all its experiments and shards; at most
  /// kMaxInstances after load_specification().
  std::int64_t size() const;
  /// Returns the number of rows of the results of the sweep: the sum over its experiments of the
  /// number of instances times that of algorithms. Each experiment must have algorithms, as
  /// load_specification() ensures (undefined behaviour otherwise).
  std::int64_t rows() const;
  /// Makes the instance (platform, product and noise) with this number, from 1 to size() (undefined
  /// behaviour otherwise), drawing the platform if it comes from a generator. The same number
  /// always gives the same instance, and a drawn platform depends only on the seed of the sweep,
  /// the name of its generator, the number of workers, the repetition and the parameters: instances
  /// that differ in other axes share it. The result points into the specification, which must
  /// outlive it. Throws InputError when an override does not fit the platform, such as a worker
  /// that does not exist.
  SweepInstance instance(std::int64_t number) const;
  /// Returns the names of the columns of results for the parameters of platform generators and the
  /// overrides (axes) of all experiments, each once, in the order in which they first appear.
  std::vector<std::string> override_columns() const;
  /// Returns true if any experiment of the sweep has noise (random durations, slow-downs or stops
  /// of workers), or an axis that sets its coefficient of variation.
  bool has_noise() const;
  /// Returns the simulation models (star, tiles, spmd) of the algorithms of all experiments, each
  /// once; a reference into this object that set_models() changes. Empty until set_models() has
  /// been called, as load_specification() does.
  const Models& models() const { return models_; }
  /// Replaces models() by those of the `available` simulation models to which the algorithms of the
  /// experiments belong. Each experiment must have algorithms (undefined behaviour otherwise).
  /// Stores pointers: the models must outlive the specification. Throws std::logic_error, leaving
  /// models() incomplete, when it finds an algorithm whose model is not available; not every
  /// experiment is checked, and none if `available` is empty.
  void set_models(const Models& available);

 private:
  Models models_;
};

/// A share of a sweep for one of several machines: of the instances (inputs to be simulated),
/// numbered from 1, shard `index` of `count` has index, index + count, index + 2 count, ...; by
/// default it is the whole sweep. A plain value. Functions that take a shard require 1 <= index <=
/// count (not checked: they would select wrong instances, or divide by 0).
struct Shard {
  /// Number of the shard (part of the instances of a sweep), from 1 to `count`.
  std::int64_t index = 1;
  /// Number of shards (parts) into which the instances of the sweep are divided, at least 1.
  std::int64_t count = 1;

  /// Returns true if the instance with this number (from 1, not checked) belongs to the shard; does
  /// not know how many instances the sweep has.
  bool has(std::int64_t instance) const { return (instance - 1) % count == index - 1; }
  /// Returns the number of instances that belong to the shard in a sweep that has `total` (at least
  /// 0) instances in all shards; 0 when there are fewer instances than `index`.
  std::int64_t size(std::int64_t total) const { return (total - index + count) / count; }
};

/// Function that parses a list of algorithms as `--heuristics` accepts it: names with parameters,
/// such as "Het[ratio=local]", or groups such as "all", separated by commas. Returns them in the
/// order of the list, duplicates once, at least one; the result shares their ownership. Both views
/// are valid during the call only. Throws InputError with `place` (an option or JSON pointer) as
/// the location when a name or parameter is unknown, the value of a parameter is not accepted, or
/// the list is malformed or empty.
using ReadAlgorithms =
    std::function<std::vector<NamedAlgorithm>(std::string_view list, std::string_view place)>;

/// The simulation models of a program, and its function that finds algorithms by name: what
/// load_specification() needs to know of the program. Does not own the models.
struct ModelRegistry {
  /// The simulation models of the program, which owns them; they must outlive the registry and all
  /// specifications loaded with it.
  Models models;
  /// Function that parses a list of names of algorithms and finds these; not empty.
  ReadAlgorithms read_algorithms;
};

/// Reads and checks the specification of a sweep in the JSON file at `path` (schema:
/// experiments/sweep.schema.json). Paths of platform files and noise samples in it, and in `noise`,
/// are relative to its directory. If `noise` is empty or null, experiments keep the noise that the
/// file gives them. Otherwise it is a JSON object as the key "noise" of an experiment and becomes
/// the noise of every experiment, none of which may have its own (InputError naming --noise
/// otherwise). The models of the registry must outlive the result. Simulates nothing. Throws
/// InputError with the file and the JSON pointer of the fault, also when a file cannot be read,
/// there are more than kMaxInstances instances, or an experiment cannot be run (see
/// check_experiment()); std::logic_error when the model of an algorithm is not in the registry.
Specification load_specification(const std::string& path, const ModelRegistry& registry,
                                 const nlohmann::ordered_json& noise);
/// Reads and checks the specification of a sweep in the JSON file at `path` (schema:
/// experiments/sweep.schema.json), whose experiments have the noise that the file gives them. Paths
/// of platform files and noise samples in it are relative to its directory. The models of the
/// registry must outlive the result. Simulates nothing. Throws InputError with the file and the
/// JSON pointer of the fault, also when a file cannot be read, there are more than kMaxInstances
/// instances, or an experiment cannot be run (see check_experiment()); std::logic_error when the
/// model of an algorithm is not in the registry.
Specification load_specification(const std::string& path, const ModelRegistry& registry);

/// Checks an experiment of a sweep without simulating anything: on each platform with each block
/// size, every product with the first value of each override, and every other value of an override
/// with the first product. `available` are the simulation models of the program; `node` is the
/// experiment in the JSON document and locates errors. The experiment must have algorithms, a
/// product and a value of each override (undefined behaviour otherwise). Throws InputError, without
/// a file name, when an override sets a coefficient of variation of the noise that another one sets
/// or that is given as factors, an override or the noise does not fit a platform (names a worker
/// that does not exist, say), a product is malformed or out of range, or no model of the algorithms
/// can run on a platform or under the noise. For a generator one platform is drawn; that no model
/// can run on it is an error only when the noise is the reason, since another draw may fit. Throws
/// std::logic_error when the model of an algorithm is not available.
void check_experiment(const Experiment& experiment, const Models& available, const JsonNode& node);

/// Reads a generator of random platforms (schema: experiments/sweep.schema.json), such as {"name":
/// "random", "workers": [8, 16], "parameters": {"ratio": [2, 4]}, "speed": {"divide": "1Gf", "by":
/// {"uniform": [1, "$ratio"]}}, ...}. Returns one source of platforms for each number of workers
/// and each combination of parameter values: of the parameters, in the order of their names, the
/// last varies fastest; the number of workers varies slowest. Draws no platform; nothing refers to
/// `node` afterwards. Throws InputError, without a file name, with the JSON pointer of the fault,
/// such as an unknown key or parameter, a parameter that is not used, or more than 100 000
/// combinations of parameter values.
std::vector<PlatformSource> read_generator(const JsonNode& node);

}  // namespace starport
