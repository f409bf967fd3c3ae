#include "sim/python/forks.hpp"

#include <Python.h>
#include <pthread.h>

namespace starport::python {
namespace {

thread_local bool forks_are_handled = false;
thread_local PyGILState_STATE lock = PyGILState_UNLOCKED;

void before_fork() {
  if (!forks_are_handled) return;
  lock = PyGILState_Ensure();
  PyOS_BeforeFork();
}
void after_fork_in_parent() {
  if (!forks_are_handled) return;
  PyOS_AfterFork_Parent();
  PyGILState_Release(lock);
}
/// Keeps the lock, since the child has one thread only.
void after_fork_in_child() {
  if (forks_are_handled) PyOS_AfterFork_Child();
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

}  // namespace starport::python
