// Shared parts of the Python module: forks of the interpreter's process, since each run has
// a process of its own; the classes of a sweep.
#pragma once

namespace pybind11 {
class module_;
class tuple;
}  // namespace pybind11

namespace starport {
struct Platform;
}

namespace starport::python {

/// Registers handlers (pthread_atfork(3)) that inform the interpreter of each fork by a thread that
/// has released the interpreter's lock by a ReleasedLock, so that the child holds the lock and may
/// call Python. Such a fork blocks until the lock is free. Call it once, when the module loads; a
/// second call would run the handlers twice.
void register_fork_handlers();

/// Guard that releases the interpreter's lock (GIL) while it exists, so that other Python threads
/// run meanwhile. The thread that creates it must hold the lock (otherwise the process is aborted),
/// must also destroy it, and may fork meanwhile if register_fork_handlers() was called. At most one
/// per thread at a time. Its destructor blocks until the lock is free.
class ReleasedLock {
 public:
  ReleasedLock();
  ReleasedLock(const ReleasedLock&) = delete;
  ReleasedLock& operator=(const ReleasedLock&) = delete;
  ~ReleasedLock();

 private:
  void* state_;  ///< PyThreadState of this thread, restored at the end
};

/// Adds to the Python module the function register_heuristic and the classes Request and View of
/// the objects that star heuristics receive; sim/python/starport/lib/_starport.pyi documents them.
/// Call it once, when the module loads.
void define_heuristics(pybind11::module_& module);

/// Returns the description of a star (a master and workers) that a planning function in Python
/// receives: a tuple of its name, the kind of the master's port ("one-port", "two-port" or
/// "multi-port"), and a list with a tuple per worker: its name, c_s (seconds to send a block), w_s
/// (seconds per block update), m_blocks (memory in blocks) and latency_s (seconds per message). The
/// caller must hold the interpreter's lock.
pybind11::tuple to_python(const Platform& platform);

/// Marks that Python heuristics run in this process: while it exists, their exceptions in this
/// thread reach the Python caller as they are; otherwise they become a SimulationError. At most one
/// per thread at a time.
class HeuristicsInThisProcess {
 public:
  HeuristicsInThisProcess();
  HeuristicsInThisProcess(const HeuristicsInThisProcess&) = delete;
  HeuristicsInThisProcess& operator=(const HeuristicsInThisProcess&) = delete;
  ~HeuristicsInThisProcess();
};

/// Adds to the Python module the class Sweep, which reads the specification of a sweep, runs
/// instances of it and writes the result directory. Call it once, when the module loads.
void define_sweep_classes(pybind11::module_& module);

}  // namespace starport::python
