// Waiting for a child process.
#pragma once

#include <sys/types.h>
#include <sys/wait.h>

#include <cerrno>

namespace starport {

/// How the child ended, as waitpid() tells it.
inline int wait_for_end(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace starport
