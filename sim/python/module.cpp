// The Python module _starport, which the package starport (starport/__init__.py) wraps. Requests
// and results are texts, as on the command line and in its files; only what a heuristic sees
// (platform, problem, requests) are objects.

#include "sim/python/module.hpp"

#include "heuristics/star/external/exec.hpp"
#include "sim/app/algorithms.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/app/report_page.hpp"
#include "sim/app/worst_case.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/process/machine.hpp"
#include "sim/process/version.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/report/plots/plot_kinds.hpp"
#include "sim/report/trace_files.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/validator/validator.hpp"
#include "sim/sweep/run_sweep.hpp"

#include <Python.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <pthread.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace starport::python {
namespace {

thread_local bool forks_are_handled = false;
thread_local PyGILState_STATE child_lock = PyGILState_UNLOCKED;

void before_fork() {
  if (!forks_are_handled) return;
  child_lock = PyGILState_Ensure();
  PyOS_BeforeFork();
}
void after_fork_in_parent() {
  if (!forks_are_handled) return;
  PyOS_AfterFork_Parent();
  PyGILState_Release(child_lock);
}
/// Keeps the lock, since the child has one thread only.
void after_fork_in_child() {
  if (forks_are_handled) PyOS_AfterFork_Child();
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

/// Plans with the Python function registered as `name`. Throws SimulationError if it fails or
/// returns a plan that is not valid.
Plan plan_by(const std::string& name, const ParameterTexts& parameters, const Platform& platform,
             const Problem& problem) {
  return in_python([&] {
    const py::tuple planned =
        planners()[py::str(name)](py::cast(platform), py::cast(problem), py::cast(parameters));
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

/// A platform, as the text of its file, and a product.
struct Instance {
  std::string platform;
  std::string path;  ///< file name in messages
  std::string problem;
  std::optional<std::int64_t> block_size;

  Case in_blocks() const {
    const PlatformFile file = parse_platform(parse_json(platform, path), path);
    const std::int64_t q = block_size.value_or(file.block_size.value_or(kDefaultBlockSize));
    return {file, parse_problem(problem, q, "problem")};
  }
};

/// Returns the results of `starport run --json`, and the traces as CSV if `traces`, else "". An
/// empty list of heuristics means those that suit the platform.
py::tuple compare_texts(const Instance& asked, const std::string& heuristics,
                        const std::string& engine, const std::string& noise,
                        std::int64_t repetitions, double time_limit_s, bool traces) {
  std::string trace;
  std::string json;
  {
    const ReleasedLock unlocked;
    const Case instance = asked.in_blocks();
    RunOptions options{.engine = parse_engine(engine, "engine"),
                       .limits = {.time_limit_s = time_limit_s}};
    if (!noise.empty()) {
      options.noise = parse_noise(noise, "noise");
      check_workers(options.noise, instance.file.size(), instance.file.name, "noise");
    }
    const auto algorithms = read_algorithms(
        heuristics.empty() ? suitable_algorithms(instance, options) : heuristics, "heuristics");
    options.worker_figures = true;
    TraceExporter exporter(TraceFormat::csv, [&](std::string_view text) { trace += text; });
    if (traces) {
      options.on_timeline = [&](const Timeline& timeline) { exporter.add(timeline); };
    }
    check(algorithms, instance, model_registry().models, options);
    Comparison comparison =
        compare(algorithms, instance, model_registry().models, options, repetitions);
    comparison.provenance = {.simgrid_version = std::string(kSimgridVersion),
                             .command = {"python"}};
    exporter.finish();
    json = to_json(comparison);
  }
  return py::make_tuple(json, trace);
}

/// Returns the bounds of the star on this instance, as a JSON object.
std::string bounds_text(const Instance& asked) {
  const Case instance = asked.in_blocks();
  const StarModel& star = star_model();
  return to_json_line(
      figures_json(star.figures(), star.bounds(instance, {}), {Scope::instance, Scope::heading}));
}

/// Returns the text of the schedule file of a heuristic. It plans and runs in this process, so that
/// its output appears and its exceptions reach the caller.
std::string schedule_text(const Instance& asked, const std::string& heuristic) {
  const auto algorithms = read_algorithms(heuristic, "heuristic");
  if (algorithms.size() != 1 || algorithms.front().algorithm->model() != star_model().name()) {
    throw InputError("heuristic", "one heuristic for the star", "'" + heuristic + "'");
  }
  const NamedAlgorithm& named = algorithms.front();
  const Case instance = asked.in_blocks();
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

/// Runs a sweep into a directory and returns true. Throws the Python exception KeyboardInterrupt if
/// Ctrl-C stops it.
bool sweep(const std::string& specification_path, const std::string& directory_path,
           const std::string& engine, int jobs, double time_limit_s, bool resume) {
  bool interrupted = false;
  {
    const ReleasedLock unlocked;
    const Specification specification = load_specification(specification_path, model_registry());
    const ResultOrigin origin{.engine = to_string(parse_engine(engine, "engine")),
                              .simgrid_version = std::string(kSimgridVersion),
                              .shard = {}};
    nlohmann::ordered_json about{
        {"command", {"python"}}, {"host", host_name()}, {"started", utc_timestamp()}};
    ResultDirectory directory =
        resume ? ResultDirectory::resume(directory_path, specification, origin, about)
               : ResultDirectory(directory_path, specification, origin, about);
    if (directory.complete()) return true;
    const SweepOptions engines{.engine = parse_engine(engine, "engine"),
                               .limits = {.time_limit_s = time_limit_s}};
    const Stopwatch since_begin;
    run_sweep(specification, directory, engines, jobs, [&](const SweepProgress&) {
      const py::gil_scoped_acquire lock;
      interrupted = PyErr_CheckSignals() != 0;
      return !interrupted;
    });
    directory.finish(since_begin.elapsed_s());
  }
  if (interrupted) throw py::error_already_set();
  return true;
}

/// Searches for the worst case of a heuristic, as `starport worst` does, and returns it as a JSON
/// object. Throws the Python exception KeyboardInterrupt if Ctrl-C stops it.
std::string worst_text(const std::string& tested, const std::string& against,
                       const std::string& within, std::int64_t evaluations, std::uint64_t seed,
                       int jobs, double time_limit_s) {
  bool interrupted = false;
  std::string text;
  {
    const worst::Contest contest = read_contest(tested, "heuristic", against, "against");
    const ReleasedLock unlocked;
    const WorstCaseOptions options{
        .space = worst::find_search_space(within, contest.tested.algorithm->model()),
        .evaluations = evaluations,
        .seed = seed,
        .jobs = jobs,
        .runs = {.engine = EngineKind::analytic, .limits = {.time_limit_s = time_limit_s}},
        .should_continue = [&] {
          const py::gil_scoped_acquire lock;
          interrupted = interrupted || PyErr_CheckSignals() != 0;
          return !interrupted;
        }};
    const auto result = find_worst_case(contest, options);
    if (result && !interrupted) {
      check_worst_case(contest, *result, options);
      text = to_json(contest, *result, options).dump();
    }
  }
  if (interrupted) throw py::error_already_set();
  return text;
}

/// Writes the HTML page of a sweep's result directory, as `starport report` does.
void report(const std::string& directory, const std::string& output, const std::string& runs) {
  const ReleasedLock unlocked;
  constexpr double time_limit_s = 3600;
  write_report_page({.directory = directory,
                     .output = output,
                     .runs = runs,
                     .jobs = processor_count(),
                     .time_limit_s = time_limit_s});
}

/// Draws a figure as `starport plot` does. Returns the bytes of the file.
py::bytes plot(const std::string& kind, const std::vector<std::string>& files,
               const std::map<std::string, std::string>& options, const std::string& title,
               double width_cm, double height_cm, const std::string& format) {
  PlotRequest request{.files = files,
                      .options = options,
                      .title = title,
                      .width_cm = width_cm,
                      .height_cm = height_cm,
                      .figures = figures_of(model_registry().models)};
  for (const HeuristicEntry& entry : heuristic_registry()) {
    request.heuristics.push_back(entry.name);
  }
  const PlotKind& drawn = plot_kind(kind);
  for (const auto& [option, value] : options) {
    if (std::ranges::find(drawn.options, option) != drawn.options.end()) continue;
    throw InputError::with_problem(option, "figures of kind " + kind + " have no such option");
  }
  const py::gil_scoped_release unlocked;
  const std::string bytes = render(drawn.draw(request), plot_format("x." + format));
  const py::gil_scoped_acquire lock;
  return {bytes};
}

/// Defines the Python classes of the objects that a heuristic receives.
void define_heuristic_classes(py::module_& module) {
  py::class_<Worker>(module, "Worker")
      .def_readonly("c_s", &Worker::c_s, "seconds to move one block")
      .def_readonly("w_s", &Worker::w_s, "seconds for one block update")
      .def_readonly("m_blocks", &Worker::m_blocks, "blocks that fit in its memory")
      .def_readonly("latency_s", &Worker::latency_s, "seconds that each message takes more");
  py::class_<Platform>(module, "Platform")
      .def_readonly("name", &Platform::name)
      .def_property_readonly("port",
                             [](const Platform& platform) { return to_string(platform.port.kind); })
      .def_property_readonly("workers",
                             [](const Platform& platform) {
                               return std::vector<Worker>(platform.workers.begin(),
                                                          platform.workers.end());
                             })
      .def_property_readonly("worker_names", [](const Platform& platform) {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < platform.workers.size(); ++i) {
          names.push_back(platform.names[i]);
        }
        return names;
      });
  py::class_<Problem>(module, "Problem")
      .def_readonly("r", &Problem::r, "block rows of C")
      .def_readonly("s", &Problem::s, "block columns of C")
      .def_readonly("t", &Problem::t, "block columns of A")
      .def_readonly("block_size", &Problem::block_size);
  py::class_<OpenRequest>(module, "Request")
      .def_property_readonly("worker",
                             [](const OpenRequest& request) { return request.worker + 1; })
      .def_property_readonly("kind",
                             [](const OpenRequest& request) {
                               return kRequestKindNames[static_cast<std::size_t>(request.kind)];
                             })
      .def_readonly("date_s", &OpenRequest::date_s)
      .def_readonly("works_until_s", &OpenRequest::works_until_s)
      .def_readonly("blocks", &OpenRequest::blocks)
      .def_readonly("updates", &OpenRequest::updates);
  py::class_<RequestView>(module, "View")
      .def_readonly("now_s", &RequestView::now_s)
      .def_readonly("columns_left", &RequestView::columns_left)
      .def_readonly("requests", &RequestView::requests);
}

/// Makes InputError a ValueError in Python; SimulationError is a RuntimeError by default.
void translate_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(std::move(thrown));
    } catch (const InputError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
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
  define_heuristic_classes(module);
  module.attr("version") = kVersion;
  py::class_<Instance>(module, "Instance")
      .def(py::init<std::string, std::string, std::string, std::optional<std::int64_t>>())
      .def_property_readonly("platform",
                             [](const Instance& asked) { return make_star(asked.in_blocks()); })
      .def_property_readonly("problem",
                             [](const Instance& asked) { return asked.in_blocks().problem; });
  module.def("register_heuristic", register_heuristic);
  module.def("load_plugin", add_plugin);
  module.def("compare", compare_texts);
  module.def("bounds", bounds_text);
  module.def("schedule", schedule_text);
  module.def("sweep", sweep);
  module.def("worst", worst_text);
  module.def("report", report);
  module.def("plot", plot);
}

}  // namespace starport::python
