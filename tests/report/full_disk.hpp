// A disk without room for SQLite's temporary files.
#pragma once

#include <sqlite3.h>
#include <sys/resource.h>

#include <csignal>

namespace starport::test {

/// As long as the object lives, files that this process writes must stay empty, as on a full disk,
/// and SQLite writes temporary files after 1 MiB.
class FullDisk {
 public:
  FullDisk() : heap_(sqlite3_soft_heap_limit64(1 << 20)), action_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit none{.rlim_cur = 0, .rlim_max = limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, action_);
    sqlite3_soft_heap_limit64(heap_);
  }

 private:
  sqlite3_int64 heap_;
  void (*action_)(int);
  rlimit limit_{};
};

}  // namespace starport::test
