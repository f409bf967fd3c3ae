#include "sim/mpi/calibration/link_calibration.hpp"

#include "sim/kernel/samples.hpp"
#include "sim/mpi/transport/clock.hpp"

#include <algorithm>
#include <array>

namespace starport::mpi {
namespace {

constexpr std::array<std::int32_t, 5> kSides{1, 2, 4, 8, 16};

/// Blocks of C to each worker and back, for each size of message. Ever others of the `columns` that
/// there are, since those of a large product are not in the caches.
std::vector<Transfer> there_and_back(std::size_t workers, std::int32_t columns,
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

/// The series of each worker and size.
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
        const auto& [there, back] = seconds_[i][n];
        links.push_back({.worker = i + 1,
                         .bytes = block_bytes * kSides[n] * kSides[n],
                         .to_worker_s = batch_means(there, kMostSamples),
                         .to_master_s = batch_means(back, kMostSamples)});
      }
    }
    return links;
  }

 private:
  using BothWays = std::array<std::vector<double>, 2>;
  PerWorker<std::array<BothWays, kSides.size()>> seconds_;
};

}  // namespace

LinkMeasures measure_links(const Communicator& communicator, std::int64_t q, ElementType type,
                           double seconds, const ExecutionOptions& options) {
  const auto workers = static_cast<std::size_t>(communicator.size() - 1);
  constexpr std::int32_t largest = kSides.back();
  Platform platform{.name = "links"};
  platform.workers.assign(workers,
                          {.c_s = 1, .w_s = 1, .m_blocks = largest * largest, .latency_s = 0});
  constexpr std::int64_t most_bytes = 256 << 20;
  const auto columns = static_cast<std::int32_t>(std::clamp<std::int64_t>(
      most_bytes / (bytes_of(type) * q * q * largest), largest, 100 * largest));
  const Problem problem{.r = largest, .s = columns, .t = 1, .block_size = q};
  Product product(problem, {.height = largest * q, .depth = q, .width = columns * q},
                  {.type = type});
  Master master(communicator, platform, product, options);
  LinkSeries series(workers);
  const double begin_s = clock_s();
  const double lasts_s = seconds * static_cast<double>(workers);
  std::int32_t next = 0;
  for (int round = 0; round < 2 || clock_s() < begin_s + lasts_s; ++round) {
    const std::vector<Transfer> transfers = there_and_back(workers, columns, next);
    const TransferList list(transfers);
    ListDispatcher dispatcher(list);
    master.run(dispatcher);
    // The first time, memory is touched and buffers are made.
    if (round > 0) series.add(transfers, master.port_times());
  }
  master.finish();
  return {.links = series.links(bytes_of(type) * q * q), .updates = {}, .steadiness = {}};
}

}  // namespace starport::mpi
