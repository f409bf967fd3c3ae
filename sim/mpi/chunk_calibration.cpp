#include "sim/kernel/samples.hpp"
#include "sim/mpi/clock.hpp"
#include "sim/mpi/link_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace starport::mpi {
namespace {

constexpr std::int32_t kSteps = 8;  ///< updates of a chunk
/// As many as they have in large products. The first, on blocks that have just come, takes longer
/// (15% were seen), and counts as it does among so many.
constexpr std::int32_t kUsualSteps = 64;
constexpr std::int32_t kLargestSide = 24;
constexpr double kLargestBytes = 64e6;  ///< of a chunk

struct ChunkShape {
  std::int32_t rows;
  std::int32_t columns;

  std::int64_t memory_blocks() const {
    return std::int64_t{rows} * columns + 2 * (std::int64_t{rows} + columns);
  }
};

/// Columns of a few blocks, which Polaris makes, and squares up to the largest chunk.
std::vector<ChunkShape> shapes_within(std::int32_t side) {
  std::vector<ChunkShape> shapes;
  for (const ChunkShape& shape : {ChunkShape{1, 1}, {4, 1}, {16, 1}, {4, 4}, {8, 8}, {16, 16}}) {
    if (std::max(shape.rows, shape.columns) < side) shapes.push_back(shape);
  }
  shapes.push_back({side, side});
  return shapes;
}

/// The transfers of one chunk for each worker, a step of each in turn, over and over. Ever others
/// of the blocks that there are, since those of a large product are not in the caches.
class ChunkRounds {
 public:
  ChunkRounds(const Problem& problem, const std::vector<std::vector<ChunkShape>>& shapes)
      : problem_(problem), shapes_(shapes), updates_(shapes.size()) {}

  std::vector<Transfer> next() {
    std::vector<Transfer> transfers;
    std::size_t most = 0;
    for (const auto& mine : shapes_) most = std::max(most, mine.size());
    for (std::size_t n = 0; n < most; ++n) add_chunks(n, transfers);
    return transfers;
  }

 private:
  void add_chunks(std::size_t n, std::vector<Transfer>& transfers) {
    std::vector<Rectangle> chunks;
    for (const auto& mine : shapes_) {
      const ChunkShape& shape = mine[n % mine.size()];
      chunks.push_back({{0, shape.rows}, next_columns(shape.columns)});
    }
    const auto each = [&](auto&& transfer_of) {
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        transfers.push_back(transfer_of(i, chunks[i]));
        transfers.back().worker = static_cast<std::int32_t>(i);
      }
    };
    each([](std::size_t, const Rectangle& c) { return Transfer{.c = c}; });
    for (std::int32_t step = 0; step < kSteps; ++step) {
      const std::int32_t k = depth_++ % problem_.t;
      each([&](std::size_t i, const Rectangle& c) {
        const Rectangle a{c.rows, {k, k + 1}};
        const Rectangle b{{k, k + 1}, c.columns};
        // There is room for those of two updates.
        const std::int64_t before = updates_[i]++;
        return Transfer{.a = a,
                        .b = b,
                        .after_update = step < 2 ? 0 : before - 1,
                        .update = {.rows = c.rows,
                                   .columns = c.columns,
                                   .inner = a.columns,
                                   .release_a = a,
                                   .release_b = b}};
      });
    }
    each([&](std::size_t i, const Rectangle& c) {
      return Transfer{.direction = Direction::to_master, .c = c, .after_update = updates_[i]};
    });
  }

  Range next_columns(std::int32_t count) {
    if (next_ + count > problem_.s) next_ = 0;
    next_ += count;
    return {next_ - count, next_};
  }

  Problem problem_;
  std::vector<std::vector<ChunkShape>> shapes_;  ///< of each worker
  std::vector<std::int64_t> updates_;
  std::int32_t next_ = 0;
  std::int32_t depth_ = 0;
};

/// What each kind and size of message took, and each update.
class ChunkSeries {
 public:
  explicit ChunkSeries(std::size_t workers) : update_ends_s_(workers) {
    updates_.resize(workers);
    fresh_.resize(workers);
  }

  void add(const Trace& trace, const std::vector<PortTime>& times, bool counts) {
    for (const auto& [transfer, dates] : trace) {
      if (!transfer.update.empty()) ends_of(transfer).push_back(dates.update_end_s);
    }
    if (!counts) return;
    const bool first_updates_count = rounds_++ % (kUsualSteps / kSteps) == 0;
    double port_free_s = times.front().start_s;
    for (std::size_t n = 0; n < trace.size(); ++n) {
      const auto& [transfer, dates] = trace[n];
      const bool home = transfer.direction == Direction::to_master;
      Ways& ways = seconds_[{transfer.worker, transfer.blocks(), transfer.c.empty()}];
      const double begin_s = std::max(port_free_s, awaited_s(transfer));
      port_free_s = times[n].end_s();
      (home ? ways.home : ways.there).push_back(port_free_s - begin_s);
      if (transfer.update.empty()) {
        fresh_[transfer.worker] = 1;
        continue;
      }
      if (std::exchange(fresh_[transfer.worker], 0) != 0 && !first_updates_count) continue;
      UpdateSample sample{.rows = transfer.update.rows.size(),
                          .columns = transfer.update.columns.size(),
                          .seconds = dates.update_end_s - dates.update_start_s};
      sample.seconds /= static_cast<double>(sample.blocks());
      updates_[transfer.worker].push_back(sample);
    }
  }

  LinkMeasures measures(std::int64_t block_bytes) && {
    LinkMeasures measures{.links = {}, .updates = std::move(updates_)};
    for (const auto& [key, ways] : seconds_) {
      const auto [worker, blocks, operands] = key;
      measures.links.push_back({.worker = worker + 1,
                                .bytes = block_bytes * blocks,
                                .to_worker_s = batch_means(ways.there, kMostSamples),
                                .to_master_s = batch_means(ways.home, kMostSamples)});
    }
    return measures;
  }

 private:
  struct Ways {
    std::vector<double> there;
    std::vector<double> home;
  };

  std::vector<double>& ends_of(const Transfer& transfer) {
    return update_ends_s_[static_cast<std::size_t>(transfer.worker)];
  }
  /// From when on the model has the transfer: until the master knows of the update's end, too.
  double awaited_s(const Transfer& transfer) {
    const auto number = static_cast<std::size_t>(transfer.after_update);
    return number == 0 ? 0 : ends_of(transfer)[number - 1];
  }

  std::vector<std::vector<double>> update_ends_s_;  ///< by worker, of all its updates
  /// By worker, blocks, and whether these were of A and B.
  std::map<std::tuple<std::int32_t, std::int64_t, bool>, Ways> seconds_;
  PerWorker<std::vector<UpdateSample>> updates_;
  PerWorker<char> fresh_;  ///< whether the next update is the first of its chunk
  std::int64_t rounds_ = 0;
};

/// As large as fits into the caches of nobody.
Problem problem_for(std::int64_t q, double block_bytes, std::int32_t rows, std::int32_t columns) {
  constexpr double most_bytes = 256 << 20;
  const auto blocks = static_cast<std::int64_t>(most_bytes / block_bytes);
  const std::int64_t t = std::clamp<std::int64_t>(blocks / (4 * std::int64_t{rows}), kSteps, 64);
  const std::int64_t s =
      std::clamp<std::int64_t>((blocks - rows * t) / (rows + t), columns, 100 * columns);
  return {.r = rows, .s = s, .t = t, .block_size = q};
}

}  // namespace

LinkMeasures measure_chunks(const Communicator& communicator, std::int64_t q, ElementType type,
                            double seconds, const ExecutionOptions& options,
                            const PerWorker<std::int64_t>& largest_sides) {
  const double block_bytes = static_cast<double>(bytes_of(type) * q * q);
  const auto most = std::clamp(static_cast<std::int32_t>(std::sqrt(kLargestBytes / block_bytes)), 1,
                               kLargestSide);
  Platform platform{.name = "chunks"};
  ExecutionOptions own = options;
  std::vector<std::vector<ChunkShape>> shapes;
  ChunkShape around{.rows = 1, .columns = 1};
  for (const std::int64_t largest : largest_sides) {
    shapes.push_back(
        shapes_within(static_cast<std::int32_t>(std::min<std::int64_t>(largest, most))));
    std::int64_t memory_blocks = 0;
    for (const ChunkShape& shape : shapes.back()) {
      memory_blocks = std::max(memory_blocks, shape.memory_blocks());
      around = {std::max(around.rows, shape.rows), std::max(around.columns, shape.columns)};
    }
    platform.workers.push_back({.c_s = 1, .w_s = 1, .m_blocks = memory_blocks, .latency_s = 0});
    own.expected_blocks.push_back(memory_blocks);
  }
  const Problem problem = problem_for(q, block_bytes, around.rows, around.columns);
  Product product(problem,
                  {.height = problem.r * q, .depth = problem.t * q, .width = problem.s * q},
                  {.type = type});
  Master master(communicator, platform, product, own);
  ChunkSeries series(platform.workers.size());
  ChunkRounds rounds(problem, shapes);
  const double begin_s = clock_s();
  const double lasts_s = seconds * static_cast<double>(platform.workers.size());
  for (int round = 0; round < 3 || clock_s() < begin_s + lasts_s; ++round) {
    const std::vector<Transfer> transfers = rounds.next();
    const TransferList list(transfers);
    ListDispatcher dispatcher(list);
    const Trace trace = master.run(dispatcher);
    // The first time, memory is touched and buffers are made.
    series.add(trace, master.port_times(), round > 0);
  }
  master.finish();
  return std::move(series).measures(static_cast<std::int64_t>(block_bytes));
}

}  // namespace starport::mpi
