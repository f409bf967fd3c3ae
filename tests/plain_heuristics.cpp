#include "tests/plain_heuristics.hpp"

#include "heuristics/chunks.hpp"
#include "sim/model/ties.hpp"

namespace starport::test {
namespace {

/// The workers' sequences of chunks, and the recurrence of their dates.
struct PlainStar {
  PlainStar(const Platform& platform, const Problem& problem, const MemoryLayout& layout)
      : star(platform, problem),
        workers(chunk_workers(platform, problem, layout)),
        columns(problem) {}

  /// Whether worker i has a next transfer; it takes a panel for it if needed.
  bool has_next(std::size_t i) {
    return workers[i].holds_chunk() || workers[i].start_chunk(columns);
  }
  void send_next(std::size_t i) {
    transfers.push_back(workers[i].next());
    star.advance(transfers.back());
  }

  Star star;
  std::vector<ChunkWorker> workers;
  ColumnCounter columns;
  std::vector<Transfer> transfers;
};

}  // namespace

std::vector<Transfer> plain_demand_driven(const Platform& platform, const Problem& problem,
                                          const MemoryLayout& layout) {
  PlainStar plain(platform, problem, layout);
  const std::size_t p = platform.workers.size();
  std::vector<bool> requests(p);
  for (std::size_t i = 0; i < p; ++i) requests[i] = plain.has_next(i);
  for (;;) {
    std::size_t best = p;
    double best_date = 0;
    for (std::size_t i = 0; i < p; ++i) {
      if (!requests[i]) continue;
      const double date =
          plain.star.request_date_s(static_cast<int>(i), plain.workers[i].next_after_update());
      if (best == p || clearly_less(date, best_date)) {
        best = i;
        best_date = date;
      }
    }
    if (best == p) return plain.transfers;
    plain.send_next(best);
    requests[best] = plain.has_next(best);
  }
}

std::vector<Transfer> plain_round_robin(const Platform& platform, const Problem& problem) {
  PlainStar plain(platform, problem, kOptimizedOverlapped);
  for (std::size_t skipped = 0, i = 0; skipped < platform.workers.size();
       i = (i + 1) % platform.workers.size()) {
    if (plain.has_next(i)) {
      plain.send_next(i);
      skipped = 0;
    } else {
      ++skipped;
    }
  }
  return plain.transfers;
}

}  // namespace starport::test
