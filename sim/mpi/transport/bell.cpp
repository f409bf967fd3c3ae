#include "sim/mpi/transport/bell.hpp"

#include "sim/mpi/transport/clock.hpp"

#ifndef STARPORT_SMPI
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cmath>
#include <ctime>
#include <vector>
#endif

namespace starport::mpi::bell {

#ifdef STARPORT_SMPI

void hang_up(MPI_Comm /*group*/) {}
void take_down() {}
void ring(int /*rank*/) {}
void ring_here() {}
std::uint32_t rings() { return 0; }
void wait(std::uint32_t /*heard*/, double seconds) { sleep_until(clock_s() + seconds); }
bool reaches_all() { return false; }

#else

namespace {

struct Word {
  std::atomic<std::uint32_t> rings;
};
constexpr MPI_Aint kCacheLine = 64;  // one for each word

struct Bells {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Win window = MPI_WIN_NULL;
  std::vector<Word*> words;  ///< by rank; none of those on other machines
  Word* mine = nullptr;
  bool reaches_all = true;
};

Bells& bells() {
  static Bells all;
  return all;
}

long futex(Word* word, int operation, std::uint32_t value, const timespec* time) {
  return ::syscall(SYS_futex, &word->rings, operation, value, time, nullptr, 0);
}

}  // namespace

void hang_up(MPI_Comm group) {
  Bells& all = bells();
  int size = 0;
  int here = 0;
  MPI_Comm_size(group, &size);
  MPI_Comm_split_type(group, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &all.machine);
  MPI_Comm_size(all.machine, &here);
  all.reaches_all = here == size;
  void* mine = nullptr;
  MPI_Win_allocate_shared(kCacheLine, 1, MPI_INFO_NULL, all.machine, &mine, &all.window);
  all.mine = new (mine) Word{};
  std::vector<int> of_machine;
  for (int rank = 0; rank < here; ++rank) of_machine.push_back(rank);
  std::vector<int> of_group(of_machine.size());
  MPI_Group machine = MPI_GROUP_NULL;
  MPI_Group all_ranks = MPI_GROUP_NULL;
  MPI_Comm_group(all.machine, &machine);
  MPI_Comm_group(group, &all_ranks);
  MPI_Group_translate_ranks(machine, here, of_machine.data(), all_ranks, of_group.data());
  MPI_Group_free(&machine);
  MPI_Group_free(&all_ranks);
  all.words.assign(static_cast<std::size_t>(size), nullptr);
  for (int rank = 0; rank < here; ++rank) {
    MPI_Aint bytes = 0;
    int unit = 0;
    void* word = nullptr;
    MPI_Win_shared_query(all.window, rank, &bytes, &unit, &word);
    const auto of_rank = static_cast<std::size_t>(of_group[static_cast<std::size_t>(rank)]);
    all.words[of_rank] = static_cast<Word*>(word);
  }
  MPI_Barrier(all.machine);  // the words are there before anyone rings
}

void take_down() {
  Bells& all = bells();
  all.words.clear();
  all.mine = nullptr;
  MPI_Win_free(&all.window);
  MPI_Comm_free(&all.machine);
}

void ring(int rank) {
  Word* const word = bells().words[static_cast<std::size_t>(rank)];
  if (word == nullptr) return;
  word->rings.fetch_add(1);
  futex(word, FUTEX_WAKE, INT_MAX, nullptr);
}

void ring_here() {
  Word* const word = bells().mine;
  word->rings.fetch_add(1);
  futex(word, FUTEX_WAKE, INT_MAX, nullptr);
}

std::uint32_t rings() { return bells().mine->rings; }

void wait(std::uint32_t heard, double seconds) {
  // The kernel may wake a thread up 50 us late, to save energy, unless it is told otherwise.
  static thread_local const int exact = ::prctl(PR_SET_TIMERSLACK, 1UL);
  static_cast<void>(exact);
  const double whole = std::floor(seconds);
  const timespec time{.tv_sec = static_cast<time_t>(whole),
                      .tv_nsec = static_cast<long>(1e9 * (seconds - whole))};
  futex(bells().mine, FUTEX_WAIT, heard, &time);
}

bool reaches_all() { return bells().reaches_all; }

#endif

}  // namespace starport::mpi::bell
