#include "sim/mpi/calibration/link_calibration.hpp"
#include "sim/mpi/transport/clock.hpp"
#include "sim/process/machine.hpp"

#include <algorithm>
#include <cmath>

namespace starport::mpi {
namespace {

constexpr std::int32_t kLargestSide = 24;
constexpr double kLargestBytes = 64e6;  ///< of a chunk

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

/// As large as fits into the caches of nobody, where there is memory for it.
Problem problem_for(std::int64_t q, double block_bytes, std::int32_t rows, std::int32_t columns) {
  const double most_bytes = std::min({0x1p28, available_bytes() / 8, bytes_within_limits() / 8});
  const auto blocks = static_cast<std::int64_t>(most_bytes / block_bytes);
  const std::int64_t t = std::clamp<std::int64_t>(blocks / (4 * std::int64_t{rows}), kSteps, 64);
  const std::int64_t s =
      std::clamp<std::int64_t>((blocks - rows * t) / (rows + t), columns, 100 * columns);
  return {.r = rows, .s = s, .t = t, .block_size = q};
}

}  // namespace

ChunkMeasurement::ChunkMeasurement(const Communicator& communicator, std::int64_t q,
                                   ElementType type, const ExecutionOptions& options,
                                   const PerWorker<std::int64_t>& largest_sides)
    : communicator_(communicator), options_(options) {
  const double block_bytes = static_cast<double>(bytes_of(type) * q * q);
  const auto most = std::clamp(static_cast<std::int32_t>(std::sqrt(kLargestBytes / block_bytes)), 1,
                               kLargestSide);
  platform_.name = "chunks";
  ChunkShape around{.rows = 1, .columns = 1};
  for (const std::int64_t largest : largest_sides) {
    shapes_.push_back(
        shapes_within(static_cast<std::int32_t>(std::min<std::int64_t>(largest, most))));
    std::int64_t memory_blocks = 0;
    for (const ChunkShape& shape : shapes_.back()) {
      memory_blocks = std::max(memory_blocks, shape.memory_blocks());
      around = {std::max(around.rows, shape.rows), std::max(around.columns, shape.columns)};
    }
    platform_.workers.push_back({.c_s = 1, .w_s = 1, .m_blocks = memory_blocks, .latency_s = 0});
    options_.expected_blocks.push_back(memory_blocks);
  }
  const Problem problem = problem_for(q, block_bytes, around.rows, around.columns);
  product_.emplace(
      problem, ProductSize{.height = problem.r * q, .depth = problem.t * q, .width = problem.s * q},
      MatrixSources{.type = type});
}

LinkMeasures ChunkMeasurement::measure(const ChunkDuration& duration) {
  Master master(communicator_, platform_, *product_, options_);
  ChunkSeries series(platform_.workers.size());
  ChunkRounds rounds(product_->problem(), shapes_);
  std::int64_t round = 0;
  double lasted_s = 0;
  const auto measure = [&](double seconds) {
    const double begin_s = clock_s();
    double span_s = begin_s;
    series.begin_span();
    const std::int64_t enough = round + (round == 0 ? 1 : 0) + duration.least_rounds;
    while (round < enough || clock_s() < begin_s + seconds) {
      const std::vector<Transfer> transfers = rounds.next();
      const TransferList list(transfers);
      ListDispatcher dispatcher(list);
      const Trace trace = master.run(dispatcher);
      // The first time, memory is touched and buffers are made.
      series.add(trace, master.port_times(), master.update_times_s(), round++ > 0);
      if (duration.spans == 1 || clock_s() < span_s + seconds / duration.spans) continue;
      span_s = clock_s();
      series.begin_span();
    }
    lasted_s += clock_s() - begin_s;
  };
  LinkMeasures measures;
  double lasts_s = duration.seconds * static_cast<double>(platform_.workers.size());
  for (int attempt = 1; attempt <= kMostAttempts; ++attempt) {
    measure(lasts_s);
    measures = series.measures(bytes_of(product_->type()) * product_->problem().block_size *
                               product_->problem().block_size);
    measures.lasted_s = lasted_s * measures.steady_share();
    if (duration.enough(measures, attempt)) break;
    if (attempt > 1) lasts_s *= 2;
  }
  master.finish();
  return measures;
}

}  // namespace starport::mpi
