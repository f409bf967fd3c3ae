// The result of one run, in any model.
#pragma once

#include "sim/files/error.hpp"
#include "sim/results/figure.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace starport {

class Model;

/// The outcome of a run: completed; failed; or not attempted, because the algorithm or its model
/// does not fit the platform or the product.
enum class Status { ok, error, not_applicable };
/// Returns the name of a status in tables, CSV and JSON: "ok", "error" or "not applicable".
const char* to_string(Status status);

/// Decisions that an algorithm made for a run, such as the ratio it chose, as (key, value) pairs in
/// the order in which it reported them.
using Details = std::vector<std::pair<std::string, std::string>>;
/// Returns the details as one text, "key=value; key=value", without escaping; "" when there are
/// none.
std::string details_text(const Details& details);

/// The result of one algorithm on one instance: a row of results. Figures, workers and details are
/// valid only when the status is ok.
struct Record {
  /// Name of the algorithm as the user requested it, with its parameters.
  std::string algorithm;
  /// Model that ran the algorithm, not owned; nullptr when the process of the run died.
  const Model* model = nullptr;
  /// Outcome of the run.
  Status status = Status::ok;
  /// Reason of a status other than ok, in one sentence; empty when the status is ok.
  std::string error;
  /// Cause of a failure; meaningful only when the status is error.
  FailureCause cause = FailureCause::model;
  /// Figures of the run, such as the makespan; valid only when the status is ok.
  Figures figures;
  /// Figures of each worker, by worker index from 0; empty unless RunOptions::worker_figures is
  /// set.
  std::vector<Figures> workers;
  /// Decisions that the algorithm reported, as (key, value) pairs; may be empty.
  Details details;
  /// Makespans of the repetitions under noise in simulated seconds, in the order of the
  /// repetitions; empty for a single run. With repetitions the figure kMakespan is their mean, and
  /// the other figures are those of the repetition with the median makespan (the lower of two).
  std::vector<double> makespans_s;

  /// Makes the record of a run that did not complete; it has no figures. `model` is nullptr if the
  /// process died; `why` becomes the member `error`; `cause` matters only when `status` is error.
  static Record failed(std::string algorithm, const Model* model, Status status, std::string why,
                       FailureCause cause = FailureCause::model);
  /// Calls `run` with a record of status ok to fill in, and returns that record. If `run` throws
  /// NotApplicable, returns a record "not applicable" instead; for SimulationError, InputError or
  /// std::bad_alloc one with status error, whose cause is that of a MachineError, `memory` for
  /// std::bad_alloc, else `model`. Other exceptions pass through.
  static Record of_run(const std::string& algorithm, const Model* model,
                       const std::function<void(Record&)>& run);
};

}  // namespace starport
