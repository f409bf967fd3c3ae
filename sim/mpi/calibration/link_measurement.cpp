#include "sim/kernel/sample_statistics.hpp"
#include "sim/mpi/calibration/measurements.hpp"
#include "sim/mpi/transport/clock.hpp"

#include <algorithm>
#include <array>

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
                  {.type = type});
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

}  // namespace starport::mpi
