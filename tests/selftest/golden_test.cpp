// Golden numbers of drawn cases of every model.
#include "tests/golden.hpp"

#include "sim/app/model_registry.hpp"
#include "sim/files/error.hpp"
#include "sim/results/timeline.hpp"
#include "sim/sweep/specification.hpp"
#include "tests/selftest/random_cases.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace starport {
namespace {

using test::Checksum;

/// Adds the figures that do not depend on this machine.
void add(Checksum& sum, const Figures& values, const FigureList& figures) {
  for (const Figure* figure : figures) {
    const double value = values.real(*figure);
    if (!figure->wall_clock && std::isfinite(value)) sum.add(value);
  }
}

void add(Checksum& sum, const Timeline& timeline) {
  visit_by_date(timeline, [&](const Slice& slice) {
    for (const double number :
         {static_cast<double>(slice.lane), static_cast<double>(slice.other_lane.value_or(99)),
          static_cast<double>(slice.kind), slice.start_s, slice.end_s,
          slice.held ? static_cast<double>(slice.held->blocks) : 0,
          static_cast<double>(timeline.labels[slice.label].size())}) {
      sum.add(number);
    }
    for (const std::int64_t value : timeline.values_of(slice)) sum.add(static_cast<double>(value));
  });
  sum.add(timeline.bound_s.value_or(0));
  sum.add(timeline.end_s());
}

void add(Checksum& sum, const NamedAlgorithm& algorithm, const Case& instance, const Noise& noise) {
  const Model& model = model_of(*algorithm.algorithm, model_registry().models);
  RunOptions options{.engine = EngineKind::analytic,
                     .noise = noise,
                     .isolated = false,
                     .worker_figures = true,
                     .on_timeline = [&](const Timeline& timeline) { add(sum, timeline); }};
  if (model.find_obstacle(instance, options)) return;
  const Record record = model.run(algorithm, instance, options);
  sum.add(static_cast<double>(record.status));
  if (record.status != Status::ok) return;
  add(sum, record.figures, model.figures());
  for (const Figures& worker : record.workers) add(sum, worker, model.figures());
  sum.add(static_cast<double>(details_text(record.details).size()));
}

// Figures of runs, workers and bounds, timelines and details. A change of any decision, date or
// formula changes a number.
TEST(SelfTestGolden, RunsOfDrawnCases) {
  const Models& models = model_registry().models;
  std::map<std::string, std::vector<double>> numbers;
  for (std::int64_t number = 1; number <= 900; ++number) {
    const test::TemporaryFile file(draw_case(45, number, models));
    const Specification drawn = load_specification(file.path(), model_registry());
    Checksum sum;
    for (std::int64_t i = 1; i <= drawn.size(); ++i) {
      const SweepInstance point = drawn.instance(i);
      const Case instance = point.in_blocks();
      for (const NamedAlgorithm& algorithm : *point.experiment->algorithms)
        add(sum, algorithm, instance, point.noise);
      for (const Model* model : models_of(*point.experiment->algorithms, models))
        add(sum, model->bounds(instance, point.noise), model->figures());
    }
    numbers[drawn.experiments.front().name].push_back(sum.value());
  }
  test::expect_golden("tests/selftest/runs.golden", numbers);
}

}  // namespace
}  // namespace starport
