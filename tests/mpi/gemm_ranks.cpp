// Run by gemm_test.cpp under mpirun: calls starport_gemm several times, with the arguments PLATFORM
// HEURISTICS KERNEL. Each rank prints what each call returned. With the environment variable
// CALL_IN_THREAD, a thread calls that has not initialised MPI; its value is the thread level. With
// CALL_AT_ONCE, whose value is the thread level, too, such a thread calls while the main thread is
// in a call; if CALL_CROSSED is set, the thread of every second rank calls first.
#include "sim/mpi/starport_gemm.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

template <class Element>
struct Matrices {
  std::vector<Element> a;
  std::vector<Element> b;
  std::vector<Element> c;
};

template <class Element>
Matrices<Element> matrices(std::int64_t m, std::int64_t n, std::int64_t k) {
  Matrices<Element> filled;
  for (std::int64_t i = 0; i < m * k; ++i) filled.a.push_back(static_cast<Element>(i % 7) - 3);
  for (std::int64_t i = 0; i < k * n; ++i) filled.b.push_back(static_cast<Element>(i % 5) - 2);
  for (std::int64_t i = 0; i < m * n; ++i) filled.c.push_back(static_cast<Element>(i % 11));
  return filled;
}

/// Compares C with the product. All elements are small integers, so that sums are exact.
template <class Element>
bool is_right(const Matrices<Element>& given, const std::vector<Element>& c, std::int64_t m,
              std::int64_t n, std::int64_t k) {
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      Element sum = given.c[static_cast<std::size_t>(i * n + j)];
      for (std::int64_t l = 0; l < k; ++l) {
        sum += given.a[static_cast<std::size_t>(i * k + l)] *
               given.b[static_cast<std::size_t>(l * n + j)];
      }
      if (c[static_cast<std::size_t>(i * n + j)] != sum) return false;
    }
  }
  return true;
}

int call(MPI_Comm group, const char* platform, std::int64_t m, std::int64_t n, std::int64_t k,
         const Matrices<double>& x, std::vector<double>& c, const starport_options& options,
         std::string& message) {
  return starport_gemm(group, platform, m, n, k, x.a.data(), x.b.data(), c.data(), &options,
                       message.data(), message.size());
}
int call(MPI_Comm group, const char* platform, std::int64_t m, std::int64_t n, std::int64_t k,
         const Matrices<float>& x, std::vector<float>& c, const starport_options& options,
         std::string& message) {
  return starport_gemm_float(group, platform, m, n, k, x.a.data(), x.b.data(), c.data(), &options,
                             message.data(), message.size());
}

template <class Element>
void run(MPI_Comm group, const char* platform, std::int64_t m, std::int64_t n, std::int64_t k,
         const starport_options& options) {
  int rank = 0;
  MPI_Comm_rank(group, &rank);
  const auto given = rank == 0 ? matrices<Element>(m, n, k) : Matrices<Element>();
  std::vector<Element> c = given.c;
  std::string message(512, '\0');
  const int code = call(group, platform, m, n, k, given, c, options, message);
  const char* const product = rank > 0                      ? "-"
                              : is_right(given, c, m, n, k) ? "right"
                              : c == given.c                ? "untouched"
                                                            : "wrong";
  std::printf("%d: %d %s %s\n", rank, code, product, message.c_str());
  std::fflush(stdout);
}

/// The calls of MPI_Allreduce by starport_gemm(), by which the ranks agree whether to go on.
struct Agreements {
  bool watched = false;           ///< set before any thread calls
  std::atomic<bool> begun;        ///< one is under way, or over
  std::atomic<int> under_way;     ///< in this process
  std::atomic<bool> overlapping;  ///< two of this process were under way at once
};
Agreements agreements;

/// Calls in this thread and in another one, the second of which waits until the first is in its
/// call.
void run_at_once(const char* platform, const starport_options& options) {
  const auto multiply = [&](bool is_first) {
    if (!is_first) agreements.begun.wait(false);
    run<double>(MPI_COMM_WORLD, platform, 15, 22, 13, options);
  };
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool other_is_first = std::getenv("CALL_CROSSED") != nullptr && rank % 2 == 1;
  agreements.watched = true;
  std::thread other(multiply, other_is_first);
  multiply(!other_is_first);
  other.join();
  if (agreements.overlapping) std::printf("%d: two agreements at once\n", rank);
}

}  // namespace

/// Takes the place of MPI's function in starport_gemm(). The first call gives the other thread a
/// second to make another one, which would be an error.
extern "C" int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm group) {
  constexpr int patience_ms = 1000;
  if (!agreements.watched) return PMPI_Allreduce(from, to, count, type, op, group);
  if (agreements.under_way++ > 0) agreements.overlapping = true;
  const bool is_first = !agreements.begun.exchange(true);
  agreements.begun.notify_all();
  for (int i = 0; i < patience_ms && is_first && !agreements.overlapping; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const int result = PMPI_Allreduce(from, to, count, type, op, group);
  --agreements.under_way;
  return result;
}

int main(int argc, char** argv) {
  int provided = 0;
  const bool at_once = std::getenv("CALL_AT_ONCE") != nullptr;
  const char* const thread_level = std::getenv(at_once ? "CALL_AT_ONCE" : "CALL_IN_THREAD");
  MPI_Init_thread(&argc, &argv,
                  thread_level == nullptr ? MPI_THREAD_FUNNELED : std::atoi(thread_level),
                  &provided);
  starport_options options{};
  const std::string heuristics = argc > 2 ? argv[2] : "";
  const std::string kernel = argc > 3 ? argv[3] : "";
  if (!heuristics.empty()) options.heuristics = heuristics.c_str();
  if (!kernel.empty()) options.kernel = kernel.c_str();
  // The first call has the ranks in reverse order: the communicator decides which rank is the
  // master.
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reversed);
  const auto run_all = [&] {
    run<double>(reversed, argv[1], 15, 22, 13, options);
    run<float>(MPI_COMM_WORLD, argv[1], 9, 8, 21, options);
    run<double>(MPI_COMM_WORLD, argv[1], 1, 1, 1, options);
  };
  if (at_once) {
    run_at_once(argv[1], options);
  } else {
    thread_level == nullptr ? run_all() : std::thread(run_all).join();
  }
  MPI_Comm_free(&reversed);
  MPI_Finalize();
}
