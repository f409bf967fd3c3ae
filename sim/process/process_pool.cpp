#include "sim/process/process_pool.hpp"

#include "sim/files/error.hpp"
#include "sim/process/isolation.hpp"
#include "sim/process/machine.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <vector>

namespace starport {
namespace {

constexpr std::int64_t kIdle = -1;
constexpr int kTick_ms = 200;
constexpr int kNoMemory = 9;  ///< exit status

/// Shared memory of the pool: the next task to start, and the task that each worker process does.
class Board {
 public:
  explicit Board(int processes) : bytes_(sizeof(Cell) * (processes + 1)) {
    void* memory =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      throw SimulationError(fmt::format("cannot share memory: {}", std::strerror(errno)));
    }
    cells_ = static_cast<Cell*>(memory);
    new (cells_) Cell(0);
    for (int i = 0; i < processes; ++i) new (&doing(i)) Cell(kIdle);
  }
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;
  ~Board() { ::munmap(cells_, bytes_); }

  using Cell = std::atomic<std::int64_t>;
  static_assert(Cell::is_always_lock_free);

  Cell& next() { return cells_[0]; }
  Cell& doing(int process) { return cells_[process + 1]; }

 private:
  std::size_t bytes_;
  Cell* cells_ = nullptr;
};

/// Main function of a worker process. An exception must not leave it, since the stack above is a
/// copy of the parent's.
void run_tasks(int out, int worker, std::int64_t count, const PoolTasks& tasks,
               Board& board) noexcept {
  // Ctrl-C and the SIGTERM of a batch system reach every process: only the parent handles them.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, SIG_IGN);
  restrict_to_one_thread();
  FrameWriter writer(out);
  for (std::int64_t k = board.next()++; k < count; k = board.next()++) {
    board.doing(worker) = k;
    std::string frame(sizeof k, '\0');
    std::memcpy(frame.data(), &k, sizeof k);
    try {
      frame += tasks.run(k);
    } catch (const std::bad_alloc&) {
      _exit(kNoMemory);
    }
    writer.write(std::as_bytes(std::span(frame)));
    writer.flush();
  }
  board.doing(worker) = kIdle;
}

/// A worker process as its parent sees it.
struct Process {
  Process(int worker, std::int64_t count, const PoolTasks& tasks, Board& board)
      : child([&](int out) { run_tasks(out, worker, count, tasks, board); }), reader(child.fd()) {}

  void kill_late() {
    late = true;
    child.kill();  // its own children die with it
  }
  /// Returns how long, in seconds, this process has been doing task `task`, as far as the calls of
  /// this function show.
  double busy_s(std::int64_t task) {
    const double now_s = monotonic_time_s();
    if (task != last_task || task == kIdle) {
      last_task = task;
      since_s = now_s;
    }
    return now_s - since_s;
  }
  struct Death {
    std::string how;
    FailureCause cause;
  };
  /// Waits until the process ends. Returns nullopt when it ended normally.
  std::optional<Death> wait() {
    const auto ended = child.wait_or_kill();
    if (!ended) return Death{"it closed its files and did not end", FailureCause::model};
    const int status = *ended;
    if (WIFSIGNALED(status)) {
      const int signal = WTERMSIG(status);
      return Death{::strsignal(signal), late ? FailureCause::time : failure_cause(signal)};
    }
    if (WEXITSTATUS(status) == 0) return std::nullopt;
    if (WEXITSTATUS(status) == kNoMemory) return Death{"not enough memory", FailureCause::memory};
    return Death{fmt::format("exit status {}", WEXITSTATUS(status)), FailureCause::model};
  }

  Child child;
  FrameReader reader;
  bool late = false;  ///< killed for exceeding the time limit
  std::int64_t last_task = kIdle;
  double since_s = 0;
};

/// Raises the limit on open files, as far as it may be raised, so that this process can have a pipe
/// and a descriptor for each of `processes` processes.
void allow_files_of(int processes) {
  constexpr rlim_t others = 256;
  const rlim_t needed = others + 2 * static_cast<rlim_t>(processes);
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= needed) return;
  files.rlim_cur = std::min(needed, files.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace

bool run_in_processes(std::int64_t count, int processes, const PoolTasks& tasks) {
  constexpr int most_idle_deaths = 100;
  int idle_deaths = 0;               // since a task was finished
  std::vector<bool> settled(count);  // finished or lost
  Board board(processes);
  allow_files_of(processes);
  std::vector<std::unique_ptr<Process>> pool;
  std::vector<std::int64_t> last_finished(processes, kIdle);
  for (int i = 0; i < processes; ++i) {
    pool.push_back(std::make_unique<Process>(i, count, tasks, board));
  }
  const auto serve = [&](std::size_t worker) {
    const bool open = pool[worker]->reader.read([&](std::span<const std::byte> frame) {
      if (frame.size() < sizeof(std::int64_t)) throw_damaged_pipe();
      const auto k = object_in<std::int64_t>(frame.first(sizeof(std::int64_t)));
      if (k < 0 || k >= count) throw_damaged_pipe();
      const auto outcome = frame.subspan(sizeof k);
      tasks.on_finished(k, {reinterpret_cast<const char*>(outcome.data()), outcome.size()});
      last_finished[worker] = k;
      settled[k] = true;
      idle_deaths = 0;
    });
    if (open) return;
    const auto death = pool[worker]->wait();
    const std::int64_t doing = board.doing(static_cast<int>(worker));
    const bool in_task = doing != kIdle && doing != last_finished[worker];
    if (in_task) {
      // A task that calls exit(0) is lost as well.
      tasks.on_lost(doing, death ? death->how : "exit status 0",
                    death ? death->cause : FailureCause::model);
      settled[doing] = true;
    } else if (!death) {
      return;
    } else if (++idle_deaths > most_idle_deaths) {
      // Dead between two tasks: a task that it may have taken is done at the end.
      throw SimulationError("worker processes die before they have a task: " + death->how);
    }
    board.doing(static_cast<int>(worker)) = kIdle;
    pool[worker] = std::make_unique<Process>(static_cast<int>(worker), count, tasks, board);
  };
  for (;;) {
    if (!tasks.should_continue()) return false;
    for (std::size_t i = 0; i < pool.size() && tasks.time_limit_s > 0; ++i) {
      const bool late = pool[i]->busy_s(board.doing(static_cast<int>(i))) > tasks.time_limit_s;
      if (late && !pool[i]->child.ended()) pool[i]->kill_late();
    }
    std::vector<pollfd> pipes;
    std::vector<std::size_t> workers;
    for (std::size_t i = 0; i < pool.size(); ++i) {
      if (pool[i]->child.ended()) continue;
      pipes.push_back({.fd = pool[i]->child.fd(), .events = POLLIN, .revents = 0});
      workers.push_back(i);
    }
    if (pipes.empty()) break;
    if (::poll(pipes.data(), pipes.size(), kTick_ms) <= 0) continue;
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      if (pipes[i].revents != 0) serve(workers[i]);
    }
  }
  std::vector<std::int64_t> left;
  for (std::int64_t k = 0; k < count; ++k) {
    if (!settled[k]) left.push_back(k);
  }
  if (left.empty()) return true;
  PoolTasks rest = tasks;
  rest.run = [&](std::int64_t index) { return tasks.run(left[index]); };
  rest.on_finished = [&](std::int64_t index, std::string_view result) {
    tasks.on_finished(left[index], result);
  };
  rest.on_lost = [&](std::int64_t index, const std::string& reason, FailureCause cause) {
    tasks.on_lost(left[index], reason, cause);
  };
  return run_in_processes(static_cast<std::int64_t>(left.size()), processes, rest);
}

}  // namespace starport
