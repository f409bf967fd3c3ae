#include "tests/heuristics/plain_heuristics.hpp"

#include "heuristics/star/chunks.hpp"
#include "heuristics/star/planning.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/trace.hpp"

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
    Message message;
    workers[i].next(message);
    transfers.push_back(workers[i].transfer());
    star.advance(message_of(transfers.back()));
  }

  MasterView star;
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
std::vector<Transfer> plain_algorithm_1(const std::vector<int>& workers, std::int64_t side,
                                        const Problem& problem) {
  std::vector<Transfer> transfers;
  ColumnCounter columns(problem);
  std::vector<ChunkWorker> crew;
  for (const int i : workers) crew.emplace_back(i, side, kOptimizedOverlapped, problem);
  const auto send_next = [&](ChunkWorker* worker) {
    Message message;
    worker->next(message);
    transfers.push_back(worker->transfer());
  };
  while (columns.any_left()) {
    std::vector<ChunkWorker*> active;
    for (ChunkWorker& worker : crew) {
      if (worker.start_chunk(columns)) active.push_back(&worker);
    }
    for (std::int64_t row = 0; row < problem.r; row += side) {
      for (ChunkWorker* worker : active) {
        if (row > 0) worker->start_chunk(columns);
        send_next(worker);
      }
      for (std::int64_t k = 0; k < problem.t; ++k) {
        for (ChunkWorker* worker : active) send_next(worker);
      }
      for (ChunkWorker* worker : active) send_next(worker);
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
  const Platform identical{"", PerWorker<Worker>(static_cast<std::size_t>(x.enrolled), x.worst)};
  std::vector<int> all(static_cast<std::size_t>(x.enrolled));
  std::iota(all.begin(), all.end(), 0);
  x.estimate_s =
      replay(identical, problem, plain_algorithm_1(all, x.side, problem)).back().dates.end_s;
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
  return plain_algorithm_1(enrolled, best->side, problem);
}

namespace {

/// T, ready_i and W of the planning clock, copied for each trial.
struct Plain {
  const Platform& platform;
  const Problem& problem;
  Selection selection;
  double t = 0;
  double work = 0;
  std::vector<double> ready = std::vector<double>(platform.workers.size(), 0.0);
  std::vector<bool> chosen = std::vector<bool>(platform.workers.size(), false);

  double mu(std::size_t i) const {
    return static_cast<double>(kOptimizedOverlapped.side(platform.workers[i].m_blocks));
  }
  void choose(std::size_t i) {
    const Worker& worker = platform.workers[i];
    const double c_blocks = selection.count_c && !chosen[i] ? mu(i) * mu(i) : 0;
    t = std::max(t + (2 * mu(i) * worker.c_s + c_blocks * worker.c_s), ready[i]);
    ready[i] = t + mu(i) * mu(i) * worker.w_s;
    work += mu(i) * mu(i);
    chosen[i] = true;
  }
  double ratio_since(const Plain& before) const {
    return selection.local ? (work - before.work) / (t - before.t) : work / t;
  }
};

StepOrder plain_order(Selection selection, const Platform& platform, const Problem& problem) {
  Plain plan{platform, problem, selection};
  std::vector<std::int64_t> steps(platform.workers.size(), 0);
  const auto panel = [&](std::size_t i) {
    const auto mu = static_cast<std::int64_t>(plan.mu(i));
    return problem.t * ((problem.r + mu - 1) / mu);
  };
  std::int64_t columns = 0;
  StepOrder order;
  while (columns < problem.s) {
    std::size_t best = 0;
    double best_value = -1;
    for (std::size_t i = 0; i < platform.workers.size(); ++i) {
      if (plan.mu(i) == 0) continue;
      Plain one = plan;
      one.choose(i);
      double value = selection.look_ahead ? 0 : one.ratio_since(plan);
      for (std::size_t j = 0; selection.look_ahead && j < platform.workers.size(); ++j) {
        if (plan.mu(j) == 0) continue;
        Plain two = one;
        two.choose(j);
        value = std::max(value, two.ratio_since(plan));
      }
      if (best_value < 0 || clearly_less(best_value, value)) {
        best = i;
        best_value = value;
      }
    }
    plan.choose(best);
    order.push_back(static_cast<std::int32_t>(best));
    if (++steps[best] % panel(best) == 0) columns += static_cast<std::int64_t>(plan.mu(best));
  }
  std::vector<std::int64_t> seen(platform.workers.size(), 0);
  std::erase_if(order, [&](std::int32_t i) {  // of panels not completed
    const auto at = static_cast<std::size_t>(i);
    return seen[at]++ >= steps[at] / panel(at) * panel(at);
  });
  return order;
}

/// From an order to transfers (PPoPP'08 section 5).
std::vector<Transfer> follow(const StepOrder& order, const Platform& platform,
                             const Problem& problem) {
  PlainStar plain(platform, problem, kOptimizedOverlapped);
  for (const std::int32_t step : order) {
    const auto i = static_cast<std::size_t>(step);
    if (plain.workers[i].ready_to_return()) plain.send_next(i);
    if (!plain.workers[i].holds_chunk()) {
      if (!plain.workers[i].start_chunk(plain.columns)) continue;
      plain.send_next(i);  // SendC
    }
    plain.send_next(i);
  }
  for (;;) {
    std::size_t first = platform.workers.size();
    double first_s = kUnknown;
    for (std::size_t i = 0; i < platform.workers.size(); ++i) {
      if (!plain.workers[i].holds_chunk()) continue;
      const double date =
          plain.star.request_date_s(static_cast<int>(i), plain.workers[i].next_after_update());
      if (!clearly_less(date, first_s)) continue;
      first = i;
      first_s = date;
    }
    if (first == platform.workers.size()) return plain.transfers;
    plain.send_next(first);
  }
}

}  // namespace

std::vector<Transfer> plain_selection(Selection selection, const Platform& platform,
                                      const Problem& problem) {
  return follow(plain_order(selection, platform, problem), platform, problem);
}

std::vector<Transfer> plain_min_min(const Platform& platform, const Problem& problem) {
  Plain plan{platform, problem, {}};
  std::vector<std::int64_t> left(platform.workers.size(), 0);  // steps in its panel
  std::int64_t planned_columns = 0;
  StepOrder order;
  for (;;) {
    std::size_t chosen = platform.workers.size();
    double least = kUnknown;
    for (std::size_t i = 0; i < platform.workers.size(); ++i) {
      if (plan.mu(i) == 0 || (left[i] == 0 && planned_columns >= problem.s)) continue;
      Plain trial = plan;
      trial.choose(i);
      if (!clearly_less(trial.ready[i], least)) continue;
      chosen = i;
      least = trial.ready[i];
    }
    if (chosen == platform.workers.size()) return follow(order, platform, problem);
    const auto mu = static_cast<std::int64_t>(plan.mu(chosen));
    if (left[chosen] == 0) {
      planned_columns += mu;
      left[chosen] = problem.t * ((problem.r + mu - 1) / mu);
    }
    --left[chosen];
    plan.choose(chosen);
    order.push_back(static_cast<std::int32_t>(chosen));
  }
}

}  // namespace starport::test
