// Instances that are planned and run as a batch have the same rows as single runs.
#include "sim/app/model_registry.hpp"
#include "sim/results/comparison.hpp"
#include "sim/sweep/row_file.hpp"
#include "sim/sweep/run_sweep.hpp"
#include "tests/paths.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace starport {
namespace {

/// Compares the rows of the first `count` instances of a specification, run as a batch and singly.
void expect_rows_of_each(const std::string& path, std::int64_t count) {
  SCOPED_TRACE(path);
  const Specification specification = load_specification(
      std::filesystem::path(STARPORT_SOURCE_DIR "/experiments") / path, model_registry());
  std::vector<SweepInstance> instances;
  for (std::int64_t n = 1; n <= count; ++n) instances.push_back(specification.instance(n));
  const SweepOptions options{.engine = EngineKind::analytic};
  const auto batch = run_instances(instances, specification.models(), options, RunMode::in_process);
  ASSERT_EQ(batch.size(), instances.size());
  const ResultRows rows(specification);
  for (std::size_t k = 0; k < instances.size(); ++k) {
    const Comparison alone =
        run_instance(instances[k], specification.models(), options, RunMode::in_process);
    EXPECT_EQ(rows.rows(instances[k], batch[k]), rows.rows(instances[k], alone))
        << "instance " << instances[k].number;
  }
}

TEST(BatchRuns, EqualSingleRuns) {
  expect_rows_of_each("benchmark/random.json", 19);
  expect_rows_of_each("ppopp08/sweep.json", 12);
  expect_rows_of_each("ipdps07/sweep.json", 12);
  const test::TemporaryFile even_panels(R"({"schema_version": 1, "name": "even", "seed": 3,
    "heuristics": ["Het[panels=even]", "HomI[panels=even]", "OMMOML[panels=even]"],
    "experiments": [{"name": "e", "repetitions": 6, "problems": ["1000x1000x1700"],
    "block_sizes": [100], "platforms": [{"generate": {"name": "g", "workers": 3, "speed": "1Gf",
    "bandwidth": {"uniform": ["10MBps", "40MBps"]}, "memory": {"choice": ["1MB", "2MB"]}}}]}]})");
  expect_rows_of_each(even_panels.path(), 6);
}

// The plan that all runs share fails before any run.
TEST(BatchRuns, AFailedPlanUnderNoiseIsARecordOfEachRun) {
  const auto heuristics = model_registry().read_algorithms("HoLM", "--heuristics");
  const Case instance = test::case_of(test::star({{1, 2, 12, 0}, {2, 3, 21, 0}}), {4, 6, 3, 1});
  const Noise noise{.transfers = {.cv = 0.1}};
  const Noise other{.seed = 1, .transfers = {.cv = 0.1}};
  const std::vector<RunInput> runs{{instance, noise}, {instance, other}};
  const auto records = star_model().run_batch(heuristics.front(), runs,
                                              {.engine = EngineKind::analytic, .isolated = false});
  ASSERT_EQ(records.size(), 2U);
  for (const Record& record : records) {
    EXPECT_EQ(record.status, Status::not_applicable);
    EXPECT_EQ(record.error, "the workers are not all alike");
  }
}

// A limit of memory that a run under noise exceeds holds for draws too, whose plan is listed once.
TEST(BatchRuns, LimitsUnderNoiseAreThoseOfSingleRuns) {
  const auto heuristics = model_registry().read_algorithms("Het", "--heuristics");
  const Case instance = test::case_of(test::star({{1, 2, 12, 0}, {2, 3, 21, 0}}), {4, 6, 3, 1});
  const Noise noise{.transfers = {.cv = 0.1}};
  const Noise other{.seed = 1, .transfers = {.cv = 0.1}};
  const std::vector<RunInput> runs{{instance, noise}, {instance, other}};
  for (const double memory_bytes : {240.0 * 5, 240.0 * 1000}) {
    RunOptions options{.engine = EngineKind::analytic,
                       .limits = {.memory_bytes = memory_bytes},
                       .isolated = false};
    const auto records = star_model().run_batch(heuristics.front(), runs, options);
    ASSERT_EQ(records.size(), 2U);
    for (std::size_t k = 0; k < runs.size(); ++k) {
      options.noise = runs[k].noise;
      const Record alone = star_model().run(heuristics.front(), instance, options);
      EXPECT_EQ(records[k].status, alone.status);
      EXPECT_EQ(records[k].error, alone.error);
      EXPECT_EQ(records[k].figures[kMakespan], alone.figures[kMakespan]);
    }
    EXPECT_EQ(records.front().status, memory_bytes < 1e4 ? Status::error : Status::ok);
  }
}

}  // namespace
}  // namespace starport
