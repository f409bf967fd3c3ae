#include "sim/cli/calibration_options.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/kernel/loopback.hpp"
#include "sim/kernel/node_measures.hpp"
#include "sim/kernel/samples.hpp"
#include "sim/kernel/speed_measures.hpp"
#include "sim/mpi/master.hpp"
#include "sim/mpi/news.hpp"
#include "sim/mpi/rank_commands.hpp"
#include "sim/mpi/ranks.hpp"
#include "sim/mpi/speed_calibration.hpp"
#include "sim/process/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace starport::mpi {
namespace {

constexpr std::array<std::int32_t, 4> kMessageBlocks{1, 4, 16, 64};
constexpr double kTimeOut_s = 600;

CommandLine command_line() {
  CommandLine line(
      "calibrate", {},
      "Measures the machines that the ranks run on and writes their platform file: rank "
      "0 is the master,\neach other rank a worker. Speed of the dgemm on blocks, memory, "
      "and the link by messages of blocks\nthere and back, ten times each. One worker "
      "after the other.",
      "mpirun -n 3 starport-mpi calibrate --block-sizes 40,80,160 -o platform.json",
      "starport-mpi");
  add_calibration_options(line);
  add_unequal(line);
  return line;
}

/// The worker's own measures, of which it tells by a text.
NodeReport measure_worker(const Communicator& communicator, Watch& watch, int worker) {
  const Setup setup{.kind = Setup::Kind::measure};
  Sending telling = communicator.send(worker + 1, Tag::setup, setup);
  std::optional<std::string> text;
  watch.wait_until(worker, "measures", [&] {
    if (!text) text = communicator.receive_text(worker + 1);
    return text && telling.complete();
  });
  return node_report(*text);
}

/// Of the sums of the workers' speeds: the smallest block size within 3% of the highest.
std::size_t common_block_size(const std::vector<NodeReport>& nodes) {
  std::vector<Calibration::Dgemm> total = nodes.front().dgemm;
  for (std::size_t i = 0; i < total.size(); ++i) {
    double flops = 0;
    for (const NodeReport& node : nodes) flops += speed_flops(node.dgemm[i]);
    const auto q = static_cast<double>(total[i].block_size);
    total[i].update_s = {2 * q * q * q / flops};
  }
  return best_block_size(total);
}

/// Blocks of C to a worker and back, for each size of message; once more than counts. Ever other
/// blocks of the `columns` that there are, since those of a large product are not in the caches.
std::vector<Transfer> there_and_back(int worker, std::int32_t columns) {
  std::vector<Transfer> transfers;
  std::int32_t next = 0;
  for (const std::int32_t blocks : kMessageBlocks) {
    for (int n = 0; n <= kRepetitions; ++n) {
      Transfer transfer;
      transfer.worker = worker;
      if (next + blocks > columns) next = 0;
      transfer.c = {{0, 1}, {next, next + blocks}};
      next += blocks;
      transfers.push_back(transfer);
      transfer.direction = Direction::to_master;
      transfers.push_back(transfer);
    }
  }
  return transfers;
}

/// The times of the transfers, in the series of each size of message.
std::vector<Calibration::Link> link_samples(const Trace& trace, int worker, std::int64_t q) {
  std::vector<Calibration::Link> links;
  std::size_t next = 0;
  for (const std::int64_t blocks : kMessageBlocks) {
    Calibration::Link link{.worker = worker + 1, .bytes = 8 * q * q * blocks};
    for (int n = 0; n <= kRepetitions; ++n) {
      const Dates& there = trace[next++].dates;
      const Dates& back = trace[next++].dates;
      if (n == 0) continue;  // memory touched, and buffers made, for the first time
      link.to_worker_s.push_back(there.end_s - there.start_s);
      link.to_master_s.push_back(back.end_s - back.start_s);
    }
    links.push_back(std::move(link));
  }
  return links;
}

/// The link of one worker after the other, by the transfers of a real run.
std::vector<Calibration::Link> measure_links(const Communicator& communicator, std::size_t workers,
                                             std::int64_t q) {
  constexpr std::int32_t largest = kMessageBlocks.back();
  Platform platform{.name = "links"};
  platform.workers.assign(workers, {.c_s = 1, .w_s = 1, .m_blocks = largest, .latency_s = 0});
  constexpr std::int64_t most_bytes = 256 << 20;
  const std::int64_t columns = std::clamp<std::int64_t>(
      most_bytes / (8 * q * q), largest, std::int64_t{largest} * (kRepetitions + 1) * 2);
  const Problem problem{.r = 1, .s = columns, .t = 1, .block_size = q};
  Product product(problem, {.height = q, .depth = q, .width = columns * q}, {});
  std::vector<Calibration::Link> links;
  Master master(communicator, platform, product, {});
  for (int i = 0; i < static_cast<int>(workers); ++i) {
    const std::vector<Transfer> transfers = there_and_back(i, static_cast<std::int32_t>(columns));
    const TransferList list(transfers);
    ListDispatcher dispatcher(list);
    for (auto& link : link_samples(master.run(dispatcher), i, q)) links.push_back(std::move(link));
  }
  master.finish();
  return links;
}

/// What each worker has for its blocks, of what its machine has.
std::vector<double> memory_of(const std::vector<NodeReport>& nodes) {
  std::map<std::string, double> ranks_of;
  for (const NodeReport& node : nodes) ++ranks_of[node.host];
  std::vector<double> bytes;
  for (const NodeReport& node : nodes) bytes.push_back(node.memory_bytes / ranks_of[node.host]);
  return bytes;
}

PlatformFile platform_file(const std::vector<NodeReport>& nodes, std::size_t best,
                           std::vector<Calibration::Link> links,
                           const PerWorker<std::vector<SpeedSample>>& speeds) {
  const std::vector<double> memory_bytes = memory_of(nodes);
  PlatformFile file;
  file.block_size = nodes.front().dgemm[best].block_size;
  file.samples = Calibration{.links = std::move(links)};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i + 1);
    for (Calibration::Dgemm series : nodes[i].dgemm) {
      series.worker = number;
      file.samples->dgemm.push_back(std::move(series));
    }
    const FittedLink link = fit_link(file.samples->links, number);
    file.entries.push_back(
        {.worker = PlatformFile::Physical{.bandwidth_bytes_per_s = link.bandwidth_bytes_per_s,
                                          .speed_flops = speed_flops(nodes[i].dgemm[best]),
                                          .memory_bytes = memory_bytes[i],
                                          .latency_s = link.latency_s},
         .count = 1,
         .pointer = fmt::format("/workers/{}", i),
         .speed_function = speeds.empty() ? std::vector<SpeedSample>{} : speeds[number - 1]});
  }
  return file;
}

PerWorker<WorkerSettings> worker_settings(const CommandLine& line,
                                          const Communicator& communicator) {
  return unequal_workers(static_cast<std::size_t>(communicator.size() - 1),
                         node_settings(line).threads, line.find("unequal").value_or(""));
}

}  // namespace

void measure_this_rank(const Communicator& communicator,
                       const std::vector<std::string>& arguments) {
  CommandLine line = command_line();
  line.parse(arguments);
  const WorkerSettings mine = worker_settings(line, communicator)[communicator.rank() - 1];
  NodeSettings settings = node_settings(line);
  settings.threads = mine.threads;
  settings.slow = mine.emulation.slow;
  communicator.send_text(0, to_text(measure_node(settings)));
}

int calibrate_ranks_command(const Communicator& communicator,
                            const std::vector<std::string>& arguments) {
  CommandLine line = command_line();
  if (!line.parse(arguments)) return kSuccess;
  const NodeSettings settings = node_settings(line);
  const std::string path = calibration_output(line);
  OutputFile output(path, "--output");
  if (communicator.size() < 2) {
    throw InputError("starport-mpi calibrate", "at least 2 ranks, the master and a worker", "1",
                     "mpirun -n 2 starport-mpi calibrate ...");
  }
  const PerWorker<WorkerSettings> workers = worker_settings(line, communicator);
  constexpr double time_out_s = 60;
  Ranks ranks(communicator, time_out_s);
  ranks.start();
  Watch watch(communicator, kTimeOut_s, 0, [](int, const News&) {});
  std::vector<NodeReport> nodes;
  for (int i = 0; i < communicator.size() - 1; ++i) {
    nodes.push_back(measure_worker(communicator, watch, i));
  }
  const std::size_t best = common_block_size(nodes);
  const std::int64_t q = nodes.front().dgemm[best].block_size;
  auto links = measure_links(communicator, nodes.size(), q);
  PerWorker<std::vector<SpeedSample>> speeds;
  if (settings.speed_side) {
    ranks.check_cores(workers);
    speeds =
        measure_speeds(communicator, watch, workers, memory_of(nodes), q, *settings.speed_side);
  }
  PlatformFile file = platform_file(nodes, best, std::move(links), speeds);
  ranks.finish();

  file.path = path;
  file.name = line.find("name").value_or(fmt::format("calibrated from {}", host_name()));
  file.provenance = fmt::format(
      "starport-mpi calibrate, {}, master on {}; {}; links by messages of "
      "blocks there and back.{}",
      current_date(), host_name(), settings_text(settings),
      line.has("unequal") ? " Unequal workers: " + line.text("unequal") + "." : "");
  std::string told;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string description = fmt::format("P{}: {}", i + 1, nodes[i].description());
    file.provenance += " " + description + ".";
    told += description + "\n" + nodes[i].table();
    if (!speeds.empty()) told += speed_table(speeds[static_cast<std::int64_t>(i)]);
  }
  told += "\n" + calibrated_text(file, path);
  output.write(to_json(file));
  output.commit();
  print(told);
  return kSuccess;
}

}  // namespace starport::mpi
