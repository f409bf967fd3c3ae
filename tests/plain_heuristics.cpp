#include "tests/plain_heuristics.hpp"

#include "heuristics/chunks.hpp"
#include "sim/model/ties.hpp"
#include "sim/model/trace.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

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

namespace {

/// Algorithm 1, loop by loop, on workers of one side.
std::vector<Transfer> algorithm_1(const std::vector<int>& workers, std::int64_t side,
                                  const Problem& problem) {
  std::vector<Transfer> transfers;
  ColumnCounter columns(problem);
  std::vector<ChunkWorker> crew;
  for (const int i : workers) crew.emplace_back(i, side, kOptimizedOverlapped, problem);
  while (columns.any_left()) {
    std::vector<ChunkWorker*> active;
    for (ChunkWorker& worker : crew) {
      if (worker.start_chunk(columns)) active.push_back(&worker);
    }
    for (std::int64_t row = 0; row < problem.r; row += side) {
      for (ChunkWorker* worker : active) {
        if (row > 0) worker->start_chunk(columns);
        transfers.push_back(worker->next());
      }
      for (std::int64_t k = 0; k < problem.t; ++k) {
        for (ChunkWorker* worker : active) transfers.push_back(worker->next());
      }
      for (ChunkWorker* worker : active) transfers.push_back(worker->next());
    }
  }
  return transfers;
}

/// Workers as good as (M, C, W), taken for identical.
struct Extracted {
  double estimate_s;
  std::int64_t enrolled;
  std::int64_t side;
  Worker worst;
  std::vector<int> eligible;

  bool preferred_to(const Extracted& other) const {
    const auto key = [](const Extracted& x) {
      return std::tuple(x.enrolled, -x.side, x.worst.m_blocks, x.worst.c_s, x.worst.w_s);
    };
    return key(*this) < key(other);
  }
};

std::optional<Extracted> extract(const Platform& platform, const Problem& problem, Worker worst) {
  Extracted x{0, 0, kOptimizedOverlapped.side(worst.m_blocks), worst, {}};
  for (std::size_t i = 0; i < platform.workers.size(); ++i) {
    const Worker& worker = platform.workers[i];
    if (worker.m_blocks < worst.m_blocks || worker.c_s > worst.c_s || worker.w_s > worst.w_s)
      continue;
    x.eligible.push_back(static_cast<int>(i));
    x.worst.latency_s = std::max(x.worst.latency_s, worker.latency_s);
  }
  if (x.eligible.empty() || x.side == 0) return {};
  const auto p = static_cast<std::int64_t>(x.eligible.size());
  const double quotient = static_cast<double>(x.side) * worst.w_s / (2 * worst.c_s);
  x.enrolled = std::clamp<std::int64_t>(static_cast<std::int64_t>(tolerant_ceil(quotient)), 1, p);
  const Platform identical{"", std::vector<Worker>(static_cast<std::size_t>(x.enrolled), x.worst)};
  std::vector<int> all(static_cast<std::size_t>(x.enrolled));
  std::iota(all.begin(), all.end(), 0);
  x.estimate_s = replay(identical, problem, algorithm_1(all, x.side, problem)).back().dates.end_s;
  return x;
}

}  // namespace

std::vector<Transfer> plain_extraction(const Platform& platform, const Problem& problem,
                                       bool by_memory) {
  std::vector<Extracted> candidates;
  const auto consider = [&](const Worker& worst) {
    if (auto x = extract(platform, problem, worst)) candidates.push_back(std::move(*x));
  };
  for (const Worker& memory : platform.workers) {
    Worker worst{.c_s = 0, .w_s = 0, .m_blocks = memory.m_blocks, .latency_s = 0};
    for (const Worker& link : platform.workers) {
      if (by_memory && link.m_blocks >= worst.m_blocks) {
        worst.c_s = std::max(worst.c_s, link.c_s);
        worst.w_s = std::max(worst.w_s, link.w_s);
      }
      for (const Worker& speed : platform.workers) {
        if (!by_memory) consider({link.c_s, speed.w_s, memory.m_blocks, 0});
      }
    }
    if (by_memory) consider(worst);
  }
  double least = candidates.front().estimate_s;
  for (const Extracted& x : candidates) least = std::min(least, x.estimate_s);
  const Extracted* best = nullptr;
  for (const Extracted& x : candidates) {
    if (nearly_equal(x.estimate_s, least) && (best == nullptr || x.preferred_to(*best))) best = &x;
  }
  std::vector<int> enrolled = best->eligible;
  std::stable_sort(enrolled.begin(), enrolled.end(), [&](int i, int j) {
    const Worker& x = platform.workers[static_cast<std::size_t>(i)];
    const Worker& y = platform.workers[static_cast<std::size_t>(j)];
    return std::pair(x.c_s, x.w_s) < std::pair(y.c_s, y.w_s);
  });
  enrolled.resize(static_cast<std::size_t>(best->enrolled));
  return algorithm_1(enrolled, best->side, problem);
}

}  // namespace starport::test
