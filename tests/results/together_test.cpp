// Instances that are run together have the rows that each has alone.
#include "sim/app/model_registry.hpp"
#include "sim/results/comparison.hpp"
#include "sim/sweep/result_rows.hpp"
#include "sim/sweep/run_sweep.hpp"
#include "tests/paths.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace starport {
namespace {

/// Of the first instances of a specification: of one experiment and of several, of workers alike
/// and all different.
void expect_rows_of_each(const std::string& path, std::int64_t count) {
  SCOPED_TRACE(path);
  const Specification specification =
      load_specification(std::string(STARPORT_SOURCE_DIR) + "/experiments/" + path, model_registry());
  std::vector<SweepInstance> instances;
  for (std::int64_t n = 1; n <= count; ++n) instances.push_back(specification.instance(n));
  const SweepOptions options{.engine = EngineKind::analytic};
  const auto together = run_instances(instances, specification.models(), options, RunMode::in_process);
  ASSERT_EQ(together.size(), instances.size());
  const ResultRows rows(specification);
  for (std::size_t k = 0; k < instances.size(); ++k) {
    const Comparison alone =
        run_instance(instances[k], specification.models(), options, RunMode::in_process);
    EXPECT_EQ(rows.rows(instances[k], together[k]), rows.rows(instances[k], alone))
        << "instance " << instances[k].number;
  }
}

TEST(RunTogether, GivesTheRowsOfEach) {
  expect_rows_of_each("benchmark/random.json", 19);
  expect_rows_of_each("ppopp08/sweep.json", 12);
  expect_rows_of_each("ipdps07/sweep.json", 12);
}

}  // namespace
}  // namespace starport
