// The interface of a model: it simulates an algorithm on a case and returns a record.
#pragma once

#include "sim/files/error.hpp"
#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/platform/problem.hpp"
#include "sim/results/presentation.hpp"
#include "sim/results/record.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

struct Timeline;

/// One instance, i.e. the input of a simulation by any model: a platform, as read from its file,
/// and a matrix product to compute on it. Owns both.
struct Case {
  /// The platform, as read from its file.
  PlatformFile file;
  /// The matrix product; its sizes are in blocks, the block size in matrix elements.
  Problem problem;
};

/// Base class of every algorithm that can be simulated: heuristic (model "star"), tile strategy
/// ("tiles") or distribution ("spmd"). Each belongs to one model, which casts it to the interface
/// of that model.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  /// Returns the name of the model that runs this algorithm, equal to its Model::name(): "star",
  /// "tiles" or "spmd"; a text with static storage.
  virtual std::string_view model() const = 0;
};

/// An algorithm to run, with the name that its results get. Copies share the algorithm, which is
/// immutable.
struct NamedAlgorithm {
  /// Name of the algorithm in results, not the user's text: its registered name with the given
  /// parameters sorted by key, such as "Het[count_c=yes,ratio=local]", as `--heuristics` accepts
  /// it, or the name that a sweep specification gives its rows. A member of a group such as "all"
  /// has its own name.
  std::string name;
  /// The algorithm; never null.
  std::shared_ptr<const Algorithm> algorithm;
  /// True if the user requested the algorithm by its name, false if as a member of a group such as
  /// "all". When in the star model no worker has the memory for it, the run is an error if true,
  /// "not applicable" if false.
  bool named = true;
};

/// Limits on the time and memory that the simulation of one run may use; by default there are none.
struct SimulationLimits {
  /// Largest duration of the simulation of a run in wall-clock seconds, planning included (some
  /// algorithms of the tiles and spmd models may plan for as long again); 0: no limit. A run in a
  /// child process that exceeds it is killed, and its record has status error and cause `time`; in
  /// the calling process not every model enforces it.
  double time_limit_s = 0;
  /// Largest memory in bytes, as estimated, for the trace of a run (the dated transfers and tasks),
  /// in the tiles model also for its copies of tiles; infinity: no limit. A run of the star or
  /// tiles model that exceeds it fails: its record has status error and cause `memory`. Runs of the
  /// star model in the calling process without a timeline may exceed it, as they need not store a
  /// trace. find_obstacle() throws InputError for algorithms whose runs cannot fit. Distributed
  /// products (model "spmd") ignore the limit.
  double memory_bytes = std::numeric_limits<double>::infinity();
};

/// Engine that simulates a run: `simgrid`, SimGrid, the reference; `analytic`, the model's own
/// code, much faster.
enum class EngineKind : std::uint8_t {
  simgrid,  ///< actors on SimGrid, the reference
  analytic  ///< the model's own recurrence or event engine, much faster
};
/// Returns the name of the engine as the option `--engine` accepts it: "simgrid" or "analytic"; a
/// string literal.
const char* to_string(EngineKind engine);
/// Returns the simulation engine called `name`, "simgrid" or "analytic". Throws InputError for any
/// other name; `where`, such as the option, is the place in its message.
EngineKind parse_engine(const std::string& name, const std::string& where);

/// Settings of one simulated run: engine, limits, noise, and what to report of it. The default is
/// a run without noise and limits on SimGrid in a child process.
struct RunOptions {
  /// Engine that simulates the run: SimGrid, or the model's own, much faster code
  /// (EngineKind::analytic).
  EngineKind engine = EngineKind::simgrid;
  /// Limits on the time and memory of the simulation; by default none.
  SimulationLimits limits = {};
  /// Random variation of durations, slow-downs and stops of workers in the run; by default none.
  Noise noise = {};
  /// True to run in a child process, where a crash or a time-out affects this run only; for
  /// distributed products (model "spmd") on the analytic engine only with a time limit. When false,
  /// the analytic engine runs in the calling process. SimGrid, and algorithms that are not built
  /// in, always run in a child process.
  bool isolated = true;
  /// True to fill Record::workers with the reported values of each worker; otherwise it stays
  /// empty.
  bool worker_figures = false;
  /// Receives the timeline of each run that completed, before the run returns, in the calling
  /// process; on a star in several calls, in order, if it has at least max_slices slices. The
  /// reference is valid during the call only. When empty, no timeline is built. The function should
  /// not throw: its exceptions pass through Model::run() or make the run an error, depending on the
  /// model.
  std::function<void(const Timeline&)> on_timeline = {};
  /// Number of slices (activities) of a timeline from which on a model may pass it in several
  /// pieces of about that size, by calling `on_timeline` once per piece in order; SIZE_MAX: always
  /// one piece. Only the star model makes pieces.
  std::size_t max_slices = SIZE_MAX;
};

/// One of the runs of a batch: references to its instance (platform and product) and its noise,
/// which both must live until Model::run_batch() returns.
struct RunInput {
  /// Platform and product of the run; not owned, must live until Model::run_batch() returns.
  const Case& instance;
  /// Noise of the run; not owned, must live until Model::run_batch() returns.
  const Noise& noise;
};

/// A simulation model of the matrix product (star, tiles or SPMD): the rules of a platform, with
/// the engines that simulate them. The program creates one object per model and owns it; all member
/// functions are const, and records point to the model, which must outlive them.
class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  /// Returns the name of the model, "star", "tiles" or "spmd", a text with static storage. Its
  /// algorithms return the same name from Algorithm::model().
  virtual std::string_view name() const = 0;
  /// Returns the declarations of the values that the model reports of runs, instances (bounds) and
  /// workers, in the order of the columns of results. The list is a static object.
  virtual const FigureList& figures() const = 0;
  /// Returns the object that formats the results of this model as text and tables. It is a static
  /// object.
  virtual const Presentation& presentation() const = 0;

  /// Returns the reason why the model cannot simulate this platform and product with these options,
  /// or, in the star model, why no worker has enough memory for `algorithms`; nullopt if there is
  /// none (a run may still be "not applicable" if its algorithm does not fit). The memory is an
  /// obstacle if it is too small for one of the algorithms that the user requested by its name
  /// (NamedAlgorithm::named), or for every one of `algorithms`. Runs nothing. Without `algorithms`
  /// only the platform, the product and the options are checked. Throws InputError when a run of
  /// one of the algorithms cannot fit in `options.limits.memory_bytes`. The algorithms must be of
  /// this model (otherwise may throw std::bad_cast).
  virtual std::optional<InputError> find_obstacle(
      const Case& instance, const RunOptions& options,
      std::span<const NamedAlgorithm> algorithms = {}) const = 0;

  /// Returns the bounds of an instance (platform and product) on the makespan, the speed or the
  /// data volume, each in the unit of its declaration, whose Figure::meaning says for which runs it
  /// holds. Bounds that do not exist for the instance or that `noise` invalidates may be left out.
  /// Throws InputError when the platform or the product does not fit the model (see
  /// find_obstacle()).
  virtual Figures bounds(const Case& instance, const Noise& noise) const = 0;
  /// Returns what bounds() returns with `options.noise`. With `options.isolated` and a time limit,
  /// computes it in a child process: call it from a process with one thread then. A failure there,
  /// also an InputError of bounds(), becomes a SimulationError; a time-out becomes a MachineError
  /// with the cause `time`. Without a child process, exceptions of bounds() pass through.
  Figures bounds_within(const Case& instance, const RunOptions& options) const;

  /// Plans, simulates, validates and measures one run of an algorithm on an instance (platform and
  /// product); blocks until it has ended. A run that fails, exceeds a limit or violates the rules
  /// of the model gives a record with status error; an algorithm that does not fit gives "not
  /// applicable". The star model does not validate runs of built-in algorithms in the calling
  /// process without a timeline. Requires that find_obstacle() returns nullopt for the instance and
  /// the options (otherwise may throw InputError), and an algorithm of this model (otherwise throws
  /// std::bad_cast). Where it uses child processes (RunOptions::isolated), call it from a process
  /// with one thread, since it forks.
  virtual Record run(const NamedAlgorithm& algorithm, const Case& instance,
                     const RunOptions& options) const = 0;
  /// Simulates several runs of one algorithm and returns their records in the order of `runs`. Each
  /// equals the record that run() returns with the noise of its input (`options.noise` is ignored),
  /// apart from wall-clock times. Some models plan the batch together, which is faster. A run that
  /// fails gives a record with status error, or "not applicable" if the algorithm does not fit, and
  /// the others go on. Each input must fulfil the requirements of run().
  virtual std::vector<Record> run_batch(const NamedAlgorithm& algorithm,
                                        std::span<const RunInput> runs,
                                        const RunOptions& options) const;

  /// Simulates a run of `algorithm` on the engine of `options` and again on the engine `reference`,
  /// and compares the dates of both. Returns a description of a difference beyond rounding errors,
  /// or an empty string when both agree. Throws SimulationError when a run fails, and NotApplicable
  /// or InputError when the algorithm does not fit the instance. Requires that find_obstacle()
  /// returns nullopt for both engines (otherwise may throw another exception). May fork: call it
  /// from a process with one thread.
  virtual std::string find_difference(const NamedAlgorithm& algorithm, const Case& instance,
                                      const RunOptions& options, EngineKind reference) const = 0;
};

/// A list of pointers to models, none null. The program owns the models, which must outlive the
/// list.
using Models = std::vector<const Model*>;

/// Returns those of `models` to which at least one of the algorithms belongs, each once, in the
/// order of `models`. Throws std::logic_error if the model of an algorithm is not in `models`.
Models models_of(const std::vector<NamedAlgorithm>& algorithms, const Models& models);
/// Returns the model of `models` whose name is algorithm.model(), which can run `algorithm`; the
/// reference is valid as long as the program's model. Throws std::logic_error when there is none.
const Model& model_of(const Algorithm& algorithm, const Models& models);

/// Returns the declarations of the values that the models report, each once: those of the first
/// model, then those that each further model adds. This is the order of the columns of results.
FigureList figures_of(const Models& models);

}  // namespace starport
