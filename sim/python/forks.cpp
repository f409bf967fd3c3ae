#include "sim/python/forks.hpp"

#include <Python.h>
#include <pthread.h>

namespace starport::python {
namespace {

thread_local bool forks_are_ours = false;
thread_local PyGILState_STATE lock = PyGILState_UNLOCKED;

void before_fork() {
  if (!forks_are_ours) return;
  lock = PyGILState_Ensure();
  PyOS_BeforeFork();
}
void after_fork_in_parent() {
  if (!forks_are_ours) return;
  PyOS_AfterFork_Parent();
  PyGILState_Release(lock);
}
/// The lock stays with it: there is nobody to give it to.
void after_fork_in_child() {
  if (forks_are_ours) PyOS_AfterFork_Child();
}

}  // namespace

void follow_forks() { pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); }

WithoutLock::WithoutLock() : state_(PyEval_SaveThread()) { forks_are_ours = true; }

WithoutLock::~WithoutLock() {
  forks_are_ours = false;
  PyEval_RestoreThread(static_cast<PyThreadState*>(state_));
}

}  // namespace starport::python
