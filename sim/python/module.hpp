// Forks of the Python interpreter's process: each run has a process of its own.
#pragma once

namespace starport::python {

/// Registers handlers that inform the interpreter of each fork in the scope of a ReleasedLock, so
/// that the child holds the interpreter's lock and may call Python. Call it once, when the module
/// loads.
void register_fork_handlers();

/// Releases the interpreter's lock for its lifetime, so that other Python threads run meanwhile.
/// The thread that creates it must hold the lock, and may fork.
class ReleasedLock {
 public:
  ReleasedLock();
  ReleasedLock(const ReleasedLock&) = delete;
  ReleasedLock& operator=(const ReleasedLock&) = delete;
  ~ReleasedLock();

 private:
  void* state_;  ///< PyThreadState of this thread, restored at the end
};

}  // namespace starport::python
