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

/// The outcome of a run.
enum class Status { ok, error, not_applicable };
/// Returns "ok", "error" or "not applicable".
const char* to_string(Status status);

/// Decisions of an algorithm, such as the ratio it chose, as keys and values.
using Details = std::vector<std::pair<std::string, std::string>>;
/// Returns "key=value; key=value", as in CSV.
std::string details_text(const Details& details);

/// The record of one algorithm on one instance: a row of results. Figures are valid only when the
/// status is ok.
struct Record {
  std::string algorithm;         ///< as the user requested it
  const Model* model = nullptr;  ///< that ran it; nullptr when its process died
  Status status = Status::ok;
  std::string error;                         ///< reason when the status is not ok
  FailureCause cause = FailureCause::model;  ///< set when the status is error
  Figures figures;
  std::vector<Figures> workers;  ///< figures of each worker; empty unless requested
  Details details;
  /// Makespans of the repetitions under noise, in order; empty for a single run. With repetitions
  /// the figure kMakespan is their mean, and the other figures are those of the repetition with the
  /// median makespan (the lower of two).
  std::vector<double> makespans_s;

  /// Makes a record of a run that did not complete. `model` is nullptr if the process died; `why`
  /// becomes `error`; `cause` matters only when `status` is error.
  static Record failed(std::string algorithm, const Model* model, Status status, std::string why,
                       FailureCause cause = FailureCause::model);
  /// Calls `run` with a record to fill in and returns it. NotApplicable, SimulationError,
  /// InputError and std::bad_alloc thrown by `run` become a failed record.
  static Record of_run(const std::string& algorithm, const Model* model,
                       const std::function<void(Record&)>& run);
};

}  // namespace starport
