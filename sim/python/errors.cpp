#include "sim/files/error.hpp"
#include "sim/python/module.hpp"

#include <pybind11/pybind11.h>

namespace starport::python {
namespace {

namespace py = pybind11;

/// Sets the exception `name` of starport/_errors.py, made from `arguments`.
template <class... Arguments>
void set_error(const char* name, const Arguments&... arguments) {
  const py::object type = py::module_::import("starport._errors").attr(name);
  const py::object error = type(arguments...);
  PyErr_SetObject(type.ptr(), error.ptr());
}

}  // namespace

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

}  // namespace starport::python
