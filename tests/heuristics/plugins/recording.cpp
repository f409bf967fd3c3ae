// A heuristic that appends a line with the process to $STARPORT_RECORD whenever some of its
// library's code runs.
#include "heuristics/external/plugin.hpp"
#include "sim/files/error.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace {

void record(const char* what) {
  if (const char* const path = std::getenv("STARPORT_RECORD")) {
    std::ofstream(path, std::ios::app) << what << ' ' << ::getpid() << '\n';
  }
}

struct Library {
  Library() { record("load"); }
  ~Library() { record("unload"); }
};
const Library library;

std::string description() {
  record("list");
  return "records its processes";
}

struct Records final : starport::PluginHeuristic {
  explicit Records(const starport::ParameterTexts& parameters) {
    record("create");
    if (parameters.contains("refuse")) {
      throw starport::InputError("refuse", "a value that this\nclass knows", "another", "try 1");
    }
  }
  ~Records() override { record("destroy"); }
  starport::Plan plan(const starport::Platform&, const starport::Problem&) const override {
    record("plan");
    throw starport::NotApplicable("records only");
  }
};

}  // namespace

STARPORT_PLUGIN(starport::plugin_entry<Records>({.name = "Records",
                                                 .description = description(),
                                                 .source = "a test",
                                                 .groups = {},
                                                 .accepts_any_parameter = true},
                                                starport::memory_for(starport::kOptimized)))
