#include "sim/kernel/node_measures.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/kernel/sample_statistics.hpp"
#include "sim/process/isolation.hpp"
#include "sim/process/machine.hpp"
#include "sim/star/heuristic.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

namespace starport {
namespace {

constexpr std::int64_t kBlocksOfAnUpdate = 3;
constexpr std::int64_t kLargestSide = 16;

/// Returns the number of blocks of a chunk of side x side blocks and one column of A and row of B.
std::int64_t chunk_blocks(std::int64_t side) { return side * side + 2 * side; }

/// Returns the setup of a store for measurements with blocks of q x q. Throws InputError when three
/// blocks do not fit.
starport_store_setup measuring_setup(const NodeSettings& settings, std::int64_t q,
                                     double max_bytes) {
  const double block_bytes = static_cast<double>(bytes_of(settings.type) * q * q);
  const double room = std::min(available_memory_bytes() / 4, max_bytes);
  const double wanted = std::clamp(1.5 * largest_cache_bytes(), 64e6, 1e9);
  const double minimum = static_cast<double>(chunk_blocks(kLargestSide));
  const double count = std::max(std::floor(std::min(wanted, room) / block_bytes),
                                std::min(minimum, std::floor(room / block_bytes)));
  if (count < kBlocksOfAnUpdate) {
    throw InputError(
        "--block-sizes",
        fmt::format("three blocks within {}, the memory given or a quarter of what is free",
                    format_bytes(room)),
        fmt::format("{} x {} {}, {} a block", q, q, plural_name(settings.type),
                    format_bytes(block_bytes)));
  }
  const auto blocks = static_cast<std::int64_t>(count);
  return {.block_size = q,
          .blocks = blocks,
          .expected_blocks = blocks,
          .element_bytes = static_cast<int>(bytes_of(settings.type)),
          .threads = settings.threads};
}

/// Memory of one worker filled with blocks to measure updates on: more than the caches hold if
/// possible (64 MB to 1 GB).
class BenchmarkBlocks {
 public:
  BenchmarkBlocks(const NodeSettings& settings, std::int64_t q, double max_bytes)
      : store_(load_kernel(settings.kernel), measuring_setup(settings, q, max_bytes)) {
    sweep();
  }

  std::int64_t q() const { return store_.setup().block_size; }
  /// Returns the first element of block `n` modulo the number of blocks.
  std::int64_t operator[](std::int64_t n) const { return n % size() * q() * q(); }
  KernelStore& store() { return store_; }

  /// Writes all blocks in order, so that the first ones leave the caches.
  void sweep() {
    const auto sweep = [&]<class Element>(Element value) {
      const std::vector<Element> block(static_cast<std::size_t>(q() * q()), value);
      for (std::int64_t n = 0; n < size(); ++n) store_.put((*this)[n], q() * q(), block.data());
    };
    store_.setup().element_bytes == sizeof(double) ? sweep(1e-3) : sweep(1e-3F);
  }

  /// Returns the side, from 1 to `max_side`, of the largest square chunk that fits in the memory
  /// together with one block column of A and one block row of B.
  std::int64_t largest_side(std::int64_t max_side) const {
    std::int64_t side = max_side;
    while (side > 1 && chunk_blocks(side) > size()) --side;
    return side;
  }

  /// Returns the next update of the chunk of rows x columns blocks at the start of the memory,
  /// whose blocks of A and B are others each time, as in a run, where new ones arrive.
  BlockProduct next_update(std::int64_t rows, std::int64_t columns) {
    const std::int64_t q = this->q();
    const auto panel = [&](std::int64_t first, std::int64_t height, std::int64_t width) {
      std::vector<BlockPlace> places;
      for (std::int64_t i = 0; i < height; ++i) {
        for (std::int64_t j = 0; j < width; ++j) {
          places.push_back(
              {.first = (*this)[first] + i * q * width * q + j * q, .stride = width * q});
        }
      }
      return places;
    };
    const std::int64_t c = rows * columns;
    const std::int64_t spare = std::max<std::int64_t>(1, size() - c - rows - columns + 1);
    const std::int64_t a = c + next_update_ % spare;
    next_update_ += rows + columns;
    return {.c = panel(0, rows, columns),
            .a = panel(a, rows, 1),
            .b = panel(a + rows, 1, columns),
            .rows = rows,
            .columns = columns,
            .inner = 1};
  }

 private:
  std::int64_t size() const { return store_.setup().blocks; }

  KernelStore store_;
  std::int64_t next_update_ = 0;  ///< blocks of A and B in the updates so far
};

/// Returns the wall-clock time in seconds of each of kRepetitions calls of call(number).
template <class Call>
std::vector<double> time_repetitions(Call&& call) {
  std::vector<double> seconds;
  for (int n = 0; n < kRepetitions; ++n) {
    const Stopwatch watch;
    call(n);
    seconds.push_back(watch.elapsed_s());
  }
  return seconds;
}

/// Measures block updates with warm caches, with cold caches, and as part of the update of a chunk
/// of `side` x `side` blocks (at most 16 x 16, and what fits). The last are repeated for at least
/// `seconds` seconds, then reduced to at most 40 means. All durations are multiplied by `slowdown`.
Calibration::Dgemm measure_dgemm(BenchmarkBlocks& blocks, std::int64_t side, double seconds,
                                 double slowdown) {
  Calibration::Dgemm series{.worker = 1, .block_size = blocks.q()};
  const auto update_block = [&](std::int64_t first) {
    const auto place = [&](std::int64_t n) {
      return std::vector<BlockPlace>{{.first = blocks[n], .stride = blocks.q()}};
    };
    blocks.store().update({.c = place(first),
                           .a = place(first + 1),
                           .b = place(first + 2),
                           .rows = 1,
                           .columns = 1,
                           .inner = 1});
  };
  update_block(0);  // warm-up of the library
  series.warm_s = time_repetitions([&](int) { update_block(0); });
  blocks.sweep();
  series.cold_s = time_repetitions([&](int n) { update_block(n * kBlocksOfAnUpdate); });
  side = blocks.largest_side(std::min(side, kLargestSide));
  // The first update brings the chunk into the caches, if it fits, as its reception does.
  blocks.store().update(blocks.next_update(side, side));
  const Stopwatch watch;
  while (series.update_s.size() < kRepetitions || watch.elapsed_s() < seconds) {
    const BlockProduct update = blocks.next_update(side, side);
    const Stopwatch update_watch;
    blocks.store().update(update);
    series.update_s.push_back(update_watch.elapsed_s() / static_cast<double>(side * side));
  }
  constexpr std::size_t max_batches = 40;
  series.update_s = batch_means(series.update_s, max_batches);
  for (auto* times : {&series.warm_s, &series.cold_s, &series.update_s}) {
    for (double& time : *times) time *= slowdown;
  }
  return series;
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

double blocks_memory(const NodeSettings& settings) {
  if (settings.memory_bytes) return *settings.memory_bytes;
  const double free_bytes = available_memory_bytes();
  if (free_bytes < std::numeric_limits<double>::infinity()) {
    return (1 - settings.reserve) * free_bytes;
  }
  throw InputError("--memory", "the memory of a worker", "nothing",
                   "the system does not tell how much memory is free");
}

std::string cell(const std::vector<double>& seconds) {
  return fmt::format("{} +-{:.1f}%", format_seconds(median_of(seconds)),
                     100 * relative_dispersion(seconds));
}

}  // namespace

std::int64_t largest_chunk_side(double blocks) {
  return std::max<std::int64_t>(1, kOptimizedOverlapped.side(static_cast<std::int64_t>(blocks)));
}

double speed_flops(const Calibration::Dgemm& series) {
  const auto q = static_cast<double>(series.block_size);
  return 2 * q * q * q / median_of(series.update_s);
}

std::size_t best_block_size_index(const std::vector<Calibration::Dgemm>& series) {
  constexpr double share_of_highest = 0.97;
  double highest = 0;
  for (const auto& dgemm : series) highest = std::max(highest, speed_flops(dgemm));
  std::size_t best = series.size();
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (speed_flops(series[i]) < share_of_highest * highest) continue;
    if (best == series.size() || series[i].block_size < series[best].block_size) best = i;
  }
  return best;
}

std::string NodeReport::description() const {
  return fmt::format("{} ({}), {}, {} thread{}{}", host, processor, blas, threads,
                     threads == 1 ? "" : "s",
                     type == ElementType::float64 ? "" : std::string(", ") + to_string(type));
}

std::string NodeReport::table() const {
  std::vector<std::vector<std::string>> rows{
      {"block size", "blocks that fit", "update, warm", "cold", "in a chunk", "Gflop/s"}};
  const std::size_t best = best_block_size_index(dgemm);
  for (std::size_t i = 0; i < dgemm.size(); ++i) {
    const auto q = static_cast<double>(dgemm[i].block_size);
    rows.push_back({fmt::format("{}{}", dgemm[i].block_size, i == best ? " *" : ""),
                    fmt::format("{:.0f}", memory_bytes / (bytes_of(type) * q * q)),
                    cell(dgemm[i].warm_s), cell(dgemm[i].cold_s), cell(dgemm[i].update_s),
                    fmt::format("{:.4g}", speed_flops(dgemm[i]) / 1e9)});
  }
  return align(rows, 2);
}

NodeReport measure_node(const NodeSettings& settings) {
  set_blas_threads(settings.threads);
  NodeReport report{.host = host_name(),
                    .processor = processor_name(),
                    .blas = settings.kernel.empty() ? blas_name() : "kernel " + settings.kernel,
                    .threads = settings.threads,
                    .type = settings.type,
                    .memory_bytes = blocks_memory(settings)};
  for (const std::int64_t q : settings.block_sizes) {
    BenchmarkBlocks blocks(settings, q, report.memory_bytes);
    const auto side = static_cast<double>(q);
    report.dgemm.push_back(measure_dgemm(
        blocks, largest_chunk_side(report.memory_bytes / (bytes_of(settings.type) * side * side)),
        settings.seconds, settings.slowdown));
  }
  return report;
}

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
        if (write_all(worker.get(), {received.data(), bytes}) != 0) return;
      }
    });
    Calibration::Link link{.worker = 1, .bytes = static_cast<std::int64_t>(bytes)};
    for (int n = 0; n <= kRepetitions; ++n) {
      const double begin_s = monotonic_time_s();
      static_cast<void>(write_all(master.get(), {sent.data(), bytes}));
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

std::string to_text(const NodeReport& report) {
  const nlohmann::ordered_json json{{"host", report.host},
                                    {"processor", report.processor},
                                    {"blas", report.blas},
                                    {"threads", report.threads},
                                    {"type", to_string(report.type)},
                                    {"memory", report.memory_bytes},
                                    {"samples", calibration_json({report.dgemm, {}})}};
  return to_json_line(json);
}

NodeReport parse_node_report(const std::string& text) {
  const nlohmann::json json = parse_json(text, "a worker's report");
  const JsonNode root(json);
  return {.host = root.at("host").text(),
          .processor = root.at("processor").text(),
          .blas = root.at("blas").text(),
          .threads = static_cast<int>(root.at("threads").integer(1, INT32_MAX)),
          .type = parse_element_type(root.at("type").text(), "/type"),
          .memory_bytes = root.at("memory").number(),
          .dgemm = read_calibration(root.at("samples")).dgemm};
}

}  // namespace starport
