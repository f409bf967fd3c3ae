// Heuristics that do what they should not.
#include "heuristics/external/plugin.hpp"
#include "sim/files/error.hpp"

#include <unistd.h>

#include <cstdlib>

namespace {

using starport::Plan;
using starport::Platform;
using starport::Problem;

struct Crashes final : starport::PluginHeuristic {
  Plan plan(const Platform&, const Problem&) const override { ::_exit(7); }
};

/// Ends as if all were well.
struct Vanishes final : starport::PluginHeuristic {
  Plan plan(const Platform&, const Problem&) const override { ::_exit(0); }
};

struct Nothing final : starport::Dispatcher {
  starport::Decision next(const starport::MasterView&) override { return starport::Done{}; }
  starport::Transfer transfer() const override { return {}; }
};
struct Lies final : starport::PluginHeuristic {
  Plan plan(const Platform&, const Problem&) const override {
    return {.dispatcher = std::make_unique<Nothing>()};
  }
};

/// Both processes return, and send their runs through one pipe.
struct Forks final : starport::PluginHeuristic {
  Plan plan(const Platform&, const Problem&) const override {
    if (::fork() < 0) std::abort();
    return {.dispatcher = std::make_unique<Nothing>()};
  }
};

struct Parametric final : starport::PluginHeuristic {
  explicit Parametric(const starport::ParameterTexts& given) : x(given.at("x")) {}
  Plan plan(const Platform&, const Problem&) const override {
    throw starport::SimulationError("x is " + x);
  }
  std::string x;
};

struct Throws final : starport::PluginHeuristic {
  Plan plan(const Platform&, const Problem&) const override { throw std::runtime_error("no idea"); }
};

struct Aborts final : starport::PluginHeuristic {
  Aborts() { std::abort(); }
  Plan plan(const Platform&, const Problem&) const override { return {}; }
};
struct Exits final : starport::PluginHeuristic {
  Exits() { ::_exit(0); }
  Plan plan(const Platform&, const Problem&) const override { return {}; }
};

}  // namespace

STARPORT_PLUGIN(
    starport::plugin_entry<Crashes>({"Crashes", "crashes", "a test", {}}),
    starport::plugin_entry<Vanishes>({"Vanishes", "exits with status 0", "a test", {}}),
    starport::plugin_entry<Forks>({"Forks", "plans in two processes", "a test", {}}),
    starport::plugin_entry<Lies>({"Lies", "plans nothing", "a test", {}}),
    starport::plugin_entry<Parametric>({.name = "Parametric",
                                        .description = "tells its parameter",
                                        .source = "a test",
                                        .groups = {},
                                        .accepts_any_parameter = true}),
    starport::plugin_entry<Throws>({"Throws", "throws", "a test", {}}),
    starport::plugin_entry<Aborts>({"Aborts", "aborts when it is created", "a test", {}}),
    starport::plugin_entry<Exits>({"Exits", "exits when it is created", "a test", {}}))
