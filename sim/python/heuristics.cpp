// Heuristics in Python: for the star, tile tasks and distributed products.
#include "heuristics/external/distribution.hpp"
#include "heuristics/external/exec.hpp"
#include "heuristics/external/tile_strategy.hpp"
#include "sim/app/algorithms.hpp"
#include "sim/files/json.hpp"
#include "sim/python/module.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <pybind11/stl.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

namespace starport::python {
namespace {

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
  const py::object message = py::str(" ").attr("join")(py::str(error.value()).attr("split")());
  return fmt::format("{}: {}{}", error.type().attr("__name__").cast<std::string>(),
                     message.cast<std::string>(), where);
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

/// Returns the planning functions that Python has registered, each with the name of its model, by
/// the names of their heuristics. A function is looked up when it plans, so that registering a name
/// again replaces it. Never destroyed, because the interpreter may end first.
py::dict& planners() {
  static py::dict* const functions = new py::dict;
  return *functions;
}

/// Returns what a planning function in Python receives of a product: r, s, t and the block size.
py::tuple to_tuple(const Problem& problem) {
  return py::make_tuple(problem.r, problem.s, problem.t, problem.block_size);
}

/// Returns the planning function of a heuristic.
py::object planner_of(const std::string& name) {
  return planners()[py::str(name)].cast<py::tuple>()[1];
}

/// Plans with the Python function registered as `name`. Throws SimulationError if it fails or
/// returns a plan that is not valid.
Plan plan_by(const std::string& name, const ParameterTexts& parameters, const Platform& platform,
             const Problem& problem) {
  return in_python([&] {
    const py::tuple planned =
        planner_of(name)(to_python(platform), to_tuple(problem), py::cast(parameters));
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

/// Sends the first message of the protocol to the Python function registered as `name`, and returns
/// read(answer) and what else the function returns.
template <class Read>
auto call_planner(const std::string& name, const nlohmann::ordered_json& question, Read read) {
  return in_python([&] {
    const py::tuple planned = planner_of(name)(to_json_line(question));
    const nlohmann::json answer = parse_json(planned[0].cast<std::string>(), name);
    try {
      return std::pair(read(answer), py::object(planned[1]));
    } catch (const InputError& error) {
      throw SimulationError(error.in_file(name).what());
    }
  });
}

/// Returns a number that a strategy has returned. Throws SimulationError, which names what was
/// `expected`, if it is none.
template <class Value>
Value cast_result(const py::object& result, const char* expected) {
  try {
    return result.cast<Value>();
  } catch (const py::cast_error&) {
    throw SimulationError(fmt::format("a {} is returned; expected {}",
                                      py::type::of(result).attr("__name__").cast<std::string>(),
                                      expected));
  }
}

/// Asks a Python object, a _TileDecisions, for each decision on tile tasks.
class PythonStrategy final : public tiles::Strategy {
 public:
  /// Makes the object by calling `start`.
  PythonStrategy(const tiles::StrategyContext& context, const py::object& start)
      : context_(context),
        size_(context.graph.numbering()),
        workers_(context.platform.workers.size()) {
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      workers_[static_cast<std::size_t>(context.platform.workers[w].number)] = static_cast<int>(w);
    }
    const auto count_missing = [this](std::int32_t i, std::int32_t j, std::int32_t k, int worker) {
      const int node = context_.platform.worker(find_worker(worker)).node;
      return context_.copies.transfer_cost(node, context_.graph.operands(find_task({i, j, k})));
    };
    // Never released: the process ends with the run.
    decisions_ = in_python([&] { return start(py::cpp_function(count_missing)).release(); });
  }

  std::optional<int> push(const tiles::Task& task, double now_s) override {
    return in_python([&]() -> std::optional<int> {
      const py::object worker = decisions_.attr("push")(to_indices(task), now_s);
      if (worker.is_none()) return std::nullopt;
      return find_worker(cast_result<std::int64_t>(worker, "the number of a worker"));
    });
  }
  std::optional<tiles::Task> pop(int worker) override {
    return in_python([&]() -> std::optional<tiles::Task> {
      const py::object task = decisions_.attr("pop")(number(worker));
      if (task.is_none()) return std::nullopt;
      return find_task(cast_result<Indices>(task, "a task (i, j, k), or None"));
    });
  }
  void on_task_end(int worker, const tiles::Task& task, double now_s) override {
    in_python([&] { decisions_.attr("ended")(number(worker), to_indices(task), now_s); });
  }
  void on_worker_stop(int worker) override {
    in_python([&] { decisions_.attr("stopped")(number(worker)); });
  }

 private:
  using Indices = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

  int number(int worker) const { return context_.platform.worker(worker).number + 1; }
  Indices to_indices(const tiles::Task& task) const {
    return {size_.row(task.target), size_.column(task.target), task.k};
  }
  /// Returns the index of a worker, given by its number. Throws SimulationError if there is none.
  int find_worker(std::int64_t worker) const {
    if (worker >= 1 && worker <= std::ssize(workers_)) {
      return workers_[static_cast<std::size_t>(worker - 1)];
    }
    throw SimulationError(
        fmt::format("there is no worker {}, only 1 to {}", worker, workers_.size()));
  }
  /// Returns a task, given by its indices. Throws SimulationError if there is none.
  tiles::Task find_task(const Indices& indices) const {
    const auto [i, j, k] = indices;
    if (i < 0 || i >= size_.r || j < 0 || j >= size_.s || k < 0 || k >= size_.t) {
      throw SimulationError(fmt::format("there is no task ({}, {}, {})", i, j, k));
    }
    return {.target = static_cast<std::int32_t>(i * size_.s + j),
            .k = static_cast<std::int32_t>(k)};
  }

  tiles::StrategyContext context_;
  tiles::ProductSize size_;
  std::vector<int> workers_;  ///< by number in the platform file, from 0
  py::handle decisions_;
};

tiles::ExternalPlan plan_tiles_by(const std::string& name, const ParameterTexts& parameters,
                                  const tiles::Platform& platform, const tiles::ProductSize& size) {
  auto [answer, start] = call_planner(
      name, tiles::make_question(platform, size, parameters),
      [&](const nlohmann::json& json) { return tiles::read_answer(json, platform, size); });
  if (answer.allocation) return {.allocation = std::move(answer.allocation)};
  // Never released: the process ends with the run.
  const py::handle own = start.release();
  return {.decisions = [own](const tiles::StrategyContext& context) {
    return std::make_unique<PythonStrategy>(context, py::reinterpret_borrow<py::object>(own));
  }};
}

PerWorker<spmd::NodeRectangle> divide_by(const std::string& name, const ParameterTexts& parameters,
                                         const spmd::Cluster& cluster, std::int64_t side) {
  return call_planner(
             name, spmd::make_question(cluster, side, parameters),
             [&](const nlohmann::json& json) { return spmd::read_answer(json, cluster, side); })
      .first;
}

/// Returns the registry entry of a Python heuristic for a model.
Entry<Algorithm> make_python_entry(const std::string& name, const std::string& description,
                                   const std::string& model) {
  AlgorithmEntry about{.name = name,
                       .description = description,
                       .source = "Python",
                       .groups = {},
                       .in_all_group = false,
                       .accepts_any_parameter = true};
  if (model == "tiles") {
    return upcast_entry<Algorithm>(tiles::make_external_entry(
        std::move(about), [name](const ParameterTexts& parameters) -> tiles::MakeExternalPlan {
          return std::bind_front(plan_tiles_by, name, parameters);
        }));
  }
  if (model == "spmd") {
    return upcast_entry<Algorithm>(spmd::make_external_entry(
        std::move(about), [name](const ParameterTexts& parameters) -> spmd::DivideProduct {
          return std::bind_front(divide_by, name, parameters);
        }));
  }
  return {std::move(about), [name](const ParameterTexts& parameters) {
            return std::make_unique<Heuristic>(Requirements{.blocks = 3},
                                               std::bind_front(plan_by, name, parameters),
                                               Origin::external);
          }};
}

/// Registers a Python heuristic of a model, or replaces its function if the name is registered
/// already. Throws InputError if that is for another model.
void register_heuristic(const std::string& name, const std::string& description,
                        const std::string& model, const py::function& plan) {
  if (planners().contains(name)) {
    const auto before = planners()[py::str(name)].cast<py::tuple>()[0].cast<std::string>();
    if (before != model) {
      throw InputError("register", fmt::format("a heuristic for the model {} again", before),
                       fmt::format("'{}' for the model {}", name, model), "give it another name");
    }
  } else {
    add_heuristics({make_python_entry(name, description, model)}, "register");
  }
  planners()[py::str(name)] = py::make_tuple(model, plan);
}

std::string show(const OpenRequest& request) {
  return fmt::format("Request(worker={}, kind='{}', date_s={:.6g}, blocks={}, updates={})",
                     request.worker + 1, kRequestKindNames[static_cast<std::size_t>(request.kind)],
                     request.date_s, request.blocks, request.updates);
}

/// Defines the Python classes of the objects that a deciding function receives. Their texts are in
/// starport/lib/_starport.pyi.
void define_heuristic_classes(py::module_& module) {
  py::class_<OpenRequest>(
      module, "Request",
      "A worker's wish for its next transfer.\n\n"
      "A deciding function receives requests in a `View` and returns the number "
      "of a worker.\n\n"
      "Examples\n"
      "--------\n"
      ">>> import starport\n"
      ">>> def hungry(view: starport.View) -> int:\n"
      "...     return min(view.requests, key=lambda wish: wish.works_until_s).worker\n"
      ">>> starport.compare(\"platforms/first-try.json\", 800, hungry)[0].status\n"
      "'ok'\n")
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
  py::class_<RequestView>(
      module, "View",
      "What a deciding function sees whenever the master's port is free.\n\n"
      "It returns the number of the worker to serve next, or None to wait until something\n"
      "changes.\n\n"
      "Examples\n"
      "--------\n"
      ">>> import starport\n"
      ">>> kinds = []\n"
      ">>> def first(view: starport.View) -> int:\n"
      "...     kinds.append(view.requests[0].kind)\n"
      "...     return view.requests[0].worker\n"
      ">>> schedule = starport.plan(\"platforms/first-try.json\", 800, first)\n"
      ">>> kinds[:2]\n"
      "['chunk', 'step']\n")
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

void define_heuristics(py::module_& module) {
  define_heuristic_classes(module);
  module.def("register_heuristic", register_heuristic);
}

HeuristicsInThisProcess::HeuristicsInThisProcess() { in_this_process = true; }
HeuristicsInThisProcess::~HeuristicsInThisProcess() { in_this_process = false; }

/// Returns what a planning function in Python receives of a platform: its name, the kind of its
/// port, and for each worker its name, c_s, w_s, m_blocks and latency_s.
py::tuple to_python(const Platform& platform) {
  py::list workers;
  for (std::size_t i = 0; i < platform.workers.size(); ++i) {
    const Worker& worker = platform.workers[i];
    workers.append(py::make_tuple(std::string(platform.names[i]), worker.c_s, worker.w_s,
                                  worker.m_blocks, worker.latency_s));
  }
  return py::make_tuple(platform.name, to_string(platform.port.kind), workers);
}

}  // namespace starport::python
