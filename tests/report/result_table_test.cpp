#include "sim/report/database/result_table.hpp"

#include "sim/files/error.hpp"
#include "tests/report/full_disk.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace starport {
namespace {

using test::FullDisk;
using test::TemporaryFile;

constexpr const char* kThreeRows =
    "heuristic,block size,makespan_s,note\r\n"
    "Het,80,1.5,\"a, \"\"b\"\"\"\r\n"
    "BMM,80,,007x\r\n"
    "Het,40,1e3, spaced \r\n";

ResultTable table(const std::string& text) {
  return ResultTable::read_csv(TemporaryFile(text, ".csv").path());
}

/// Reads a CSV text and returns the error message without the file's name.
std::string message(const std::string& text) {
  const TemporaryFile file(text, ".csv");
  try {
    ResultTable::read_csv(file.path());
  } catch (const InputError& error) {
    const std::string prefix = file.path() + ": ";
    EXPECT_EQ(std::string(error.what()).substr(0, prefix.size()), prefix);
    return std::string(error.what()).substr(prefix.size());
  }
  return "no error";
}

std::string refusal(const std::string& condition) {
  ResultTable rows = table(kThreeRows);
  try {
    rows.filter(condition, "--where");
  } catch (const InputError& error) {
    EXPECT_EQ(rows.count("count(*)"), 3);
    return error.what();
  }
  return "no error";
}

std::string expected_condition(const std::string& found) {
  return "--where: expected an SQL condition on the columns of the results, found " + found +
         " (such as \"heuristic <> 'BMM' AND block_size = 80\")";
}

TEST(ResultTable, FieldsAreNumbersTextOrNothing) {
  const ResultTable rows = table(kThreeRows);
  EXPECT_EQ(rows.count("count(*)"), 3);
  EXPECT_EQ(rows.columns(),
            (std::vector<std::string>{"heuristic", "block size", "makespan_s", "note"}));
  const auto cells = rows.query("SELECT * FROM results ORDER BY _rowid_");
  EXPECT_EQ(cells.at(0), (Row{std::int64_t{1}, "Het", std::int64_t{80}, 1.5, "a, \"b\""}));
  EXPECT_EQ(cells.at(1), (Row{std::int64_t{1}, "BMM", std::int64_t{80}, std::monostate{}, "007x"}));
  EXPECT_EQ(cells.at(2), (Row{std::int64_t{1}, "Het", std::int64_t{40}, 1000.0, " spaced "}));
}

TEST(ResultTable, OnlyFiniteNumbersAreNumbers) {
  const ResultTable rows =
      table("x\ninf\nnan\n1e999\n0x10\n-2\n+1\n1 \n12345678901234567890\n007\n0.5\n");
  std::string types;
  for (const Row& row : rows.query("SELECT typeof(x) FROM results")) {
    types += std::get<std::string>(row[0]).substr(0, 1);
  }
  EXPECT_EQ(types, "ttttittrtr");
}

TEST(ResultTable, AnswersInCsv) {
  const ResultTable rows = table(kThreeRows);
  EXPECT_EQ(rows.query_csv("SELECT heuristic, makespan_s, note AS \"the note\" FROM results "
                           "WHERE \"block size\" = 80"),
            "heuristic,makespan_s,the note\r\nHet,1.5,\"a, \"\"b\"\"\"\r\nBMM,,007x\r\n");
}

TEST(ResultTable, LineEndsBlankLinesAndAByteOrderMark) {
  const ResultTable rows = table(
      "\xef\xbb\xbf"
      "a,b\n\n1,\"two\nlines\"\n3,4");
  EXPECT_EQ(rows.query_csv("SELECT a, b FROM results"), "a,b\r\n1,\"two\nlines\"\r\n3,4\r\n");
}

TEST(ResultTable, SeveralFilesOfTheSameColumns) {
  const TemporaryFile first("a,b\n1,2\n", ".csv");
  const TemporaryFile second("a,b\n3,4\n5,6\n", ".csv");
  const TemporaryFile other("a,c\n3,4\n", ".csv");
  const ResultTable rows = ResultTable::read_csv({first.path(), second.path()});
  EXPECT_EQ(rows.query_csv("SELECT _file, a FROM results"), "_file,a\r\n1,1\r\n2,3\r\n2,5\r\n");
  try {
    ResultTable::read_csv({first.path(), other.path()});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with(other.path() + ": line 1: expected the columns of " +
                                 first.path() + ", found other columns"))
        << error.what();
  }
  const auto twice = [&] { ResultTable::read_csv({first.path(), first.path()}); };
  try {
    twice();
    ADD_FAILURE() << "rows would count twice";
  } catch (const InputError& error) {
    EXPECT_EQ(error.file, first.path());
  }
}

TEST(ResultTable, FaultsOfAFile) {
  EXPECT_EQ(message(""), "expected a header, found an empty file");
  EXPECT_EQ(message("\n\n"), "expected a header, found an empty file");
  EXPECT_EQ(message("a,b\n1,2\n\n1,\"2\n\",3\n"),
            "line 4: expected 2 fields, as in the header, found 3");
  EXPECT_EQ(message("a,b\n1\n"), "line 2: expected 2 fields, as in the header, found 1");
  EXPECT_EQ(message("a,b\n1,2\n1,\"2\n3,4\n"),
            "line 3: expected a closing quote, found the end of the file");
  EXPECT_EQ(
      message("a,b\n1,2\n1,x\"2\n"),
      "line 3: expected quotes only around a whole field, doubled inside it, found a stray quote");
  EXPECT_EQ(
      message("a,b\n1,\"2\" \n"),
      "line 2: expected quotes only around a whole field, doubled inside it, found a stray quote");
  EXPECT_EQ(message("a,b,A\n"), "line 1: expected distinct column names, found 'A' twice");
  EXPECT_EQ(message("a,,c\n"), "line 1: expected a name for each column, found an empty one");
  EXPECT_EQ(message("a,_file\n"),
            "line 1: expected columns not called _file or _rowid_, found '_file'");
  EXPECT_EQ(message(std::string("a\n1\n\0\n", 6)), "line 3: expected text, found a NUL byte");
  // Found by tests/fuzz: C1 and marks of direction went to figures and their data.
  for (const char* control : {"\x1b[2J", "\x0e", "\x7f", "\xc2\x9b", "\xe2\x80\xae"}) {
    EXPECT_EQ(message(std::string("a\n") + control + "\n"),
              "line 2: expected text, found a control character");
  }
  std::string wide = "c0";
  for (int i = 1; i < 2500; ++i) wide += fmt::format(",c{}", i);
  EXPECT_EQ(message(wide + "\n"), "line 1: expected at most 1999 columns, found 2500");
}

TEST(ResultTable, FilesThatCannotBeRead) {
  EXPECT_THROW(ResultTable::read_csv("/nonexistent.csv"), InputError);
  EXPECT_THROW(ResultTable::read_csv("/tmp"), InputError);
}

TEST(ResultTable, NamesTheColumnThatLacks) {
  const TemporaryFile file(kThreeRows, ".csv");
  const ResultTable rows = ResultTable::read_csv(file.path());
  EXPECT_NO_THROW(rows.require({"heuristic", "note"}));
  const auto lacking = [&](const std::string& column) -> std::string {
    try {
      rows.require({"heuristic", column});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(lacking("makespan"), file.path() +
                                     ": line 1: expected a column 'makespan', but there is none "
                                     "(did you mean 'makespan_s'?)");
  EXPECT_EQ(lacking("bound_ratio"),
            file.path() +
                ": line 1: expected a column 'bound_ratio', but there is none "
                "(there are heuristic, block size, makespan_s, note)");
}

TEST(ResultTable, KeepsTheRowsOfACondition) {
  ResultTable rows = table(kThreeRows);
  rows.filter("heuristic = 'Het' -- the comment ends here", "--where");
  EXPECT_EQ(rows.query_csv("SELECT \"block size\" FROM results"), "block size\r\n80\r\n40\r\n");
  rows.filter("makespan_s > 1e6;; ", "--where");
  EXPECT_EQ(rows.count("count(*)"), 0);
}

TEST(ResultTable, AConditionOnlyReads) {
  EXPECT_EQ(refusal("1); DROP TABLE results; SELECT (1"),
            expected_condition("more than one statement"));
  EXPECT_EQ(refusal("1); ATTACH '/tmp/x' AS x; --"), expected_condition("more than one statement"));
  EXPECT_EQ(refusal("heuristic ="), expected_condition("near \")\": syntax error"));
  EXPECT_EQ(refusal("heuristic = Het"), expected_condition("no such column: Het"));
  EXPECT_EQ(refusal("heuristic = \"Het\""), expected_condition("no such column: Het"));
  EXPECT_EQ(refusal("heuristic = ?"), expected_condition("a parameter"));
  EXPECT_EQ(refusal("load_extension('x')"), expected_condition("not authorized"));
  EXPECT_EQ(refusal("(WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
                    "SELECT count(*) FROM c) > 0"),
            expected_condition("a statement that does more than read"));
  EXPECT_EQ(refusal("length(zeroblob(900000000)) > 0"),
            expected_condition("string or blob too big"));
  // The restrictions end with the query: the table itself may change.
  ResultTable rows = table(kThreeRows);
  EXPECT_THROW(rows.filter("(", "--where"), InputError);
  rows.filter("1", "--where");
  EXPECT_EQ(rows.count("count(*)"), 3);
}

// One call of a function, between whose steps SQLite looks at no clock.
TEST(ResultTable, AQuestionEndsInTime) {
  const ResultTable rows = table(kThreeRows);
  const auto ask = [&](const std::string& sql, double time_limit_s) -> std::string {
    try {
      return fmt::format("{} rows", rows.ask(sql, 2, "/sql", time_limit_s).size());
    } catch (const InputError& error) {
      return error.found;
    }
  };
  EXPECT_EQ(ask("SELECT instr(replace(hex(zeroblob(4000000)), '0', 'a'), "
                "replace(hex(zeroblob(2000000)), '0', 'a') || 'b')",
                0.3),
            "a query that takes longer than 0.3 s");
  EXPECT_EQ(ask("SELECT note, makespan_s, NULL, 1 FROM results", 30), "2 rows");
  EXPECT_EQ(ask("SELECT absent FROM results", 30), "no such column: absent");
  EXPECT_EQ(ask("SELECT note FROM results;; \n; -- the end\n", 30), "2 rows");
  EXPECT_EQ(ask("SELECT note FROM results;; SELECT 1", 30), "more than one statement");
  EXPECT_EQ(ask("SELECT note FROM results; note", 30), "more than one statement");
  EXPECT_EQ(ask(";;", 30), "no statement");
}

TEST(ResultTable, ReportsAFullDiskOfTemporaryFiles) {
  const std::vector<Row> rows(20'000, Row{std::string(200, 'x')});
  const auto fault = [&](const std::function<void(ResultTable&)>& use) -> std::string {
    ResultTable results = table(kThreeRows);
    const FullDisk disk;
    try {
      use(results);
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  const auto add = [&](ResultTable& results) { results.add_table("big", {"x"}, rows); };
  EXPECT_EQ(fault(add).substr(0, 67),
            "expected room for rows in the folder of temporary files, found disk");
  ResultTable big = table(kThreeRows);
  add(big);
  EXPECT_EQ(
      fault([&](ResultTable&) { big.query("SELECT DISTINCT x || rowid FROM big"); }).substr(0, 55),
      "expected room for rows in the folder of temporary files");
  EXPECT_EQ(fault([&](ResultTable&) {
              big.ask("SELECT count(*) FROM (SELECT DISTINCT x || rowid FROM big)", 10, "--sql");
            }).substr(0, 55),
            "expected room for rows in the folder of temporary files");
}

TEST(ResultTable, NamesThatLookLikeNumbersAreText) {
  ResultTable rows = table("experiment,heuristic,status,x\n1e3,50,ok,50\n,Het,ok,2\n");
  const auto cells = rows.query("SELECT experiment, heuristic, x FROM results");
  EXPECT_EQ(cells.at(0), (Row{"1e3", "50", std::int64_t{50}}));
  EXPECT_EQ(cells.at(1), (Row{std::monostate{}, "Het", std::int64_t{2}}));
  rows.filter("heuristic = '50' AND experiment = '1e3' AND x = 50", "--where");
  EXPECT_EQ(rows.count("count(*)"), 1);
}

/// As long as the object lives, this process can open no files and create no pipes.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &limit_);
    const rlimit none{.rlim_cur = 0, .rlim_max = limit_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &limit_); }

 private:
  rlimit limit_{};
};

TEST(ResultTable, ALackOfProcessesIsNoFaultOfAQuery) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer needs a pipe to check the type of an exception";
#endif
  const ResultTable rows = table(kThreeRows);
  const NoDescriptors none;
  EXPECT_THROW(rows.ask("SELECT 1", 2, "/sql"), MachineError);
}

}  // namespace
}  // namespace starport
