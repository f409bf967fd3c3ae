// The Python module _starport, which the package starport wraps: runs commands of the program, and
// gives Python what commands do not: heuristics in Python (heuristics.cpp), bounds of a model, and
// the parts of a sweep.

#include "sim/python/module.hpp"

#include "sim/app/algorithms.hpp"
#include "sim/app/check_schedule.hpp"
#include "sim/app/command_line.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/process/version.hpp"
#include "sim/python/interruptible.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/results/comparison.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/validator/validator.hpp"

#include <Python.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <pthread.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <utility>

namespace starport::python {
namespace {

thread_local bool forks_are_handled = false;
thread_local PyGILState_STATE child_lock = PyGILState_UNLOCKED;

thread_local sigset_t signals_before_fork;
thread_local bool was_interrupted = false;

/// Keeps Ctrl-C for after the fork: an exception that a signal raises in what Python calls around a
/// fork would be lost.
void before_fork() {
  if (!forks_are_handled) return;
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupt, &signals_before_fork);
  child_lock = PyGILState_Ensure();
  was_interrupted = PyErr_CheckSignals() != 0;
  PyErr_Clear();
  PyOS_BeforeFork();
}
void after_fork_in_parent() {
  if (!forks_are_handled) return;
  PyOS_AfterFork_Parent();
  if (was_interrupted) PyErr_SetInterrupt();
  PyGILState_Release(child_lock);
  pthread_sigmask(SIG_SETMASK, &signals_before_fork, nullptr);
}
/// Keeps the lock, since the child has one thread only.
void after_fork_in_child() {
  if (!forks_are_handled) return;
  PyOS_AfterFork_Child();
  pthread_sigmask(SIG_SETMASK, &signals_before_fork, nullptr);
}

namespace py = pybind11;

/// Returns the model of that name. Throws InputError if there is none.
const Model& find_model(const std::string& name) {
  std::vector<std::string> names;
  std::string listed;
  for (const Model* model : model_registry().models) {
    if (model->name() == name) return *model;
    listed += (listed.empty() ? "" : ", ") + std::string(model->name());
    names.emplace_back(model->name());
  }
  throw InputError::with_unknown_name("model", name, "a model", names, listed);
}

/// Returns the case of a platform file and a product. `block_size` and `element_type` replace those
/// of the file. Throws InputError if one of them is invalid.
Case read_case(const std::string& path, const std::string& problem,
               std::optional<std::int64_t> block_size, const std::string& element_type) {
  std::optional<ElementType> type;
  if (!element_type.empty()) type = parse_element_type(element_type, "element_type");
  const PlatformFile file = convert_to_doubles(with_element_type(load_platform(path), type));
  const std::int64_t q = block_size.value_or(file.block_size.value_or(kDefaultBlockSize));
  if (q < 1 || q > kMaxBlockSize) {
    throw InputError("block_size", fmt::format("an integer from 1 to {}", kMaxBlockSize),
                     fmt::format("{}", q));
  }
  return {file, parse_problem(problem, q, "problem")};
}

/// Returns the model that a platform file is meant for: tile tasks if a worker shares the master's
/// memory (a node with GPUs), else the first model to which the platform gives what it needs.
const Model& natural_model(const Case& instance) {
  const Models& models = model_registry().models;
  const auto shares_memory = [](const PlatformFile::Entry& entry) {
    return std::holds_alternative<PlatformFile::MemorySharing>(entry.worker);
  };
  if (std::ranges::any_of(instance.file.entries, shares_memory)) {
    return find_model("tiles");
  }
  for (const Model* model : models) {
    if (!model->find_obstacle(instance, {})) return *model;
  }
  return star_model();
}

/// Returns the bounds of a model (by its name; "": the one that the platform is meant for) on a
/// case, as a JSON object with the model's name under the key "model".
std::string bounds_text(const std::string& path, const std::string& problem,
                        std::optional<std::int64_t> block_size, const std::string& element_type,
                        const std::string& model_name) {
  const Case instance = read_case(path, problem, block_size, element_type);
  const Model& model = model_name.empty() ? natural_model(instance) : find_model(model_name);
  if (auto obstacle = model.find_obstacle(instance, {})) {
    throw std::move(*obstacle);
  }
  nlohmann::ordered_json json{{"model", model.name()}};
  json.update(
      figures_json(model.figures(), model.bounds(instance, {}), {Scope::instance, Scope::heading}));
  return to_json_line(json);
}

/// Returns the text of the schedule file of a heuristic, which plans and runs in this process, so
/// that its output appears and its exceptions reach the caller.
std::string schedule_text(const std::string& path, const std::string& problem,
                          std::optional<std::int64_t> block_size, const std::string& element_type,
                          const std::string& heuristic) {
  const NamedAlgorithm named = read_algorithms(heuristic, "heuristic").at(0);
  if (named.algorithm->model() != star_model().name()) {
    throw InputError("heuristic", "a heuristic for stars", "'" + named.name + "'");
  }
  const Case instance = read_case(path, problem, block_size, element_type);
  const Platform platform = make_star(instance);
  const auto planner = make_planner(named, platform, instance.problem);
  const SimulationLimits limits = limits_per_process(0, 1);
  check({named}, instance, model_registry().models,
        {.engine = EngineKind::analytic, .limits = limits});
  const HeuristicsInThisProcess in_this_process;
  const AnalyticEngine engine(limits);
  const Trace trace =
      collect_trace(limits, [&](const TransferConsumer& consumer) {
        return *engine.stream_here(platform, instance.problem, planner, {}, consumer);
      }).trace;
  if (const auto violation = find_violation(platform, instance.problem, trace)) {
    throw SimulationError(fmt::format("the trace breaks the model at transfer {}: {}",
                                      violation->transfer + 1, violation->message));
  }
  Schedule schedule{.heuristic = named.name,
                    .problem = instance.problem,
                    .platform = platform,
                    .makespan_s = compute_metrics(platform, trace).makespan_s,
                    .transfers = to_transfers(trace)};
  if (!element_type.empty())
    schedule.element_type = parse_element_type(element_type, "element_type");
  correct_makespan(schedule);
  std::string text;
  write_json(schedule, [&](std::string_view piece) { text += piece; });
  return text;
}

/// Returns the declarations of all figures as a JSON array. A figure that several models declare
/// is in it once for each.
std::string figures_text() {
  auto figures = nlohmann::ordered_json::array();
  for (const Model* model : model_registry().models) {
    for (const Figure* figure : model->figures()) {
      static constexpr const char* kScopes[] = {"label", "run", "instance", "heading", "worker"};
      figures.push_back({{"model", model->name()},
                         {"key", figure->key},
                         {"unit", figure->unit},
                         {"form", to_string(figure->form)},
                         {"scope", kScopes[static_cast<std::size_t>(figure->scope)]},
                         {"meaning", figure->meaning}});
    }
  }
  return figures.dump();
}

/// Returns the registered heuristics of all models as a JSON array.
std::string heuristics_text() {
  auto heuristics = nlohmann::ordered_json::array();
  for (const AlgorithmEntry* entry : algorithm_entries()) {
    auto parameters = nlohmann::ordered_json::object();
    for (const Parameter& parameter : entry->parameters) {
      parameters[parameter.key] = {{"values", parameter.values},
                                   {"default", parameter.default_value},
                                   {"meaning", parameter.description}};
    }
    heuristics.push_back({{"name", entry->usage()},
                          {"description", entry->description},
                          {"source", entry->source},
                          {"groups", entry->groups},
                          {"parameters", parameters}});
  }
  return heuristics.dump();
}

/// Returns a text as os.fsdecode() does, since a file name in it may have bytes that are not UTF-8.
py::object decode_name(const std::string& text) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeFSDefaultAndSize(text.data(), std::ssize(text)));
}

/// Sets the exception `name` of starport/_errors.py, made from the texts `arguments`.
template <class... Arguments>
void set_error(const char* name, const Arguments&... arguments) {
  const py::object type = py::module_::import("starport._errors").attr(name);
  const py::object error = type(decode_name(arguments)...);
  PyErr_SetObject(type.ptr(), error.ptr());
}

/// Makes exceptions of this program arrive in Python as those of starport/_errors.py: InputError,
/// SimulationError and NotApplicable. Call it once, when the module loads.
void translate_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(std::move(thrown));
    } catch (const InputError& error) {
      set_error("InputError", error.what(), error.file, error.place, error.expected, error.found,
                error.hint);
    } catch (const NotApplicable& error) {
      set_error("NotApplicable", error.what());
    } catch (const SimulationError& error) {
      set_error("SimulationError", error.what());
    }
  });
}

}  // namespace

void register_fork_handlers() {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

ReleasedLock::ReleasedLock() : state_(PyEval_SaveThread()) { forks_are_handled = true; }

ReleasedLock::~ReleasedLock() {
  forks_are_handled = false;
  PyEval_RestoreThread(static_cast<PyThreadState*>(state_));
}

PYBIND11_MODULE(_starport, module) {
  register_fork_handlers();
  translate_errors();
  define_heuristics(module);
  define_sweep_classes(module);
  module.attr("version") = kVersion;
  module.attr("commit") = kCommit;
  module.def("load_plugin", add_plugin);
  module.def("command", [](const std::vector<std::string>& arguments) {
    const CommandResult result = call_command(arguments);
    return py::make_tuple(result.status, py::bytes(result.output), py::bytes(result.notice));
  });
  module.def("bounds", [](const std::string& path, const std::string& problem,
                          std::optional<std::int64_t> block_size, const std::string& element_type,
                          const std::string& model) {
    return in_child([&] {
             return std::vector{bounds_text(path, problem, block_size, element_type, model)};
           })
        .front();
  });
  module.def("schedule", schedule_text);
  module.def("figures", figures_text);
  module.def("heuristics", heuristics_text);
  module.def("star", [](const std::string& path, std::optional<std::int64_t> block_size,
                        const std::string& element_type) {
    return to_python(make_star(read_case(path, "1", block_size, element_type)));
  });
}

}  // namespace starport::python
