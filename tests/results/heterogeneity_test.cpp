// Parameters of generators as axes of sweeps, and measures of platforms as columns.
#include "sim/results/heterogeneity.hpp"

#include "sim/sweep/row_file.hpp"
#include "tests/star/star_support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace starport {
namespace {

std::string drawn_sweep(const std::string& generator, const std::string& more = "") {
  return R"({"schema_version": 1, "name": "x", "seed": 3, "heuristics": ["ODDOML"], )" + more +
         R"("experiments": [{"name": "e", "repetitions": 2, "problems": ["80x80x80"],
             "platforms": [{"generate": {"name": "g", "workers": 3, )" +
         generator + "}}]}]}";
}

constexpr const char* kRatios =
    R"("parameters": {"ratio": [1, 4], "memory_each": ["1MB", "2MB"]}, "bandwidth": "1MBps",
       "speed": {"divide": "1Gf", "by": {"uniform": [1, "$ratio"]}}, "memory": "$memory_each")";

std::string fault_of_sweep(const std::string& text) {
  const test::TemporaryFile file(text);
  try {
    load_specification(file.path());
  } catch (const InputError& error) {
    return error.place + ": expected " + error.expected + ", found " + error.found +
           (error.hint.empty() ? "" : " (" + error.hint + ")");
  }
  return "";
}

TEST(GeneratorParameters, AreAxes) {
  const test::TemporaryFile file(drawn_sweep(kRatios));
  const Specification read = load_specification(file.path());
  EXPECT_EQ(read.override_columns(), (std::vector<std::string>{"memory_each", "ratio"}));
  ASSERT_EQ(read.size(), 8);
  std::string instances;
  for (std::int64_t number = 1; number <= read.size(); ++number) {
    const SweepInstance instance = read.instance(number);
    instances += fmt::format("{} {} {}; ", instance.override_text("memory_each"),
                             instance.override_text("ratio"), instance.repetition);
  }
  EXPECT_EQ(instances, "1MB 1 1; 1MB 1 2; 1MB 4 1; 1MB 4 2; 2MB 1 1; 2MB 1 2; 2MB 4 1; 2MB 4 2; ");
  // Every ratio has the same draws u: at ratio 4 a speed is 1 Gflop/s / (1 + 3 u).
  const auto speed = [&](std::int64_t number) {
    return std::get<PlatformFile::Physical>(read.instance(number).file.entries.front().worker)
        .speed_flops;
  };
  EXPECT_EQ(speed(1), 1e9);
  EXPECT_EQ(speed(3), speed(7));
  EXPECT_LT(speed(3), 1e9);
  EXPECT_NE(speed(3), speed(4));
}

TEST(GeneratorParameters, ThatCannotBe) {
  EXPECT_EQ(
      fault_of_sweep(drawn_sweep(R"("parameters": {"ratio": [1, 4]}, "bandwidth": "1MBps",
                "memory": "1MB", "speed": {"divide": "1Gf", "by": {"uniform": [1, "$ration"]}})")),
      "/experiments/0/platforms/0/generate/speed/by/uniform/1: expected a value, or one of the "
      "generator's parameters, found '$ration' (did you mean 'ratio'?)");
  EXPECT_EQ(fault_of_sweep(drawn_sweep(R"("parameters": {"ratio": [1, 4]}, "bandwidth": "1MBps",
                "memory": "1MB", "speed": "1Gf")")),
            "/experiments/0/platforms/0/generate/parameters/ratio: expected a parameter that a "
            "distribution names, as \"$ratio\", found none that does");
  EXPECT_EQ(fault_of_sweep(drawn_sweep(R"("parameters": {"seed": ["1MB"]}, "bandwidth": "1MBps",
                "memory": "$seed", "speed": "1Gf")")),
            "/experiments/0/platforms/0/generate/parameters/seed: expected a name that no other "
            "column has, found 'seed'");
  EXPECT_NE(fault_of_sweep(drawn_sweep(R"("parameters": {}, "bandwidth": "1MBps", "memory": "1MB",
                "speed": "1Gf")"))
                .find("/parameters: expected names and values, such as"),
            std::string::npos);
  std::string values = "0";
  for (int value = 1; value < 1000; ++value) values += ',' + std::to_string(value);
  EXPECT_NE(
      fault_of_sweep(drawn_sweep("\"parameters\": {\"a\": [" + values + "], \"b\": [" + values +
                                 "]}, \"bandwidth\": \"$a\", \"speed\": \"$b\", "
                                 "\"memory\": \"1MB\""))
          .find("/parameters: expected at most 100000 combinations of values, found"),
      std::string::npos);
}

// c of 1, 1, 4: mean 2, variance (1 + 1 + 4) / 3. w all alike. m of 5, 10, 15: mean 10, variance
// 50/3.
TEST(Heterogeneity, Measures) {
  const Platform platform = test::star({{1, 7, 5}, {1, 7, 10}, {4, 7, 15}});
  std::string all;
  for (const PlatformMeasure& measure : platform_measures()) {
    all += fmt::format("{} {:.6f}; ", measure.figure.key, measure.compute(platform));
  }
  EXPECT_EQ(all, fmt::format("c_cv {:.6f}; c_ratio 4.000000; w_cv 0.000000; w_ratio 1.000000; "
                             "m_cv {:.6f}; m_ratio 3.000000; ",
                             std::sqrt(2) / 2, std::sqrt(50.0 / 3) / 10));
}

TEST(Heterogeneity, IsAColumnWhereItIsAskedFor) {
  const test::TemporaryFile file(drawn_sweep(kRatios, R"("measures": ["w_ratio"], )"));
  const Specification read = load_specification(file.path());
  const ResultRows rows(read);
  EXPECT_NE(rows.header().find(",memory_each,ratio,workers,w_ratio,r,s,t,"), std::string::npos);
  EXPECT_EQ(fault_of_sweep(drawn_sweep(kRatios, R"("measures": ["w_rato"], )")),
            "/measures/0: expected one of c_cv, c_ratio, w_cv, w_ratio, m_cv, m_ratio, found "
            "'w_rato' (did you mean 'w_ratio'?)");
}

TEST(Heterogeneity, IsEmptyWhereAMemoryHoldsNoBlock) {
  const test::TemporaryFile file(R"({"schema_version": 1, "name": "s", "heuristics": ["BMM"],
      "measures": ["m_ratio", "w_ratio"], "experiments": [{"name": "e", "problems": ["800x800x800"],
      "platforms": [{"platform": {"schema_version": 1, "name": "p", "block_size": 80, "workers": [
        {"bandwidth": "1MBps", "speed": "1Gf", "memory": "1GB"},
        {"bandwidth": "1MBps", "speed": "1Gf", "memory": "1kB"}]}}]}]})");
  const test::TemporaryDirectory work;
  const auto made =
      test::shell(fmt::format("starport sweep {0} --engine analytic -o {1}/r >&2 && cut -d, -f8-10 "
                              "{1}/r/results.csv",
                              file.path(), work.path().string()));
  EXPECT_EQ(made.out, "workers,m_ratio,w_ratio\n2,,1\n");
}

TEST(Heterogeneity, InResults) {
  const test::TemporaryFile file(drawn_sweep(kRatios, R"("measures": ["w_ratio", "m_cv"], )"));
  const test::TemporaryDirectory work;
  const auto made = test::shell(fmt::format(
      "starport sweep -j 1 {0} --engine analytic -o {1}/r && cut -d, -f8-11 {1}/r/results.csv && "
      "starport plot {1}/r/results.csv --figure lines --x ratio --band quartiles --value "
      "relative_cost -o {1}/q.csv && starport plot {1}/r/results.csv --figure lines --x w_ratio "
      "--bins 2 --band 95% -o {1}/b.csv && cat {1}/q.csv && wc -l < {1}/b.csv",
      file.path(), work.path().string()));
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_NE(made.out.find("memory_each,ratio,workers,w_ratio\n1MB,1,3,1\n"), std::string::npos)
      << made.out;
  EXPECT_NE(made.out.find("x,bound,heuristic,style,value,least,greatest\r\n1,,ODDOML,6,1,1,1\r\n"
                          "4,,ODDOML,6,1,1,1\r\n3\n"),
            std::string::npos)
      << made.out;
}

}  // namespace
}  // namespace starport
