#include "sim/study/common_figures.hpp"

#include "sim/study/comparison.hpp"

namespace starport {
namespace {

double work(const Related& row) { return row[kMakespan] * row[kEnrolledWorkers]; }

Value relative_cost(const Related& row) { return row[kMakespan] / row.least(kMakespan); }
Value relative_work(const Related& row) { return work(row) / row.least(work); }

Figure label(std::string_view key, std::string_view meaning, std::string_view axis = {}) {
  return {.key = key,
          .label = key,
          .unit = {},
          .form = Form::text,
          .scope = Scope::label,
          .meaning = meaning,
          .source = {},
          .axis = axis};
}

}  // namespace

constinit const Figure kMakespan{.key = "makespan_s",
                                 .label = "makespan",
                                 .unit = "s",
                                 .form = Form::date,
                                 .meaning =
                                     "when the last block of C is home; under noise, the mean over "
                                     "the repetitions",
                                 .source = "PPoPP'08, section 6.3"};
constinit const Figure kRepetitionCount{
    .key = "repetitions",
    .label = "repetitions",
    .unit = {},
    .form = Form::count,
    .meaning = "runs under noise that the makespan is the mean of",
    .source = {},
    .repeated = true};
constinit const Figure kMedianMakespan{.key = "makespan_median_s",
                                       .label = "median",
                                       .unit = "s",
                                       .form = Form::date,
                                       .meaning = "the median makespan over the repetitions",
                                       .source = {},
                                       .repeated = true};
constinit const Figure kLowMakespan{
    .key = "makespan_low_s",
    .label = "95% interval, low",
    .unit = "s",
    .form = Form::date,
    .meaning = "the low end of Student's 95% interval of the mean makespan",
    .source = {},
    .repeated = true};
constinit const Figure kHighMakespan{.key = "makespan_high_s",
                                     .label = "95% interval, high",
                                     .unit = "s",
                                     .form = Form::date,
                                     .meaning = "the high end of that interval",
                                     .source = {},
                                     .repeated = true};
constinit const Figure kLowAboveBest{
    .key = "above_best_low",
    .label = "above the best, low",
    .unit = {},
    .form = Form::share,
    .meaning =
        "the low end of the 95% interval of the mean difference from "
        "the best, pair by pair, over the best mean",
    .source = {},
    .repeated = true};
constinit const Figure kHighAboveBest{.key = "above_best_high",
                                      .label = "above the best, high",
                                      .unit = {},
                                      .form = Form::share,
                                      .meaning = "the high end of that interval",
                                      .source = {},
                                      .repeated = true};
constinit const Figure kWithinNoise{
    .key = "within_noise_of_best",
    .label = "within noise",
    .unit = {},
    .form = Form::yes_no,
    .meaning = "whether that interval has 0: it may be as good as the best",
    .source = {},
    .repeated = true};
constinit const Figure kDecision{.key = "decision_s",
                                 .label = "decision",
                                 .unit = "s",
                                 .form = Form::duration,
                                 .meaning = "wall-clock time of planning",
                                 .source = {},
                                 .wall_clock = true};
constinit const Figure kSimulation{.key = "simulation_s",
                                   .label = "simulation",
                                   .unit = "s",
                                   .form = Form::duration,
                                   .meaning = "wall-clock time of the engine",
                                   .source = {},
                                   .wall_clock = true};
constinit const Figure kEnrolledWorkers{.key = "enrolled_workers",
                                        .label = "enrolled",
                                        .unit = "workers",
                                        .form = Form::count,
                                        .meaning = "workers that take part",
                                        .source = "PPoPP'08, section 6.3"};
constinit const Figure kRelativeCost{.key = "relative_cost",
                                     .label = "rel. cost",
                                     .unit = {},
                                     .form = Form::ratio,
                                     .meaning = "makespan / the smallest makespan of the instance",
                                     .source = "PPoPP'08, section 6.3",
                                     .relate = relative_cost};
constinit const Figure kRelativeWork{
    .key = "relative_work",
    .label = "rel. work",
    .unit = {},
    .form = Form::ratio,
    .meaning = "makespan x enrolled workers / the smallest of the instance",
    .source = "PPoPP'08, section 6.3",
    .relate = relative_work};

FigureList common_figures() {
  return {&kMakespan,     &kRepetitionCount, &kMedianMakespan, &kLowMakespan, &kHighMakespan,
          &kLowAboveBest, &kHighAboveBest,   &kWithinNoise,    &kDecision,    &kSimulation};
}

const FigureList& labels() {
  static const Figure instance =
      label("instance", "the number of the instance in its sweep, from 1");
  static const Figure experiment = label("experiment", "the part of the sweep that it belongs to");
  static const Figure platform = label("platform", "the name of the platform");
  static const Figure problem = label("problem", "the product, in matrix elements: nAxnABxnB");
  static const Figure block_size =
      label("block_size", "q, the side of a block in matrix elements", "block size q (elements)");
  static const Figure repetition =
      label("repetition", "which draw of the platform or of the noise, from 1");
  static const Figure seed = label("seed", "what the platform was drawn with; empty: it was not");
  static const Figure noise = label("noise", "as --noise takes it; the repetition is the row's");
  static const Figure workers = label("workers", "workers of the platform");
  static const Figure r = label("r", "block rows of A and C", "r (blocks)");
  static const Figure s = label("s", "block columns of B and C", "s (blocks)");
  static const Figure t = label("t", "block columns of A, block rows of B", "t (blocks)");
  static const Figure engine = label("engine", "simgrid, or analytic");
  static const Figure heuristic = label("heuristic", "the algorithm, as --heuristics takes it");
  static const Figure status = label("status", "ok, error or not applicable");
  static const Figure error = label("error", "why the status is not ok");
  static const Figure details = label("details", "what the algorithm decided, as key=value; ...");
  static const FigureList all{&instance, &experiment, &platform, &problem, &block_size, &repetition,
                              &seed,     &noise,      &workers,  &r,       &s,          &t,
                              &engine,   &heuristic,  &status,   &error,   &details};
  return all;
}

const Figure* find_figure(const FigureList& figures, std::string_view key) {
  for (const Figure* figure : figures) {
    if (figure->key == key) return figure;
  }
  return nullptr;
}

}  // namespace starport
