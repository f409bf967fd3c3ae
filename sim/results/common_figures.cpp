#include "sim/results/common_figures.hpp"

#include "sim/results/comparison.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace starport {
namespace {

/// Returns makespan x enrolled workers; infinity for models that do not report relative_work, which
/// are thus left out of its minimum.
double work(const RecordContext& row) {
  const FigureList& figures = row.record.model->figures();
  if (std::ranges::find(figures, &kRelativeWork) == figures.end()) {
    return std::numeric_limits<double>::infinity();
  }
  return row[kMakespan] * row[kEnrolledWorkers];
}

}  // namespace

Value relative_cost(const RecordContext& row) { return row[kMakespan] / row.minimum(kMakespan); }
Value relative_work(const RecordContext& row) { return work(row) / row.minimum(work); }

FigureList common_figures() {
  return {&kMakespan,     &kRepetitionCount, &kMedianMakespan, &kLowMakespan, &kHighMakespan,
          &kLowAboveBest, &kHighAboveBest,   &kWithinNoise,    &kDecision,    &kSimulation};
}

const FigureList& label_columns() {
  constexpr auto label = [](std::string_view key, std::string_view meaning,
                            std::string_view axis = {}) {
    return figure(key, key, "", Form::text, Scope::label, meaning, "", axis);
  };
  static const std::array columns{
      label("instance", "number of the instance in its sweep, from 1"),
      label("experiment", "name of the experiment of the sweep"),
      label("platform", "name of the platform"),
      label("problem", "matrix product in elements, nAxnABxnB"),
      label("block_size", "q, the side of a block in matrix elements", "block size q (elements)"),
      label("repetition", "number of the random draw of the platform or of the noise, from 1"),
      label("seed", "seed from which the platform was drawn; empty for platform files"),
      label("noise", "noise as --noise accepts it; its factors depend on the repetition"),
      label("workers", "number of workers of the platform"),
      label("r", "block rows of A and C", "r (blocks)"),
      label("s", "block columns of B and C", "s (blocks)"),
      label("t", "block columns of A, block rows of B", "t (blocks)"),
      label("engine", "simulation engine: simgrid or analytic"),
      label("heuristic", "algorithm as --heuristics accepts it"),
      label("status", "ok, error or not applicable"),
      label("error", "reason when the status is not ok"),
      label("cause", "cause of an error: model, time, memory (limits of this machine) or killed"),
      label("details", "decisions of the algorithm, as key=value; ...")};
  static const FigureList list = [] {
    FigureList figures;
    for (const Figure& figure : columns) figures.push_back(&figure);
    return figures;
  }();
  return list;
}

}  // namespace starport
