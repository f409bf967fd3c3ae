// The table of figures, and what is made from it.
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/results/figure.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/paths.hpp"
#include "tests/star/star_support.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>

namespace starport {
namespace {

using test::shell;

TEST(Figures, EachIsDeclaredOnceAndSaysWhatItMeans) {
  std::set<std::string_view> keys;
  for (const Figure* figure : merge_figures(label_columns(), figures_of(model_registry().models))) {
    EXPECT_TRUE(keys.insert(figure->key).second) << figure->key;
    EXPECT_FALSE(figure->label.empty()) << figure->key;
    EXPECT_FALSE(figure->meaning.empty()) << figure->key;
    const bool seconds = figure->key.ends_with("_s") && !figure->key.ends_with("_per_s");
    EXPECT_EQ(figure->unit == "s", seconds) << figure->key;
  }
}

TEST(Figures, ValuesForPeople) {
  EXPECT_EQ(format_value(Form::date, 1835.1299), "1835.13");
  EXPECT_EQ(format_value(Form::ratio, 1.0), "1.000");
  EXPECT_EQ(format_value(Form::share, 0.9315), "93.2%");
  EXPECT_EQ(format_value(Form::per_update, 0.04175), "0.0418");
  EXPECT_EQ(format_value(Form::count, std::int64_t{334000}), "334000");
  EXPECT_EQ(format_value(Form::duration, 37.22e-6), "37.22 us");
  EXPECT_EQ(format_value(Form::duration, 0.0), "-");
  EXPECT_EQ(format_value(Form::ratio, {}), "-");
  EXPECT_EQ(format_exact({}), "");
}

TEST(Explain, ListsAllAndExplainsOne) {
  const auto all = shell("starport explain");
  EXPECT_EQ(all.status, 0) << all.err;
  for (const char* key : {"makespan_s", "times_bound", "steady_state_bound_s", "details"}) {
    EXPECT_NE(all.out.find(std::string("\n") + key + " "), std::string::npos) << key;
  }
  const auto one = shell("starport explain times_bound 'rel. work'");
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_NE(one.out.find("times_bound: makespan / any_schedule_bound_s; none for "),
            std::string::npos)
      << one.out;
  EXPECT_NE(one.out.find("relative_work: "), std::string::npos) << one.out;
  const auto bad = shell("starport explain makespan");
  EXPECT_EQ(bad.status, 0) << "by its heading: " << bad.err;
  const auto unknown = shell("starport explain makspan_s");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("'makespan_s'"), std::string::npos) << unknown.err;
}

TEST(ResultsSchema, IsTheShippedOne) {
  const auto made = shell("starport explain --schema");
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.out, read_file(STARPORT_SOURCE_DIR "/experiments/results.schema.json"))
      << "starport explain --schema > experiments/results.schema.json";
}

TEST(ResultsSchema, HoldsForRuns) {
  const test::JsonSchema schema("experiments/results.schema.json");
  const test::TemporaryFile platform(R"({"schema_version": 1, "name": "p", "block_size": 1,
      "workers": [{"c_s": 1, "w_s": 2, "m_blocks": 12}, {"c_s": 2, "w_s": 3, "m_blocks": 21}]})");
  for (const char* options :
       {"--heuristics all+", "--heuristics all --noise cv=0.1 --repetitions 3",
        "--heuristics HoLM,BMM --engine analytic"}) {
    const auto run =
        shell("starport run " + platform.path() + " --problem 4x3x6 --json " + options);
    auto json = test::json_of(run.out);
    EXPECT_TRUE(schema.accepts(json)) << options << "\n" << json.dump(2);
    json.at("results").at(0)["no_such_figure"] = 1;
    EXPECT_FALSE(schema.accepts(json)) << options;
  }
}

}  // namespace
}  // namespace starport
