// Shell scripts that tests name as heuristics.
#pragma once

#include "tests/support.hpp"

#include <filesystem>
#include <string>

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

}  // namespace starport::test
