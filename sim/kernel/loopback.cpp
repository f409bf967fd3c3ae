#include "sim/kernel/loopback.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/kernel/sample_statistics.hpp"
#include "sim/process/isolation.hpp"
#include "sim/process/machine.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

namespace starport {
namespace {

/// Sends all bytes; returns false when the other end is closed.
bool send_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(fd, data, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    data += sent;
    size -= sent;
  }
  return true;
}
/// Receives `size` bytes; returns false when the other end is closed.
bool receive_all(int fd, char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::recv(fd, data, size, 0);
    if (got <= 0) return false;
    data += got;
    size -= got;
  }
  return true;
}

/// Sizes of messages in bytes and their mean durations in seconds.
struct MeanDurations {
  std::vector<double> bytes;
  std::vector<double> seconds;

  void add(std::int64_t message_bytes, double mean_s) {
    bytes.push_back(static_cast<double>(message_bytes));
    seconds.push_back(mean_s);
  }
};

/// Returns the largest messages of a worker, with operands (sent one way only) or with C; nullptr
/// when there are none.
const Calibration::Link* largest_of(const std::vector<Calibration::Link>& links,
                                    std::int64_t worker, bool operands) {
  const Calibration::Link* largest = nullptr;
  for (const Calibration::Link& link : links) {
    if (link.worker != worker || link.to_master_s.empty() != operands) continue;
    if (largest == nullptr || link.bytes > largest->bytes) largest = &link;
  }
  return largest;
}

/// Returns the mean durations of a worker's messages, of series resampled by `resample`.
MeanDurations mean_durations(const std::vector<Calibration::Link>& links, std::int64_t worker,
                             const Resample& resample) {
  const auto both_ways = [&](const Calibration::Link& link) {
    return (sample_mean(resample(link.to_worker_s)) + sample_mean(resample(link.to_master_s))) / 2;
  };
  MeanDurations points;
  const Calibration::Link* const operands = largest_of(links, worker, true);
  const Calibration::Link* const c = largest_of(links, worker, false);
  if (operands != nullptr && c != nullptr && c->bytes > 2 * operands->bytes) {
    points.add(operands->bytes, sample_mean(resample(operands->to_worker_s)));
    points.add(c->bytes, both_ways(*c));
    return points;
  }
  for (const Calibration::Link& link : links) {
    if (link.worker != worker) continue;
    points.add(link.bytes, link.to_master_s.empty() ? sample_mean(resample(link.to_worker_s))
                                                    : both_ways(link));
  }
  return points;
}

}  // namespace

std::vector<Calibration::Link> measure_loopback(std::int64_t block_bytes) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) {
    throw SimulationError(std::string("no local socket to measure the link: ") +
                          std::strerror(errno));
  }
  const FileDescriptor master(ends[0]);
  FileDescriptor worker(ends[1]);
  std::vector<Calibration::Link> links;
  for (const std::int64_t blocks : {1, 4, 16, 64}) {
    const auto bytes = static_cast<std::size_t>(block_bytes * blocks);
    std::vector<char> sent(bytes);
    std::vector<char> received(bytes);
    std::atomic<double> arrived_s = 0;
    const std::jthread echo([&] {
      for (int n = 0; n <= kRepetitions; ++n) {
        if (!receive_all(worker.get(), received.data(), bytes)) return;
        arrived_s = monotonic_time_s();
        if (!send_all(worker.get(), received.data(), bytes)) return;
      }
    });
    Calibration::Link link{.worker = 1, .bytes = static_cast<std::int64_t>(bytes)};
    for (int n = 0; n <= kRepetitions; ++n) {
      const double begin_s = monotonic_time_s();
      send_all(master.get(), sent.data(), bytes);
      receive_all(master.get(), sent.data(), bytes);
      const double home_s = monotonic_time_s();
      if (n == 0) continue;  // memory touched for the first time
      link.to_worker_s.push_back(arrived_s - begin_s);
      link.to_master_s.push_back(home_s - arrived_s);
    }
    links.push_back(std::move(link));
  }
  return links;
}

FittedLink fit_link(const std::vector<Calibration::Link>& links, std::int64_t worker) {
  std::vector<double> bytes;
  std::vector<double> seconds;
  for (const Calibration::Link& link : links) {
    if (link.worker != worker) continue;
    std::vector<double> both = link.to_worker_s;
    both.insert(both.end(), link.to_master_s.begin(), link.to_master_s.end());
    bytes.push_back(link.bytes);
    seconds.push_back(median_of(both));
  }
  Line line = fit_theil_sen(bytes, seconds);
  if (line.slope <= 0) {  // disturbed measurements: rely on the largest message
    const auto largest = std::ranges::max_element(bytes);
    const double time_s = seconds[largest - bytes.begin()];
    line = {.slope = time_s / *largest, .intercept = 0};
  }
  return {.bandwidth_bytes_per_s = 1 / line.slope, .latency_s = line.intercept};
}

MeanLink fit_mean_link(const std::vector<Calibration::Link>& links, std::int64_t worker) {
  const auto fit = [&](const Resample& resample) {
    const MeanDurations points = mean_durations(links, worker, resample);
    const Line line = fit_line_to_means(points.bytes, points.seconds);
    if (line.slope > 0) {
      return FittedLink{.bandwidth_bytes_per_s = 1 / line.slope, .latency_s = line.intercept};
    }
    // Disturbed measurements: rely on the largest message.
    const auto largest = std::ranges::max_element(points.bytes) - points.bytes.begin();
    return FittedLink{.bandwidth_bytes_per_s = points.bytes[largest] / points.seconds[largest],
                      .latency_s = 0};
  };
  return {.link = fit([](const auto& values) { return values; }),
          .bandwidth_bytes_per_s = bootstrap_interval(
              [&](const Resample& resample) { return fit(resample).bandwidth_bytes_per_s; }),
          .latency_s = bootstrap_interval(
              [&](const Resample& resample) { return fit(resample).latency_s; })};
}

}  // namespace starport
