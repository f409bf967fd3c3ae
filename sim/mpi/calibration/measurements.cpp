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

/// Returns columns of a few blocks, as Polaris uses them, and squares up to `side`, of different
/// numbers of blocks, for memory that a square of `side` fills.
std::vector<ChunkShape> shapes_within(std::int32_t side) {
  constexpr std::int32_t tallest = 16;
  const std::int64_t memory_blocks = ChunkShape{side, side}.memory_blocks();
  const auto fits = [&](std::int32_t rows) {
    return ChunkShape{rows, 1}.memory_blocks() <= memory_blocks;
  };
  std::int32_t height = tallest;
  while (height > 1 && !fits(height)) --height;
  std::vector<ChunkShape> shapes{{1, 1}};
  if (height > 4) shapes.push_back({4, 1});
  if (height > 1) shapes.push_back({height, 1});
  for (const std::int32_t square : {4, 8, 16}) {
    if (square < side && square * square != height) shapes.push_back({square, square});
  }
  if (side > 1) shapes.push_back({side, side});
  return shapes;
}

/// Generates the transfers of rounds, in which each worker gets chunks of all its shapes. The
/// workers take turns after each step of a chunk. Columns and rows are used in turn, so that blocks
/// are not in the caches, as in a large product. The A of a column stays for a second pass of
/// updates, and for one of all steps at once: schedules that use columns keep A in memory and take
/// several steps at once, and an update whose A has just arrived is some 15 % faster.
class ChunkRounds {
 public:
  /// Refers to the shapes, of which only the first `used[i]` of worker i count.
  ChunkRounds(const Problem& problem, const std::vector<std::vector<ChunkShape>>& shapes,
              const std::vector<std::size_t>& used)
      : problem_(problem), shapes_(shapes), used_(used), updates_(shapes.size()) {}

  std::vector<Transfer> next() {
    std::vector<Transfer> transfers;
    const std::size_t most = *std::ranges::max_element(used_);
    for (std::size_t n = 0; n < most; ++n) add_chunks(n, transfers);
    return transfers;
  }

 private:
  /// Appends the transfers of the n-th shape of each worker.
  void add_chunks(std::size_t n, std::vector<Transfer>& transfers) {
    std::vector<Rectangle> chunks;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      const ChunkShape& shape = shapes_[i][n % used_[i]];
      chunks.push_back({{0, shape.rows}, next_columns(shape.columns)});
    }
    const auto add_for_each = [&](auto&& transfer_of) {
      for (std::size_t i = 0; i < chunks.size(); ++i) {
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
        if (again && !is_column(c)) return Transfer{};
        const Rectangle a{c.rows, {k, k + 1}};
        const Rectangle b{{k, k + 1}, c.columns};
        // The worker has memory for the operands of two updates.
        const std::int64_t before = updates_[i]++;
        return Transfer{.a = again ? Rectangle{} : a,
                        .b = b,
                        .after_update = step < 2 ? 0 : before - 1,
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
  const std::vector<std::size_t>& used_;
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

/// Lets each worker use as many of its shapes as take at most `share_s` seconds of its link and of
/// computing, with the least durations per block of a round: on a busy machine others are longer
/// by delays that do not depend on the size.
void choose_shapes(const Trace& round, const std::vector<PortTime>& times,
                   const std::vector<double>& update_times_s, double share_s,
                   const std::vector<std::vector<ChunkShape>>& shapes,
                   std::vector<std::size_t>& used) {
  std::vector<double> transfer_s(used.size(), kUnknown);
  std::vector<double> update_s(used.size(), kUnknown);
  for (std::size_t n = 0; n < round.size(); ++n) {
    const Transfer& transfer = round[n].transfer;
    const auto worker = static_cast<std::size_t>(transfer.worker);
    const auto update_minimum = [](double& least_s, double seconds, std::int64_t blocks) {
      least_s = std::min(least_s, seconds / static_cast<double>(blocks));
    };
    update_minimum(transfer_s[worker], times[n].end_s() - times[n].start_s, transfer.blocks());
    if (transfer.update.empty()) continue;
    update_minimum(update_s[worker], update_times_s[n], transfer.update.block_updates());
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    double total_s = 0;
    for (std::size_t n = 0; n < shapes[i].size(); ++n) {
      const auto [rows, columns] = shapes[i][n];
      const double blocks = rows * columns;
      total_s += (2 * blocks + kUpdatesPerChunk * (rows + columns)) * transfer_s[i] +
                 kUpdatesPerChunk * blocks * update_s[i];
      if (total_s <= share_s) used[i] = std::max(used[i], n + 1);
    }
  }
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
  const double share_s = seconds / kRoundsWanted / static_cast<double>(shapes_.size());
  Master master(communicator_, platform_, *product_, options_);
  ChunkSeries series(shapes_.size());
  std::vector<std::size_t> used;
  for (const auto& shapes : shapes_) used.push_back(std::min<std::size_t>(2, shapes.size()));
  ChunkRounds rounds(product_->problem(), shapes_, used);
  const auto run_round = [&](bool counts) {
    const std::vector<Transfer> transfers = rounds.next();
    const TransferList list(transfers);
    ListDispatcher dispatcher(list);
    Trace trace = master.run(dispatcher);
    series.add(trace, master.port_times(), master.update_times_s(), counts);
    return trace;
  };
  const Trace first_round = run_round(false);
  choose_shapes(first_round, master.port_times(), master.update_times_s(), share_s, shapes_, used);
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
