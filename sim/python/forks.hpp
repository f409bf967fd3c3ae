// Runs have processes of their own, forked from the interpreter's: who forks, and what the
// interpreter has to know of it.
#pragma once

namespace starport::python {

/// From then on the interpreter is told of the forks that happen in a scope of WithoutLock: a child
/// has the interpreter's lock, and may call Python.
void follow_forks();

/// Lets other threads of the interpreter go on.
class WithoutLock {
 public:
  WithoutLock();
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;
  ~WithoutLock();

 private:
  void* state_;
};

}  // namespace starport::python
