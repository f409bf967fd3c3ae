// The parts of a sweep for Python, which sends batches of instances to executors of its own.
#include "sim/app/algorithms.hpp"
#include "sim/app/command_line.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/app/simgrid_engines.hpp"
#include "sim/process/machine.hpp"
#include "sim/process/version.hpp"
#include "sim/python/module.hpp"
#include "sim/sweep/run_sweep.hpp"

#include <nlohmann/json.hpp>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace starport::python {
namespace {

namespace py = pybind11;

/// A specification, how its instances are simulated, and the result directory once it is open.
class Sweep {
 public:
  Sweep(const std::string& specification_path, const std::string& engine, double time_limit_s,
        double cross_check)
      : specification_(load_specification(specification_path, model_registry())),
        options_{.engine = parse_engine(engine, "engine"),
                 .limits = {.time_limit_s = time_limit_s},
                 .cross_check = cross_check} {
    if (cross_check > 0 && options_.engine == EngineKind::simgrid) {
      throw InputError::with_problem("cross_check", "it compares the analytic engine with SimGrid",
                                     "Give engine=\"analytic\" too");
    }
  }

  const Specification& specification() const { return specification_; }

  /// Opens the result directory at `path`. Throws InputError, before it is made, if the runs need
  /// SimGrid, which cannot be loaded.
  void open(const std::string& path, bool resume, int jobs) {
    load_engines();
    const ResultOrigin origin{.engine = to_string(options_.engine),
                              .simgrid_version = std::string(kSimgridVersion),
                              .plugins = plugin_checksums(),
                              .shard = {}};
    nlohmann::ordered_json about{{"command", {"python"}},
                                 {"host", host_name()},
                                 {"started", utc_timestamp()},
                                 {"jobs", jobs},
                                 {"time_limit_s", options_.limits.time_limit_s}};
    directory_ = std::unique_ptr<ResultDirectory>(
        resume ? new ResultDirectory(ResultDirectory::resume(path, specification_, origin, about))
               : new ResultDirectory(path, specification_, origin, about));
  }
  ResultDirectory& directory() const {
    if (!directory_) throw std::logic_error("the result directory is not open");
    return *directory_;
  }
  void close() { directory_.reset(); }

  /// Runs instances on so many processes, and passes the rows of each to `on_rows`(number,
  /// failures, rows, timings) as they arrive. Each process may use the available memory divided by
  /// the number of processes, or by `memory_shares` if that is more. An exception of `on_rows`, or
  /// of a signal handler of Python, stops the runs and is raised.
  void run(const std::vector<std::int64_t>& instances, int processes, const py::function& on_rows,
           std::int64_t memory_shares) const {
    load_engines();  // on the machine of an executor, open() has not been called
    bool interrupted = false;
    std::optional<py::error_already_set> failure;
    {
      const ReleasedLock unlocked;
      const auto receive = [&](const InstanceRows& instance) {
        const py::gil_scoped_acquire lock;
        if (failure || interrupted) return;
        try {
          on_rows(instance.number, instance.failures, py::bytes(instance.rows),
                  py::bytes(instance.timings));
        } catch (py::error_already_set& error) {
          failure.emplace(error);
        }
      };
      SweepOptions options = options_;
      options.limits = limits_per_process(
          options.limits.time_limit_s,
          std::max(memory_shares, std::clamp<std::int64_t>(std::ssize(instances), 1, processes)));
      run_rows(specification_, instances, options, processes, receive, [&] {
        const py::gil_scoped_acquire lock;
        interrupted = interrupted || (!failure && PyErr_CheckSignals() != 0);
        return !interrupted && !failure;
      });
    }
    if (failure) {
      failure->restore();
      interrupted = true;
    }
    if (interrupted) throw py::error_already_set();
  }

 private:
  void load_engines() const {
    if (options_.engine == EngineKind::simgrid || options_.cross_check > 0) simgrid_engines();
  }

  Specification specification_;
  SweepOptions options_;
  std::unique_ptr<ResultDirectory> directory_;
};

}  // namespace

void define_sweep_classes(py::module_& module) {
  py::class_<Sweep>(module, "Sweep")
      .def(py::init<const std::string&, const std::string&, double, double>())
      .def_property_readonly("size",
                             [](const Sweep& sweep) { return sweep.specification().size(); })
      .def_property_readonly("resolved",
                             [](const Sweep& sweep) { return sweep.specification().resolved; })
      .def("run", &Sweep::run)
      .def("open", &Sweep::open)
      .def("close", &Sweep::close)
      .def("missing", [](const Sweep& sweep) { return sweep.directory().missing(); })
      .def_property_readonly("complete",
                             [](const Sweep& sweep) { return sweep.directory().complete(); })
      .def_property_readonly("failures",
                             [](const Sweep& sweep) { return sweep.directory().failures(); })
      .def("append",
           [](const Sweep& sweep, std::int64_t number, const std::string& rows,
              const std::string& timings) { sweep.directory().append(number, rows, timings); })
      .def("finish",
           [](const Sweep& sweep, double duration_s) { sweep.directory().finish(duration_s); });
}

}  // namespace starport::python
