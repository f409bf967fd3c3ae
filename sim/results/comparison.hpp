// Comparing several algorithms on one instance: runs, repetitions under noise, relative figures,
// and confidence in the ranking where figures were measured.
#pragma once

#include "sim/results/model.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// Origin of a comparison of algorithms, as recorded in JSON output: the version of SimGrid and the
/// command line. Owns its texts.
struct Provenance {
  /// Version of SimGrid, such as "3.36", for information only; may be empty.
  std::string simgrid_version;
  /// Command line that produced the comparison: the program's name, then its arguments.
  std::vector<std::string> command;
};

/// Confidence in the ranking of the fastest algorithms on a measured platform, whose speeds and
/// bandwidths are uncertain: the answer of estimate_ranking_confidence(). The algorithms are
/// simulated again on platforms drawn at random, whose durations lie in the confidence intervals of
/// the measurements with a probability of 95% each; plans are made for the platform as given.
struct RankingConfidence {
  /// Fractions of the platforms drawn at random on which one algorithm was the fastest, and on
  /// which it was slower than the algorithm that is the fastest on the platform as given.
  struct Share {
    /// Name of the algorithm, as NamedAlgorithm::name.
    std::string algorithm;
    /// Fraction (0 to 1) of the drawn platforms on which no compared algorithm was faster.
    /// Makespans within a relative 1e-9 tie, so that the fractions of all algorithms may add up to
    /// more than 1.
    double fastest = 0;
    /// Fraction (0 to 1) of the drawn platforms on which the algorithm with the smallest makespan
    /// on the platform as given (shares[0]) was faster than this one by more than a relative 1e-9;
    /// 0 for that algorithm itself.
    double beaten = 0;
  };
  /// Number of platforms drawn at random, each used for all compared algorithms.
  std::int64_t draws = 0;
  /// Seed of the random numbers from which the platforms were drawn.
  std::uint64_t seed = 0;
  /// Wins and losses of each compared algorithm (two to four), by increasing makespan on the
  /// platform as given.
  std::vector<Share> shares;
};

/// The results of several algorithms on one instance (one platform and one matrix product): a
/// record per algorithm, and bounds to compare them with. The models, which it points to, must
/// outlive it.
struct Comparison {
  /// Instance that all algorithms were run on: the platform and the product.
  Case instance;
  /// Engine that simulated the runs: SimGrid, or the model's own code (EngineKind::analytic).
  EngineKind engine = EngineKind::simgrid;
  /// Noise of the runs (random variation, slow-downs and stops of workers), as the option `--noise`
  /// accepts it; empty: no noise.
  std::string noise;
  /// Models (star, tiles, SPMD) of the algorithms, each once; not owned, none null.
  Models models = {};
  /// Bounds of the instance on makespan, speed or data volume, each in the unit of its declaration:
  /// bounds[i] are those by models[i]. Some hold only for certain runs, as Figure::meaning says.
  /// Empty for a model that has none for the instance, as some under noise, that cannot run on the
  /// platform, or whose bounds could not be computed, for instance within the time limit of a run.
  std::vector<Figures> bounds = {};
  /// Reasons why bounds could not be computed: bounds_errors[i] is about bounds[i]; empty if they
  /// were computed, or if the model cannot run on the platform.
  std::vector<std::string> bounds_errors = {};
  /// One record (result of the run) per algorithm, in the order in which the algorithms were
  /// requested.
  std::vector<Record> records = {};
  /// Version of SimGrid and command line that produced the comparison; compare() leaves them empty.
  Provenance provenance = {};
  /// Confidence in the ranking of the fastest algorithms; nullopt when it was not estimated.
  std::optional<RankingConfidence> ranking_confidence = {};

  /// Returns the bounds of the instance by `model` on makespan, speed or data volume, each in the
  /// unit of its declaration: a reference into this object or, when the model is null or not in
  /// `models`, to a static object without values.
  const Figures& bounds_of(const Model* model) const;
  /// Returns the details of `record`, the decisions that its algorithm reported, and after them, if
  /// the bounds of its model could not be computed, the reason under the key `no_bounds`.
  Details details_of(const Record& record) const;
  /// Returns true if the record of any algorithm summarises several repetitions under noise.
  bool has_repetitions() const;
  /// Returns true if any algorithm of `model` fits the instance: if the status of its record is
  /// another than "not applicable".
  bool has_attempts(const Model& model) const;
};

/// A record (result of one algorithm) together with the comparison that contains it, passed to
/// functions that compute values relative to other algorithms or to bounds (Figure::compute). Both
/// must outlive it.
struct RecordContext {
  /// Comparison that contains the record; not owned, must outlive this object.
  const Comparison& comparison;
  /// Record whose values are computed, an element of `comparison.records`; not owned, must outlive
  /// this object.
  const Record& record;

  /// Returns the value of `figure` as a real number, in the unit of its declaration: that of the
  /// run when its scope is Scope::run, otherwise (bounds: Scope::instance, Scope::heading) the one
  /// among the bounds of the instance by the record's model. NaN when there is none.
  double operator[](const Figure& figure) const;
  /// Returns the smallest result of `value`, called for each record of the comparison with status
  /// ok; NaN results are ignored. Infinity when there is none.
  double minimum(const std::function<double(const RecordContext&)>& value) const;
  /// Returns the smallest value of `figure` over the records of the comparison with status ok;
  /// infinity when none of them has a value.
  double minimum(const Figure& figure) const {
    return minimum([&](const RecordContext& other) { return other[figure]; });
  }
};

/// Computes the values of each record that depend on the other records or on the bounds, such as
/// the relative cost (makespan over the smallest one), and for repeated runs the confidence
/// intervals; stores them in the records with status ok, whose models must not be null (undefined
/// behaviour otherwise). Call it when all records are complete, and again after any has changed.
/// Records with repetitions must all have the same number of them (undefined behaviour otherwise),
/// at least two (throws std::domain_error otherwise).
void compute_relative_figures(Comparison& comparison);

/// Returns the names of each pair of algorithms that repetitions under noise do not tell apart: the
/// 95 % confidence interval of the mean difference of their makespans contains 0. Pairs are in the
/// order of the records; empty if there are none. Records without repetitions are ignored; the
/// others must have the same number of repetitions (undefined behaviour otherwise), at least two
/// (throws std::domain_error otherwise).
std::vector<std::pair<std::string, std::string>> pairs_within_noise(const Comparison& comparison);

/// Checks before any run that at least one model can run its algorithms on the instance (platform
/// and product); models that cannot are no error when another can. Runs nothing. Throws InputError
/// with the first reason when none can, or when the trace of a run cannot fit in
/// `options.limits.memory_bytes`. Does nothing without algorithms. Throws std::logic_error when the
/// model of an algorithm is not in `models`.
void check(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
           const Models& models, const RunOptions& options);

/// Appends the bounds of the comparison's instance by `model`, which must be the next of
/// `comparison.models` (not checked), to `comparison.bounds`, as Model::bounds_within() computes
/// them, and "" to `comparison.bounds_errors`. If that throws std::bad_alloc or SimulationError, as
/// when a child process exceeds the time limit, appends empty bounds and the reason instead, and
/// prints a message on standard error. Unless it uses a child process, InputError passes through,
/// as for a platform that does not fit the model.
void add_bounds(Comparison& comparison, const Model& model, const RunOptions& options);

/// Returns a comparison of `algorithms` that has their models, the noise and the bounds of the
/// instance (platform and product), but no records (results of runs) yet: the caller adds one per
/// algorithm, then calls compute_relative_figures(). Bounds that add_bounds() cannot compute stay
/// empty. Those of a model that cannot run on the platform with these options stay empty, too.
/// Throws std::logic_error when the model of an algorithm is not in `models`, and what
/// add_bounds() throws, such as InputError.
Comparison make_comparison(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
                           const Models& models, const RunOptions& options);

/// Returns a copy of `algorithm` for a comparison of `models`. With one model the copy is
/// unchanged; otherwise its member `named` becomes false, so that a platform without enough memory
/// gives a record "not applicable" instead of an error.
NamedAlgorithm adapt_to_models(const NamedAlgorithm& algorithm, const Models& models);

/// Simulates one run of `algorithm` on one instance (platform and product) with the model that it
/// belongs to. A failed run returns a record with status error; the status is "not applicable" when
/// the model cannot run on the platform or with these options, or the algorithm does not fit the
/// instance. Blocks until the run ends. Throws std::logic_error when the model of the algorithm is
/// not in `models`. Where it uses child processes (RunOptions::isolated), call it from a process
/// with one thread, since it forks.
Record run(const NamedAlgorithm& algorithm, const Case& instance, const Models& models,
           const RunOptions& options);

/// Simulates one algorithm on several instances (platforms with a product), none null, with the
/// noise of `options` on each, and returns one record per instance in the order of `instances`.
/// Some models plan all instances together, which is faster, unless the model cannot run one of
/// them. Blocks until all runs have ended; a failed run gives a record with status error or "not
/// applicable". Throws std::logic_error when the model of the algorithm is not in `models`. Where
/// it uses child processes (RunOptions::isolated), call it from a process with one thread.
std::vector<Record> run_batch(const NamedAlgorithm& algorithm,
                              std::span<const Case* const> instances, const Models& models,
                              const RunOptions& options);

/// Calls `run` with `options` whose noise.repetition is 1, 2, ..., `repetitions` (at least 1,
/// undefined behaviour otherwise), and returns one record for all: the run with the median makespan
/// (the lower of two), with the mean as its makespan and all makespans in Record::makespans_s. One
/// repetition returns its record unchanged. Stops at the first record whose status is not ok and
/// returns that; the error of one with status error is then prefixed by the number of the
/// repetition if there are several. Only the first call gets `on_timeline`. Exceptions of `run`
/// pass through.
Record run_repeatedly(const std::function<Record(const RunOptions&)>& run,
                      const RunOptions& options, std::int64_t repetitions);

/// Simulates the algorithms one after another and returns their records in the same order, with
/// relative costs and bounds; blocks until all have ended. A run that fails becomes a record with
/// status error and does not stop the others. Each algorithm is run `repetitions` times (at least
/// 1, undefined behaviour otherwise), each time with other random noise, which is the same for all
/// algorithms; `options.on_timeline` is called for the first repetition only. Shows progress on
/// stderr when that is a terminal. Throws what make_comparison() does, such as std::logic_error
/// when the model of an algorithm is not in `models`; call check() first to report unsuitable
/// input. Where it uses child processes (RunOptions::isolated), call it from a process with one
/// thread, since it forks.
Comparison compare(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
                   const Models& models, const RunOptions& options, std::int64_t repetitions = 1);

/// Returns the records of complete runs (status ok) by growing makespan; equal ones in the order of
/// comparison.records. The pointers are valid as long as that list is unchanged.
std::vector<const Record*> fastest_first(const Comparison& comparison);

/// Estimates how often the ranking of the fastest algorithms (four at most) holds on `draws`
/// platforms drawn at random, whose durations lie in the confidence intervals of the measurements
/// in the platform file with a probability of 95% each. `algorithms` are those of `comparison`;
/// those without a record of status ok there, or with a run that fails on a drawn platform, are
/// left out. Simulates the others once per platform with the analytic engine under the noise of
/// `options`, with other random factors on each platform; `options.noise.seed` also determines the
/// platforms. Returns nullopt when the file has no measurements, `draws` is 0, or fewer than two
/// algorithms can be simulated in this way. `draws` must not be negative (undefined behaviour).
/// Blocks; shows progress on stderr when that is a terminal. Algorithms that are not built in run
/// in child processes: call it from a process with one thread then.
std::optional<RankingConfidence> estimate_ranking_confidence(
    const Comparison& comparison, const std::vector<NamedAlgorithm>& algorithms,
    const RunOptions& options, std::int64_t draws);

}  // namespace starport
