// What the models have in common: an algorithm, run on a case, gives a record.
#pragma once

#include "sim/files/error.hpp"
#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/platform/problem.hpp"
#include "sim/results/division.hpp"
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

struct Comparison;
struct Timeline;

/// A platform and the product to compute on it. What it is to a model, that says.
struct Case {
  PlatformFile file;
  Problem problem;
};

/// What decides who computes what, and when. It belongs to one model, which knows its real type.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  virtual std::string_view model() const = 0;  ///< the name of its model
};

/// An algorithm as it was asked for.
struct NamedAlgorithm {
  std::string name;  ///< as it is asked for again: "Het" or "Het[ratio=local]"
  std::shared_ptr<const Algorithm> algorithm;
  bool named = true;  ///< asked for by name, not only as one of a group
};

struct SimulationLimits {
  double time_limit_s = 0;  ///< wall clock, planning included; 0: none
  double memory_bytes = std::numeric_limits<double>::infinity();  ///< for what a run keeps
};

/// What carries out a schedule.
enum class EngineKind : std::uint8_t {
  simgrid,  ///< actors on SimGrid, the reference
  analytic  ///< the model's own recurrence of the dates, much faster
};
const char* to_string(EngineKind engine);
/// Of that name; throws InputError about `where`.
EngineKind parse_engine(const std::string& name, const std::string& where);

struct RunOptions {
  EngineKind engine = EngineKind::simgrid;
  SimulationLimits limits = {};
  Noise noise = {};
  /// In a process of its own, where it may crash; else in this one if the engine is analytic.
  bool isolated = true;
  bool worker_figures = false;
  /// Gets the timeline of a run that is complete; empty: none is made.
  std::function<void(const Timeline&)> take_timeline = {};
  /// A longer one may come in pieces, for whoever needs it slice by slice.
  std::size_t slices_at_once = SIZE_MAX;
};

/// A column of the table for people: one figure, or several of one kind side by side.
struct Column {
  std::string heading;
  FigureList figures;
  Form form;
  bool repeated = false;  ///< also where runs are repeated under noise
  bool optional = false;  ///< left out where no row has it
};

/// A way to compute the product and to simulate that. Its plans, traces, engines and validator are
/// its own.
class Model {
 public:
  virtual ~Model() = default;
  virtual std::string_view name() const = 0;
  /// Those that it reports, in the order of the columns of results: of runs, of instances (bounds)
  /// and of workers.
  virtual const FigureList& figures() const = 0;
  virtual std::vector<Column> columns(const Case& instance) const = 0;

  /// Why none of its algorithms can run on such a platform, or not so; none when they can.
  virtual std::optional<InputError> misfit(const Case& instance,
                                           const RunOptions& options) const = 0;
  /// What is known to fail before the start. Throws InputError when an algorithm asked for by name,
  /// or every one of a group, has no worker to run on, and when a trace cannot fit in memory.
  virtual void check(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
                     const RunOptions& options) const = 0;

  /// The figures of the instance: what no algorithm of the model can beat.
  virtual Figures bounds(const Case& instance, const Noise& noise) const = 0;
  /// What it knows of each worker before any run; may be empty.
  virtual std::vector<Figures> worker_facts(const Case&) const { return {}; }
  /// What stands above the table: the instance as the model sees it, and its bounds.
  virtual std::string heading(const Case& instance, const Figures& bounds) const = 0;
  /// What a comparison with other models' algorithms must be read with, in one line.
  virtual std::string caveat(const Case& instance) const = 0;

  /// What the table must be read with, in lines after it; may be empty.
  virtual std::string footnote(const Comparison&) const { return ""; }

  /// Of a worker in a run: its part of the work; nullptr where the model does not tell.
  virtual const Figure* work() const { return nullptr; }
  /// How near a complete run comes to what none can beat, in words; empty when nobody knows.
  virtual std::string nearness(const Record& record, const Figures& bounds) const = 0;
  /// What the platform should have more of for such a run, a sentence; empty when nobody knows.
  virtual std::string scarcity(const Case&, const Record&) const { return ""; }

  /// Plans, simulates, validates and measures. A run that fails, or whose trace breaks the model,
  /// gives a record that says so.
  virtual Record run(const NamedAlgorithm& algorithm, const Case& instance,
                     const RunOptions& options) const = 0;
  /// The makespans under one noise after the other; planned once, where nothing of that is noise's
  /// business. Empty when a run is not complete.
  virtual std::vector<double> makespans_s(const NamedAlgorithm& algorithm, const Case& instance,
                                          const RunOptions& options,
                                          const std::vector<Noise>& noises) const;
  /// The same on each of several cases: what some models do sooner at once than one by one.
  virtual std::vector<Record> run_each(const NamedAlgorithm& algorithm,
                                       std::span<const Case* const> instances,
                                       const RunOptions& options) const;
  /// Empty when both engines say the same of a run; else where they differ first. Throws
  /// SimulationError when one of them does not end.
  virtual std::string find_difference(const NamedAlgorithm& algorithm, const Case& instance,
                                      const RunOptions& ours, EngineKind reference) const = 0;
  /// Who computes what, by an algorithm that decides it before the start. Throws NotApplicable for
  /// others.
  virtual Division divide(const NamedAlgorithm& algorithm, const Case& instance) const;
};

/// The models that a program knows.
using Models = std::vector<const Model*>;

/// Those of the algorithms, each once, in the order of the models. Throws std::logic_error for one
/// that is not there.
Models models_of(const std::vector<NamedAlgorithm>& algorithms, const Models& models);
const Model& model_of(const Algorithm& algorithm, const Models& models);

/// All the figures of some models, in the order of the columns of results.
FigureList figures_of(const Models& models);

}  // namespace starport
