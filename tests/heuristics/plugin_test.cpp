// Heuristics in shared libraries.
#include "sim/app/algorithms.hpp"
#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace starport {
namespace {

using test::shell;

constexpr const char* kRunWithPlugin =
    "starport run platforms/first-try.json --problem 800x800x800 ";

/// The library of tests/heuristics/plugins/NAME.cpp or of heuristics/examples.
std::string plugin(const std::string& name) {
  return std::string("--plugin " STARPORT_PLUGINS "/lib") + name + ".so ";
}

TEST(Plugin, IsOneOfTheHeuristics) {
  for (const char* options : {"", "--engine analytic ", "--noise cv=5%,seed=2 "}) {
    const auto outcome =
        shell(kRunWithPlugin + plugin("scarce") + options + "--json --heuristics Scarce,ODDOML");
    EXPECT_EQ(outcome.err, "");
    const auto rows = test::json_of(outcome.out).at("results");
    EXPECT_EQ(rows.at(0).at("heuristic"), "Scarce");
    EXPECT_EQ(rows.at(0).at("status"), "ok") << rows.at(0);
    EXPECT_GE(rows.at(0).value("times_bound", 1.0), 1);  // under noise there is no bound
  }
  const auto list = shell("starport list " + plugin("scarce"));
  EXPECT_NE(list.out.find("serves the worker that will run out of work first"), std::string::npos);
}

TEST(Plugin, PlansInAProcessOfItsOwnAndIsValidated) {
  const auto outcome =
      shell(kRunWithPlugin + plugin("misbehaving") +
            "--json --heuristics Crashes,Lies,Parametric[x=3],Throws,Hom,Vanishes");
  const auto rows = test::json_of(outcome.out).at("results");
  EXPECT_EQ(rows.at(0).at("error"), "crashed with status 7");
  EXPECT_EQ(rows.at(1).at("error"),
            "the trace breaks the model at transfer 1: only 0 of the 100 blocks of C are returned");
  EXPECT_EQ(rows.at(2).at("error"), "x is 3");
  EXPECT_EQ(rows.at(3).at("error"), "no idea");
  EXPECT_EQ(rows.at(4).at("status"), "ok");
  EXPECT_EQ(rows.at(5).at("error"),
            "the process of the heuristic ended before its plan was complete");
}

// Whatever the two processes send, the other heuristic has its row.
TEST(Plugin, OneThatPlansInTwoProcessesHarmsNoOther) {
  for (const char* engine : {"analytic", "simgrid"}) {
    const auto outcome = shell(kRunWithPlugin + plugin("misbehaving") +
                               "--json --heuristics Forks,ODDOML --engine " + engine);
    const auto rows = test::json_of(outcome.out).at("results");
    ASSERT_EQ(rows.size(), 2U) << outcome.err;
    EXPECT_EQ(rows.at(0).at("status"), "error");
    EXPECT_EQ(rows.at(1).at("status"), "ok");
  }
}

// The command, whose process is the shell's, has no line in the file: what the library's code does
// there would end the other heuristics too.
TEST(Plugin, RunsInChildProcessesOnly) {
  const test::TemporaryDirectory folder;
  const std::string record = (folder.path() / "record").string();
  for (const std::string engine : {"analytic", "simgrid"}) {
    const auto outcome = shell(
        "export STARPORT_RECORD=" + record +
        "; sh -c 'echo $$; exec " STARPORT_PROGRAM " run platforms/first-try.json --problem 800 " +
        plugin("recording") + "--heuristics Records,Hom --engine " + engine + "'");
    const std::string command = outcome.out.substr(0, outcome.out.find('\n'));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("records only"), std::string::npos) << outcome.out;
    const std::string lines = read_file(record);
    for (const char* what : {"load ", "list ", "create ", "plan "}) {
      EXPECT_NE(lines.find(what), std::string::npos) << lines;
    }
    EXPECT_EQ(lines.find(" " + command + "\n"), std::string::npos) << command << '\n' << lines;
  }
}

TEST(Plugin, ItsRefusalsAndRequirementsAreThoseOfTheCommand) {
  const auto refused =
      shell(kRunWithPlugin + plugin("recording") + "--heuristics Hom,Records[refuse=1]");
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err,
            "starport: refuse: expected a value that this class knows, found another (try 1)\n");
  // No worker has the memory for the three blocks of its layout.
  const auto large = shell("starport run platforms/first-try.json --problem 8000x8000x8000 " +
                           plugin("recording") + "--block-size 8000 --heuristics Records");
  EXPECT_EQ(large.status, 2);
  EXPECT_NE(large.err.find("optimized, not overlapped"), std::string::npos) << large.err;
}

TEST(Plugin, ThatChangesDuringTheCommandFails) {
  const test::TemporaryDirectory folder;
  const std::string library = (folder.path() / "scarce.so").string();
  const std::string program = (folder.path() / "replace").string();
  std::filesystem::copy_file(STARPORT_PLUGINS "/libscarce.so", library);
  std::ofstream(program) << "#!/bin/sh\ncp " STARPORT_PLUGINS "/libnearest.so " << library
                         << ".new\nmv " << library << ".new " << library << '\n';
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const auto outcome = shell(kRunWithPlugin + ("--json --plugin " + library) +
                             " --heuristics exec:" + program + ",Scarce,Hom");
  const auto rows = test::json_of(outcome.out).at("results");
  EXPECT_EQ(rows.at(1).at("error"),
            library + " has changed since the command started; run it again");
  EXPECT_EQ(rows.at(2).at("status"), "ok");
}

TEST(Plugin, ASweepGoesOnWithTheSameLibraryOnly) {
  const test::TemporaryDirectory folder;
  const test::TemporaryFile specification(R"({"schema_version": 1, "name": "x",
    "heuristics": ["Scarce"], "experiments": [{"name": "e", "problems": ["80x80x80"],
    "block_sizes": [40], "platforms": [{"platform": {"schema_version": 1, "name": "one",
    "workers": [{"bandwidth": "1MBps", "speed": "1Mf", "memory": "1MB"}]}}]}]})");
  const std::string library = (folder.path() / "mine.so").string();
  std::filesystem::copy_file(STARPORT_PLUGINS "/libscarce.so", library);
  const std::string sweep = "starport sweep " + specification.path() + " --plugin " + library +
                            " -o " + (folder.path() / "results").string();
  EXPECT_EQ(shell(sweep).status, 0);
  EXPECT_EQ(shell(sweep + " --resume").status, 0);
  std::ofstream(library, std::ios::app) << "another";
  const auto changed = shell(sweep + " --resume");
  EXPECT_EQ(changed.status, 2);
  EXPECT_NE(changed.err.find("found rows of others"), std::string::npos) << changed.err;
}

TEST(Plugin, ShardsOfASweepAreMerged) {
  const test::TemporaryDirectory folder;
  const test::TemporaryFile specification(R"({"schema_version": 1, "name": "x",
    "heuristics": ["Scarce"], "experiments": [{"name": "e", "problems": ["80x80x80", "80x80x160"],
    "block_sizes": [40], "platforms": [{"platform": {"schema_version": 1, "name": "one",
    "workers": [{"bandwidth": "1MBps", "speed": "1Mf", "memory": "1MB"}]}}]}]})");
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  for (const char* shard : {"1", "2"}) {
    EXPECT_EQ(shell("starport sweep " + specification.path() + " " + plugin("scarce") + "-o " +
                    path(shard) + " --shard " + shard + "/2")
                  .status,
              0);
  }
  const auto merged = shell("starport merge " + path("1") + " " + path("2") + " " +
                            plugin("scarce") + "-o " + path("all"));
  EXPECT_EQ(merged.status, 0) << merged.err;
  const auto verified = shell("starport verify " + path("all") + " " + plugin("scarce"));
  EXPECT_EQ(verified.status, 0) << verified.err;
}

TEST(Plugin, WhatIsNoneIsRefused) {
  const auto message = [](const std::string& options) {
    const auto outcome = shell(kRunWithPlugin + options);
    EXPECT_EQ(outcome.status, 2);
    return outcome.err;
  };
  EXPECT_TRUE(message("--plugin /no/such.so")
                  .starts_with("starport: --plugin: expected a shared library, found /no/such.so"));
  const std::string none = message(plugin("no_plugin"));
  EXPECT_NE(none.find("--plugin: expected a library with STARPORT_PLUGIN, but there is none"),
            std::string::npos)
      << none;
  const std::string old = message(plugin("of_another_version"));
  EXPECT_NE(old.find("--plugin: expected a library for this Starport, 3-"), std::string::npos);
  EXPECT_NE(old.find("found one for another, 0-"), std::string::npos) << old;
  EXPECT_NE(old.find("(compile it again, with this one's headers)"), std::string::npos) << old;
  // A library that was cut short ends whoever loads it by SIGBUS.
  const test::TemporaryFile cut(read_file(STARPORT_PLUGINS "/libscarce.so").substr(0, 20'000),
                                ".so");
  const std::string short_one = message("--plugin " + cut.path());
  EXPECT_NE(short_one.find("--plugin: expected a"), std::string::npos) << short_one;
  EXPECT_NE(message(plugin("misbehaving") + "--heuristics Hom,Aborts")
                .find("expected a library whose Aborts can be created, found crashed: Aborted"),
            std::string::npos);
  EXPECT_NE(
      message(plugin("misbehaving") + "--heuristics Hom,Exits")
          .find("expected a library whose Exits can be created, found one that ends the program"),
      std::string::npos);
  const std::string taken =
      message("--plugin " STARPORT_PLUGINS "/libscarce.so," STARPORT_PLUGINS "/libscarce.so");
  EXPECT_NE(taken.find("expected heuristics with names of their own, found 'Scarce'"),
            std::string::npos)
      << taken;
}

TEST(Plugin, NamesDifferFromEachOtherAndFromGroups) {
  for (const std::vector<const char*>& names :
       std::vector<std::vector<const char*>>{{"Twin", "Twin"}, {"ppopp08"}, {"all+"}, {"Het"}}) {
    std::vector<Entry<Algorithm>> entries(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) entries[i].name = names[i];
    EXPECT_THROW(add_heuristics(std::move(entries), "mine.so"), InputError) << names.back();
  }
  std::vector<Entry<Algorithm>> hides(1);
  hides[0].name = "Mine";
  hides[0].groups = {"Het"};
  EXPECT_THROW(add_heuristics(std::move(hides), "mine.so"), InputError);
}

}  // namespace
}  // namespace starport
