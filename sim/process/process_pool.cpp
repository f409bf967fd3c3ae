#include "sim/process/process_pool.hpp"

#include "sim/files/error.hpp"
#include "sim/process/clock.hpp"
#include "sim/process/isolation.hpp"
#include "sim/process/machine.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

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

/// An exception ends the process here: further up, it would unwind a copy of the parent.
void do_pieces(int out, int place, std::int64_t count, const PoolWork& work,
               Board& board) noexcept {
  // Ctrl-C reaches every process of the terminal, the SIGTERM of a batch system every process of
  // the job: the parent alone decides what becomes of it.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, SIG_IGN);
  work_beside_others();
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
}

/// One worker process.
struct Process {
  Process(int place, std::int64_t count, const PoolWork& work, Board& board)
      : child([&](int out) { do_pieces(out, place, count, work, board); }), reader(child.fd()) {}

  void end_late() {
    late = true;
    child.kill();  // its own children die with it
  }
  /// How long it has been at a piece, as far as looks from time to time can tell.
  double busy_s(std::int64_t piece) {
    const double now_s = clock_s();
    if (piece != last_piece || piece == kIdle) {
      last_piece = piece;
      since_s = now_s;
    }
    return now_s - since_s;
  }
  struct Death {
    std::string how;
    Cause cause;
  };
  /// Waits for its end; nullopt when all was well.
  std::optional<Death> wait() {
    const int status = child.wait();
    if (WIFSIGNALED(status)) {
      const int signal = WTERMSIG(status);
      return Death{::strsignal(signal), late ? Cause::time : cause_of(signal)};
    }
    if (WEXITSTATUS(status) == 0) return std::nullopt;
    if (WEXITSTATUS(status) == kNoMemory) return Death{"not enough memory", Cause::memory};
    return Death{fmt::format("exit status {}", WEXITSTATUS(status)), Cause::model};
  }

  Child child;
  FrameReader reader;
  bool late = false;  ///< killed for that
  std::int64_t last_piece = kIdle;
  double since_s = 0;
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
    const bool open = pool[place]->reader.read([&](std::span<const std::byte> frame) {
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
      if (late && !pool[i]->child.ended()) pool[i]->end_late();
    }
    std::vector<pollfd> pipes;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < pool.size(); ++i) {
      if (pool[i]->child.ended()) continue;
      pipes.push_back({.fd = pool[i]->child.fd(), .events = POLLIN, .revents = 0});
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
