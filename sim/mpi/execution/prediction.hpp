// How far the prediction of a run can be trusted, by what was measured and what was not.
#pragma once

#include "sim/platform/platform_file.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/engine/engine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starport::mpi {

/// A makespan is predicted where it is known to so much, up and down.
inline constexpr double kPromise = 0.05;

/// A plan, and its run by the figures of the platform.
struct Foreseen {
  const PlatformFile& file;
  const Platform& platform;
  const Problem& problem;
  const Planner& planner;
  const Trace& trace;
};

struct Prediction {
  Trace trace;
  /// Where the makespan lies with 95% confidence, where that can be told.
  std::optional<MedianInterval> interval_s{};
};

/// The run by what was measured, as far as something was.
Trace predicted_trace(const Foreseen& run);

/// The run, its messages as long as such ones were when they were measured: of their sizes, and
/// while the worker computes or not, which a line through two of them does not tell. The interval
/// is that of draws from what was left open: the samples of messages, drawn anew, and the times of
/// updates (uncertainty.hpp). nullopt where nothing was measured.
std::optional<Prediction> predict_measured(const Foreseen& run);

/// What to say where an interval is wider than the promise, around what is predicted, and what to
/// do; empty where it is not.
std::string broken_promise(const MedianInterval& interval, double predicted_s);

/// What the run needs and the calibration did not measure, and what to do; once for all workers of
/// which the same is to be said.
std::vector<std::string> unmeasured(const Foreseen& run);

}  // namespace starport::mpi
