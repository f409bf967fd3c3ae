// The results of several heuristics on one instance, and their text forms.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/star/bounds/bounds.hpp"
#include "sim/star/bounds/makespan_bounds.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/problem.hpp"
#include "sim/study/statistics.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport {

enum class Status { ok, error, not_applicable };
const char* to_string(Status status);

/// What a heuristic decided, as key and value.
using Details = std::vector<std::pair<std::string, std::string>>;
/// "key=value; key=value", as in CSV.
std::string details_text(const Details& details);

/// One heuristic's row. Metrics and relative figures mean something only when status is ok.
struct Result {
  std::string heuristic;
  Status status = Status::ok;
  std::string error;  ///< why not
  Metrics metrics;
  double decision_s = 0;     ///< wall-clock time of planning
  double simulation_s = 0;   ///< wall-clock time of the engine
  double relative_cost = 0;  ///< makespan / the smallest one
  double relative_work = 0;  ///< makespan * enrolled workers / the smallest one
  double bound_ratio = 0;    ///< rho / throughput
  double times_bound = 0;    ///< makespan / the bound on any schedule
  Details details;
  /// Under noise, when there are several: the makespan is then their mean, and the other figures
  /// are those of the repetition with the median makespan (the lower one of two).
  std::optional<Repetitions> repetitions;
};

/// What made the results.
struct Provenance {
  std::string simgrid_version;
  std::string platform_file;
  std::vector<std::string> command;  ///< argv
};

struct Comparison {
  Platform platform;
  Problem problem;
  std::string engine;
  std::string noise;  ///< as --noise takes it; empty: none
  SteadyState bound;
  MakespanBounds bounds;
  std::vector<Result> results;  ///< in the order asked for
  Provenance provenance;
};

/// Fills in the figures that compare the results with each other and with the bound.
void relate(Comparison& comparison);

/// For people: the platform, then a row per heuristic, best first.
std::string to_table(const Comparison& comparison);
/// One JSON object (README, "Results").
std::string to_json(const Comparison& comparison);
/// The same names, one row per heuristic, RFC 4180.
std::string to_csv(const Comparison& comparison);

/// The block about the platform alone: one line for consecutive workers that are alike.
std::string platform_table(const Platform& platform, const Problem& problem);

}  // namespace starport
