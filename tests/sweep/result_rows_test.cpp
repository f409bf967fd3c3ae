// Rows of results: their columns, and failures, which are rows too.
#include "sim/app/model_registry.hpp"
#include "sim/results/comparison.hpp"
#include "sim/sweep/row_file.hpp"
#include "sim/sweep/run_sweep.hpp"
#include "tests/star/star_support.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace starport {
namespace {

constexpr const char* kOneStar = R"({"schema_version": 1, "name": "x",
    "heuristics": ["ODDOML", "BMM", "HoLM"],
    "experiments": [{"name": "e", "problems": ["80x80x160"], "platforms": [{"platform":
      {"schema_version": 1, "name": "p", "workers": [
        {"bandwidth": "1MBps", "speed": "1Gf", "memory": "1MB"}]}}]}]})";

TEST(ResultRows, CountFailuresOfTheMachineApart) {
  const test::TemporaryFile file(kOneStar);
  const Specification specification = load_specification(file.path());
  const SweepInstance instance = specification.instance(1);
  const ResultRows rows(specification);
  Comparison comparison{.engine = EngineKind::analytic};
  const std::vector causes{FailureCause::time, FailureCause::model, FailureCause::memory};
  for (std::size_t i = 0; i < causes.size(); ++i) {
    comparison.records.push_back(Record::failed((*instance.experiment->algorithms)[i].name, nullptr,
                                                Status::error, "why", causes[i]));
  }
  ResultRows::Failures failures;
  EXPECT_EQ(rows.find_fault(instance, rows.rows(instance, comparison), failures), "");
  EXPECT_EQ(failures.all, 3);
  EXPECT_EQ(failures.of_machine, 2);
}

// Their cells are empty, `details` says why, and --resume takes them as complete.
TEST(ResultRows, SayWhyThereAreNoBounds) {
  const test::TemporaryFile file(kOneStar);
  const Specification specification = load_specification(file.path());
  const SweepInstance instance = specification.instance(1);
  Comparison comparison = run_instance(instance, specification.models(),
                                       {.engine = EngineKind::analytic}, RunMode::in_process);
  const ResultRows rows(specification);
  EXPECT_EQ(rows.rows(instance, comparison).find("no_bounds"), std::string::npos);
  comparison.bounds.assign(1, Figures());
  comparison.bounds_errors.assign(1, "timed out after 5 s");
  const std::string text = rows.rows(instance, comparison);
  const std::string first = text.substr(0, text.find("\r\n"));
  EXPECT_TRUE(first.ends_with("no_bounds=timed out after 5 s")) << first;
  ResultRows::Failures failures;
  EXPECT_EQ(rows.find_fault(instance, text, failures), "");
  EXPECT_EQ(failures.of_machine, 0);
}

// As `starport run --csv` prints it.
TEST(ResultRows, OfOneComparisonEndInItsDetails) {
  const Case instance = test::case_of(test::star({{1, 2, 60, 0}}), {4, 4, 4, 80});
  const auto algorithms = model_registry().read_algorithms("ODDOML,BMM", "heuristics");
  const std::string csv = to_csv(
      compare(algorithms, instance, model_registry().models, {.engine = EngineKind::analytic}));
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < csv.size();) {
    const std::size_t end = csv.find("\r\n", at);
    ASSERT_NE(end, std::string::npos) << csv;
    lines.push_back(csv.substr(at, end - at));
    at = end + 2;
  }
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(lines[0].starts_with("platform,r,s,t,")) << csv;
  EXPECT_TRUE(lines[0].ends_with(",details")) << csv;
  for (const std::string& line : lines) {
    EXPECT_EQ(std::ranges::count(line, ','), std::ranges::count(lines[0], ',')) << csv;
  }
}

}  // namespace
}  // namespace starport
