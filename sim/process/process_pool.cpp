#include "sim/process/process_pool.hpp"

#include "sim/files/error.hpp"
#include "sim/process/descriptor.hpp"
#include "sim/process/isolation.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace starport {
namespace {

constexpr std::int64_t kIdle = -1;
constexpr int kTick_ms = 200;
constexpr int kNoMemory = 9;  ///< exit status

/// What the processes share: the next piece to do, and the piece that each of them is doing.
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

/// One worker process and the pipe its outcomes come through.
class Process {
 public:
  Process(int place, std::int64_t count, const PoolWork& work, Board& board) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) fail("a pipe");
    in_.reset(ends[0]);
    Descriptor out(ends[1]);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) fail("a process");
    if (pid_ == 0) {
      in_.reset();
      child(out.get(), parent, place, count, work, board);
    }
    reader_.emplace(in_.get());
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);  // its own children die with it
    wait();
  }

  int fd() const { return in_.get(); }
  bool ended() const { return pid_ == 0; }
  void end_late() {
    late_ = true;
    ::kill(pid_, SIGKILL);
  }
  /// How long it has been at a piece, as far as looks from time to time can tell.
  double busy_s(std::int64_t piece) {
    const auto now = std::chrono::steady_clock::now();
    if (piece != piece_ || piece == kIdle) {
      piece_ = piece;
      since_ = now;
    }
    return std::chrono::duration<double>(now - since_).count();
  }
  FrameReader& reader() { return *reader_; }
  struct Death {
    std::string how;
    Cause cause;
  };
  /// Waits for its end; nullopt when all was well.
  std::optional<Death> wait() {
    const int status = wait_for_end(std::exchange(pid_, 0));
    if (WIFSIGNALED(status)) {
      const int signal = WTERMSIG(status);
      return Death{::strsignal(signal), late_ ? Cause::time : cause_of(signal)};
    }
    if (WEXITSTATUS(status) == 0) return std::nullopt;
    if (WEXITSTATUS(status) == kNoMemory) return Death{"not enough memory", Cause::memory};
    return Death{fmt::format("exit status {}", WEXITSTATUS(status)), Cause::model};
  }

 private:
  [[noreturn]] static void fail(const char* what) {
    throw SimulationError(fmt::format("cannot make {}: {}", what, std::strerror(errno)));
  }

  /// An exception ends the process here: further up, it would unwind a copy of the parent.
  [[noreturn]] static void child(int out, pid_t parent, int place, std::int64_t count,
                                 const PoolWork& work, Board& board) noexcept {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) _exit(1);
    // Ctrl-C reaches every process of the terminal, the SIGTERM of a batch system every process of
    // the job: the parent alone decides what becomes of it.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, SIG_IGN);
    FrameWriter writer(out);
    for (std::int64_t k = board.next()++; k < count; k = board.next()++) {
      board.doing(place) = k;
      std::string frame(sizeof k, '\0');
      std::memcpy(frame.data(), &k, sizeof k);
      try {
        frame += work.run(k);
      } catch (const std::bad_alloc&) {
        _exit(kNoMemory);
      }
      writer.write(std::as_bytes(std::span(frame)));
      writer.flush();
    }
    board.doing(place) = kIdle;
    _exit(0);
  }

  pid_t pid_ = 0;
  bool late_ = false;  ///< killed for that
  Descriptor in_;
  std::int64_t piece_ = kIdle;
  std::chrono::steady_clock::time_point since_;
  std::optional<FrameReader> reader_;
};

}  // namespace

bool run_in_processes(std::int64_t count, int processes, const PoolWork& work) {
  Board board(processes);
  std::vector<std::unique_ptr<Process>> pool;
  std::vector<std::int64_t> last_finished(processes, kIdle);
  for (int i = 0; i < processes; ++i) {
    pool.push_back(std::make_unique<Process>(i, count, work, board));
  }
  const auto serve = [&](std::size_t place) {
    const bool open = pool[place]->reader().read([&](std::span<const std::byte> frame) {
      std::int64_t k = 0;
      std::memcpy(&k, frame.data(), sizeof k);
      const auto outcome = frame.subspan(sizeof k);
      work.finished(k, {reinterpret_cast<const char*>(outcome.data()), outcome.size()});
      last_finished[place] = k;
    });
    if (open) return;
    const auto death = pool[place]->wait();
    const std::int64_t doing = board.doing(static_cast<int>(place));
    if (!death) return;
    if (doing == kIdle || doing == last_finished[place]) {
      throw SimulationError("a worker process died: " + death->how);  // its next piece is not known
    }
    work.lost(doing, death->how, death->cause);
    board.doing(static_cast<int>(place)) = kIdle;
    pool[place] = std::make_unique<Process>(static_cast<int>(place), count, work, board);
  };
  for (;;) {
    if (!work.go_on()) return false;
    for (std::size_t i = 0; i < pool.size() && work.time_limit_s > 0; ++i) {
      const bool late = pool[i]->busy_s(board.doing(static_cast<int>(i))) > work.time_limit_s;
      if (late && !pool[i]->ended()) pool[i]->end_late();
    }
    std::vector<pollfd> pipes;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < pool.size(); ++i) {
      if (pool[i]->ended()) continue;
      pipes.push_back({.fd = pool[i]->fd(), .events = POLLIN, .revents = 0});
      places.push_back(i);
    }
    if (pipes.empty()) return true;
    if (::poll(pipes.data(), pipes.size(), kTick_ms) <= 0) continue;
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      if (pipes[i].revents != 0) serve(places[i]);
    }
  }
}

}  // namespace starport
