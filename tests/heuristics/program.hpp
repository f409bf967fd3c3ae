// Shell scripts that tests name as heuristics.
#pragma once

#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <deque>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace starport::test {

/// A shell script that can be asked for as exec:PATH, exec-tiles:PATH or exec-spmd:PATH.
class Program {
 public:
  explicit Program(const std::string& script) : file_("#!/bin/sh\n" + script, ".sh") {
    std::filesystem::permissions(file_.path(), std::filesystem::perms::owner_all);
  }
  std::string name() const { return "exec:" + file_.path(); }
  const std::string& path() const { return file_.path(); }

 private:
  TemporaryFile file_;
};

/// Runs scripts as the heuristics KIND:PATH of one command and expects these errors in their rows,
/// in which PROGRAM stands for the path.
inline void expect_errors(const std::string& command, const std::string& kind,
                          const std::vector<std::pair<std::string, std::string>>& cases) {
  std::deque<Program> programs;
  std::string names;
  for (const auto& [script, error] : cases) {
    names += (names.empty() ? "" : ",") + kind + ":" + programs.emplace_back(script).path();
  }
  const Outcome outcome = shell(command + " --heuristics " + names);
  EXPECT_EQ(outcome.err, "");
  const auto results = json_of(outcome.out).at("results");
  ASSERT_EQ(results.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::string error = results.at(i).value("error", "");
    const std::string& path = programs[i].path();
    const std::size_t at = error.find(path);
    if (at != std::string::npos) error.replace(at, path.size(), "PROGRAM");
    EXPECT_EQ(error, cases[i].second) << cases[i].first;
  }
}

}  // namespace starport::test
