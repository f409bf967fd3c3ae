// starport fit: a truth that is found again, the same bytes whatever -j, faults that name
// their place.
#include "sim/report/claims/fit.hpp"

#include "sim/app/model_registry.hpp"
#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/report/claims/campaign.hpp"
#include "sim/report/claims/claims.hpp"
#include "sim/report/database/result_table.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>

namespace starport {
namespace {

using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

// One worker whose link is so fast that its speed alone decides: 4 x 4 x 4 updates of 10 x 10
// blocks, 128 kflop, in 0.128 s at 1 Mf.
constexpr const char* kSpecification = R"({"schema_version": 1, "name": "small", "seed": 3,
  "heuristics": ["ODDOML", "HomI"],
  "experiments": [
    {"name": "one", "problems": ["40x40x40"], "block_sizes": [10],
     "platforms": [{"platform": {"schema_version": 1, "name": "one", "workers": [
        {"bandwidth": "1TBps", "speed": "1Mf", "memory": "1MB"}]}}]},
    {"name": "drawn", "problems": ["40x40x80"], "block_sizes": [10], "repetitions": 2,
     "platforms": [{"generate": {"name": "random", "workers": 3, "speed": "1Mf",
       "bandwidth": {"uniform": ["1MBps", "4MBps"]}, "memory": "1MB"}}]}]})";

constexpr const char* kSpeed = R"({"name": "speed_factor", "field": "speed", "multiply": [0.5, 2],
  "group": "the one", "prior": "not given"})";

// Holds for speeds within 1 % of 1.6 Mf, which is about 1 % of the range.
constexpr const char* kTime = R"({"source": "Figure 1", "statement": "the time", "unit": "s",
  "expect": {"value": 0.08, "relative_tolerance": 0.01},
  "sql": "SELECT makespan_s FROM results WHERE experiment = 'one' AND heuristic = 'ODDOML'"})";
constexpr const char* kNever = R"({"source": "Figure 2", "statement": "never",
  "expect": {"at_least": 3}, "sql": "SELECT count(*) FROM results WHERE experiment = 'one'"})";
constexpr const char* kDrawn = R"({"source": "Figure 3", "statement": "drawn", "draws": true,
  "expect": {"at_most": 1000},
  "sql": "SELECT max(makespan_s) FROM results WHERE experiment = 'drawn'"})";

std::string claims_of(const std::string& parameters) {
  return R"({"schema_version": 1, "title": "A paper", "fit": {"groups": {"the one": ["one"]},
    "parameters": [)" +
         parameters + R"(]}, "claims": [)" + kTime + "," + kNever + "," + kDrawn + "]}";
}

class Fit : public testing::Test {
 protected:
  explicit Fit(const std::string& parameters = kSpeed)
      : specification_(kSpecification), claims_(claims_of(parameters)) {}

  std::string file(const std::string& name) const { return (work_.path() / name).string(); }
  std::string fit(const std::string& name, const std::string& options = "",
                  const std::string& campaigns = " --draws 6 --refinements 12") const {
    return "starport fit " + specification_.path() + " --claims " + claims_.path() + campaigns +
           " -o " + file(name) + " " + options;
  }
  std::string content(const std::string& name) const { return read_file(file(name)); }

  TemporaryFile specification_;
  TemporaryFile claims_;
  TemporaryDirectory work_;
};

TEST_F(Fit, TheBestCalibrationIsAFileOfItsOwn) {
  const auto outcome = shell(fit("fit.csv", "--best " + work_.path().string() + "/./fit.csv"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("--best: expected another file than that of --output"),
            std::string::npos)
      << outcome.err;
}

// The same range of values, applied to other workers.
TEST_F(Fit, ResumesOnlyCampaignsOfTheSameParameters) {
  ASSERT_EQ(shell(fit("fit.csv")).status, 0);
  EXPECT_EQ(shell(fit("fit.csv", "--resume")).status, 0);
  std::string parameter = kSpeed;
  parameter.insert(parameter.find("\"group\""), "\"workers\": [1], ");
  std::ofstream(claims_.path()) << claims_of(parameter);
  const auto other = shell(fit("fit.csv", "--resume"));
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("campaigns of another input"), std::string::npos) << other.err;
}

TEST_F(Fit, FindsTheTruthAgain) {
  const auto outcome =
      shell(fit("fit.csv", "--best " + file("best.json"), " --draws 20 --refinements 100"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("As it is, 1 of 3 statements hold"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("| 2: Figure 2. never | at least 3 | 2 | 2 | **none tried** |"),
            std::string::npos)
      << outcome.out;
  // The best one, as a sweep: the statements say the same of its results.
  const auto sweep =
      shell("starport sweep " + file("best.json") + " --engine analytic -o " + file("best"));
  ASSERT_EQ(sweep.status, 0) << sweep.err;
  const auto check = shell("starport check " + file("best") + "/results.csv --claims " +
                           claims_.path() + " --tried " + file("fit.csv"));
  EXPECT_NE(check.out.find("3 statements: 2 hold, 1 do not"), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("| **no** | none |"), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("of 120 calibrations"), std::string::npos) << check.out;
  const test::JsonSchema schema("experiments/sweep.schema.json");
  EXPECT_TRUE(schema.accepts(load_json(file("best.json"))));
}

TEST_F(Fit, SameBytesWhateverTheJobsAndInterruptions) {
  ASSERT_EQ(shell(fit("one.csv", "-j 1")).status, 0);
  ASSERT_EQ(shell(fit("three.csv", "-j 3")).status, 0);
  EXPECT_EQ(content("one.csv"), content("three.csv"));
  for (const double share : {0.0, 0.001, 0.5, 0.97, 1.0}) {
    std::filesystem::copy(file("one.csv"), file("cut.csv"),
                          std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(
        file("cut.csv"),
        static_cast<std::uintmax_t>(share * static_cast<double>(content("one.csv").size())));
    const auto resumed = shell(fit("cut.csv", "--resume -j 2"));
    EXPECT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_EQ(content("cut.csv"), content("one.csv")) << share;
  }
  ASSERT_EQ(shell(fit("other.csv", "--seed 2")).status, 0);
  EXPECT_NE(content("other.csv"), content("one.csv"));
}

TEST_F(Fit, OtherFilesAreRefused) {
  ASSERT_EQ(shell(fit("fit.csv")).status, 0);
  const auto again = shell(fit("fit.csv"));
  EXPECT_EQ(again.status, 2);
  EXPECT_NE(again.err.find("expected a new file"), std::string::npos) << again.err;
  const auto seed = shell(fit("fit.csv", "--resume --seed 2"));
  EXPECT_EQ(seed.status, 2);
  EXPECT_NE(seed.err.find("line 2: expected campaigns of this specification"), std::string::npos)
      << seed.err;
  const std::string rows = content("fit.csv");
  // A text among the numbers of the claims.
  const std::string text = rows.substr(0, rows.rfind(','));
  std::ofstream(file("text.csv"), std::ios::binary) << text << ",many\r\n";
  const auto check = shell("starport sweep " + specification_.path() + " --engine analytic -o " +
                           file("results") + " && starport check " + file("results/results.csv") +
                           " --claims " + claims_.path() + " --tried " + file("text.csv"));
  EXPECT_EQ(check.status, 2);
  EXPECT_NE(check.err.find("text.csv: c3: expected numbers, found 'many'"), std::string::npos)
      << check.err;
  std::ofstream(file("fit.csv"), std::ios::app) << "19,x\r\n";
  EXPECT_EQ(shell(fit("fit.csv", "--resume")).status, 2);
}

TEST_F(Fit, DrawsAreNoCalibrations) {
  ASSERT_EQ(shell(fit("fit.csv")).status, 0);
  ASSERT_EQ(shell(fit("draws.csv", "--platforms", " --draws 2")).status, 0);
  ASSERT_EQ(
      shell("starport sweep " + specification_.path() + " --engine analytic -o " + file("results"))
          .status,
      0);
  const auto refusal = [&](const std::string& options) {
    const auto outcome = shell("starport check " + file("results/results.csv") + " --claims " +
                               claims_.path() + options);
    EXPECT_EQ(outcome.status, 2);
    return outcome.err;
  };
  EXPECT_EQ(refusal(" --draws " + file("fit.csv")),
            "starport: " + file("fit.csv") +
                ": --draws: the file has calibrations, not campaigns with random changes. Write it "
                "with starport fit --platforms, or give this file to --tried\n");
  EXPECT_EQ(refusal(" --tried " + file("draws.csv")),
            "starport: " + file("draws.csv") +
                ": --tried: the file has campaigns with random changes, not calibrations. Write it "
                "with starport fit without --platforms, --within and --runs, or give this file to "
                "--draws\n");
}

TEST_F(Fit, ACampaignWhoseProcessIsKilledIsRunAgain) {
  const Claims claims = load_claims(claims_.path());
  const std::vector<fit::Parameter> none;
  fit::CampaignFile rows(file("rows.csv"), none, claims, "input");
  rows.create();
  const fit::CampaignPool pool{.claims = claims,
                               .file = rows,
                               .processes = 2,
                               .time_limit_s = 0,
                               .show_progress = [](std::int64_t) {}};
  fit::Campaigns campaigns;
  pool.run_missing(campaigns, 1, 4, [&](std::int64_t number) {
    const std::string killed = file(std::to_string(number));
    if (number != 3 && !std::filesystem::exists(killed)) {
      std::ofstream{killed};
      std::raise(SIGKILL);
    }
    return fit::Campaign{.number = number, .calibration = {}, .values = {0.5, 2, 3}};
  });
  EXPECT_EQ(campaigns.size(), 4U);
  EXPECT_THROW(pool.run_missing(campaigns, 5, 5,
                                [](std::int64_t) -> fit::Campaign {
                                  std::raise(SIGKILL);
                                  return {};
                                }),
               SimulationError);
}

// A question that asks for more memory than it may, in the campaigns with a fast worker only.
TEST_F(Fit, QuestionsAreBounded) {
  std::string claims = claims_of(kSpeed);
  const std::string greedy = R"({"source": "Figure 4", "statement": "greedy",
    "expect": {"at_least": 0}, "sql": "SELECT length(hex(zeroblob(CASE WHEN makespan_s < 0.1 THEN
    200000000 ELSE 1 END))) FROM results WHERE experiment = 'one' AND heuristic = 'ODDOML'"},)";
  std::string line = greedy;
  std::ranges::replace(line, '\n', ' ');
  const std::string first = R"("claims": [)";
  claims.insert(claims.find(first) + first.size(), line);
  const TemporaryFile file_of_claims(claims);
  const auto outcome =
      shell("starport fit " + specification_.path() + " --claims " + file_of_claims.path() +
            " --draws 12 --refinements 1 -o " + file("bounded.csv"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const ResultTable rows = ResultTable::read_csv(file("bounded.csv"));
  const auto counts = rows.query("SELECT count(c1), count(*), max(c1) FROM results").at(0);
  EXPECT_LT(std::get<std::int64_t>(counts.at(0)), std::get<std::int64_t>(counts.at(1)));
  EXPECT_EQ(std::get<std::int64_t>(counts.at(2)), 2);  // no 400,000,000
}

TEST_F(Fit, RowsOfCampaigns) {
  const std::vector<fit::Parameter> parameters{
      {.name = "thresholds", .heuristics = {"HomI"}, .readings = {"all", "own,panels=even"}}};
  const Claims claims = load_claims(claims_.path());
  const auto resumed = [&](const std::string& row = "") {
    fit::CampaignFile rows(file("rows.csv"), parameters, claims, "input");
    auto campaigns = rows.resume();
    if (!row.empty()) rows.append(row);
    return campaigns;
  };
  const fit::CampaignFile rows("", parameters, claims, "input");
  const fit::Campaign first{.number = 1, .calibration = {1}, .values = {0.5, 2, 3}};
  const fit::Campaign changed{.number = 1, .calibration = {0}, .values = {0.25, 2, 3}};
  fit::CampaignFile(file("rows.csv"), parameters, claims, "input").create();
  resumed(rows.to_row(first));
  const auto campaigns = resumed(rows.to_row(changed));
  EXPECT_EQ(campaigns.at(1).calibration, first.calibration);  // a reading with a comma
  EXPECT_EQ(campaigns.at(1).values, first.values);
  std::string short_row = rows.to_row(first);
  short_row.erase(short_row.rfind(','), short_row.find("\r\n") - short_row.rfind(','));
  EXPECT_EQ(resumed(short_row).at(1).values, changed.values);  // the last row of a number counts
  try {
    resumed();
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), file("rows.csv") +
                                ": line 4: expected 8 fields, as in the header, found a damaged "
                                "row");
  }
}

// Such as those of a file that was edited by hand.
TEST_F(Fit, CampaignsOfImpossibleValuesAreRefused) {
  const std::vector<fit::Parameter> parameters{
      {.name = "speed_factor", .axis = {.field = "speed", .multiply = true, .values = {0.5, 2.0}}},
      {.name = "thresholds", .heuristics = {"HomI"}, .readings = {"all", "own"}}};
  const Claims claims = load_claims(claims_.path());
  const fit::CampaignFile rows("rows.csv", parameters, claims, "input");
  const std::string row = rows.to_row({.number = 2, .calibration = {2, 1}, .values = {1, 2, 3}});
  EXPECT_EQ(rows.to_row(rows.parse_row(row, 2)), row);
  for (const char* values :
       {",2.001,own,", ",0.4,own,", ",own,own,", ",2,1,", ",2,,", ",,own,", ",,,"}) {
    std::string changed = row;
    changed.replace(changed.find(",2,own,"), 7, values);
    EXPECT_THROW(rows.parse_row(changed, 2), InputError) << values;
  }
  try {
    rows.parse_row("1,input\n" + row, 2);  // the number of another row
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("CR LF at the end of each row"), std::string::npos);
  }
}

class FitOfReadings : public Fit {
 protected:
  FitOfReadings()
      : Fit(std::string(kSpeed) +
            R"(, {"name": "HomI", "heuristics": ["HomI"], "parameter": "thresholds",
          "readings": ["all", "own"], "prior": "unclear"},
          {"name": "panels", "heuristics": ["ODDOML", "HomI"], "parameter": "panels",
          "readings": ["full", "even"], "prior": "unclear"})") {}
};

TEST_F(FitOfReadings, KeepTheirName) {
  const std::string campaigns = " --draws 24 --refinements 4";
  ASSERT_EQ(shell(fit("one.csv", "-j 1 --best " + file("best.json"), campaigns)).status, 0);
  const std::string rows = content("one.csv");
  for (const char* readings : {",all,full,", ",all,even,", ",own,full,", ",own,even,"}) {
    EXPECT_NE(rows.find(readings), std::string::npos) << readings;
  }
  std::filesystem::copy(file("one.csv"), file("cut.csv"));
  std::filesystem::resize_file(file("cut.csv"), rows.size() / 2);
  ASSERT_EQ(shell(fit("cut.csv", "--resume", campaigns)).status, 0);
  EXPECT_EQ(content("cut.csv"), rows);
  const auto sweep = shell("starport sweep " + file("best.json") + " --engine analytic -o " +
                           file("best") + " && cut -d, -f 14 " + file("best/results.csv"));
  EXPECT_NE(sweep.out.find("HomI"), std::string::npos) << sweep.out;
  EXPECT_EQ(sweep.out.find("HomI["), std::string::npos) << sweep.out;
}

// A campaign for each reading that the specification has not; readings join what stands in the
// brackets already.
TEST_F(FitOfReadings, OneAtATime) {
  std::string text = kSpecification;
  const std::string plain = R"("HomI"])";
  text.replace(text.find(plain), plain.size(), R"({"name": "HomI", "run": "HomI[panels=full]"}])");
  const TemporaryFile specification(text);
  const std::string vary =
      "starport fit " + specification.path() + " --claims " + claims_.path() + " --readings ";
  const auto outcome = shell(vary + "-o " + file("readings.csv"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* row : {"2 readings, one at a time", "| as it is | 1 of 3 |",
                          "| HomI `[thresholds=own]` | 1 of 3 |  |  |",
                          "| ODDOML, HomI `[panels=even]` | 1 of 3 |"}) {
    EXPECT_NE(outcome.out.find(row), std::string::npos) << outcome.out;
  }
  const ResultTable rows = ResultTable::read_csv(file("readings.csv"));
  EXPECT_EQ(rows.count("count(*)"), 3);
  EXPECT_EQ(rows.count("count(*)", "HomI = 'all' AND panels = 'full'"), 1);
  const std::string once = content("readings.csv");
  ASSERT_EQ(shell("sed 's/^2,\\(.*\\),own,full,/2,\\1,all,full,/' " + file("readings.csv") + " >" +
                  file("other.csv"))
                .status,
            0);
  const auto other = shell(vary + "--resume -o " + file("other.csv"));
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("other.csv: campaign 2: expected the readings of that campaign"),
            std::string::npos)
      << other.err;
  ASSERT_EQ(shell(vary + "--resume -o " + file("readings.csv")).status, 0);
  EXPECT_EQ(content("readings.csv"), once);
  const std::string drawn = "starport fit " + specification.path() + " --claims " + claims_.path() +
                            " --platforms --draws 2 -o " + file("drawn.csv");
  EXPECT_EQ(shell(drawn + " --reading HomI=own,panels=even").status, 0);
  const auto unknown = shell(drawn + " --resume --reading HomI=mine");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("--reading: 'HomI=mine' is not "), std::string::npos) << unknown.err;
  const auto both = shell(vary + "--platforms -o " + file("both.csv"));
  EXPECT_EQ(both.status, 2);
  EXPECT_NE(both.err.find("--readings: "), std::string::npos) << both.err;
}

TEST_F(Fit, VariationsOfACampaign) {
  const auto vary = [&](const std::string& name, const std::string& options) {
    return shell("starport fit " + specification_.path() + " --claims " + claims_.path() +
                 " --draws 12 -o " + file(name) + " " + options);
  };
  ASSERT_EQ(vary("best.csv", "--platforms --best " + file("best.json")).status, 2);
  ASSERT_EQ(vary("none.csv", "--reading HomI=own").status, 2);
  ASSERT_EQ(vary("draws.csv", "--platforms -j 1").status, 0);
  ASSERT_EQ(vary("draws-2.csv", "--platforms -j 2").status, 0);
  EXPECT_EQ(content("draws.csv"), content("draws-2.csv"));
  const ResultTable draws = ResultTable::read_csv(file("draws.csv"));
  EXPECT_EQ(draws.count("count(DISTINCT c1)"), 1);
  EXPECT_EQ(draws.count("count(DISTINCT c3)"), 12);
  // Within 2% the time of one worker moves by 2%, and by no more.
  ASSERT_EQ(vary("within.csv", "--within 0.02").status, 0);
  const ResultTable within = ResultTable::read_csv(file("within.csv"));
  EXPECT_GT(within.count("count(*)", "c1 BETWEEN 0.1254 AND 0.1307"), 11);
  EXPECT_GT(within.count("count(*)", "c1 > 0.13"), 0);
  ASSERT_EQ(vary("runs.csv", "--runs 0.06").status, 0);
  const ResultTable runs = ResultTable::read_csv(file("runs.csv"));
  EXPECT_EQ(runs.count("max(c1) / min(c1) <= 1.06 AND max(c1) / min(c1) > 1.04"), 1);
  const auto check =
      shell("starport sweep " + specification_.path() + " --engine analytic -o " + file("sweep") +
            " && starport check " + file("sweep") + "/results.csv --claims " + claims_.path() +
            " --draws " + file("draws.csv"));
  EXPECT_NE(check.out.find("holds in 100% | yes |"), std::string::npos) << check.out;
}

struct Refused {
  std::string parameters;
  std::string message;
  bool by_schema;
};

std::vector<Refused> refused() {
  const auto figure = [](const std::string& rest) {
    return R"({"name": "x", "prior": "none", )" + rest + "}";
  };
  const auto reading = [&](const std::string& heuristic, const std::string& rest) {
    return figure("\"heuristics\": [\"" + heuristic + "\"], \"parameter\": " + rest);
  };
  return {
      {"", "/fit/parameters: expected at least one parameter, found an empty array", true},
      {R"({"name": "x", "field": "speed", "multiply": [1, 2]})",
       "/fit/parameters/0: the key 'prior' is missing", true},
      {figure(R"("field": "speeds", "multiply": [1, 2])"), "/fit/parameters/0/field: expected",
       true},
      {figure(R"("field": "port", "set": ["one-port", "two-port"])"),
       "/fit/parameters/0/field: expected bandwidth, speed, memory or latency", true},
      {figure(R"("field": "speed", "divide": [1, 2])"),
       "/fit/parameters/0/divide: expected multiply, set or repeat", true},
      {figure(R"("field": "speed", "multiply": [2, 1])"),
       "/fit/parameters/0/multiply: expected a range: its low end, then its high end", false},
      {figure(R"("field": "speed", "multiply": [1, 2, 3])"),
       "/fit/parameters/0/multiply: expected a range: its low end, then its high end", true},
      {figure(R"("field": "speed", "multiply": [1, 2], "workers": [2])"),
       "/fit/parameters/0/workers: expected workers from 1 to 1, those of platform 'one', found 2",
       false},
      {figure(R"("field": "speed", "multiply": [1, 2], "group": "two")"),
       "/fit/parameters/0/group: expected a group of /fit/groups, found \"two\"", false},
      {std::string(kSpeed) + "," + kSpeed,
       "/fit/parameters/1/name: expected a name that no other parameter has", false},
      {R"({"name": "C12", "field": "speed", "multiply": [1, 2], "prior": "none"})",
       "/fit/parameters/0/name: expected a name that no other parameter has", false},
      {reading("BMM", R"("squares", "readings": ["blocks", "elements"])"),
       "/fit/parameters/0/heuristics/0: expected a heuristic that these experiments run", false},
      {reading("HomI", R"("thresholds", "readings": ["all"])"),
       "/fit/parameters/0/readings: expected two readings or more", true},
      {reading("HomI", R"("thresholds", "readings": ["hers", "own"])"),
       "/fit/parameters/0/readings: expected HomI[thresholds=all|own], found 'hers'", false},
      {reading("HomI", R"("thresholds", "readings": ["all", "hers"])"),
       "/fit/parameters/0/readings: expected HomI[thresholds=all|own], found 'hers'", false},
      {reading("HomI", R"("serve", "readings": ["earliest", "index"])"),
       "/fit/parameters/0/readings: 'serve' is not a parameter of HomI", false}};
}

TEST(FitParameters, FaultsNameTheFileAndThePlace) {
  const TemporaryFile file(kSpecification);
  const Specification specification = load_specification(file.path(), model_registry());
  const test::JsonSchema schema("experiments/claims.schema.json");
  for (const Refused& fault : refused()) {
    const TemporaryFile claims(claims_of(fault.parameters));
    try {
      fit::load_parameters(claims.path(), specification, model_registry());
      ADD_FAILURE() << fault.message;
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(claims.path() + ": " + fault.message))
          << error.what();
    }
    EXPECT_NE(schema.accepts(load_json(claims.path())), fault.by_schema) << fault.parameters;
  }
}

TEST(FitParameters, TheSchemaAcceptsWhatIsShipped) {
  const test::JsonSchema schema("experiments/claims.schema.json");
  int shipped = 0;
  const std::filesystem::recursive_directory_iterator files(STARPORT_SOURCE_DIR "/experiments");
  for (const auto& entry : files) {
    if (entry.path().filename() != "claims.json") continue;
    SCOPED_TRACE(entry.path());
    ++shipped;
    EXPECT_TRUE(schema.accepts(load_json(entry.path())));
  }
  EXPECT_GE(shipped, 8);
}

TEST(FitParameters, RowsOfReadingsHaveNamesOfTheirOwn) {
  const std::vector<std::pair<std::string, std::string>> faults{
      {R"({"name": "HomI", "run": "Hom,Het"})", "/heuristics/0/run: expected one heuristic"},
      {R"({"name": "ODDOML", "run": "HomI"}, "ODDOML")",
       "/heuristics: expected rows with distinct names"},
      {R"({"name": "", "run": "HomI"})", "/heuristics/0/name: expected a name on one line"},
      {R"({"name": "HomI"})", "/heuristics/0: the key 'run' is missing"},
      {R"({"name": "HomI", "run": "HomI", "as": "x"})", "/heuristics/0/as: 'as' is not a key"}};
  for (const auto& [heuristics, message] : faults) {
    std::string text = kSpecification;
    const std::string own = R"("ODDOML", "HomI")";
    text.replace(text.find(own), own.size(), heuristics);
    const TemporaryFile file(text);
    try {
      load_specification(file.path(), model_registry());
      ADD_FAILURE() << message;
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(file.path() + ": " + message))
          << error.what();
    }
  }
}

TEST(FitParameters, FractionsAndValuesConvertBothWays) {
  const TemporaryFile file(kSpecification);
  const Specification specification = load_specification(file.path(), model_registry());
  const TemporaryFile claims(claims_of(std::string(kSpeed) + R"(, {"name": "r", "prior": "none",
    "heuristics": ["HomI"], "parameter": "thresholds", "readings": ["all", "own"]})"));
  const auto parameters = fit::load_parameters(claims.path(), specification, model_registry());
  for (const fit::Parameter& parameter : parameters) {
    for (const double fraction : {0.0, 0.2, 0.5, 0.77, 1.0}) {
      const double value = parameter.value_at(fraction);
      EXPECT_EQ(parameter.value_at(parameter.fraction_of(value)), value);
    }
  }
  EXPECT_EQ(parameters[0].value_at(2), 2);
  fit::Parameter largest = parameters[0];
  largest.axis.values = {1.0, std::numeric_limits<double>::max()};
  EXPECT_EQ(largest.value_at(1), std::numeric_limits<double>::max());
  EXPECT_EQ(parameters[1].value_text(parameters[1].value_at(1)), "own");
}

// Draws of 10 .. 109: the paper's 12, wide tolerance or not, lies below 5% of them; its 20 does
// not.
TEST(Claims, ToleranceIsOneRuleAndDrawsAnother) {
  std::vector<std::vector<double>> draws;
  for (int i = 0; i < 100; ++i) draws.push_back(std::vector<double>(4, 10 + i));
  std::vector<CheckedClaim> checked;
  for (const Claim& claim :
       {Claim{.value = 12, .tolerance = 5, .about_draws = true},
        Claim{.value = 20, .about_draws = true}, Claim{.at_most = 15, .about_draws = true},
        Claim{.at_most = 12, .about_draws = true}}) {
    checked.push_back({.claim = claim});
  }
  EXPECT_EQ(verdict_summary(checked), "4 statements: 0 hold, 4 do not");
  judge_by_draws(checked, draws);
  EXPECT_EQ(verdict_summary(checked),
            "4 statements: 3 hold, 1 do not; 2 where figures must lie between 5% and 95% of the "
            "draws");
}

// Not even a claim of 0.
TEST(Claims, WithoutANumberInAnyDrawNoneHolds) {
  std::vector<CheckedClaim> checked{{.claim = {.value = 0, .about_draws = true}}};
  judge_by_draws(checked, {{std::nan("")}, {std::nan("")}});
  EXPECT_FALSE(checked[0].holds);
  EXPECT_EQ(percentiles_text(*checked[0].draws), "no number");
  judge_by_draws(checked, {{0.25}, {-0.25}});
  EXPECT_TRUE(checked[0].holds);
  EXPECT_EQ(percentiles_text(*checked[0].draws), "-0.225 / 0 / 0.225");
}

TEST(Claims, WhatAFigureMisses) {
  const Claim value{.value = 10, .tolerance = 1};
  EXPECT_EQ(deviation(value, 11), 0);
  EXPECT_NEAR(deviation(value, 12), 0.1, 1e-12);
  EXPECT_EQ(deviation(value, 1000), 1);
  EXPECT_EQ(deviation(value, std::nan("")), 1);
  const Claim range{.at_least = 2, .at_most = 4};
  EXPECT_EQ(deviation(range, 3), 0);
  EXPECT_EQ(deviation(range, 1), 0.5);
  EXPECT_EQ(deviation(range, 5), 0.25);
}

// A failure of the machine is no number of a statement.
TEST_F(Fit, ACampaignFailsIfAQuestionCannotBeAsked) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer needs a pipe to check the type of an exception";
#endif
  const Specification specification = load_specification(specification_.path(), model_registry());
  const Claims claims = load_claims(claims_.path());
  const fit::CampaignRunner runner(specification, claims, {});
  EXPECT_EQ(runner.run(specification).size(), 3U);
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit none{.rlim_cur = 0, .rlim_max = limit.rlim_max};
  const auto forbid_pipes = [&](const SweepInstance&, Comparison&) {
    ::setrlimit(RLIMIT_NOFILE, &none);
  };
  EXPECT_THROW(runner.run(specification, forbid_pipes), MachineError);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

TEST_F(Fit, AFileOfOtherColumnsIsRefused) {
  std::ofstream(file("fit.csv")) << "number,input,holds,missed,other,c1\r\n";
  const auto resumed = shell(fit("fit.csv", "--resume"));
  EXPECT_EQ(resumed.status, 2);
  EXPECT_EQ(resumed.err, "starport: " + file("fit.csv") +
                             ": line 1: expected the columns that this input gives, found other "
                             "columns\n");
}

}  // namespace
}  // namespace starport
