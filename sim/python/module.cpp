// The Python module _starport, which the package starport wraps: runs commands of the program, and
// gives Python what commands do not: heuristics in Python, bounds of a model, and the parts of a
// sweep.

#include "sim/python/module.hpp"

#include "heuristics/star/external/exec.hpp"
#include "sim/app/algorithms.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/files/json.hpp"
#include "sim/process/version.hpp"
#include "sim/python/interruptible.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/star/analytic_run.hpp"
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

/// Returns a Python exception on one line: type, message, and the file and line that raised it.
std::string in_one_line(const py::error_already_set& error) {
  std::string where;
  const py::object trace = error.trace();
  for (py::object at = trace; at && !at.is_none(); at = at.attr("tb_next")) {
    const py::object code = at.attr("tb_frame").attr("f_code");
    where = fmt::format(" ({}:{})", code.attr("co_filename").cast<std::string>(),
                        at.attr("tb_lineno").cast<int>());
  }
  return fmt::format("{}: {}{}", error.type().attr("__name__").cast<std::string>(),
                     py::str(error.value()).cast<std::string>(), where);
}

/// True while a heuristic runs in this process, so that its exceptions can reach the Python caller.
thread_local bool in_this_process = false;

/// Calls `call` with the interpreter's lock and returns its result. A Python exception becomes a
/// SimulationError unless the heuristic runs in this process.
template <class Call>
auto in_python(Call call) {
  const py::gil_scoped_acquire lock;
  try {
    return call();
  } catch (const py::error_already_set& error) {
    if (in_this_process) throw;
    throw SimulationError(in_one_line(error));
  }
}

/// Returns the index in `view.requests` of the worker number that a heuristic has returned, nullopt
/// for None. Throws SimulationError if it is no number or that worker has no request.
std::optional<std::size_t> find_request(const py::object& served, const RequestView& view) {
  if (served.is_none()) return std::nullopt;
  std::int64_t worker = 0;
  try {
    worker = served.cast<std::int64_t>();
  } catch (const py::cast_error&) {
    throw SimulationError(fmt::format("a {} is returned; expected the number of a worker, or None",
                                      py::type::of(served).attr("__name__").cast<std::string>()));
  }
  for (std::size_t i = 0; i < view.requests.size(); ++i) {
    if (view.requests[i].worker + 1 == worker) return i;
  }
  throw SimulationError(fmt::format("worker {} is served, which has no request", worker));
}

/// Returns the planning functions that Python has registered, by the names of their heuristics. A
/// function is looked up when it plans, so that registering a name again replaces it. Never
/// destroyed, because the interpreter may end first.
py::dict& planners() {
  static py::dict* const functions = new py::dict;
  return *functions;
}

/// Returns what a planning function in Python receives of a platform: its name, the kind of its
/// port, and for each worker its name, c_s, w_s, m_blocks and latency_s.
py::tuple to_tuple(const Platform& platform) {
  py::list workers;
  for (std::size_t i = 0; i < platform.workers.size(); ++i) {
    const Worker& worker = platform.workers[i];
    workers.append(py::make_tuple(std::string(platform.names[i]), worker.c_s, worker.w_s,
                                  worker.m_blocks, worker.latency_s));
  }
  return py::make_tuple(platform.name, to_string(platform.port.kind), workers);
}

/// Returns what a planning function in Python receives of a product: r, s, t and the block size.
py::tuple to_tuple(const Problem& problem) {
  return py::make_tuple(problem.r, problem.s, problem.t, problem.block_size);
}

/// Plans with the Python function registered as `name`. Throws SimulationError if it fails or
/// returns a plan that is not valid.
Plan plan_by(const std::string& name, const ParameterTexts& parameters, const Platform& platform,
             const Problem& problem) {
  return in_python([&] {
    const py::tuple planned =
        planners()[py::str(name)](to_tuple(platform), to_tuple(problem), py::cast(parameters));
    const auto text = planned[0].cast<std::string>();
    // Never released: the process ends with the run.
    const py::handle decide = py::object(planned[1]).release();
    PlanAnswer answer;
    try {
      answer = read_plan(parse_json(text, name), platform, problem);
    } catch (const InputError& error) {
      throw SimulationError(error.in_file(name).what());
    }
    return make_plan(std::move(answer), platform, problem, [decide](const RequestView& view) {
      return in_python([&] { return find_request(decide(py::cast(view)), view); });
    });
  });
}

/// Registers a Python heuristic, or replaces its function if the name is registered already.
void register_heuristic(const std::string& name, const std::string& description,
                        const py::function& plan) {
  if (planners().contains(name)) {
    planners()[py::str(name)] = plan;
    return;
  }
  add_heuristics({{{.name = name,
                    .description = description,
                    .source = "Python",
                    .groups = {},
                    .in_all_group = false,
                    .accepts_any_parameter = true},
                   [name](const ParameterTexts& parameters) {
                     return std::make_unique<Heuristic>(Requirements{.blocks = 3},
                                                        std::bind_front(plan_by, name, parameters),
                                                        Origin::external);
                   }}},
                 "register");
  planners()[py::str(name)] = plan;
}

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
  const Case instance = read_case(path, problem, block_size, element_type);
  const Platform platform = make_star(instance);
  in_this_process = true;
  struct Reset {
    ~Reset() { in_this_process = false; }
  } const reset;
  const Plan plan = make_planner(named, platform, instance.problem)();
  const Trace trace = run_to_trace(*plan.dispatcher, platform, instance.problem);
  if (const auto violation = find_violation(platform, instance.problem, trace)) {
    throw SimulationError(fmt::format("the trace breaks the model at transfer {}: {}",
                                      violation->transfer + 1, violation->message));
  }
  Schedule schedule{.heuristic = named.name,
                    .problem = instance.problem,
                    .platform = platform,
                    .makespan_s = compute_metrics(platform, trace).makespan_s,
                    .transfers = to_transfers(trace)};
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

std::string show(const OpenRequest& request) {
  return fmt::format("Request(worker={}, kind='{}', date_s={:.6g}, blocks={}, updates={})",
                     request.worker + 1, kRequestKindNames[static_cast<std::size_t>(request.kind)],
                     request.date_s, request.blocks, request.updates);
}

/// Defines the Python classes of the objects that a deciding function receives. Their texts are in
/// starport/_starport.pyi.
void define_heuristic_classes(py::module_& module) {
  py::class_<OpenRequest>(
      module, "Request",
      "A worker's wish for its next transfer.\n\n"
      "A deciding function receives requests in a `View` and returns the number "
      "of a worker.")
      .def_property_readonly(
          "worker", [](const OpenRequest& request) { return request.worker + 1; },
          "Number of the worker, from 1.")
      .def_property_readonly(
          "kind",
          [](const OpenRequest& request) {
            return kRequestKindNames[static_cast<std::size_t>(request.kind)];
          },
          "What the worker wants to send or receive, such as \"chunk\".")
      .def_readonly("date_s", &OpenRequest::date_s, "Earliest start of the transfer, in seconds.")
      .def_readonly("works_until_s", &OpenRequest::works_until_s,
                    "When the worker ends what it has, in seconds.")
      .def_readonly("blocks", &OpenRequest::blocks, "Size of the transfer, in blocks.")
      .def_readonly("updates", &OpenRequest::updates, "Block updates that the transfer allows.")
      .def("__repr__", show);
  py::class_<RequestView>(module, "View",
                          "What a deciding function sees whenever the master's port is free.\n\n"
                          "It returns the number of the worker to serve next, or None to end.")
      .def_readonly("now_s", &RequestView::now_s, "The current date, in seconds.")
      .def_readonly("columns_left", &RequestView::columns_left,
                    "Block columns of C that no worker has yet.")
      .def_readonly("requests", &RequestView::requests, "The open requests, a list of `Request`.")
      .def("__repr__", [](const RequestView& view) {
        return fmt::format("View(now_s={:.6g}, columns_left={}, requests={})", view.now_s,
                           view.columns_left, py::str(py::cast(view.requests)).cast<std::string>());
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
  define_heuristic_classes(module);
  define_sweep_classes(module);
  module.attr("version") = kVersion;
  module.attr("commit") = kCommit;
  module.def("register_heuristic", register_heuristic);
  module.def("load_plugin", add_plugin);
  module.def("command", [](const std::vector<std::string>& arguments) {
    const CommandResult result = call_command(arguments);
    return py::make_tuple(result.status, py::bytes(result.output), py::bytes(result.notice));
  });
  module.def("bounds", bounds_text);
  module.def("schedule", schedule_text);
  module.def("figures", figures_text);
  module.def("heuristics", heuristics_text);
  module.def("star", [](const std::string& path, std::optional<std::int64_t> block_size,
                        const std::string& element_type) {
    return to_tuple(make_star(read_case(path, "1", block_size, element_type)));
  });
}

}  // namespace starport::python
