#include "sim/mpi/calibration/measurements.hpp"

#include "sim/kernel/blas.hpp"
#include "sim/kernel/sample_statistics.hpp"
#include "sim/kernel/speed_measures.hpp"
#include "sim/mpi/transport/clock.hpp"
#include "sim/process/machine.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace starport::mpi {
namespace {

constexpr std::int32_t kMaxSide = 24;
constexpr double kMaxChunkBytes = 64e6;

/// The first shapes of a worker, which are measured however long they take.
constexpr std::size_t kSmallShapes = 2;

/// Returns columns of a few blocks, as Polaris uses them, and squares up to `side`, of different
/// numbers of blocks, for memory that a square of `side` fills: the smallest two, the largest
/// square, the tallest column and, with several steps an update, the square of BMM (a third of the
/// memory for each matrix: Toledo, A Survey of Out-of-Core Algorithms in Numerical Linear Algebra,
/// 1999), then others.
std::vector<ChunkShape> shapes_within(std::int32_t side) {
  constexpr std::int32_t tallest = 16;
  const std::int64_t memory_blocks = ChunkShape{side, side}.memory_blocks();
  const auto fits = [&](std::int32_t rows) {
    return ChunkShape{rows, 1}.memory_blocks() <= memory_blocks;
  };
  std::int32_t height = tallest;
  while (height > 1 && !fits(height)) --height;
  std::vector<ChunkShape> shapes{{1, 1}};
  const bool has_two_columns = height > 4;
  if (height > 1) shapes.push_back({has_two_columns ? 4 : height, 1});
  if (side > 1) shapes.push_back({side, side});
  if (has_two_columns) shapes.push_back({height, 1});
  const auto third = static_cast<std::int32_t>(std::sqrt(static_cast<double>(memory_blocks) / 3));
  if (third > 1) shapes.push_back({third, third, 2, std::min(third, kUpdatesPerChunk)});
  for (const std::int32_t square : {4, 8, 16}) {
    if (square < side && square * square != height) shapes.push_back({square, square});
  }
  return shapes;
}

/// Generates the transfers of rounds, in which each worker gets chunks of all its shapes. The
/// workers take turns after each step of a chunk. Columns and rows are used in turn, so that blocks
/// are not in the caches, as in a large product. The A of a column stays for a second pass of
/// updates, and for one of all steps at once: schedules that use columns keep A in memory and take
/// several steps at once, and such an update of one step takes some 16 % longer than one whose A
/// has just arrived.
class ChunkRounds {
 public:
  /// Refers to the shapes of each worker.
  ChunkRounds(const Problem& problem, const std::vector<std::vector<ChunkShape>>& shapes)
      : problem_(problem), shapes_(shapes), updates_(shapes.size()) {}

  std::vector<Transfer> next() {
    std::vector<Transfer> transfers;
    const std::size_t most = std::ranges::max(shapes_, {}, &std::vector<ChunkShape>::size).size();
    for (std::size_t n = 0; n < most; ++n) add_chunks(n, transfers);
    return transfers;
  }

 private:
  /// Appends the transfers of the n-th shape of each worker that has so many.
  void add_chunks(std::size_t n, std::vector<Transfer>& transfers) {
    std::vector<Rectangle> chunks(shapes_.size());
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (n >= shapes_[i].size()) continue;
      const ChunkShape& shape = shapes_[i][n];
      chunks[i] = {{0, shape.rows}, next_columns(shape.columns)};
    }
    const auto add_for_each = [&](auto&& transfer_of) {
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        if (chunks[i].empty()) continue;
        Transfer transfer = transfer_of(i, chunks[i]);
        if (transfer.blocks() == 0) continue;
        transfer.worker = static_cast<std::int32_t>(i);
        transfers.push_back(transfer);
      }
    };
    add_for_each([](std::size_t, const Rectangle& c) { return Transfer{.c = c}; });
    if (depth_ + kUpdatesPerChunk > problem_.t) depth_ = 0;
    const Range all{depth_, depth_ + kUpdatesPerChunk};
    const auto is_column = [](const Rectangle& c) {
      return keeps_a(c.rows.size(), c.columns.size());
    };
    for (std::int32_t step = 0; step < 2 * kUpdatesPerChunk; ++step) {
      const bool again = step >= kUpdatesPerChunk;
      const std::int32_t k = depth_ + step % kUpdatesPerChunk;
      add_for_each([&](std::size_t i, const Rectangle& c) {
        const ChunkShape& shape = shapes_[i][n];
        if (!is_column(c) && step >= shape.updates) return Transfer{};
        const bool has_more = depth_ + (step + 1) * shape.inner <= problem_.t;
        const std::int32_t begin = shape.inner == 1 ? k
                                   : has_more       ? depth_ + step * shape.inner
                                                    : 0;
        const Range inner{begin, begin + shape.inner};
        const Rectangle a{c.rows, inner};
        const Rectangle b{inner, c.columns};
        // The worker has memory for the operands of two updates of one step, or of one of several.
        const std::int64_t before = updates_[i]++;
        return Transfer{.a = again ? Rectangle{} : a,
                        .b = b,
                        .after_update = shape.inner > 1 ? before
                                        : step < 2      ? 0
                                                        : before - 1,
                        .update = {.rows = c.rows,
                                   .columns = c.columns,
                                   .inner = a.columns,
                                   .release_a = is_column(c) ? Rectangle{} : a,
                                   .release_b = b}};
      });
    }
    add_for_each([&](std::size_t i, const Rectangle& c) {
      if (!is_column(c)) return Transfer{};
      const Rectangle b{all, c.columns};
      const std::int64_t before = updates_[i]++;
      return Transfer{.b = b,
                      .after_update = before,
                      .update = {.rows = c.rows,
                                 .columns = c.columns,
                                 .inner = all,
                                 .release_a = {c.rows, all},
                                 .release_b = b}};
    });
    depth_ = all.end;
    add_for_each([&](std::size_t i, const Rectangle& c) {
      return Transfer{.direction = Direction::to_master, .c = c, .after_update = updates_[i]};
    });
  }

  Range next_columns(std::int32_t count) {
    if (next_ + count > problem_.s) next_ = 0;
    next_ += count;
    return {next_ - count, next_};
  }

  Problem problem_;
  const std::vector<std::vector<ChunkShape>>& shapes_;
  std::vector<std::int64_t> updates_;
  std::int32_t next_ = 0;
  std::int32_t depth_ = 0;
};

/// Returns a problem of at least rows x columns blocks of C, whose matrices exceed all caches if
/// there is enough memory.
Problem problem_for(std::int64_t q, double block_bytes, std::int32_t rows, std::int32_t columns) {
  const double max_bytes =
      std::min({0x1p28, available_memory_bytes() / 8, remaining_limit_bytes() / 8});
  const auto blocks = static_cast<std::int64_t>(max_bytes / block_bytes);
  const std::int64_t t =
      std::clamp<std::int64_t>(blocks / (4 * std::int64_t{rows}), kUpdatesPerChunk, 64);
  const std::int64_t s =
      std::clamp<std::int64_t>((blocks - rows * t) / (rows + t), columns, 100 * columns);
  return {.r = rows, .s = s, .t = t, .block_size = q};
}

/// The number of rounds that should fit into the time of a measurement.
constexpr double kRoundsWanted = 6;

/// The least durations in seconds per block that a round shows of a worker: on a busy machine
/// others are longer by delays that do not depend on the size.
struct BlockTimes {
  double transfer_s = kUnknown;
  double update_s = kUnknown;
};

PerWorker<BlockTimes> least_times(const Trace& round, const std::vector<PortTime>& times,
                                  const std::vector<double>& update_times_s, std::size_t workers) {
  PerWorker<BlockTimes> least(workers);
  const auto update_minimum = [](double& least_s, double seconds, std::int64_t blocks) {
    least_s = std::min(least_s, seconds / static_cast<double>(blocks));
  };
  for (std::size_t n = 0; n < round.size(); ++n) {
    const Transfer& transfer = round[n].transfer;
    BlockTimes& worker = least[transfer.worker];
    update_minimum(worker.transfer_s, times[n].end_s() - times[n].start_s, transfer.blocks());
    if (transfer.update.empty()) continue;
    update_minimum(worker.update_s, update_times_s[n], transfer.update.block_updates());
  }
  return least;
}

/// Returns those shapes of a worker whose messages take the port for at most `port_s` seconds and
/// whose updates last at most `computing_s`, together; squares with fewer updates where there is no
/// time for all. The smallest two are always among them, with all updates.
std::vector<ChunkShape> choose_shapes(const std::vector<ChunkShape>& shapes,
                                      const BlockTimes& times, double port_s, double computing_s) {
  std::vector<ChunkShape> chosen;
  for (ChunkShape shape : shapes) {
    const double blocks = shape.rows * shape.columns;
    const bool column = keeps_a(shape.rows, shape.columns);
    const int steps = column ? 3 : shape.inner;  // the last one of a column is by all at once
    const double update_s = steps * blocks * times.update_s;
    const double step_s =
        ((column ? 1 : steps) * shape.rows + steps * shape.columns) * times.transfer_s;
    const double c_s = 2 * blocks * times.transfer_s;
    const bool is_small = chosen.size() < kSmallShapes;
    if (!column && !is_small && shape.inner == 1) {
      const double most = std::min(computing_s / update_s, (port_s - c_s) / step_s);
      shape.updates = static_cast<std::int32_t>(std::clamp<double>(most, 2, kUpdatesPerChunk));
    }
    const double port_left_s = port_s - c_s - shape.updates * step_s;
    const double computing_left_s = computing_s - shape.updates * update_s;
    if (!is_small && std::min(port_left_s, computing_left_s) < 0) continue;
    port_s = port_left_s;
    computing_s = computing_left_s;
    chosen.push_back(shape);
  }
  return chosen;
}

/// Sends make_message(i) to each worker i, and waits until all are delivered.
template <class MakeMessage>
void send_to_all(const Communicator& communicator, WorkerMonitor& monitor, Tag tag,
                 MakeMessage&& make_message) {
  for (int i = 0; i < communicator.size() - 1; ++i) {
    const auto message = make_message(i);
    PendingMessage pending = communicator.send(i + 1, tag, message);
    monitor.wait_until(i, "accept an order", [&] { return pending.is_complete(); });
  }
}

}  // namespace

ChunkMeasurement::ChunkMeasurement(const Communicator& communicator, std::int64_t q,
                                   ElementType type, const ExecutionOptions& options,
                                   const PerWorker<std::int64_t>& largest_sides)
    : communicator_(communicator), options_(options) {
  const double block_bytes = static_cast<double>(bytes_of(type) * q * q);
  const auto max_side =
      std::clamp(static_cast<std::int32_t>(std::sqrt(kMaxChunkBytes / block_bytes)), 1, kMaxSide);
  platform_.name = "chunks";
  ChunkShape bounding_shape{.rows = 1, .columns = 1};
  for (const std::int64_t largest : largest_sides) {
    shapes_.push_back(
        shapes_within(static_cast<std::int32_t>(std::min<std::int64_t>(largest, max_side))));
    std::int64_t memory_blocks = 0;
    for (const ChunkShape& shape : shapes_.back()) {
      memory_blocks = std::max(memory_blocks, shape.memory_blocks());
      bounding_shape = {std::max(bounding_shape.rows, shape.rows),
                        std::max(bounding_shape.columns, shape.columns)};
    }
    platform_.workers.push_back({.c_s = 1, .w_s = 1, .m_blocks = memory_blocks, .latency_s = 0});
    options_.expected_blocks.push_back(memory_blocks);
  }
  const Problem problem = problem_for(q, block_bytes, bounding_shape.rows, bounding_shape.columns);
  product_.emplace(
      problem, ProductSize{.height = problem.r * q, .depth = problem.t * q, .width = problem.s * q},
      MatrixSources{.type = type});
}

LinkMeasures ChunkMeasurement::measure(double seconds) {
  const double due_s = monotonic_time_s() + seconds;
  const double round_s = seconds / kRoundsWanted;
  Master master(communicator_, platform_, *product_, options_);
  ChunkSeries series(shapes_.size());
  std::vector<std::vector<ChunkShape>> chosen;
  for (const auto& shapes : shapes_) {
    const auto small = static_cast<std::ptrdiff_t>(std::min(kSmallShapes, shapes.size()));
    chosen.emplace_back(shapes.begin(), shapes.begin() + small);
  }
  ChunkRounds rounds(product_->problem(), chosen);
  const auto run_round = [&](bool counts) {
    const std::vector<Transfer> transfers = rounds.next();
    const TransferList list(transfers);
    ListDispatcher dispatcher(list);
    Trace trace = master.run(dispatcher);
    series.add(trace, master.port_times(), master.update_times_s(), counts);
    return trace;
  };
  const Trace first_round = run_round(false);
  const PerWorker<BlockTimes> least =
      least_times(first_round, master.port_times(), master.update_times_s(), shapes_.size());
  // Messages take turns at the port; workers compute at the same time.
  const double port_s = round_s / static_cast<double>(shapes_.size());
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    chosen[i] = choose_shapes(shapes_[i], least[static_cast<std::int64_t>(i)], port_s, round_s);
  }
  // The first round of all sizes is not counted, since it touches memory and allocates buffers.
  run_round(false);
  const double start_s = monotonic_time_s();
  for (int round = 0; round < 2 || monotonic_time_s() < due_s; ++round) run_round(true);
  const double lasted_s = monotonic_time_s() - start_s;
  master.finish();
  const std::int64_t q = product_->problem().block_size;
  LinkMeasures measures = series.measures(bytes_of(product_->type()) * q * q);
  measures.lasted_s = lasted_s;
  return measures;
}

PerWorker<std::vector<SpeedSample>> measure_speeds(const Communicator& communicator,
                                                   WorkerMonitor& monitor,
                                                   const PerWorker<WorkerSettings>& settings,
                                                   const std::vector<double>& memory_bytes,
                                                   std::int64_t q, std::int64_t max_side) {
  const double max_bytes = *std::max_element(memory_bytes.begin(), memory_bytes.end());
  const std::int64_t largest = largest_side(max_bytes, q, max_side);  // throws before any message
  send_to_all(communicator, monitor, Tag::setup, [&](int i) {
    return Setup{.kind = Setup::Kind::measure_speed,
                 .problem = {.r = 1, .s = 1, .t = 1, .block_size = q},
                 .threads = settings[i].threads,
                 .emulation = settings[i].emulation,
                 .memory_bytes = memory_bytes[static_cast<std::size_t>(i)]};
  });
  const auto measure = [&](std::int64_t side) {
    send_to_all(communicator, monitor, Tag::order, [&](int) { return SpeedOrder{.side = side}; });
    PerWorker<std::optional<SpeedSample>> samples;
    for (int i = 0; i < communicator.size() - 1; ++i) {
      std::optional<SpeedReply> reply;
      monitor.wait_until(i, "measure its speed", [&] {
        reply = communicator.receive<SpeedReply>(i + 1, Tag::values);
        return reply.has_value();
      });
      samples.push_back(reply->fits ? std::optional(reply->sample) : std::nullopt);
    }
    return samples;
  };
  auto samples = measure_speed_functions(largest, measure);
  send_to_all(communicator, monitor, Tag::order,
              [](int) { return SpeedOrder{.kind = SpeedOrder::Kind::finish}; });
  return samples;
}

void measure_speed_of_this_rank(const Communicator& communicator, const Setup& setup) {
  set_blas_threads(setup.threads);
  SpeedMeter meter(setup.problem.block_size, setup.emulation, setup.memory_bytes);
  for (Backoff backoff;; backoff.pause()) {
    const auto order = communicator.receive<SpeedOrder>(0, Tag::order);
    if (!order) continue;
    if (order->kind == SpeedOrder::Kind::finish) return;
    const auto sample = meter.measure(order->side);
    const SpeedReply reply{.fits = sample.has_value(), .sample = sample.value_or(SpeedSample{})};
    PendingMessage pending = communicator.send(0, Tag::values, reply);
    for (backoff = Backoff(); !pending.is_complete();) backoff.pause();
    backoff = Backoff();
  }
}

}  // namespace starport::mpi
