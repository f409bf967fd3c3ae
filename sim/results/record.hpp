// The result of one algorithm on one instance, whatever its model.
#pragma once

#include "sim/files/error.hpp"
#include "sim/results/figure.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace starport {

class Model;

enum class Status { ok, error, not_applicable };
const char* to_string(Status status);

/// What an algorithm decided, as key and value.
using Details = std::vector<std::pair<std::string, std::string>>;
/// "key=value; key=value", as in CSV.
std::string details_text(const Details& details);

/// One row. Figures mean something only when the status is ok.
struct Record {
  std::string algorithm;         ///< as it was asked for
  const Model* model = nullptr;  ///< whose figures it has
  Status status = Status::ok;
  std::string error;           ///< why not
  FailureCause cause = FailureCause::model;  ///< of an error
  Figures figures;
  std::vector<Figures> workers;  ///< of each worker; empty where nobody asked
  Details details;
  /// Of the repetitions under noise, in order, when there are several: the makespan is then their
  /// mean, and the other figures are those of the one with the median makespan (the lower of two).
  std::vector<double> makespans_s;

  static Record failed(std::string algorithm, const Model* model, Status status, std::string why,
                       FailureCause cause = FailureCause::model);
  /// The one that `run` fills in, or the failure that it throws.
  static Record of_run(const std::string& algorithm, const Model* model,
                       const std::function<void(Record&)>& run);
};

}  // namespace starport
