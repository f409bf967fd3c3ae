// An interrupted sweep can be resumed and gives the same bytes, whatever interrupted it.
#include "sim/app/algorithms.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/process/isolation.hpp"
#include "sim/sweep/row_file.hpp"
#include "sim/sweep/run_sweep.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"
#include "tests/sweep/sweep_fixture.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace starport {
namespace {

namespace fs = std::filesystem;
using test::content;
using test::longer;
using test::shell;
using test::Sweep;
using test::TemporaryFile;
using InterruptedSweep = test::Sweep;

// The rows may end at any byte.
TEST_F(InterruptedSweep, ResumesFromAnyByte) {
  run_whole();
  const std::string rows = content(work_.path() / "whole/results.csv");
  std::set<std::size_t> sizes{0, 1, rows.size() - 1, rows.size()};
  for (std::size_t size = 30; size < rows.size(); size += 397) sizes.insert(size);
  for (const std::size_t size : sizes) {
    const std::string name = "cut-" + std::to_string(size);
    unfinished(name, size);
    EXPECT_EQ(shell(sweep(name, "--resume")).status, 1) << size;  // some rows fail
    expect_like_whole(name);
  }
  EXPECT_EQ(shell(sweep("whole", "--resume")).status, 1);
}

// On three blocks DDOML runs, though the steady-state bound, whose layout takes five, does not
// exist.
TEST_F(InterruptedSweep, ResumesWhereThereIsNoBound) {
  const TemporaryFile specification(
      R"({"schema_version": 1, "name": "x", "heuristics": ["DDOML"], "experiments": [{"name": "e",
          "problems": ["20x20x20"], "repetitions": 2, "platforms": [{"platform": {
          "schema_version": 1, "name": "p", "block_size": 10,
          "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 3}]}}]}]})");
  const std::string command = "starport sweep " + specification.path() + " -o " + dir("small");
  ASSERT_EQ(shell(command).status, 0);
  const std::string rows = content(dir("small") + "/results.csv");
  EXPECT_EQ(rows.find("inf"), std::string::npos) << rows;
  // No chunk of side 1 fits, so that there is no steady state; the other bounds are there.
  EXPECT_NE(rows.find(",1,1,,,24,"), std::string::npos) << rows;
  const std::string info = dir("small") + "/run_info.json";
  shell("sed -i s/true/false/ " + info);
  const auto again = shell(command + " --resume");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(content(dir("small") + "/results.csv"), rows);
}

// Instances on which the machine failed (here by a time limit) are run again, to the same rows.
TEST_F(InterruptedSweep, TriesAgainWhereTheMachineFailed) {
  engine_ = "--engine simgrid ";
  run_whole();
  const auto late = shell(sweep("late", "-j 1 --time-limit 1e-9"));
  EXPECT_EQ(late.status, 1) << late.err;
  const std::string rows = content(dir("late/results.csv"));
  EXPECT_NE(rows.find("ODDOML,error,timed out after 1e-09 s,time,"), std::string::npos) << rows;
  EXPECT_EQ(shell(sweep("late", "--resume")).status, 1);  // BMM has too little memory
  expect_like_whole("late");
  EXPECT_EQ(shell("starport verify " + dir("late")).status, 0);
  // Failures of the model are not run again.
  const auto complete = shell(sweep("late", "--resume"));
  EXPECT_NE(complete.out.find("is complete already, "), std::string::npos) << complete.out;
  EXPECT_EQ(complete.out.find("none is checked"), std::string::npos) << complete.out;
}

// New rows of the last instance must not be read as one block with its failed rows.
TEST_F(InterruptedSweep, TriesTheLastInstanceAgain) {
  const TemporaryFile specification(
      R"({"schema_version": 1, "name": "x", "heuristics": ["ODDOML"], "experiments": [{"name": "e",
          "problems": ["20x20x20"], "platforms": [{"platform": {
          "schema_version": 1, "name": "p", "block_size": 10,
          "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 12}]}}]}]})");
  const std::string command = "starport sweep " + specification.path() + " --engine simgrid -o ";
  ASSERT_EQ(shell(command + dir("once")).status, 0);
  EXPECT_EQ(shell(command + dir("late") + " --time-limit 1e-9").status, 1);
  const auto again = shell(command + dir("late") + " --resume");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(content(dir("late/results.csv")), content(dir("once/results.csv")));
  EXPECT_EQ(shell("starport verify " + dir("late")).status, 0);
}

/// The star, but no run ends, nor is it in a process of its own, whose limit would end it.
class EndlessModel final : public Model {
 public:
  std::string_view name() const override { return star_.name(); }
  const FigureList& figures() const override { return star_.figures(); }
  const Presentation& presentation() const override { return star_.presentation(); }
  std::optional<InputError> find_obstacle(const Case&, const RunOptions&,
                                          std::span<const NamedAlgorithm>) const override {
    return std::nullopt;
  }
  Figures bounds(const Case&, const Noise&) const override { return {}; }
  Record run(const NamedAlgorithm&, const Case&, const RunOptions&) const override {
    for (;;) ::pause();
  }
  std::string find_difference(const NamedAlgorithm&, const Case&, const RunOptions&,
                              EngineKind) const override {
    return "";
  }

 private:
  const Model& star_ = star_model();
};

// Only the limit of the process of the instance ends it, in the first round and in the second one.
TEST_F(InterruptedSweep, BothRoundsOfAnInstanceHaveALimit) {
  const EndlessModel endless;
  const TemporaryFile file(
      R"({"schema_version": 1, "name": "x", "heuristics": ["ODDOML"], "experiments": [{"name": "e",
          "problems": ["20x20x20"], "platforms": [{"platform": {
          "schema_version": 1, "name": "p", "block_size": 10,
          "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 12}]}}]}]})");
  const Specification specification = load_specification(
      file.path(), ModelRegistry{.models = {&endless}, .read_algorithms = read_algorithms});
  for (const EngineKind engine : {EngineKind::analytic, EngineKind::simgrid}) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    std::string rows;
    run_rows(
        specification, {1}, {.engine = engine, .limits = {.time_limit_s = 0.02}, .rest_s = 0.02}, 1,
        [&](const InstanceRows& instance) { rows += instance.rows; },
        [&] { return std::chrono::steady_clock::now() < give_up; });
    ASSERT_NE(rows.find("ODDOML,error,its process died: Killed,time,"), std::string::npos) << rows;
  }
}

// Signals, lack of memory and time limits are failures of the machine; crashes are not.
TEST_F(InterruptedSweep, KillsAndMemoryAreTheMachines) {
  const auto fails = [](const std::function<void()>& body) -> std::string {
    try {
      run_in_child([&](FrameWriter&) { body(); }, [](std::span<const std::byte>) {}, 60);
    } catch (const MachineError& error) {
      return to_string(error.cause());
    } catch (const SimulationError&) {
      return "model";
    }
    return "";
  };
  EXPECT_EQ(fails([] { std::raise(SIGKILL); }), "killed");
  EXPECT_EQ(fails([] { throw std::bad_alloc(); }), "memory");
  EXPECT_EQ(fails([] { throw MachineError(FailureCause::time, "late"); }), "time");
  EXPECT_EQ(fails([] { std::raise(SIGSEGV); }), "model");
  EXPECT_EQ(fails([] { throw SimulationError("wrong"); }), "model");
  EXPECT_EQ(fails([] {}), "");
}

// A changed digit is found in unfinished and in complete directories.
TEST_F(InterruptedSweep, SeesAChangedDigit) {
  run_whole();
  const std::string whole = content(dir("whole/results.csv"));
  const std::size_t cut = whole.find("\r\n9,") + 2;
  const auto change = [&](const std::string& file) {
    std::string text = content(file);
    const std::size_t digit = text.find_first_of("123456789", text.find(",ok,,,") + 6);
    text[digit] = text[digit] == '9' ? '8' : static_cast<char>(text[digit] + 1);
    std::ofstream(file, std::ios::binary) << text;
  };
  unfinished("changed", cut);
  EXPECT_EQ(shell("starport verify " + dir("changed")).status, 2);  // run_info.json was
  change(dir("changed/results.csv"));
  const auto resumed = shell(sweep("changed", "--resume"));
  EXPECT_EQ(resumed.status, 2);
  EXPECT_NE(resumed.err.find("results.csv: line 2: expected the rows that were written, found "
                             "something else (the directory is damaged)"),
            std::string::npos)
      << resumed.err;

  const auto good = shell("starport verify " + dir("whole"));
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_EQ(good.out, dir("whole") + ": complete, 12 instances; every byte is as it was written\n");
  for (const char* name :
       {"results.csv", "timings.csv", "checksums.csv", "specification.json", "run_info.json"}) {
    const std::string file = dir("whole/") + name;
    const std::string before = content(file);
    for (const std::size_t at : {std::size_t{9}, before.size() / 2, before.size() - 2}) {
      std::string text = before;
      text[at] ^= 1;
      std::ofstream(file, std::ios::binary) << text;
      EXPECT_EQ(shell("starport verify " + dir("whole")).status, 2) << name << " at " << at;
    }
    std::ofstream(file, std::ios::binary) << before;
  }
  EXPECT_EQ(shell("starport verify " + dir("whole")).status, 0);
}

// At each call the wall clock is up to a day earlier or later.
TEST_F(InterruptedSweep, AWallClockThatJumpsChangesNothing) {
  engine_ = "--engine simgrid ";  // each run has a limit of its own
  run_whole();
  const std::string jumping = "LD_PRELOAD=" STARPORT_PLUGINS "/libjumping_clock.so " +
                              sweep("jumping", "-j 2 --time-limit 600");
  EXPECT_EQ(shell(jumping).status, 1);  // some rows fail
  expect_like_whole("jumping");
}

// Each key of a wrong type is named, before it is used.
TEST_F(InterruptedSweep, RunInformationHasTheTypesOfItsKeys) {
  run_whole();
  const fs::path path = fs::path(dir("whole")) / "run_info.json";
  const auto info = parse_trusted_json(content(path));
  for (const char* key : {"complete", "engine", "specification_sha256", "results_sha256",
                          "timings_sha256", "checksums_sha256"}) {
    auto changed = info;
    changed[key] = 7;
    std::ofstream(path) << changed.dump();
    const auto outcome = shell("starport verify " + dir("whole"));
    EXPECT_EQ(outcome.status, 2) << key;
    EXPECT_NE(outcome.err.find(std::string("run_info.json: /") + key + ": expected "),
              std::string::npos)
        << outcome.err;
  }
}

class LongSweep : public Sweep {
 protected:
  LongSweep() : Sweep(longer("20")) { engine_.clear(); }
};

// A batch system sends SIGTERM to every process of a job: no row may report it.
TEST_F(LongSweep, ASignalToAllProcessesFailsNoRow) {
  run_whole();
  int stopped = 0;
  for (std::size_t lines = 10; lines <= 120; lines += 10) {
    const auto outcome =
        interrupt(sweep("stopped", "--resume -j 4"), "stopped", lines, "-TERM -- -$pid");
    if (outcome.status == 128 + SIGTERM) ++stopped;
  }
  EXPECT_GT(stopped, 0);
  EXPECT_NE(shell(sweep("stopped", "--resume")).status, 2);
  expect_like_whole("stopped");
}

// Killed with SIGKILL while writing, again and again, until a run completes.
TEST_F(LongSweep, SurvivesKills) {
  run_whole();
  auto info = nlohmann::json::object();
  std::size_t lines = 0;
  for (std::size_t i = 1; i <= 200 && !info.value("complete", false); ++i) {
    interrupt(sweep("killed", "--resume -j 3"), "killed", lines + 3 * i % 13, "-KILL $pid");
    const std::string rows = content(dir("killed/results.csv"));
    lines = static_cast<std::size_t>(std::ranges::count(rows, '\n'));
    info = test::json_of(content(dir("killed/run_info.json")));
  }
  expect_like_whole("killed");
  EXPECT_GT(info.at("runs").size(), 1U);  // the first run did not complete
}

/// A sweep that is stopped long before its end.
class StoppedSweep : public Sweep {
 protected:
  StoppedSweep() : Sweep(longer("2000")) { engine_.clear(); }
};

TEST_F(StoppedSweep, SaysHowToGoOnAsAShellTakesIt) {
  for (const auto& [signal, status] :
       {std::pair("HUP", 129), std::pair("INT", 130), std::pair("TERM", 143)}) {
    const std::string name = signal + std::string("'s \\$HOME");
    const auto outcome =
        interrupt(sweep(name, "-j 2"), name, 9, "-" + std::string(signal) + " $pid");
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_NE(outcome.err.find("of 4006 instances; to go on: starport sweep "), std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find(" -o '" + dir(signal) + "'\\''s $HOME' -j 2 --resume\n"),
              std::string::npos)
        << outcome.err;
    const std::string path = dir(signal) + "'s $HOME";
    std::set<std::string> files;
    for (const auto& entry : fs::directory_iterator(path)) {
      files.insert(entry.path().filename().string());
    }
    EXPECT_EQ(files, (std::set<std::string>{"checksums.csv", "results.csv", "run_info.json",
                                            "specification.json", "timings.csv"}));
    EXPECT_GT(test::json_of(content(path + "/run_info.json")).at("runs").at(0).at("duration_s"), 0);
  }
}

// A full log changes neither the sweep nor its exit status.
TEST_F(StoppedSweep, StderrThatIsFullChangesNothing) {
  const auto outcome = interrupt(sweep("log", "-j 2 2>/dev/full"), "log", 9, "-INT $pid");
  EXPECT_EQ(outcome.status, 130);
}

// timings.csv may end at any byte, even in its header.
TEST_F(InterruptedSweep, ResumesFromTimingsCutAnywhere) {
  run_whole();
  const std::string header(ResultRows::timings_header());
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, header.size(), header.size() + 9}) {
    const std::string name = "timings-" + std::to_string(size);
    fs::resize_file(fs::path(unfinished(name, 1000)) / "timings.csv", size);
    EXPECT_NE(shell(sweep(name, "--resume")).status, 2) << size;
    expect_like_whole(name);
    EXPECT_TRUE(content(dir(name) + "/timings.csv").starts_with(header));
  }
}

// Results that outlived their timings, as a power failure may leave them: the instances are run
// again, so that no complete directory lacks timings.
TEST_F(InterruptedSweep, ResultsWithoutTimingsAreComputedAgain) {
  run_whole();
  const auto lines = [&](const std::string& directory) {
    const std::string text = content(dir(directory) + "/timings.csv");
    return std::ranges::count(text, '\n');
  };
  const std::string timings = content(dir("whole") + "/timings.csv");
  for (const std::size_t size : {timings.find("\n2,") + 1, timings.find("\n12,") + 1}) {
    const std::string name = "lost-" + std::to_string(size);
    fs::resize_file(
        fs::path(unfinished(name, content(dir("whole") + "/results.csv").size())) / "timings.csv",
        size);
    EXPECT_NE(shell(sweep(name, "--resume")).status, 2) << size;
    expect_like_whole(name);
    EXPECT_EQ(lines(name), lines("whole"));
    EXPECT_EQ(shell("starport verify " + dir(name)).status, 0);
  }
}

// A file size limit and, where the test may mount one, a full disk: the rows written so far stay
// complete, and the sweep can be resumed.
TEST_F(InterruptedSweep, AFullDiskLosesNothing) {
  run_whole();
  const auto expect_valid_and_resume = [&](const std::string& directory) {
    const std::string rows = content(dir(directory) + "/results.csv");
    EXPECT_TRUE(rows.ends_with("\r\n"));
    EXPECT_TRUE(content(work_.path() / "whole/results.csv").starts_with(rows));
  };
  const auto limited = shell("ulimit -f 4; " + sweep("limited", "-j 1"));
  EXPECT_EQ(limited.status, 2) << limited.err;
  EXPECT_EQ(limited.err, "starport: " + dir("limited/results.csv") +
                             ": expected a file that can be written, found File too large\n");
  expect_valid_and_resume("limited");
  EXPECT_NE(shell(sweep("limited", "--resume")).status, 2);
  expect_like_whole("limited");

  fs::create_directory(dir("disk"));
  if (::mount("tmpfs", dir("disk").c_str(), "tmpfs", 0, "size=16k") != 0) {
    GTEST_SKIP() << "may not mount a small tmpfs";
  }
  const auto full = shell(sweep("disk/out", "-j 1"));
  EXPECT_EQ(full.status, 2);
  EXPECT_NE(full.err.find(": expected a file that can be written, found No space left on device"),
            std::string::npos)
      << full.err;
  expect_valid_and_resume("disk/out");
  ::umount(dir("disk").c_str());
}

// Rows cut short at the end of a file are no damage: they are run again.
TEST_F(InterruptedSweep, VerifyAcceptsWhatResumeAccepts) {
  run_whole();
  const std::string rows = content(dir("whole/results.csv"));
  const std::string timings = content(dir("whole/timings.csv"));
  const auto end_of_line = [](const std::string& text, const char* start) {
    return text.find("\r\n", text.find(start) + 2) + 2;
  };
  // run_info.json of a sweep that has been stopped.
  ASSERT_NE(shell("ulimit -f 4; " + sweep("stopped", "-j 1")).status, 0);
  const auto cut = [&](const std::string& name, std::size_t rows_end, std::size_t timings_end) {
    unfinished(name, rows_end);
    fs::resize_file(dir(name + "/timings.csv"), timings_end);
    fs::copy_file(dir("stopped/run_info.json"), dir(name + "/run_info.json"),
                  fs::copy_options::overwrite_existing);
    return shell("starport verify " + dir(name));
  };
  const std::size_t one_row = end_of_line(rows, "\r\n9,");
  const auto in_results = cut("rows", one_row, timings.size());
  EXPECT_EQ(in_results.status, 0) << in_results.err;
  EXPECT_NE(in_results.out.find("8 of 12 instances"), std::string::npos) << in_results.out;
  const auto in_timings = cut("timings", rows.size(), end_of_line(timings, "\r\n9,"));
  EXPECT_EQ(in_timings.status, 0) << in_timings.err;
  // A last row that was changed is damage.
  cut("changed", one_row, timings.size());
  shell("sed -i 's/^8,\\(.*\\),ok,/8,\\1,not applicable,/' " + dir("changed/results.csv"));
  EXPECT_EQ(shell("starport verify " + dir("changed")).status, 2);
}

// Otherwise each row would be an error for good.
TEST_F(InterruptedSweep, WithoutSimGridIsRefusedBeforeItStarts) {
  // The program alone, without the library beside it.
  fs::create_directory(dir("bin"));
  fs::copy_file(STARPORT_PROGRAM, dir("bin/starport"));
  for (const char* options : {" --engine simgrid", " --engine analytic --cross-check 0.01"}) {
    const auto outcome = shell(dir("bin/starport") + " sweep " + specification_.path() + " -o " +
                               dir("none") + options);
    EXPECT_EQ(outcome.status, 2) << options;
    EXPECT_NE(outcome.err.find("the SimGrid engines are not installed"), std::string::npos)
        << outcome.err;
    EXPECT_FALSE(fs::exists(dir("none")));
  }
}

// Not even root may list it, since the test gives up its rights.
TEST_F(InterruptedSweep, ADirectoryThatMayNotBeListedIsRefused) {
  const Specification specification = load_specification(specification_.path(), model_registry());
  fs::create_directory(dir("hidden"));
  fs::permissions(work_.path(), fs::perms::all);
  fs::permissions(dir("hidden"), static_cast<fs::perms>(0333));
  run_in_child(
      [&](FrameWriter& out) {
        if (::geteuid() == 0 && ::seteuid(65534) != 0) return;
        std::string message = "none";
        try {
          const ResultDirectory directory(dir("hidden"), specification,
                                          {.engine = "analytic", .simgrid_version = ""}, {});
        } catch (const InputError& error) {
          message = error.found;
        }
        out.write(std::as_bytes(std::span(message)));
        out.flush();
      },
      [&](std::span<const std::byte> bytes) {
        EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                  "Permission denied");
      },
      0);
}

}  // namespace
}  // namespace starport
