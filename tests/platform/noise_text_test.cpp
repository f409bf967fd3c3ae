#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/report/database/result_table.hpp"
#include "sim/sweep/specification.hpp"
#include "tests/paths.hpp"
#include "tests/star/star_support.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace starport {
namespace {

std::string to_message(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(NoiseText, DeviationsMayComeFromThePlatform) {
  const Noise noise = parse_noise("update_cv=measured,seed=2", "--noise");
  EXPECT_TRUE(noise.updates.measured);
  EXPECT_EQ(noise.updates.cv, 0);
  EXPECT_EQ(to_text(noise), "update_cv=measured,seed=2");
  EXPECT_EQ(read_noise(JsonNode(nlohmann::json(to_json(noise))), 0, ""), noise);
  EXPECT_THROW(parse_noise("transfer_cv=measured", "--noise"), InputError);
  EXPECT_THROW(draw_noise(noise, {}), SimulationError);
}

TEST(NoiseText, ReadsWhatItWrites) {
  const Noise noise = parse_noise(
      "transfer_cv=6%,update_cv=0.1,slow=3@2ms:x2,slow_link=1@120:x0.5,stop=2@300,seed=9",
      "--noise");
  EXPECT_EQ(noise.transfers.cv, 0.06);
  EXPECT_EQ(noise.updates.cv, 0.1);
  const std::vector<SlowDown> changes{{2, Activity::transfer, 0.002, 2},
                                      {2, Activity::update, 0.002, 2},
                                      {0, Activity::transfer, 120, 0.5}};
  EXPECT_EQ(noise.slow_downs, changes);
  EXPECT_EQ(noise.stops, (std::vector<Stop>{{1, 300}}));
  EXPECT_EQ(noise.seed, 9U);
  EXPECT_EQ(to_text(noise),
            "transfer_cv=0.06,update_cv=0.1,slow_link=3@0.002:x2,slow_compute=3@0.002:x2,"
            "slow_link=1@120:x0.5,stop=2@300,seed=9");
  EXPECT_EQ(parse_noise(to_text(noise), "--noise"), noise);
  EXPECT_EQ(to_text(parse_noise("cv=6%", "--noise")), "cv=0.06,seed=0");
  EXPECT_EQ(to_text(Noise{}), "");
}

TEST(NoiseText, ReadsTheSameFromJson) {
  const test::TemporaryFile samples(R"({"updates_s": [1, 2, 3]})");
  const test::TemporaryFile file(
      R"({"transfer_cv": "6%", "samples": ")" + samples.path() +
      R"(", "slow": [{"worker": 3, "from_s": 120, "factor": 2, "of": "link"}],
          "stop": [{"worker": 2, "at_s": 300}], "seed": 9})");
  const Noise noise = parse_noise(file.path(), "--noise");
  EXPECT_EQ(noise, parse_noise("transfer_cv=6%,samples=" + samples.path() +
                                   ",slow_link=3@120:x2,stop=2@300,seed=9",
                               "--noise"));
}

// Durations written into the file become factors, which can be pasted: 2 is the median of 1, 2, 3.
TEST(NoiseText, SamplesWithoutAFileAreToldAsFactors) {
  const test::TemporaryFile file(
      R"({"samples": {"transfers_s": [[1, 2, 3], [7, 7]], "updates_s": [4, 5]}})");
  const Noise noise = parse_noise(file.path(), "--noise");
  EXPECT_EQ(to_text(noise),
            "transfer_factors=0.5:1:1.5:1:1,"
            "update_factors=0.8888888888888888:1.1111111111111112,seed=0");
  EXPECT_EQ(parse_noise(to_text(noise), "--noise"), noise);
  const test::TemporaryFile written(to_json(noise).dump(), ".json");
  EXPECT_EQ(parse_noise(written.path(), "--noise"), noise);
}

// Inline samples may name a file that is elsewhere, or has other samples by now.
TEST(NoiseText, SamplesOfAnotherFileAreWrittenAsFactors) {
  const test::TemporaryFile other(R"({"updates_s": [1, 9]})");
  for (const std::string& name : {std::string("/nowhere/samples.json"), other.path()}) {
    const test::TemporaryFile file(R"({"samples": {"file": ")" + name +
                                   R"(", "updates_s": [1, 2, 3]}})");
    const Noise noise = parse_noise(file.path(), "--noise");
    const test::TemporaryFile written(to_json(noise).dump(), ".json");
    const Noise again = parse_noise(written.path(), "--noise");
    EXPECT_EQ(again.updates.ratios, noise.updates.ratios) << name;
    EXPECT_EQ(again.updates.ratios, (std::vector<double>{0.5, 1, 1.5})) << name;
  }
}

TEST(NoiseText, FilesWithACommaAreToldAsFactors) {
  const test::TemporaryDirectory folder;
  const std::string path = (folder.path() / "a,b.json").string();
  std::ofstream(path) << R"({"transfers_s": [1, 2, 3]})";
  const test::TemporaryFile file(R"({"samples": ")" + path + R"("})");
  const std::string text = to_text(parse_noise(file.path(), "--noise"));
  EXPECT_EQ(text, "transfer_factors=0.5:1:1.5,seed=0");
  EXPECT_EQ(to_text(parse_noise(text, "--noise")), text);
}

TEST(NoiseText, NamesMayContainColonsAndSignsAt) {
  const test::TemporaryFile file(
      R"({"schema_version": 1, "name": "p", "block_size": 80, "workers": [
      {"name": "gpu:0", "c_s": 1, "w_s": 1, "m_blocks": 9},
      {"name": "a@b", "c_s": 1, "w_s": 1, "m_blocks": 9}]})");
  const PlatformFile platform = load_platform(file.path());
  const Noise noise = parse_noise("slow=gpu:0@0.3:x2,stop=a@b@0.5", "--noise", 0, &platform);
  ASSERT_EQ(noise.slow_downs.size(), 2U);
  EXPECT_EQ(noise.slow_downs.front().worker, 0);
  EXPECT_EQ(noise.slow_downs.front().from_s, 0.3);
  ASSERT_EQ(noise.stops.size(), 1U);
  EXPECT_EQ(noise.stops.front().worker, 1);
  EXPECT_EQ(noise.stops.front().at_s, 0.5);
}

TEST(NoiseText, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> faults{
      {"", "expected items such as cv=6%,slow=3@120:x2,stop=2@300,seed=1, but nothing is given"},
      {"cw=6%",
       "expected items such as cv=6%,slow=3@120:x2,stop=2@300,seed=1, found 'cw=6%' (did you mean "
       "'cv'?)"},
      {"cv=201%",
       "expected a coefficient of variation from 0 to 2, such as 0.06 or 6%, found \"201%\""},
      {"cv", "expected a coefficient of variation from 0 to 2, such as 0.06 or 6%, found \"\""},
      {"slow=3@1", "expected WORKER@DATE:xFACTOR, such as 3@120:x2 (from 120 s on), found '3@1'"},
      {"slow=0@1:x2", "expected an integer from 1 to 1000000, found 0"},
      {"slow=1@1:x0", "expected a number greater than 0, found 0"},
      {"slow=1@1:x1e-4", "expected a factor from 0.001 to 1e6, found 0.0001"},
      {"stop=2", "expected WORKER@DATE, such as 2@300, found '2'"},
      {"stop=2@-1", "expected a number, 0 or greater, found -1.0"},
      {"seed=x", "expected an integer from 0 to 9007199254740992, found \"x\""},
      {"samples=", "expected a file of measured durations, found \"\""},
      {"update_factors=0.9:x", "expected a number greater than 0, found \"x\""},
      {"update_factors=0.9:", "expected a number greater than 0, found \"\""},
      {"cv=6%,cv=7%", "expected each item once, found cv twice"},
      {"update_cv=6%,cv=7%",
       "expected one of cv, update_cv, samples and update_factors for updates, found cv and "
       "update_cv"},
      {"seed=1,seed=1", "expected each item once, found seed twice"},
      {"stop=2@1,stop=2@3", "expected one stop of a worker, found worker 2 stops twice"},
      {"slow=2@1:x2,slow_link=2@1:x3",
       "expected one slow-down of a worker at a date, found worker 2 slows down twice at 1 s"},
  };
  for (const auto& [text, message] : faults) {
    EXPECT_EQ(to_message([&, &text = text] { parse_noise(text, "--noise"); }),
              "--noise: " + message);
  }
}

TEST(NoiseText, SaysWhatIsWrongInFiles) {
  const std::vector<std::pair<std::string, std::string>> faults{
      {R"({"cv": 3})",
       "/cv: expected a coefficient of variation from 0 to 2, such as 0.06 or 6%, found 3"},
      {R"({"samples": {}})", "/samples: expected transfers_s, updates_s or both, found neither"},
      {R"({"samples": {"updates_s": []}})",
       "/samples/updates_s: expected at least one duration, found an empty array"},
      {R"({"cv": 0.1, "samples": {"updates_s": [1]}})",
       "/: expected one of cv, update_cv, samples and update_factors for updates, found cv and "
       "samples"},
      {R"({"transfer_factors": []})",
       "/transfer_factors: expected at least one factor, found an empty array"},
      {R"({"transfer_factors": [1, 0]})",
       "/transfer_factors/1: expected a number greater than 0, found 0"},
      {R"({"stop": [{"worker": 1, "at_s": 1}, {"worker": 1, "at_s": 2}]})",
       "/stop/1: expected one stop of a worker, found worker 1 stops twice"},
      {R"({"slow": [{"worker": 1, "from_s": 1, "factor": 2, "of": "cpu"}]})",
       "/slow/0/of: expected link or compute, found \"cpu\""},
      {R"({"slow": [{"worker": 1, "from_s": 1, "factor": 1e9}]})",
       "/slow/0/factor: expected a factor from 0.001 to 1e6, found 1000000000.0"},
  };
  for (const auto& [text, message] : faults) {
    const test::TemporaryFile file(text);
    const std::string found = to_message([&] { parse_noise(file.path(), "--noise"); });
    EXPECT_EQ(found, file.path() + ": " + message);
  }
}

constexpr const char* kSweep = R"({"schema_version": 1, "name": "x", "seed": 5,
  "heuristics": ["ORROML", "ODDOML"], "experiments": [
    {"name": "e", "problems": ["80x160x320"], "repetitions": 3, "platforms": [
      {"platform": {"schema_version": 1, "name": "p", "workers": [
        {"bandwidth": "1MBps", "speed": "1Gf", "memory": "2MB", "count": 2}]}}],
     "noise": {"slow": [{"worker": 2, "from_s": 0.1, "factor": 3}]NOISE},
     "overrides": [{"field": "cv", "set": [0, "10%"]}]}]})";

std::string sweep_with(const std::string& noise) {
  std::string text = kSweep;
  return text.replace(text.find("NOISE"), 5, noise);
}

// The repetition of a row is that of its factors: starport run gives the same three makespans.
TEST(NoiseInSweeps, RowsAreThoseOfRun) {
  const test::TemporaryFile specification(sweep_with(""));
  const test::TemporaryDirectory work;
  const std::string out = (work.path() / "out").string();
  const auto sweep = test::shell("starport sweep " + specification.path() + " -o " + out +
                                 " --engine analytic --cross-check 1");
  EXPECT_EQ(sweep.status, 0) << sweep.err;
  EXPECT_EQ(test::shell("starport sweep " + specification.path() + " -o " + out +
                        " --engine analytic --resume")
                .status,
            0);
  const std::string noise = "cv=0.1,slow_link=2@0.1:x3,slow_compute=2@0.1:x3,seed=5";
  const test::TemporaryFile platform(
      R"({"schema_version": 1, "name": "p", "workers": [
        {"bandwidth": "1MBps", "speed": "1Gf", "memory": "2MB", "count": 2}]})");
  const auto run =
      test::shell("starport run " + platform.path() + " --problem 80x160x320 --noise '" + noise +
                  "' --repetitions 3 --json --heuristics ORROML");
  EXPECT_EQ(run.status, 0) << run.err;
  const auto results = test::json_of(run.out);
  EXPECT_EQ(results["noise"], noise);
  const auto rows = test::shell("cat " + out + "/results.csv").out;
  EXPECT_NE(rows.find(",seed,cv,noise,workers,"), std::string::npos) << rows;
  const ResultTable table = ResultTable::read_csv(out + "/results.csv");
  const auto swept = table.query(
      "SELECT makespan_s FROM results WHERE noise = ? AND heuristic = 'ORROML' ORDER BY repetition",
      {noise});
  const auto& makespans_s = results["results"][0]["makespans_s"];
  ASSERT_EQ(swept.size(), 3U);
  ASSERT_EQ(makespans_s.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {  // on SimGrid here
    const double expected = makespans_s[k].get<double>();
    EXPECT_NEAR(std::get<double>(swept[k][0]), expected, 1e-9 * expected);
  }
  const Specification read = load_specification(specification.path());
  EXPECT_EQ(read.size(), 6);
  EXPECT_EQ(read.instance(6).noise.repetition, 3);
  EXPECT_EQ(read.instance(6).noise.transfers.cv, 0.1);
  EXPECT_EQ(read.instance(5).noise.transfers.cv, 0);
  EXPECT_EQ(read.instance(5).noise.seed, 5U);
}

// The option is the object, and becomes part of the specification that is kept.
TEST(NoiseInSweeps, OptionIsTheObject) {
  std::string text = sweep_with("");
  const std::string object = R"("noise": {"slow": [{"worker": 2, "from_s": 0.1, "factor": 3}]},)";
  ASSERT_NE(text.find(object), std::string::npos);
  const test::TemporaryFile with(text);
  text.erase(text.find(object), object.size());
  const test::TemporaryFile without(text);
  const test::TemporaryDirectory work;
  const auto sweep = [&](const std::string& file, const std::string& out, const std::string& more) {
    return test::shell("cd " + work.path().string() + " && starport sweep " + file + " -o " + out +
                       " --engine analytic" + more);
  };
  EXPECT_EQ(sweep(with.path(), "object", "").status, 0);
  EXPECT_EQ(sweep(without.path(), "option", " --noise slow=2@0.1:x3").status, 0);
  const auto rows = [&](const char* name) {
    return read_file((work.path() / name / "results.csv").string());
  };
  EXPECT_EQ(rows("object"), rows("option"));
  EXPECT_NE(read_file((work.path() / "option/specification.json").string()).find("\"from_s\""),
            std::string::npos);
  const auto both = sweep(with.path(), "both", " --noise cv=0.1");
  EXPECT_EQ(both.status, 2);
  EXPECT_NE(
      both.err.find("--noise: expected a specification without noise of its own, found one with"),
      std::string::npos)
      << both.err;
}

TEST(NoiseInSweeps, SamplesAreKeptWithTheSpecification) {
  const test::TemporaryFile samples(R"({"transfers_s": [1, 2, 3]})");
  std::string text = sweep_with(R"(, "samples": ")" + samples.path() + "\"");
  text.replace(text.find("\"cv\""), 4, "\"update_cv\"");
  const test::TemporaryFile file(text);
  const Specification specification = load_specification(file.path());
  EXPECT_EQ(specification.experiments[0].noise.transfers.ratios,
            (std::vector<double>{0.5, 1, 1.5}));
  const test::TemporaryFile resolved(specification.resolved);
  EXPECT_EQ(load_specification(resolved.path()).experiments[0].noise,
            specification.experiments[0].noise);
}

// The experiment of experiments/noise, with two repetitions and the ends of its axis: at a CV of
// 30% a static order loses more on its makespan than a demand-driven one.
TEST(NoiseInSweeps, StaticOrdersLoseMoreThanDemandDrivenOnes) {
  std::string text = read_file(STARPORT_SOURCE_DIR "/experiments/noise/sweep.json");
  const auto change = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
  };
  change("\"repetitions\": 10", "\"repetitions\": 2");
  change("0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3", "0, 0.3");
  change("\"all\"", "\"Het\", \"ODDOML\"");
  for (std::size_t at = 0; (at = text.find("../../platforms/", at)) != std::string::npos;) {
    text.replace(at, 5, STARPORT_SOURCE_DIR);
  }
  const test::TemporaryFile specification(text);
  const test::TemporaryDirectory work;
  const std::string out = (work.path() / "out").string();
  const auto sweep = test::shell("starport sweep " + specification.path() + " -o " + out +
                                 " --engine analytic -j 1");
  ASSERT_EQ(sweep.status, 0) << sweep.err;
  const ResultTable results = ResultTable::read_csv(out + "/results.csv");
  const auto lost = [&](const std::string& heuristic) {
    return std::get<double>(
        results
            .query(
                "SELECT avg(a.makespan_s / b.makespan_s) - 1 FROM results AS a JOIN results AS b "
                "USING (experiment, platform, repetition, heuristic) WHERE experiment = "
                "'platforms' AND a.cv = 0.3 AND b.cv = 0 AND heuristic = ?",
                {heuristic})
            .at(0)
            .at(0));
  };
  EXPECT_GT(lost("Het"), lost("ODDOML") + 0.01);
  EXPECT_GT(lost("ODDOML"), 0);
}

TEST(NoiseInSweeps, SayWhatIsWrong) {
  const auto says = [](const std::string& text, const std::string& message) {
    const test::TemporaryFile file(text);
    EXPECT_EQ(to_message([&] { load_specification(file.path()); }), file.path() + ": " + message);
  };
  says(sweep_with(R"(, "stop": [{"worker": 3, "at_s": 1}])"),
       "/experiments/0/noise: expected workers from 1 to 2, those of platform 'p', to stop, found "
       "worker 3");
  says(sweep_with(R"(, "samples": {"updates_s": [1, 2]})"),
       "/experiments/0/overrides/0: expected no CV of updates, whose factors are given, found the "
       "axis cv");
  const auto changed = [](std::string from, const std::string& to) {
    std::string text = sweep_with("");
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string axes = "\"overrides\": [";
  says(changed(axes, axes + R"({"field": "update_cv", "set": [0.1]}, )"),
       "/experiments/0/overrides/1: expected one axis for the CV of updates, found update_cv and "
       "cv");
  const std::string port = R"("name": "p", )";
  says(changed(port, port + R"("port": "multi-port", )"),
       "/experiments/0/noise: expected a platform whose master has one port or two, found "
       "multi-port, platform 'p'");
  std::string stops = sweep_with(R"(, "stop": [{"worker": 1, "at_s": 1}])");
  stops.replace(stops.find(port), port.size(), port + R"("port": "two-port", )");
  says(stops,
       "/experiments/0/noise: expected a platform whose master has one port, where workers stop, "
       "found two-port, platform 'p'");
  says(changed(axes, axes + R"({"field": "port", "set": ["one-port", "multi-port"]}, )"),
       "/experiments/0/noise: expected a platform whose master has one port or two, found "
       "multi-port, a value of port");
}

}  // namespace
}  // namespace starport
