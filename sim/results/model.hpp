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

/// A platform and a matrix product to compute on it, independent of any model.
struct Case {
  PlatformFile file;
  Problem problem;  ///< the product in blocks
};

/// Base of every heuristic, tile strategy and distribution. Each belongs to one model, which casts
/// it to its own interface.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  /// Returns the name of the model that runs this algorithm, such as "star".
  virtual std::string_view model() const = 0;
};

/// An algorithm with the name under which the user requested it.
struct NamedAlgorithm {
  std::string name;  ///< with its parameters, such as "Het[ratio=local]"; can be requested again
  std::shared_ptr<const Algorithm> algorithm;
  /// Requested by this name rather than as a member of a group such as "all". When no worker has
  /// the memory for it, a named one is an error, a group member is "not applicable".
  bool named = true;
};

/// Limits on the resources that one simulation may use.
struct SimulationLimits {
  double time_limit_s = 0;  ///< wall-clock seconds, planning included; 0: no limit
  double memory_bytes = std::numeric_limits<double>::infinity();  ///< memory for the trace of a run
};

/// The engine that simulates a run.
enum class EngineKind : std::uint8_t {
  simgrid,  ///< actors on SimGrid, the reference
  analytic  ///< the model's own recurrence or event engine, much faster
};
/// Returns the name of the engine as `--engine` accepts it.
const char* to_string(EngineKind engine);
/// Returns the engine of that name. Throws InputError located at `where` for any other name.
EngineKind parse_engine(const std::string& name, const std::string& where);

/// Settings of one simulated run.
struct RunOptions {
  EngineKind engine = EngineKind::simgrid;
  SimulationLimits limits = {};
  Noise noise = {};
  /// Runs in a child process, where a crash or a time-out affects this run only. When false, the
  /// analytic engine runs in the calling process; SimGrid always uses a child process.
  bool isolated = true;
  bool worker_figures = false;  ///< also fill Record::workers
  /// Called with the timeline of a run that completed; when empty, no timeline is built.
  std::function<void(const Timeline&)> on_timeline = {};
  /// A timeline with more slices than this may be passed in several pieces, in order.
  std::size_t max_slices = SIZE_MAX;
};

/// The instance and the noise of one run of a batch. Both are owned by the caller of
/// Model::run_batch.
struct RunInput {
  const Case& instance;
  const Noise& noise;
};

/// A simulation model of the matrix product (star, tiles or SPMD). It owns its plans, traces,
/// engines and validator; models are created once per program and are shared.
class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  /// Returns the name of the model, such as "star"; Algorithm::model() refers to it.
  virtual std::string_view name() const = 0;
  /// Returns the figures that the model reports of runs, instances (bounds) and workers, in the
  /// order of the columns of results.
  virtual const FigureList& figures() const = 0;
  /// Returns the text and table layout of the model. The object is static.
  virtual const Presentation& presentation() const = 0;

  /// Returns the reason why the model cannot run on this platform with these options, or why no
  /// worker has the memory for the requested algorithms (one that is requested by name, or all of
  /// them); nullopt when it can. Without `algorithms` only the platform and the options are
  /// checked. Throws InputError when a trace cannot fit in `options.limits.memory_bytes`.
  virtual std::optional<InputError> find_obstacle(
      const Case& instance, const RunOptions& options,
      std::span<const NamedAlgorithm> algorithms = {}) const = 0;

  /// Returns the figures of the instance: bounds that no algorithm of the model can beat. Some do
  /// not hold under `noise` and are left out.
  virtual Figures bounds(const Case& instance, const Noise& noise) const = 0;

  /// Plans, simulates, validates and measures one run. A run that fails, or whose trace violates
  /// the model, is returned as a record with the status `error`.
  virtual Record run(const NamedAlgorithm& algorithm, const Case& instance,
                     const RunOptions& options) const = 0;
  /// Simulates several runs of one algorithm and returns their records in the order of `runs`. Each
  /// equals the record of run() with the noise of its input (`options.noise` is ignored), apart
  /// from wall-clock times. Some models plan the batch together, which is faster.
  virtual std::vector<Record> run_batch(const NamedAlgorithm& algorithm,
                                        std::span<const RunInput> runs,
                                        const RunOptions& options) const;

  /// Simulates one run on the engine of `options` and on `reference`. Returns a description of the
  /// first difference, or an empty string when both agree. Throws SimulationError when a run fails.
  virtual std::string find_difference(const NamedAlgorithm& algorithm, const Case& instance,
                                      const RunOptions& options, EngineKind reference) const = 0;
};

/// Pointers to the models that a program has; the program owns the models.
using Models = std::vector<const Model*>;

/// Returns the models of the algorithms, each once, in the order of `models`. Throws
/// std::logic_error when an algorithm belongs to a model that is not in `models`.
Models models_of(const std::vector<NamedAlgorithm>& algorithms, const Models& models);
/// Returns the model that runs `algorithm`. Throws std::logic_error when it is not in `models`.
const Model& model_of(const Algorithm& algorithm, const Models& models);

/// Returns the figures of all the models, each once, in the order of the columns of results.
FigureList figures_of(const Models& models);

}  // namespace starport
