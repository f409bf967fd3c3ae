// Specifications of sweeps: instances, overrides, drawn platforms and invalid documents.
#include "sim/sweep/specification.hpp"

#include "sim/files/error.hpp"
#include "sim/sweep/description.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/paths.hpp"
#include "tests/star/star_support.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

namespace starport {
namespace {

using test::TemporaryFile;

constexpr const char* kStar = R"({"platform": {"schema_version": 1, "name": "star", "workers": [
    {"count": 2, "bandwidth": "10MBps", "speed": "1Gf", "memory": "1GiB"},
    {"bandwidth": "20MBps", "speed": "1Gf", "memory": "1GiB"}]}})";

/// A specification with one experiment, whose text is `platforms` and other keys.
std::string with(const std::string& platforms, const std::string& keys = "") {
  return R"({"schema_version": 1, "name": "x", "seed": 7, "experiments": [{"name": "e",
      "problems": ["80x80x80", "80x80x160"], "platforms": [)" +
         platforms + "]" + (keys.empty() ? "" : ", " + keys) + "}]}";
}

std::string generator(const std::string& bandwidth, const std::string& workers = "4") {
  return R"({"generate": {"name": "g", "speed": "1Gf", "memory": "1GiB", "workers": )" + workers +
         R"(, "bandwidth": )" + bandwidth + "}}";
}

Specification load(const std::string& document) {
  const TemporaryFile file(document);
  return load_specification(file.path());
}

const PlatformFile::Physical& physical(const SweepInstance& instance, std::size_t entry) {
  return std::get<PlatformFile::Physical>(instance.file.entries.at(entry).worker);
}

// Overrides vary fastest, the last of them first; then block sizes, problems, repetitions,
// platforms.
TEST(Specification, InstancesAreTheProductOfTheAxes) {
  const Specification specification = load(
      with(std::string(kStar) + ", " + generator(R"({"uniform": ["1MBps", "4MBps"]})", "[2, 3]"),
           R"("block_sizes": [40, 80], "repetitions": 2, "heuristics": ["Het,BMM"], "overrides": [
                    {"field": "bandwidth", "multiply": [1, 0.5]},
                    {"field": "memory", "set": ["1MB", "2MB", "3MB"], "name": "memory"}])"));
  ASSERT_EQ(specification.size(), 3 * 2 * 2 * 2 * 6);
  EXPECT_EQ(specification.rows(), 2 * specification.size());
  EXPECT_EQ(specification.override_columns(),
            (std::vector<std::string>{"bandwidth_factor", "memory"}));
  std::set<std::string> seen;
  for (std::int64_t number = 1; number <= specification.size(); ++number) {
    const SweepInstance instance = specification.instance(number);
    seen.insert(
        instance.file.name + std::to_string(instance.file.size()) + "," + instance.problem_text +
        "," + std::to_string(instance.block_size) + "," + std::to_string(instance.repetition) +
        "," + instance.override_text("bandwidth_factor") + "," + instance.override_text("memory"));
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(specification.size()));

  const SweepInstance second = specification.instance(2);
  EXPECT_EQ(second.override_texts, (std::vector<std::string>{"1", "2000000"}));
  EXPECT_EQ(second.block_size, 40);
  const SweepInstance fourth = specification.instance(4);
  EXPECT_EQ(fourth.override_texts, (std::vector<std::string>{"0.5", "1000000"}));
  EXPECT_EQ(physical(fourth, 1).bandwidth_bytes_per_s, 10e6);
  EXPECT_EQ(physical(fourth, 1).memory_bytes, 1e6);
  EXPECT_EQ(specification.instance(7).block_size, 80);
  EXPECT_EQ(specification.instance(13).problem_text, "80x80x160");
  EXPECT_EQ(specification.instance(25).repetition, 2);
  EXPECT_EQ(specification.instance(49).file.name, "g");
  EXPECT_EQ(specification.instance(49).file.size(), 2);
  EXPECT_EQ(specification.instance(97).file.size(), 3);
}

// A drawn platform depends on the sweep's seed, its generator, its size and the repetition only.
TEST(Specification, DrawnPlatformsDependOnTheirIdentityAlone) {
  const std::string draw = generator(R"({"uniform": ["1MBps", "4MBps"]})");
  const Specification specification = load(with(draw, R"("repetitions": 2)"));
  const auto figures = [&](std::int64_t number) {
    return physical(specification.instance(number), 0).bandwidth_bytes_per_s;
  };
  EXPECT_EQ(figures(1), figures(2));  // another problem
  EXPECT_NE(figures(1), figures(3));  // another repetition
  std::string reseeded = with(draw, R"("repetitions": 2)");
  reseeded.replace(reseeded.find("\"seed\": 7"), 9, "\"seed\": 8");
  EXPECT_NE(physical(load(reseeded).instance(1), 0).bandwidth_bytes_per_s, figures(1));
  const Specification more = load(with(std::string(kStar) + ", " + draw, R"("block_sizes": [40])"));
  EXPECT_EQ(physical(more.instance(3), 0).bandwidth_bytes_per_s, figures(1));
}

std::vector<double> draws(const std::string& distribution) {
  const nlohmann::json document = test::json_of(distribution);
  const Distribution read = Distribution::read(JsonNode(document), Dimension::bandwidth);
  Random random(1);
  std::vector<double> values;
  for (int i = 0; i < 10'000; ++i) values.push_back(read.draw(random));
  return values;
}

// Each share lies within five standard deviations of its probability.
void expect_share(const std::vector<double>& values, double low, double high, double probability) {
  const auto inside =
      std::count_if(values.begin(), values.end(), [&](double x) { return low <= x && x <= high; });
  const auto n = static_cast<double>(values.size());
  EXPECT_NEAR(static_cast<double>(inside), n * probability,
              5 * std::sqrt(n * probability * (1 - probability)) + 0.5);
}

TEST(Distribution, DrawsWhatItSays) {
  const auto constant = draws(R"("8MBps")");
  expect_share(constant, 8e6, 8e6, 1);
  const auto uniform = draws(R"({"uniform": ["1MBps", "5MBps"]})");
  expect_share(uniform, 1e6, 5e6, 1);
  expect_share(uniform, 1e6, 2e6, 0.25);
  const auto logarithmic = draws(R"({"log_uniform": ["1MBps", "100MBps"]})");
  expect_share(logarithmic, 1e6, 100e6, 1);
  expect_share(logarithmic, 1e6, 10e6, 0.5);
  const auto two = draws(R"({"two_valued": ["1MBps", "2MBps"], "share": 0.2})");
  expect_share(two, 1e6, 1e6, 0.2);
  expect_share(two, 2e6, 2e6, 0.8);
  expect_share(draws(R"({"two_valued": ["1MBps", "2MBps"]})"), 1e6, 1e6, 0.5);
  const auto choice = draws(R"({"choice": ["1MBps", "2MBps", "3MBps"], "weights": [1, 2, 1]})");
  expect_share(choice, 1e6, 1e6, 0.25);
  expect_share(choice, 2e6, 2e6, 0.5);
  expect_share(draws(R"({"choice": ["1MBps", "2MBps", "3MBps"]})"), 3e6, 3e6, 1.0 / 3);
  // 12 / U[1, 4] exceeds 6 when U < 2: one third.
  const auto divided = draws(R"({"divide": "12MBps", "by": {"uniform": [1, 4]}})");
  expect_share(divided, 3e6, 12e6, 1);
  expect_share(divided, 6e6, 12e6, 1.0 / 3);
}

TEST(Specification, OverridesOfSomeWorkersLeaveTheOthers) {
  const Specification specification =
      load(with(kStar, R"("overrides": [{"field": "speed", "multiply": [3], "workers": [2]}])"));
  const Platform platform = make_star(specification.instance(1).in_blocks());
  ASSERT_EQ(platform.workers.size(), 3U);
  EXPECT_DOUBLE_EQ(platform.workers[0].w_s, 3 * platform.workers[1].w_s);
  EXPECT_EQ(platform.workers[0].w_s, platform.workers[2].w_s);
}

// Workers at 6, 3 and 2 Mf: workers of 6 Mf that do everything 1, 2 and 3 times. If each repetition
// takes half the time of the first, updates take 1, 1.5 and 2 times as long.
TEST(Specification, RepetitionsMayCostLessThanTheFirstTime) {
  const Specification specification = load(with(
      R"({"platform": {"schema_version": 1, "name": "slowed", "workers": [
          {"bandwidth": "1MBps", "speed": "6Mf", "memory": "1MB"},
          {"bandwidth": "1MBps", "speed": "3Mf", "memory": "1MB"},
          {"bandwidth": "1MBps", "speed": "2Mf", "memory": "1MB"}]}})",
      R"("overrides": [{"field": "speed", "repeat": [0.5, 1], "of": "6Mf"}])"));
  EXPECT_EQ(specification.override_columns(), (std::vector<std::string>{"speed_repetition_share"}));
  const SweepInstance half = specification.instance(1);
  const SweepInstance whole = specification.instance(2);
  EXPECT_EQ(half.override_texts, (std::vector<std::string>{"0.5"}));
  const std::vector<double> halves{6e6, 4e6, 3e6}, as_they_were{6e6, 3e6, 2e6};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(physical(half, i).speed_flops, halves[i]);
    EXPECT_DOUBLE_EQ(physical(whole, i).speed_flops, as_they_were[i]);
  }
}

TEST(Specification, OverridesOfRawWorkersMultiply) {
  const Specification specification = load(with(
      R"({"platform": {"schema_version": 1, "name": "raw", "block_size": 80, "workers": [
          {"c_s": 1, "w_s": 6, "m_blocks": 5, "latency_s": 4}]}})",
      R"("overrides": [{"field": "bandwidth", "multiply": [2]}, {"field": "speed", "multiply": [3]},
          {"field": "memory", "multiply": [1.5]}, {"field": "latency", "multiply": [0.5]}])"));
  const Worker worker = make_star(specification.instance(1).in_blocks()).workers.at(0);
  EXPECT_EQ(worker, (Worker{.c_s = 0.5, .w_s = 2, .m_blocks = 7, .latency_s = 2}));
}

// Every instance can be made from the resolved document alone.
TEST(Specification, TheResolvedDocumentStandsAlone) {
  const Specification whole =
      load_specification(STARPORT_SOURCE_DIR "/experiments/ppopp08/sweep.json");
  const Specification again = load(whole.resolved);
  ASSERT_EQ(again.size(), 30);
  EXPECT_EQ(again.resolved, whole.resolved);
  EXPECT_EQ(again.inputs.size(), 1U);
  for (std::int64_t number = 1; number <= whole.size(); ++number) {
    EXPECT_EQ(make_star(again.instance(number).in_blocks()).workers,
              make_star(whole.instance(number).in_blocks()).workers);
  }
}

struct RefusedSweep {
  std::string document;
  std::string message;
  bool by_schema = true;  ///< false: a rule that the schema cannot express
};

std::vector<RefusedSweep> refused() {
  const auto axis = [](const std::string& text) {
    return with(kStar, R"("overrides": [)" + text + "]");
  };
  const std::string e = "/experiments/0";
  const std::string g = e + "/platforms/0/generate";
  return {
      {"[]", "/: expected an object, found an empty array"},
      {R"({"schema_version": 1, "name": "x", "experiments": []})",
       "/experiments: expected at least one experiment, found an empty array"},
      {with(""), e + "/platforms: expected at least one platform, found an empty array"},
      {with(std::string(kStar) + "," + kStar),
       e + "/platforms/1: expected platforms with distinct names, found 'star' twice", false},
      {with(kStar, R"("problms": [])"),
       e + "/problms: 'problms' is not a key of this object. Did you mean 'problems'? "
           "Choose one of: name, question, comment, platforms, problems, block_sizes, overrides, "
           "repetitions, noise, heuristics"},
      {with(kStar, R"("question": 5)"), e + "/question: expected a string, found 5"},
      {with(kStar, R"("question": "a\nb")"),
       e + "/question: expected a text on one line, without control characters, found \"a\\nb\""},
      {with(kStar, R"("block_sizes": [])"),
       e + "/block_sizes: expected at least one value, found an empty array"},
      {with(kStar, R"("block_sizes": [80, 80])"),
       e + "/block_sizes/1: expected each value once, found 80"},
      {with(kStar, R"("repetitions": 0)"),
       e + "/repetitions: expected an integer from 1 to 1000000, found 0"},
      {with(kStar, R"("heuristics": ["Hett"])"),
       e + "/heuristics: 'Hett' is not a heuristic or a group. Did you mean 'Het'?", false},
      {with(kStar, R"("heuristics": [{"name": "x", "run": "Het,BMM"}])"),
       e + "/heuristics/0/run: expected one heuristic, found \"Het,BMM\"", false},
      {with(kStar, R"("heuristics": [{"name": "A", "run": "Het"}, {"name": "B", "run": "Het"}])"),
       e + "/heuristics/1/run: expected a heuristic that no other row runs, found \"Het\"", false},
      {with(kStar, R"("heuristics": [])"),
       e + "/heuristics: expected at least one heuristic, found an empty array"},
      {axis(""), e + "/overrides: expected at least one axis, found an empty array"},
      {axis(R"({"field": "bandwith", "multiply": [1]})"),
       e + "/overrides/0/field: expected bandwidth, speed, memory, latency, port, cv, transfer_cv "
           "or update_cv, found \"bandwith\" "
           "(did you mean 'bandwidth'?)"},
      {axis(R"({"field": "cv", "set": [0, "0%"]})"),
       e + "/overrides/0/set/1: expected each value once, found \"0%\"", false},
      {axis(R"({"field": "cv", "multiply": [2]})"),
       e + "/overrides/0/multiply: 'multiply' is not a key of this object. Choose one of: "
           "name, field, set"},
      {with(kStar, R"("noise": {"cv": 3})"), e + "/noise/cv: expected a coefficient of variation "
                                                 "from 0 to 2, such as 0.06 or 6%, found 3"},
      {with(kStar, R"("noise": {"stop": [{"worker": 4, "at_s": 1}]})"),
       e + "/noise: expected workers from 1 to 3, those of platform 'star', to stop, found worker "
           "4",
       false},
      {axis(R"({"field": "speed", "multiply": [1], "factor": 2})"),
       e + "/overrides/0/factor: 'factor' is not a key of this object. Choose one of: "
           "name, field, multiply, divide, set, repeat, of, workers"},
      {axis(R"({"field": "speed"})"),
       e + "/overrides/0: expected either multiply, divide, set or repeat, found none of them"},
      {axis(R"({"field": "speed", "multiply": [1], "set": ["1Gf"]})"),
       e + "/overrides/0: expected either multiply, divide, set or repeat, found several"},
      {axis(R"({"field": "speed", "repeat": [0.5]})"), e + "/overrides/0: the key 'of' is missing"},
      {axis(R"({"field": "speed", "multiply": [2], "of": "2Gf"})"),
       e + "/overrides/0: the key 'repeat' is missing"},
      {axis(R"({"field": "speed", "repeat": [1.5], "of": "2Gf"})"),
       e + "/overrides/0/repeat/0: expected a share of the first time, at most 1, found 1.5"},
      {axis(R"({"field": "memory", "repeat": [0.5], "of": "1GiB"})"),
       e + "/overrides/0/field: expected bandwidth or speed: what is done several times, found "
           "\"memory\"",
       false},
      {axis(R"({"field": "speed", "multiply": []})"),
       e + "/overrides/0/multiply: expected at least one value, found an empty array"},
      {axis(R"({"field": "speed", "multiply": [1], "workers": [4]})"),
       e + "/overrides/0/workers: expected workers from 1 to 3, those of platform 'star', found 4",
       false},
      {axis(R"({"field": "speed", "multiply": [1], "name": "ccr"})"),
       e + "/overrides/0/name: expected a name that no other column has, found 'ccr'", false},
      {axis(R"({"field": "speed", "multiply": [1], "name": "Platform"})"),
       e + "/overrides/0/name: expected a name that no other column has, found 'Platform'", false},
      {axis(R"({"field": "speed", "multiply": [1], "name": "_file"})"),
       e + "/overrides/0/name: expected a name that no other column has, found '_file'", false},
      {axis(R"({"field": "speed", "multiply": [1], "name": "_RowID_"})"),
       e + "/overrides/0/name: expected a name that no other column has, found '_RowID_'", false},
      {axis(R"({"field": "speed", "multiply": [1], "name": "x"},
               {"field": "memory", "multiply": [1], "name": "X"})"),
       e + "/overrides/1/name: expected a name that no other column has, found 'X'", false},
      {axis(R"({"field": "speed", "multiply": [1], "name": "a b"})"),
       e + "/overrides/0/name: expected a column name of letters, digits and _, found \"a b\""},
      {with(generator(R"({"uniform": ["2MBps", "1MBps"]})")),
       g + "/bandwidth/uniform: expected low <= high, found 2e+06 > 1e+06", false},
      {with(generator(R"({"uniform": ["2MBps"]})")),
       g + "/bandwidth/uniform: expected [low, high], found [\"2MBps\"]"},
      {with(generator(R"({"unifrm": []})")),
       g + "/bandwidth/unifrm: 'unifrm' is not a key of this object. Did you mean "
           "'uniform'? Choose one of: uniform, log_uniform, two_valued, share, choice, "
           "weights, divide, by"},
      {with(generator(R"({"two_valued": ["1MBps", "2MBps"], "share": 2})")),
       g + "/bandwidth/share: expected a share from 0 to 1, that of the first value, found 2"},
      {with(generator(R"({"choice": ["1MBps"], "weights": [1, 2]})")),
       g + "/bandwidth/weights: expected 1 weight, one for each value, found [1,2]", false},
      {with(generator(R"("10")")),
       g + "/bandwidth: expected a bandwidth such as \"10MBps\" or \"100Mbps\" (bits), found "
           "\"10\" (the unit is missing)",
       false},
      {with(R"({"generate": {"name": "g", "workers": 4, "parameters": {"Ratio": [1], "ratio": [1]},
             "bandwidth": {"divide": "1MBps", "by": "$ratio"}, "memory": "1GiB",
             "speed": {"divide": "1Gf", "by": "$Ratio"}}})"),
       g + "/parameters/ratio: expected a name that no other column has, found 'ratio'", false},
      {with(generator(R"("1MBps")", "0")),
       g + "/workers: expected an integer from 1 to 1000000, found 0"},
      {with(generator(R"("1MBps")", "[2, 2]")),
       g + "/workers/1: expected each value once, found 2"},
      {with(generator(R"("1MBps")"),
            R"("overrides": [{"field": "speed", "multiply": [1], "workers": [5]}])"),
       e + "/overrides/0/workers: expected workers from 1 to 4, those of platform 'g', found 5",
       false},
      {with(kStar, R"("heuristics": ["", "Het"])"),
       e + "/heuristics/0: expected the name of a heuristic, found \"\""},
      // Platform files are read only if the document has the expected form.
      {R"({"schema_version": 1, "name": "x", "experiments": [{"name": "e", "problems": ["8x8x8"],
          "platforms": "/dev/null"}]})",
       e + "/platforms: expected an array, found \"/dev/null\""},
      // No model of the algorithms can run on the platform.
      {R"({"schema_version": 1, "name": "x", "experiments": [{"name": "e", "heuristics": ["DMDA"],
          "problems": ["80x80x80"], "block_sizes": [40], "platforms": [{"platform": {
          "schema_version": 1, "name": "raw", "block_size": 80,
          "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 9}]}}]}]})",
       "/block_size: expected 40, the tile size asked for, found raw figures for 80, platform "
       "'raw'",
       false},
      // Too large for the block size of the platform, though not for 80 x 80.
      {R"({"schema_version": 1, "name": "x", "experiments": [{"name": "e",
          "problems": ["80000000000x80x80"], "platforms": [{"platform": {"schema_version": 1,
          "name": "raw", "block_size": 1, "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 9}]}}]}]})",
       e + "/problems: expected between 1 and 2147483647 blocks a side, found r=80000000000, s=80, "
           "t=80",
       false},
  };
}

TEST(Specification, IsDescribedByItsAxesAndWhatIsDrawn) {
  const Specification specification = load(
      R"({"schema_version": 1, "name": "described", "seed": 7, "heuristics": ["Het", "BMM"],
          "experiments": [{"name": "e", "question": "Why?", "repetitions": 3,
          "problems": ["80x80x80", "80x80x160"], "block_sizes": [40, 80], "noise": {"cv": 0.1},
          "platforms": [{"generate": {"name": "g", "workers": 2, "speed": {"choice": ["1Gf", "2Gf"]},
            "bandwidth": {"uniform": ["1MBps", "4MBps"]}, "memory": {"choice": ["1MB", "2MB", "4MB"]}}}],
          "overrides": [{"field": "speed", "multiply": [1, 2]}]}]})");
  EXPECT_EQ(describe_specification(specification, {}),
            "described: 24 instances, 48 rows\n"
            "e: 1 platform x 2 problems x 3 repetitions x 2 block sizes x noise cv=0.1,seed=7 x 2 "
            "values of speed_factor x 2 heuristics\n"
            "  3 platforms drawn, blocks of 40 x 40:\n"
            "               min         max     CV\n"
            "    c_i   3.483 ms    10.67 ms  40.4%\n"
            "    w_i      64 us      128 us  20.3%\n"
            "    m_i  78 blocks  312 blocks  58.2%\n");
}

TEST(Specification, FaultsNameTheirPlace) {
  for (const RefusedSweep& fault : refused()) {
    const TemporaryFile file(fault.document);
    try {
      load_specification(file.path());
      ADD_FAILURE() << "accepted: " << fault.document;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), file.path() + ": " + fault.message);
    }
  }
}

TEST(Specification, TooManyInstancesAreRefused) {
  const std::string axis = R"({"field": "speed", "name": "NAME", "multiply": [)";
  std::string values = "1";
  for (int i = 2; i <= 1000; ++i) values += "," + std::to_string(i);
  std::string overrides;
  for (const char* name : {"a", "b", "c"}) {
    std::string one = axis + values + "]}";
    one.replace(one.find("NAME"), 4, name);
    overrides += (overrides.empty() ? "" : ",") + one;
  }
  EXPECT_THROW(load(with(kStar, R"("overrides": [)" + overrides + "]")), InputError);
}

TEST(Specification, TheSchemaAgrees) {
  const test::JsonSchema schema("experiments/sweep.schema.json");
  for (const RefusedSweep& fault : refused()) {
    EXPECT_NE(schema.accepts(test::json_of(fault.document)), fault.by_schema) << fault.document;
  }
  int shipped = 0;
  const std::filesystem::recursive_directory_iterator files(STARPORT_SOURCE_DIR "/experiments");
  for (const auto& entry : files) {
    const std::string name = entry.path().filename();
    if (!name.ends_with(".json") || name.ends_with(".schema.json") || name.ends_with("claims.json"))
      continue;
    SCOPED_TRACE(entry.path());
    ++shipped;
    EXPECT_TRUE(schema.accepts(load_json(entry.path())));
    const Specification specification = load_specification(entry.path());
    EXPECT_TRUE(schema.accepts(test::json_of(specification.resolved)));
  }
  EXPECT_GE(shipped, 3);
}

// A platform printed by --platform-of equals that of the instance to the last bit.
TEST(Specification, APlatformGoesThroughAFileUnchanged) {
  const Specification specification =
      load(with(std::string(kStar) + ", " + generator(R"({"log_uniform": ["1MBps", "4MBps"]})"),
                R"("overrides": [{"field": "memory", "multiply": [0.3]}])"));
  for (const std::int64_t number : {1, 3}) {
    const SweepInstance instance = specification.instance(number);
    const std::string text = to_json(instance.file);
    const PlatformFile again = parse_platform(parse_json(text, "again"), "again");
    EXPECT_EQ(again.at_block_size(80).workers, make_star(instance.in_blocks()).workers);
  }
}

TEST(Specification, OneOfListAndPlatformOfIsPrinted) {
  const test::Outcome both =
      test::shell("starport sweep experiments/ppopp08/sweep.json --list --platform-of 2");
  EXPECT_EQ(both.status, 2);
  EXPECT_NE(both.err.find("--list: expected no --platform-of"), std::string::npos) << both.err;
}

// Of 100 blocks, 0.29 are 29; of 49, a 49th is one. In bytes as well.
TEST(Specification, FactorsOfMemoryLoseNoBlockToRounding) {
  const auto blocks = [](const std::string& memory, const std::string& factor) {
    const Specification specification = load(
        with(R"({"platform": {"schema_version": 1, "name": "x", "block_size": 80, "workers": [{)" +
                 memory + "}]}}",
             R"("overrides": [{"field": "memory", )" + factor + "}]"));
    return make_star(specification.instance(1).in_blocks()).workers.at(0).m_blocks;
  };
  const std::string raw = R"("c_s": 1, "w_s": 1, "m_blocks": )";
  EXPECT_EQ(blocks(raw + "100", R"("multiply": [0.29])"), 29);
  EXPECT_EQ(blocks(raw + "100", R"("multiply": [0.299])"), 29);
  EXPECT_EQ(blocks(raw + "490", R"("divide": [49])"), 10);
  const std::string physical = R"("bandwidth": "1GBps", "speed": "1Gf", "memory": "25088000B")";
  EXPECT_EQ(blocks(physical, R"("divide": [49])"), 10);
}

// Figures of workers in blocks, and speeds measured by size: slower ones by the same factor.
TEST(Specification, DividedSpeedsOfRawWorkersAreSlowerAtEachSize) {
  const auto update_s = [](const std::string& factor) {
    const Specification specification = load(
        with(R"({"platform": {"schema_version": 1, "name": "x", "block_size": 80, "workers": [{)"
             R"("c_s": 1, "w_s": 2, "m_blocks": 100, "speed_function": [{"rows": 1, "columns": 1, )"
             R"("inner": 1, "block_size": 80, "seconds": 3}, {"rows": 2, "columns": 2, )"
             R"("inner": 1, "block_size": 80, "seconds": 8}]}]}})",
             R"("overrides": [{"field": "speed", )" + factor + "}]"));
    const Platform star = make_star(specification.instance(1).in_blocks());
    return std::vector{star.workers.at(0).w_s, star.workers.at(0).block_update_s(1),
                       star.workers.at(0).block_update_s(4)};
  };
  const auto slower = update_s(R"("divide": [2])");
  const auto faster = update_s(R"("multiply": [2])");
  for (std::size_t i = 0; i < slower.size(); ++i) EXPECT_DOUBLE_EQ(slower[i], 4 * faster[i]);
  EXPECT_DOUBLE_EQ(slower[1], 6);
}

// "../platform.json" is beside the folder that the link names, not beside the link.
TEST(Specification, PathsBehindSymbolicLinksAreThoseOfTheSystem) {
  const test::TemporaryDirectory folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.path() / name) << text;
  };
  const std::string star = nlohmann::json::parse(kStar)["platform"].dump();
  std::filesystem::create_directories(folder.path() / "real/sweeps");
  std::filesystem::create_directory_symlink("real/sweeps", folder.path() / "link");
  write("real/star.json", star);
  write("star.json", "{}");
  write("real/sweeps/sweep.json", with(R"("../star.json")"));
  for (const char* name : {"real/sweeps/sweep.json", "link/sweep.json"}) {
    const auto path = (folder.path() / name).string();
    EXPECT_EQ(load_specification(path).inputs.at(1).second, star) << name;
  }
}

}  // namespace
}  // namespace starport
