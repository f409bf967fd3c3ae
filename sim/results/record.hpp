// The result of one run, in any model.
#pragma once

#include "sim/files/error.hpp"
#include "sim/results/figure.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport {

class Model;
struct Timeline;

/// Outcome of a run: `ok`, it completed; `error`, it failed; `not_applicable`, the algorithm or its
/// model does not fit the platform, the product or the noise.
enum class Status { ok, error, not_applicable };
/// Returns the name of the outcome of a run in tables, CSV and JSON: "ok", "error" or "not
/// applicable"; a string literal.
const char* to_string(Status status);

/// Decisions that an algorithm made for a run, such as the ratio it chose, as (key, value) pairs in
/// the order in which it reported them.
using Details = std::vector<std::pair<std::string, std::string>>;
/// Returns the decisions of an algorithm as one text, "key=value; key=value", without escaping; ""
/// when there are none.
std::string details_text(const Details& details);

/// The result of one algorithm on one instance (platform and product): a row of results. Figures
/// (reported values), workers and details are valid only when the status is ok.
struct Record {
  /// Name of the algorithm (NamedAlgorithm::name), not the user's text: its registered name with
  /// the given parameters sorted by key, such as "Het[count_c=yes,ratio=local]", or the name that a
  /// sweep specification gives its rows. A member of a group such as "all" has its own name.
  std::string algorithm;
  /// Model that ran the algorithm, not owned; nullptr in the error records that a sweep makes when
  /// an instance failed as a whole, for example because its process died.
  const Model* model = nullptr;
  /// Outcome of the run; when it is not ok, `error` says why.
  Status status = Status::ok;
  /// Reason why the run failed or does not apply, in one sentence; empty when the status is ok.
  std::string error;
  /// Cause of the failure of the run: the algorithm or its model, or the machine (out of time or
  /// memory, or process killed); meaningful only when the status is error.
  FailureCause cause = FailureCause::model;
  /// Reported values of the run, such as the makespan; valid only when the status is ok.
  Figures figures;
  /// Reported values of each worker, such as its block updates, by worker index from 0; empty
  /// unless RunOptions::worker_figures is set.
  std::vector<Figures> workers;
  /// Decisions that the algorithm reported, such as the ratio it chose, as pairs of texts (key,
  /// value) in the order in which it reported them; may be empty.
  Details details;
  /// Makespans of the repetitions under noise in simulated seconds, in the order of the
  /// repetitions; empty for a single run. With repetitions the value of kMakespan in `figures` is
  /// their mean, and the other values are those of the repetition with the median makespan (the
  /// lower of two).
  std::vector<double> makespans_s;

  /// Makes the record of a run that did not complete, or was not attempted; it has no reported
  /// values. `status` must not be ok (not checked), and `why` becomes the member `error`. `cause`
  /// matters only when `status` is error; by default the algorithm or its model is at fault, not
  /// the machine. `model` (nullptr: not known) is kept and must outlive the record.
  static Record failed(std::string algorithm, const Model* model, Status status, std::string why,
                       FailureCause cause = FailureCause::model);
  /// Calls `run` with a record (status ok, `algorithm` and `model` set) to fill in, and returns it.
  /// If `run` throws NotApplicable, returns a record "not applicable" instead; for SimulationError,
  /// InputError or std::bad_alloc one with status error, whose cause is that of a MachineError,
  /// `memory` for std::bad_alloc, else `model` (not the machine). Other exceptions pass through.
  static Record of_run(const std::string& algorithm, const Model* model,
                       const std::function<void(Record&)>& run);
  /// Makes the record of a run as of_run() does, but calls `run` in a child process. The record has
  /// status error if the child crashes or `run` throws a std::exception that of_run() would let
  /// pass (cause `model`), if the child is killed (`killed`), does not end within `time_limit_s`
  /// wall-clock seconds (`time`; 0: no limit) or cannot be created (`memory`). Of what `run`
  /// changes, these come back: `timeline`, which must be nullopt or complete (without `summary`),
  /// and the record except its algorithm, model, makespans_s and figures that `model`, which must
  /// not be null, does not declare. Call it from a process with one thread.
  static Record of_run_in_child(const std::string& algorithm, const Model* model,
                                const std::function<void(Record&)>& run, double time_limit_s,
                                std::optional<Timeline>& timeline);
};

}  // namespace starport
