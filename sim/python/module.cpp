// The Python module _starport: what the package starport (starport/__init__.py) is made of. What is
// asked for and what comes out are the texts of the command line and of its files; objects are only
// what a heuristic sees.
#include "heuristics/star/others/protocol.hpp"
#include "sim/app/algorithms.hpp"
#include "sim/app/command.hpp"
#include "sim/app/known.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/json_text.hpp"
#include "sim/platform/noise/noise_text.hpp"
#include "sim/process/clock.hpp"
#include "sim/process/machine.hpp"
#include "sim/process/simgrid_version.hpp"
#include "sim/process/version.hpp"
#include "sim/python/forks.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/report/plots/plot_kinds.hpp"
#include "sim/report/trace_files.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/validator/validator.hpp"
#include "sim/sweep/run_sweep.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace starport::python {
namespace {

namespace py = pybind11;

/// The exception of a heuristic, on one line: what it is, and where it comes from.
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

/// Whether exceptions of heuristics are to reach the caller: not through another process.
thread_local bool in_this_process = false;

/// What `call` returns, with the interpreter's lock. Its exception is that of a failed run.
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

std::optional<std::size_t> choice_of(const py::object& served, const RequestView& view) {
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

/// The heuristics that Python has registered: the function that plans, by name. They are asked for
/// when they plan, so that a name may change its meaning, and never destroyed: the interpreter may
/// end first.
py::dict& planners() {
  static py::dict* const known = new py::dict;
  return *known;
}

Plan plan_by(const std::string& name, const ParameterTexts& parameters, const Platform& platform,
             const Problem& problem) {
  return in_python([&] {
    const py::tuple planned =
        planners()[py::str(name)](py::cast(platform), py::cast(problem), py::cast(parameters));
    const auto text = planned[0].cast<std::string>();
    // Never destroyed: a run ends with its process.
    const py::handle decide = py::object(planned[1]).release();
    PlanAnswer answer;
    try {
      answer = read_plan(parse_json(text, name), platform, problem);
    } catch (const InputError& error) {
      throw SimulationError(error.in_file(name).what());
    }
    return plan_of(std::move(answer), platform, problem, [decide](const RequestView& view) {
      return in_python([&] { return choice_of(decide(py::cast(view)), view); });
    });
  });
}

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
                    .in_all = false,
                    .open = true},
                   [name](const ParameterTexts& parameters) {
                     return std::make_unique<Heuristic>(Requirements{.blocks = 3},
                                                        std::bind_front(plan_by, name, parameters),
                                                        Origin::somebody_else);
                   }}},
                 "register");
  planners()[py::str(name)] = plan;
}

/// A platform as the text of its file, and the product.
struct Instance {
  std::string platform;
  std::string path;  ///< that errors name
  std::string problem;
  std::optional<std::int64_t> block_size;

  Case in_blocks() const {
    const PlatformFile file = parse_platform(parse_json(platform, path), path);
    const std::int64_t q = block_size.value_or(file.block_size.value_or(kDefaultBlockSize));
    return {file, parse_problem(problem, q, "problem")};
  }
};

/// The rows of `starport run --json`, and where asked for the traces as CSV.
py::tuple compare_texts(const Instance& asked, const std::string& heuristics,
                        const std::string& engine, const std::string& noise,
                        std::int64_t repetitions, double time_limit_s, bool traces) {
  std::string trace;
  std::string json;
  {
    const WithoutLock unlocked;
    const auto algorithms = read_algorithms(heuristics, "heuristics");
    const Case instance = asked.in_blocks();
    RunOptions options{.engine = parse_engine(engine, "engine"),
                       .limits = {.time_limit_s = time_limit_s}};
    if (!noise.empty()) {
      options.noise = parse_noise(noise, "noise");
      check_workers(options.noise, instance.file.size(), instance.file.name, "noise");
    }
    options.worker_figures = true;
    TraceExporter exporter(TraceFormat::csv, [&](std::string_view text) { trace += text; });
    if (traces) {
      options.take_timeline = [&](const Timeline& timeline) { exporter.add(timeline); };
    }
    check(algorithms, instance, known().models, options);
    Comparison comparison = compare(algorithms, instance, known().models, options, repetitions);
    comparison.provenance = {.simgrid_version = simgrid_version(), .command = {"python"}};
    exporter.finish();
    json = to_json(comparison);
  }
  return py::make_tuple(json, trace);
}

std::string bounds_text(const Instance& asked) {
  const Case instance = asked.in_blocks();
  const StarModel& star = star_model();
  return on_one_line(
      figures_json(star.figures(), star.bounds(instance, {}), {Scope::instance, Scope::heading}));
}

/// The schedule file of a heuristic that plans and runs in this process, where it may print and
/// throw.
std::string schedule_text(const Instance& asked, const std::string& heuristic) {
  const auto algorithms = read_algorithms(heuristic, "heuristic");
  if (algorithms.size() != 1 || algorithms.front().algorithm->model() != star_model().name()) {
    throw InputError("heuristic", "one heuristic for the star", "'" + heuristic + "'");
  }
  const NamedAlgorithm& named = algorithms.front();
  const Case instance = asked.in_blocks();
  const Platform platform = star_of(instance);
  in_this_process = true;
  struct Reset {
    ~Reset() { in_this_process = false; }
  } const reset;
  const Plan plan = planner_of(named, platform, instance.problem)();
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

/// Runs a sweep into a directory. False when Ctrl-C has stopped it.
bool sweep(const std::string& specification_path, const std::string& directory_path,
           const std::string& engine, int jobs, double time_limit_s, bool resume) {
  bool interrupted = false;
  {
    const WithoutLock unlocked;
    const Specification specification = load_specification(specification_path, known());
    const Maker maker{.engine = to_string(parse_engine(engine, "engine")),
                      .simgrid_version = simgrid_version(),
                      .shard = {}};
    nlohmann::ordered_json about{
        {"command", {"python"}}, {"host", host_name()}, {"started", current_date()}};
    ResultDirectory directory =
        resume ? ResultDirectory::resume(directory_path, specification, maker, about)
               : ResultDirectory(directory_path, specification, maker, about);
    if (directory.complete()) return true;
    const SweepEngines engines{.engine = parse_engine(engine, "engine"),
                               .limits = {.time_limit_s = time_limit_s}};
    const Stopwatch since_begin;
    run_sweep(specification, directory, engines, jobs, [&](const SweepState&) {
      const py::gil_scoped_acquire lock;
      interrupted = PyErr_CheckSignals() != 0;
      return !interrupted;
    });
    directory.finish(since_begin.elapsed_s());
  }
  if (interrupted) throw py::error_already_set();
  return true;
}

/// The page of a directory that a sweep has left, as `starport report` makes it.
void report(const std::string& directory, const std::string& output, const std::string& runs) {
  const WithoutLock unlocked;
  report_command({directory, "--output=" + output, "--runs=" + runs});
}

/// The bytes of a figure, as `starport plot` makes them.
py::bytes plot(const std::string& kind, const std::vector<std::string>& files,
               const std::map<std::string, std::string>& options, const std::string& title,
               double width_cm, double height_cm, const std::string& format) {
  PlotRequest request{.files = files,
                      .options = options,
                      .title = title,
                      .width_cm = width_cm,
                      .height_cm = height_cm,
                      .figures = figures_of(known().models)};
  for (const HeuristicEntry& entry : heuristic_registry()) {
    request.heuristics.push_back(entry.name);
  }
  const PlotKind& drawn = plot_kind(kind);
  for (const auto& [option, value] : options) {
    if (std::ranges::find(drawn.options, option) != drawn.options.end()) continue;
    throw InputError(option, "a figure that takes it", kind);
  }
  const py::gil_scoped_release unlocked;
  const std::string bytes = render(drawn.draw(request), plot_format("x." + format));
  const py::gil_scoped_acquire lock;
  return {bytes};
}

void define_what_heuristics_see(py::module_& module) {
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
                               return kRequestKinds[static_cast<std::size_t>(request.kind)];
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

/// Input that is wrong is a ValueError, a run that fails a RuntimeError.
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

PYBIND11_MODULE(_starport, module) {
  follow_forks();
  translate_errors();
  define_what_heuristics_see(module);
  module.attr("version") = kVersion;
  py::class_<Instance>(module, "Instance")
      .def(py::init<std::string, std::string, std::string, std::optional<std::int64_t>>())
      .def_property_readonly("platform",
                             [](const Instance& asked) { return star_of(asked.in_blocks()); })
      .def_property_readonly("problem",
                             [](const Instance& asked) { return asked.in_blocks().problem; });
  module.def("register_heuristic", register_heuristic);
  module.def("load_plugin", add_plugin);
  module.def("compare", compare_texts);
  module.def("bounds", bounds_text);
  module.def("schedule", schedule_text);
  module.def("sweep", sweep);
  module.def("report", report);
  module.def("plot", plot);
}

}  // namespace starport::python
