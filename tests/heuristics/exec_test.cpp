// Heuristics that are programs: what they may say, and what becomes of those that misbehave.
#include "heuristics/external/exec.hpp"

#include "sim/app/algorithms.hpp"
#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/heuristics/program.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

namespace starport {
namespace {

using test::Program;
using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

/// Decides on requests, and serves the first worker of each view.
constexpr const char* kFirst = "exec:tests/fixtures/first.sh";

constexpr const char* kRun = "starport run platforms/first-try.json --problem 800x800x800 --json ";

/// The row of a heuristic on a small platform.
nlohmann::json row(const std::string& name, const std::string& options = "") {
  const auto outcome = shell(kRun + options + " --heuristics " + name);
  EXPECT_EQ(outcome.err, "");
  return test::json_of(outcome.out).at("results").at(0);
}

TEST(Exec, DecidesOnRequests) {
  for (const char* options :
       {"", "--engine analytic", "--noise cv=10%,seed=3", "--noise stop=1@0.2 --engine analytic"}) {
    const auto mine = row(kFirst, options);
    EXPECT_EQ(mine.at("status"), "ok") << options << mine;
    EXPECT_EQ(mine.at("details").at("rule"), "first");
    EXPECT_GT(mine.at("makespan_s").get<double>(), 0);
  }
}

/// A schedule is a list, which leaves out that the program once sent nothing for a while.
TEST(Exec, WhatWaitedIsPlannedWithTheMakespanOfTheList) {
  const Program program(
      "read -r question; echo '{\"protocol\": 1, \"decides\": \"requests\"}'; views=0\n"
      "while read -r view; do\n"
      "  views=$((views + 1)); worker=${view#*worker\\\":}; worker=${worker%%,*}\n"
      "  [ $views -ne 12 ] || worker=null\n"
      "  echo \"{\\\"serve\\\": $worker}\"\n"
      "done");
  const TemporaryFile plan("");
  const std::string options =
      "--problem 800x800x800 --engine analytic --heuristics " + program.name();
  const auto planned =
      shell("starport plan platforms/first-try.json " + options + " -o " + plan.path());
  ASSERT_EQ(planned.status, 0) << planned.err;
  EXPECT_LT(test::json_of(read_file(plan.path())).at("makespan_s"),
            row(program.name()).at("makespan_s"));
  const auto valid = shell("starport validate " + plan.path());
  EXPECT_EQ(valid.status, 0) << valid.err;
}

TEST(Exec, PlansAScheduleThatIsKeptUnderNoise) {
  const TemporaryDirectory directory;
  const std::string schedule = directory.path() / "schedule.json";
  ASSERT_EQ(
      shell("starport plan platforms/first-try.json --problem 800x800x800 --heuristics Hom -o " +
            schedule)
          .status,
      0);
  const nlohmann::json answer{{"protocol", 1}, {"transfers", load_json(schedule).at("transfers")}};
  const std::string plan = directory.path() / "plan.json";
  std::ofstream(plan) << answer << '\n';
  const Program program("cat " + plan);
  for (const char* options : {"", "--engine analytic", "--noise cv=10%,seed=3"}) {
    EXPECT_EQ(row(program.name(), options).at("makespan_s"), row("Hom", options).at("makespan_s"))
        << options;
  }
}

TEST(Exec, GetsItsParameters) {
  const Program program(R"(
read -r question
case $question in *'"parameters":{"depth":"3","x":"a b"}'*) why=right ;; *) why=wrong ;; esac
echo '{"protocol": 1, "not_applicable": "'$why'"}')");
  const auto mine = row("\"" + program.name() + "[x=a b,depth=3,time_limit=7]\"");
  EXPECT_EQ(mine.at("status"), "not applicable");
  EXPECT_EQ(mine.at("error"), "right");
  EXPECT_EQ(mine.at("heuristic"), program.name() + "[depth=3,time_limit=7,x=a b]");
}

TEST(Exec, MessagesAreThoseOfTheSchema) {
  const TemporaryFile said("");
  std::string script = read_file(STARPORT_SOURCE_DIR "/tests/fixtures/first.sh");
  for (const char* what : {"question", "view"}) {
    const std::string reading = std::string("read -r ") + what;
    const std::size_t at = script.find(reading) + reading.size();
    script.insert(at, (what[0] == 'v' ? std::string(" && ") : std::string("\n")) +
                          "printf \"%s\\n\" \"$" + what + "\" >> " + said.path());
  }
  ASSERT_EQ(row(Program(script).name()).at("status"), "ok");
  const test::JsonSchema schema("heuristics/protocol.schema.json");
  std::ifstream lines(said.path());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_TRUE(schema.accepts(test::json_of(line))) << line;
  }
  EXPECT_GT(count, 40);
  const PlatformFile paging = load_platform(STARPORT_SOURCE_DIR "/platforms/paging.json");
  const nlohmann::json question = to_json(paging.at_block_size(80), {2, 2, 2, 80}, {});
  ASSERT_TRUE(question.at("platform").at("workers").back().contains("speeds"));
  EXPECT_TRUE(schema.accepts(question)) << question;
  for (const char* answer : {R"({"protocol": 1, "decides": "requests", "layout": "Toledo"})",
                             R"({"protocol": 1, "transfers": [], "details": {"a": "b"}})",
                             R"({"serve": null})", R"({"protocol": 1, "not_applicable": "why"})"}) {
    EXPECT_TRUE(schema.accepts(test::json_of(answer))) << answer;
  }
  for (const char* answer :
       {R"({"protocol": 2, "decides": "requests"})", R"({"protocol": 1})", R"({"serve": 0})",
        R"({"protocol": 1, "transfers": [], "decides": "requests"})"}) {
    EXPECT_FALSE(schema.accepts(test::json_of(answer))) << answer;
  }
}

TEST(Exec, WhatIsWrongIsARowThatSaysSo) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"exit 3", "PROGRAM ended with status 3 and gave no answer"},
      {"echo first >&2; echo no idea >&2; exit 1",
       "PROGRAM ended with status 1 and gave no answer (no idea)"},
      {"kill -SEGV $$", "PROGRAM crashed: Segmentation fault"},
      {"echo hello", "PROGRAM: line 1, column 1: expected JSON, found a syntax error at 'h'"},
      {"echo '{}'", "PROGRAM: /: the key 'protocol' is missing"},
      {"echo '{\"protocol\": 2}'",
       "PROGRAM: /protocol: expected 1, the version that this Starport speaks, found 2"},
      {"echo '{\"protocol\": 1}'",
       "PROGRAM: /: expected \"transfers\" or \"decides\", one of them, found an object"},
      {"echo '{\"protocol\": 1, \"decides\": \"all\"}'",
       "PROGRAM: /decides: expected \"requests\", found \"all\""},
      {"echo '{\"protocol\": 1, \"transfers\": []}'",
       "the trace breaks the model at transfer 1: only 0 of the 100 blocks of C are returned"},
      {"echo '{\"protocol\": 1, \"transfers\": [{\"worker\": 9, \"to\": \"worker\"}]}'",
       "PROGRAM: /transfers/0/worker: expected an integer from 1 to 3, found 9"},
      {"echo '{\"protocol\": 1, \"transfers\": [{\"worker\": 1, \"to\": \"worker\", "
       "\"after_update\": 4}]}'",
       "the dispatcher decided a transfer that waits for update 4 of worker 1, of which 0 exist"},
      {"read -r q; echo '{\"protocol\": 1, \"decides\": \"requests\"}'; read -r v; echo "
       "'{\"serve\": 7}'",
       "PROGRAM: /serve: expected a worker of the requests, or null, found 7"},
      {"read -r q; echo '{\"protocol\": 1, \"decides\": \"requests\"}'; read -r v; echo "
       "'{\"serve\": null}'",
       "the dispatcher waits though no update is in progress"},
      {"read -r q; echo '{\"protocol\": 1, \"decides\": \"requests\"}'; read -r v; exit 5",
       "PROGRAM ended with status 5 and gave no answer"},
  };
  for (const char* engine : {"--engine analytic", "--engine simgrid"}) {
    SCOPED_TRACE(engine);
    test::expect_errors(std::string(kRun) + engine, "exec", cases);
  }
  EXPECT_EQ(row("exec:./no/such").at("error"), "cannot run ./no/such: No such file or directory");
}

/// Far longer than anything takes, so that no test fails on a busy machine.
constexpr int kPatience_s = 600;

/// Returns whether a process ends while the test has patience.
bool ends(pid_t process) {
  for (int i = 0; i < 100 * kPatience_s && ::kill(process, 0) == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return ::kill(process, 0) != 0;
}

TEST(Exec, OneThatDoesNotAnswerIsGivenUpWithAllThatItStarted) {
  for (const bool in_own_session : {false, true}) {
    const TemporaryFile number("", ".pid");
    const Program program(
        (in_own_session ? "setsid sleep 1000 & echo $! > " : "sleep 1000 & echo $! > ") +
        number.path() + "; sleep 1000");
    pid_t started = 0;
    // On a busy machine it may have started nothing within the limit.
    for (int limit_s = 1; started == 0 && limit_s < kPatience_s; limit_s *= 2) {
      const std::string limit = std::to_string(limit_s);
      const auto mine = in_own_session ? row(program.name() + "[time_limit=" + limit + "]")
                                       : row(program.name(), "--time-limit " + limit);
      EXPECT_EQ(mine.at("status"), "error");
      EXPECT_EQ(mine.at("cause"), "time");
      std::ifstream(number.path()) >> started;
    }
    ASSERT_GT(started, 1);
    EXPECT_TRUE(ends(started)) << in_own_session;
  }
}

// Each one exceeds a limit for good, so that the test does not depend on when that is noticed.
TEST(Exec, OneThatExceedsALimitIsARowThatSaysSo) {
  const TemporaryFile numbers("", ".pids");
  const std::string notes_itself = "echo $$ >> " + numbers.path() + "\n";
  const Program forks(notes_itself + R"(
read -r question
echo '{"protocol": 1, "decides": "requests"}'
for n in 1 2 3 4 5 6 7 8; do
  read -r view
  setsid sleep 1000 &
  echo $! >> )" + numbers.path() +
                      R"(
  worker=${view#*'"worker":'}
  [ $n -lt 8 ] || wait
  echo '{"serve": '${worker%%,*}'}'
done)");
  const Program opens(notes_itself + R"(exec python3 -c '
import os
while True: os.open("/dev/null", os.O_RDONLY)')");
  const Program allocates(notes_itself + R"(exec python3 -c '
import time
memory = bytearray(b"x") * (300 << 20)
time.sleep(1000)')");
  const Program floods(notes_itself + "yes | tr -d '\\n'");
  const auto outcome =
      shell(kRun + ("--heuristics '" + forks.name() + "[process_limit=6]," + opens.name() +
                    "[file_limit=40]," + allocates.name() + "[memory_limit=100]," + floods.name() +
                    "[output_limit=2],ODDOML'"));
  const auto rows = test::json_of(outcome.out).at("results");
  ASSERT_EQ(rows.size(), 5U);
  const std::vector<std::string> errors{
      forks.path() + " has started more than 6 processes and threads (process_limit)",
      opens.path() +
          " ended with status 1 and gave no answer (OSError: [Errno 24] Too many open "
          "files: '/dev/null')",
      allocates.path() + " and what it has started took more than 100 MiB of memory (memory_limit)",
      floods.path() + " printed an answer of more than 2 MiB (output_limit)"};
  for (std::size_t i = 0; i < errors.size(); ++i) {
    EXPECT_EQ(rows.at(i).value("error", ""), errors[i]) << rows.at(i);
    EXPECT_EQ(rows.at(i).at("cause"), i == 1 ? "model" : "memory") << rows.at(i);
  }
  EXPECT_EQ(rows.back().at("status"), "ok");
  std::ifstream started(numbers.path());
  int count = 0;
  for (pid_t process = 0; started >> process; ++count) EXPECT_TRUE(ends(process)) << process;
  EXPECT_GE(count, 10);
}

// The registry's reader of names always sets it.
TEST(Exec, WithoutAProgramItIsRefused) {
  for (const Entry<Algorithm>& entry : exec_registry()) {
    try {
      entry.make({});
      ADD_FAILURE();
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "exec: expected exec:PROGRAM, found no program");
    }
  }
}

// Its standard output stays open in a session of another, which is ended with the run.
TEST(Exec, OneThatEndsIsNotWaitedFor) {
  const TemporaryFile number("", ".pid");
  const Program program("setsid sleep 1000 & echo $! > " + number.path() + "; exit 3");
  const auto mine = row(program.name() + "[time_limit=600]", "");
  EXPECT_EQ(mine.at("status"), "error");
  EXPECT_NE(mine.at("error").get<std::string>().find("ended with status 3 and gave no answer"),
            std::string::npos)
      << mine;
  pid_t started = 0;
  std::ifstream(number.path()) >> started;
  ASSERT_GT(started, 1);
  EXPECT_NE(::kill(started, 0), 0);
}

TEST(Exec, ALongQuestionToOneThatDoesNotListen) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() / "many.json";
  std::ofstream(path) << R"({"schema_version": 1, "name": "many", "workers": [{"count": 20000,
      "bandwidth": "10MBps", "speed": "1Gf", "memory": "1MB"}]})";
  const Program deaf("echo '{\"protocol\": 1, \"not_applicable\": \"deaf\"}'");
  const auto outcome =
      shell("starport run " + path + " --problem 800x800x800 --csv --heuristics " + deaf.name());
  EXPECT_NE(outcome.out.find("not applicable,deaf"), std::string::npos) << outcome.out;
}

/// A plan of a platform whose workers have more memory: complete, but it does not fit here.
TEST(Exec, SweepsValidateWhatTheyDoNotKnow) {
  const TemporaryDirectory directory;
  const auto file = [&](const char* name, const std::string& content) {
    const std::string path = directory.path() / name;
    std::ofstream(path) << content;
    return path;
  };
  const auto platform = [&](const char* name, int m_blocks) {
    return file(name, R"({"schema_version": 1, "name": "x", "block_size": 80, "workers": [
        {"c_s": 1, "w_s": 2, "m_blocks": )" +
                          std::to_string(m_blocks) + "}]}");
  };
  const std::string schedule = directory.path() / "schedule.json";
  ASSERT_EQ(shell("starport plan " + platform("large.json", 140) +
                  " --problem 800x800x800 --heuristics Hom -o " + schedule)
                .status,
            0);
  platform("small.json", 139);
  const nlohmann::json answer{{"protocol", 1}, {"transfers", load_json(schedule).at("transfers")}};
  const Program liar("cat " + file("plan.json", answer.dump()));
  const nlohmann::json sweep{{"schema_version", 1},
                             {"name", "x"},
                             {"heuristics", {liar.name(), kFirst}},
                             {"experiments",
                              {{{"name", "x"},
                                {"platforms", {"large.json", "small.json"}},
                                {"problems", {"800x800x800", "800x800x1600"}}}}}};
  const std::string path = file("sweep.json", sweep.dump());
  const auto results = [&](const std::string& options) {
    static int number = 0;
    const std::string out = directory.path() / ("out" + std::to_string(number++));
    shell("starport sweep " + path + " -o " + out + " " + options);
    std::ostringstream text;
    text << std::ifstream(out + "/results.csv").rdbuf();
    return text.str();
  };
  // Two platforms of one name are refused: each has its own.
  shell("sed -i s/x/small/ " + (directory.path() / "small.json").string());
  const std::string one = results("-j 1 --engine analytic");
  EXPECT_EQ(one, results("-j 3 --engine analytic"));
  EXPECT_NE(one.find("would hold 140 blocks"), std::string::npos) << one;
  EXPECT_EQ(one.find("died"), std::string::npos) << one;
}

TEST(Exec, Names) {
  const auto message = [](const char* text) -> std::string {
    try {
      return read_algorithms(text, "--heuristics").at(0).name;
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message("exec:./mine.py"), "exec:./mine.py");
  EXPECT_EQ(message("exec:a:b[y=2,x=1:2]"), "exec:a:b[x=1:2,y=2]");
  const std::string hint = " (a path must not contain commas or brackets; use a symbolic link)";
  EXPECT_EQ(message("exec:./a[1].py"),
            "--heuristics: expected a closing ']', found 'exec:./a[1].py'" + hint);
  EXPECT_EQ(message("exec:./a[1]"),
            "--heuristics: expected exec:PROGRAM[key=value,...], found '1'" + hint);
  EXPECT_EQ(message("exec:"),
            "--heuristics: expected exec:PROGRAM[key=value,...], found 'exec:'" + hint);
  EXPECT_EQ(
      message("exec:./x[PROGRAM=3]"),
      "--heuristics: 'PROGRAM' names the text after the colon and cannot be a parameter. Choose "
      "another key");
  EXPECT_EQ(
      message("exec:./x[time_limit=0]"),
      "--heuristics: expected exec[time_limit=N], N an integer from 1 to 2147483647, found '0'");
  const std::string comma = message("exec:./a,b.py");
  EXPECT_NE(comma.find("'b.py' is not a heuristic. If it belongs to the path"), std::string::npos)
      << comma;
}

}  // namespace
}  // namespace starport
