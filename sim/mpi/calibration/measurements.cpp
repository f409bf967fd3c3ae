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

constexpr std::array<std::int32_t, 5> kSides{1, 2, 4, 8, 16};

/// Returns transfers of a square of C to each worker and back, for each size. The squares are cut
/// from `columns` block columns in turn, from `next` on, so that they are not in the caches, as in
/// a large product.
std::vector<Transfer> make_round_trips(std::size_t workers, std::int32_t columns,
                                       std::int32_t& next) {
  std::vector<Transfer> transfers;
  for (const std::int32_t side : kSides) {
    for (std::size_t i = 0; i < workers; ++i) {
      if (next + side > columns) next = 0;
      Transfer transfer;
      transfer.worker = static_cast<std::int32_t>(i);
      transfer.c = {{0, side}, {next, next + side}};
      next += side;
      transfers.push_back(transfer);
      transfer.direction = Direction::to_master;
      transfers.push_back(transfer);
    }
  }
  return transfers;
}

/// The durations of the transfers, by worker, size and direction.
class LinkSeries {
 public:
  explicit LinkSeries(std::size_t workers) : seconds_(workers) {}

  void add(const std::vector<Transfer>& transfers, const std::vector<PortTime>& times) {
    for (std::size_t n = 0; n < transfers.size(); ++n) {
      const auto& [worker, direction] = std::pair(transfers[n].worker, transfers[n].direction);
      const auto size = std::ranges::find(kSides, transfers[n].c.rows.size()) - kSides.begin();
      seconds_[worker][static_cast<std::size_t>(size)][static_cast<std::size_t>(direction)]
          .push_back(times[n].end_s() - times[n].start_s);
    }
  }

  std::vector<Calibration::Link> links(std::int64_t block_bytes) const {
    std::vector<Calibration::Link> links;
    for (std::int64_t i = 0; i < std::ssize(seconds_); ++i) {
      for (std::size_t n = 0; n < kSides.size(); ++n) {
        const auto& [to_worker_s, to_master_s] = seconds_[i][n];
        links.push_back({.worker = i + 1,
                         .bytes = block_bytes * kSides[n] * kSides[n],
                         .to_worker_s = batch_means(to_worker_s, kMaxSamples),
                         .to_master_s = batch_means(to_master_s, kMaxSamples)});
      }
    }
    return links;
  }

 private:
  using ByDirection = std::array<std::vector<double>, 2>;
  PerWorker<std::array<ByDirection, kSides.size()>> seconds_;
};

constexpr std::int32_t kMaxSide = 24;
constexpr double kMaxChunkBytes = 64e6;

/// Returns columns of a few blocks, as Polaris uses them, and squares up to `side`.
std::vector<ChunkShape> shapes_within(std::int32_t side) {
  std::vector<ChunkShape> shapes;
  for (const ChunkShape& shape : {ChunkShape{1, 1}, {4, 1}, {16, 1}, {4, 4}, {8, 8}, {16, 16}}) {
    if (std::max(shape.rows, shape.columns) < side) shapes.push_back(shape);
  }
  shapes.push_back({side, side});
  return shapes;
}

/// Generates the transfers of rounds, in which each worker gets chunks of all its shapes. The
/// workers take turns after each step of a chunk. Columns and rows are used in turn, so that blocks
/// are not in the caches, as in a large product.
class ChunkRounds {
 public:
  ChunkRounds(const Problem& problem, const std::vector<std::vector<ChunkShape>>& shapes)
      : problem_(problem), shapes_(shapes), updates_(shapes.size()) {}

  std::vector<Transfer> next() {
    std::vector<Transfer> transfers;
    std::size_t max_shapes = 0;
    for (const auto& shapes : shapes_) max_shapes = std::max(max_shapes, shapes.size());
    for (std::size_t n = 0; n < max_shapes; ++n) add_chunks(n, transfers);
    return transfers;
  }

 private:
  /// Appends the transfers of the n-th shape of each worker.
  void add_chunks(std::size_t n, std::vector<Transfer>& transfers) {
    std::vector<Rectangle> chunks;
    for (const auto& shapes : shapes_) {
      const ChunkShape& shape = shapes[n % shapes.size()];
      chunks.push_back({{0, shape.rows}, next_columns(shape.columns)});
    }
    const auto add_for_each = [&](auto&& transfer_of) {
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        transfers.push_back(transfer_of(i, chunks[i]));
        transfers.back().worker = static_cast<std::int32_t>(i);
      }
    };
    add_for_each([](std::size_t, const Rectangle& c) { return Transfer{.c = c}; });
    for (std::int32_t step = 0; step < kUpdatesPerChunk; ++step) {
      const std::int32_t k = depth_++ % problem_.t;
      add_for_each([&](std::size_t i, const Rectangle& c) {
        const Rectangle a{c.rows, {k, k + 1}};
        const Rectangle b{{k, k + 1}, c.columns};
        // The worker has memory for the operands of two updates.
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
  std::vector<std::vector<ChunkShape>> shapes_;  ///< shapes of the chunks, by worker
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

LinkMeasures measure_links(const Communicator& communicator, std::int64_t q, ElementType type,
                           double seconds, const ExecutionOptions& options) {
  const auto workers = static_cast<std::size_t>(communicator.size() - 1);
  constexpr std::int32_t largest = kSides.back();
  Platform platform{.name = "links"};
  platform.workers.assign(workers,
                          {.c_s = 1, .w_s = 1, .m_blocks = largest * largest, .latency_s = 0});
  constexpr std::int64_t max_bytes = 256 << 20;
  const auto columns = static_cast<std::int32_t>(std::clamp<std::int64_t>(
      max_bytes / (bytes_of(type) * q * q * largest), largest, 100 * largest));
  const Problem problem{.r = largest, .s = columns, .t = 1, .block_size = q};
  Product product(problem, {.height = largest * q, .depth = q, .width = columns * q},
                  MatrixSources{.type = type});
  Master master(communicator, platform, product, options);
  LinkSeries series(workers);
  const double start_s = monotonic_time_s();
  const double duration_s = seconds * static_cast<double>(workers);
  std::int32_t next = 0;
  for (int round = 0; round < 2 || monotonic_time_s() < start_s + duration_s; ++round) {
    const std::vector<Transfer> transfers = make_round_trips(workers, columns, next);
    const TransferList list(transfers);
    ListDispatcher dispatcher(list);
    master.run(dispatcher);
    // The first round is slower, since it touches memory and allocates buffers.
    if (round > 0) series.add(transfers, master.port_times());
  }
  master.finish();
  return {.links = series.links(bytes_of(type) * q * q), .updates = {}, .steadiness = {}};
}

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

LinkMeasures ChunkMeasurement::measure(const ChunkMeasurementOptions& options) {
  Master master(communicator_, platform_, *product_, options_);
  ChunkSeries series(platform_.workers.size());
  ChunkRounds rounds(product_->problem(), shapes_);
  std::int64_t round = 0;
  double lasted_s = 0;
  const auto measure = [&](double seconds) {
    const double start_s = monotonic_time_s();
    double span_start_s = start_s;
    series.start_span();
    const std::int64_t last_round = round + (round == 0 ? 1 : 0) + options.min_rounds;
    while (round < last_round || monotonic_time_s() < start_s + seconds) {
      const std::vector<Transfer> transfers = rounds.next();
      const TransferList list(transfers);
      ListDispatcher dispatcher(list);
      const Trace trace = master.run(dispatcher);
      // The first round is not counted, since it touches memory and allocates buffers.
      series.add(trace, master.port_times(), master.update_times_s(), round++ > 0);
      if (options.spans == 1 || monotonic_time_s() < span_start_s + seconds / options.spans)
        continue;
      span_start_s = monotonic_time_s();
      series.start_span();
    }
    lasted_s += monotonic_time_s() - start_s;
  };
  LinkMeasures measures;
  double duration_s = options.seconds_per_worker * static_cast<double>(platform_.workers.size());
  for (int attempt = 1; attempt <= kMaxAttempts; ++attempt) {
    measure(duration_s);
    measures = series.measures(bytes_of(product_->type()) * product_->problem().block_size *
                               product_->problem().block_size);
    measures.lasted_s = lasted_s * measures.steady_share();
    if (options.is_sufficient(measures, attempt)) break;
    if (attempt > 1) duration_s *= 2;
  }
  master.finish();
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
