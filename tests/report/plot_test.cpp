// starport plot, as a person runs it: the data of every kind of figure, and the messages.
// figures_test.py draws them.
#include "sim/files/text.hpp"
#include "sim/report/database/result_table.hpp"
#include "sim/report/plots/instance_labels.hpp"
#include "sim/report/plots/plot_kinds.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace starport {
namespace {

using test::shell;
using test::TemporaryFile;

constexpr const char* kPlotHeader =
    "instance,experiment,platform,problem,block_size,repetition,seed,bandwidth_factor,workers,s,"
    "heuristic,status,makespan_s,enrolled_workers,relative_cost,relative_work,times_tightest_bound,"
    "steady_state_bound_s\r\n";

/// Instances 1 to 3 are of one experiment and differ in the problem, 4 and 5 of another and differ
/// in the repetition; HomI fails on instance 2.
std::string campaign() {
  std::string text = kPlotHeader;
  for (int i = 1; i <= 5; ++i) {
    const bool first = i <= 3;
    const std::string instance =
        fmt::format("{},{},\"star, {}\",8x8x{},80,{},{},{},4,{},", i, first ? "sizes" : "draws",
                    first ? "even" : "random", first ? 8 * i : 8, first ? 1 : i - 3, first ? 0 : i,
                    first ? 1 : 2, first ? i : 1);
    text += instance + fmt::format("Het,ok,{},2,1,1,{},{}\r\n", 10 * i, 1.5, 10 * i / 1.5);
    text +=
        instance + (i == 2 ? "HomI,error,,,,,,\r\n"
                           : fmt::format("HomI,ok,{},4,1.1,2.2,1.65,{}\r\n", 11 * i, 10 * i / 1.5));
    text += instance + fmt::format("\"Het[ratio=local,count_c=no]\",ok,{},3,2,3,3,{}\r\n", 20 * i,
                                   10 * i / 1.5);
  }
  return text;
}

std::string slurp(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class Plot : public ::testing::Test {
 protected:
  Plot() : results_(campaign(), ".csv"), figure_("", ".svg") {}

  /// Runs `starport plot` on the results of the campaign.
  test::Outcome plot(const std::string& options) const {
    return shell("starport plot " + results_.path() + " " + options + " -o " + figure_.path());
  }
  /// Runs a command that must fail without writing a file, and returns its message.
  std::string refusal(const std::string& options) const {
    const auto outcome = plot(options);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_EQ(slurp(figure_.path()), "");
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
    return outcome.err;
  }
  /// The CSV that the script reads.
  std::string data(const std::string& options) const {
    const TemporaryFile csv("", ".csv");
    const auto outcome =
        shell("starport plot " + results_.path() + " " + options + " -o " + csv.path());
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return slurp(csv.path());
  }

  TemporaryFile results_;
  TemporaryFile figure_;
};

TEST_F(Plot, EveryKindIsAScript) {
  const TemporaryFile script("", ".py");
  for (const PlotKind& kind : plot_kinds()) {
    if (kind.reads != PlotInput::results) continue;
    std::string options = "--figure " + kind.name;
    options +=
        kind.name == "lines" ? " --x s --where \"experiment = 'sizes'\"" : " --title 'It''s 100%'";
    if (kind.name == "tradeoff") options += " --x enrolled_workers";  // a star has no volume
    const auto outcome =
        shell("starport plot " + results_.path() + " " + options + " -o " + script.path());
    ASSERT_EQ(outcome.status, 0) << kind.name << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, fmt::format("starport: 1 of {} rows left out: their status is not ok\n",
                                       kind.name == "lines" ? 9 : 15));
    const std::string text = slurp(script.path());
    EXPECT_TRUE(text.starts_with("\"\"\"Draws the figures of Starport")) << kind.name;
    for (const char* name : {"Het,1,", "HomI,3,", "\"Het[ratio=local,count_c=no]\",20,"}) {
      EXPECT_NE(text.find(name), std::string::npos) << kind.name << name;
    }
    // The parts of other kinds are left out.
    EXPECT_EQ(test::matches(text, "(def draw_[a-z]+\\(rows)").size(), 1U) << kind.name;
  }
}

// Sections and labels say what differs, and no more. Values are those of the campaign.
TEST_F(Plot, BarsAreNamedByWhatTellsTheInstancesApart) {
  EXPECT_EQ(data("--figure cost --where \"heuristic = 'HomI'\""),
            "position,section,label,available,heuristic,style,value\r\n"
            "1,sizes,nB = 8,,HomI,3,1.1\r\n"
            "2,sizes,nB = 16,,HomI,3,\r\n"
            "3,sizes,nB = 24,,HomI,3,1.1\r\n"
            "4,draws,draw 1,,HomI,3,1.1\r\n"
            "5,draws,draw 2,,HomI,3,1.1\r\n");
  EXPECT_EQ(data("--figure enrolled --where \"experiment = 'draws' AND relative_work > 1\""),
            "position,section,label,available,heuristic,style,value\r\n"
            "1,,1,4,HomI,3,4\r\n"
            "1,,1,4,\"Het[ratio=local,count_c=no]\",20,3\r\n"
            "2,,2,4,HomI,3,4\r\n"
            "2,,2,4,\"Het[ratio=local,count_c=no]\",20,3\r\n");
}

TEST_F(Plot, LabelsHaveAtMost32Characters) {
  const std::string name(30, 'x');
  const TemporaryFile file(fmt::format("instance,platform,heuristic,makespan_s\r\n"
                                       "1,{0}α{0},Het,1\r\n2,{0}β{0},Het,1\r\n3,z,Het,1\r\n",
                                       name),
                           ".csv");
  const auto labels = label_instances(ResultTable::read_csv(file.path()));
  ASSERT_EQ(labels.instances.size(), 3U);
  EXPECT_EQ(labels.instances[0].label, std::string(16, 'x') + "…" + std::string(15, 'x'));
  EXPECT_EQ(character_count(labels.instances[0].label), 32U);
  EXPECT_EQ(labels.instances[2].label, "z");
}

TEST_F(Plot, SeveralFilesAreDrawnTogether) {
  const TemporaryFile csv("", ".csv");
  const TemporaryFile copy(slurp(results_.path()), ".csv");
  ASSERT_EQ(shell("starport plot " + results_.path() + " " + copy.path() +
                  " --figure cost --where \"instance = 1 AND heuristic = 'Het'\" -o " + csv.path())
                .status,
            0);
  EXPECT_NE(slurp(csv.path()).find("\n2,,file 2,"), std::string::npos) << slurp(csv.path());
}

TEST_F(Plot, SortedRanksEachHeuristicOnItsOwn) {
  EXPECT_EQ(data("--figure sorted --value makespan_s --where \"heuristic = 'HomI'\""),
            "rank,heuristic,style,value\r\n1,HomI,3,11\r\n2,HomI,3,33\r\n3,HomI,3,44\r\n"
            "4,HomI,3,55\r\n");
}

// Of very many values a part is drawn, evenly by rank, with both ends.
TEST_F(Plot, ManySortedValuesAreThinnedOut) {
  constexpr int kValues = 30'000;
  std::string text = "instance,heuristic,status,relative_cost\r\n";
  for (int i = kValues; i > 0; --i) text += fmt::format("{},Het,ok,{}\r\n", i, i);
  const TemporaryFile many(text, ".csv");
  for (const char* kind : {"sorted", "distribution"}) {
    const TemporaryFile csv("", ".csv");
    const auto drawn =
        shell("starport plot " + many.path() + " --figure " + kind + " -o " + csv.path());
    ASSERT_EQ(drawn.status, 0) << drawn.err;
    EXPECT_NE(drawn.err.find("of more than 20000 values, one in 2 is drawn, and the 20 at either "
                             "end"),
              std::string::npos)
        << drawn.err;
    const ResultTable rows = ResultTable::read_csv(csv.path());
    EXPECT_EQ(rows.count("count(*)"), kValues / 2 + 20);
    EXPECT_EQ(rows.count("sum(value <= 41)"), 20 + 11);
    EXPECT_EQ(rows.count("max(value)"), kValues);
  }
}

// The repetitions of draws take 40 and 50 s, at 1.5 times the bound: 45 in the mean, over 30.
TEST_F(Plot, LinesAreMeansOverRepetitions) {
  EXPECT_EQ(data("--figure lines --x bandwidth_factor --where \"experiment = 'draws' AND "
                 "heuristic = 'Het'\""),
            "x,bound,heuristic,style,value,least,greatest\r\n2,30,Het,1,45,40,50\r\n");
  EXPECT_NE(refusal("--figure lines --x bandwidth_factor")
                .find("--x: expected one problem for each bandwidth_factor, found '8x8x16' and "
                      "'8x8x8' (choose with --where)"),
            std::string::npos);
}

TEST_F(Plot, AxesThatCannotBe) {
  EXPECT_EQ(refusal("--figure sorted --log x"), "starport: --log: expected y, found 'x'\n");
  EXPECT_EQ(refusal("--figure lines --x s --log z --where \"experiment = 'sizes'\""),
            "starport: --log: expected x, y or xy, found 'z'\n");
  EXPECT_EQ(refusal("--figure lines --x seed --log x --where \"instance = 1\""),
            "starport: --log: expected positive values of seed, found 0\n");
  EXPECT_EQ(refusal("--figure lines"),
            "starport: --x: expected a column for the axis, such as s or block_size, but nothing "
            "is given\n");
  EXPECT_EQ(refusal("--figure lines --x platform"),
            "starport: --x: expected a column of numbers, found platform, which holds 'star, "
            "even'\n");
  EXPECT_EQ(refusal("--figure sorted --value heuristic"),
            "starport: --value: expected a column of numbers, found heuristic, which holds "
            "'Het'\n");
  EXPECT_EQ(refusal("--figure sorted --value relative_costs"),
            "starport: " + results_.path() +
                ": line 1: expected a column 'relative_costs', but there is none (did you mean "
                "'relative_cost'?)\n");
}

TEST_F(Plot, OptionsThatCannotBe) {
  EXPECT_TRUE(refusal("--figure costs").starts_with("starport: --figure: 'costs' is not "));
  EXPECT_TRUE(refusal("").starts_with("starport: --figure: "));
  EXPECT_TRUE(refusal("--figure cost --x s").starts_with("starport: --x: "));
  for (const char* size : {"17", "17x", "x7", "17x7cm", "0x7", "17x-7", "1e9x7", "nanx7"}) {
    EXPECT_EQ(refusal(std::string("--figure cost --size ") + size),
              fmt::format("starport: --size: expected WIDTHxHEIGHT in cm, each from 3 to 100, such "
                          "as 17x7, or column or page, found '{}'\n",
                          size));
  }
  const auto nowhere = shell("starport plot " + results_.path() + " --figure cost");
  EXPECT_EQ(nowhere.err,
            "starport: --output: the option is missing. Give the file to save the figure in\n");
  const auto jpeg = shell("starport plot " + results_.path() + " --figure cost -o cost.jpg");
  EXPECT_EQ(jpeg.status, 2);
  EXPECT_EQ(jpeg.err,
            "starport: --output: expected a file name ending in .svg, .pdf, .png, .csv (the data "
            "alone) or .py (a script that draws the figure), found 'cost.jpg'\n");
  const auto unwritable =
      shell("starport plot " + results_.path() + " --figure cost -o /nonexistent/cost.svg");
  EXPECT_EQ(unwritable.status, 2);
  EXPECT_EQ(shell("starport plot --figure cost -o x.svg").status, 2);
}

TEST_F(Plot, NothingToDraw) {
  EXPECT_EQ(refusal("--figure cost --where \"experiment = 'none'\""),
            "starport: " + results_.path() +
                ": --where: expected a condition that some rows meet, found none of 15 rows\n");
  EXPECT_EQ(refusal("--figure cost --where \"instance = 2 AND heuristic = 'HomI'\""),
            "starport: " + results_.path() +
                ": expected rows whose status is ok, found none of 1 selected, of 15 rows\n");
  const TemporaryFile empty(kPlotHeader, ".csv");
  const auto outcome =
      shell("starport plot " + empty.path() + " --figure cost -o " + figure_.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err,
            "starport: " + empty.path() +
                ": expected rows whose status is ok, found none of 0 selected, of 0 rows\n");
}

TEST_F(Plot, AConditionOnlyReads) {
  EXPECT_NE(refusal("--figure cost --where \"1); DROP TABLE results; --\"")
                .find("found more than one statement"),
            std::string::npos);
  EXPECT_NE(refusal("--figure cost --where \"1); ATTACH '/tmp/x.db' AS x; --\"")
                .find("found more than one statement"),
            std::string::npos);
  EXPECT_NE(
      refusal("--figure cost --where \"heuristc = 'Het'\"").find("found no such column: heuristc"),
      std::string::npos);
  EXPECT_NE(refusal("--figure cost --where \"\"").find("syntax error"), std::string::npos);
}

/// A folder with a module matplotlib, which Python finds first.
class FakeMatplotlib {
 public:
  explicit FakeMatplotlib(const std::string& code) {
    std::ofstream(directory_.path() / "matplotlib.py") << code << "\n";
  }
  std::string environment() const { return "PYTHONPATH=" + directory_.path().string() + " "; }

 private:
  test::TemporaryDirectory directory_;
};

TEST_F(Plot, MatplotlibIsMissing) {
  const FakeMatplotlib none("raise ImportError('none')");
  const auto outcome = shell(none.environment() + "starport plot " + results_.path() +
                             " --figure cost -o " + figure_.path());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err,
            "starport: figures need Python with Matplotlib, which is not installed: install the "
            "Debian package python3-matplotlib, or 'pip install matplotlib'\n");
  EXPECT_EQ(slurp(figure_.path()), "");
}

TEST_F(Plot, MatplotlibFails) {
  const FakeMatplotlib broken("raise RuntimeError('no ink')");
  const auto outcome = shell(broken.environment() + "starport plot " + results_.path() +
                             " --figure cost -o " + figure_.path());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "starport: Matplotlib failed: RuntimeError: no ink\n");
  EXPECT_EQ(slurp(figure_.path()), "");
}

TEST_F(Plot, TheSizeIsTooSmall) {
  const std::string message = refusal("--figure cost --size 4x3");
  EXPECT_TRUE(test::contains(message,
                             "^starport: --size: expected at least [0-9.]+x[0-9.]+ for "
                             "this figure, found 4x3\n$"))
      << message;
}

TEST_F(Plot, RowsThatSayTooLittle) {
  const auto said = [&](const std::string& row) {
    const TemporaryFile file("heuristic,status,relative_cost\n" + row + "\n", ".csv");
    const auto outcome =
        shell("starport plot " + file.path() + " --figure cost -o " + figure_.path());
    EXPECT_EQ(outcome.status, 2);
    return outcome.err.substr(std::min(outcome.err.size(), 12 + file.path().size()));
  };
  EXPECT_EQ(said(",ok,1"), "expected a heuristic in each row, found a row without one\n");
  EXPECT_EQ(said("Het,ok,"),
            "expected a value of relative_cost, found none in the selected rows\n");
}

TEST_F(Plot, TheHelpNamesEveryKind) {
  const auto outcome = shell("starport plot --help");
  EXPECT_EQ(outcome.status, 0);
  for (const PlotKind& kind : plot_kinds()) {
    EXPECT_NE(outcome.out.find("\n  " + kind.name + " "), std::string::npos);
  }
}

}  // namespace
}  // namespace starport
