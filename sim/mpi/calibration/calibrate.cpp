#include "sim/app/calibration_options.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/kernel/node_measures.hpp"
#include "sim/kernel/speed_measures.hpp"
#include "sim/mpi/calibration/calibrated_file.hpp"
#include "sim/mpi/calibration/measurements.hpp"
#include "sim/mpi/execution/certainty.hpp"
#include "sim/mpi/execution/master.hpp"
#include "sim/mpi/rank_commands.hpp"
#include "sim/mpi/transport/clock.hpp"
#include "sim/mpi/transport/ranks.hpp"
#include "sim/mpi/transport/worker_events.hpp"
#include "sim/process/machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace starport::mpi {
namespace {

constexpr double kTimeout_s = 600;
CommandLine command_line() {
  CommandLine line("calibrate", {},
                   "Measures the machines that the ranks run on and writes their platform file. "
                   "Rank 0 is the master,\neach other rank a worker. Measures the dgemm and the "
                   "memory of each worker, then links and updates\nwhile all workers receive, "
                   "update and return chunks of C.",
                   "mpirun -n 3 starport-mpi calibrate --block-sizes 40,80,160 -o platform.json",
                   "starport-mpi");
  add_calibration_options(line);
  add_unequal(line);
  add_require(line, "write no file unless each c_i and w_i is known to +-SHARE");
  return line;
}

/// Lets a worker measure its dgemm and its memory, and returns its report.
NodeReport measure_worker(const Communicator& communicator, WorkerMonitor& monitor, int worker) {
  const Setup setup{.kind = Setup::Kind::measure};
  PendingMessage message = communicator.send(worker + 1, Tag::setup, setup);
  std::optional<std::string> text;
  monitor.wait_until(worker, "measure its dgemm", [&] {
    if (!text) text = communicator.receive_text(worker + 1);
    return text && message.is_complete();
  });
  return parse_node_report(*text);
}

/// Throws InputError unless a rank, which reads its own command line, has measured what rank 0 was
/// asked for.
void check_same_options(const NodeReport& node, const NodeSettings& settings, int rank) {
  std::vector<std::int64_t> sizes;
  for (const Calibration::Dgemm& series : node.dgemm) sizes.push_back(series.block_size);
  if (sizes == settings.block_sizes && node.type == settings.type) return;
  throw InputError(
      "--block-sizes, --element-type",
      fmt::format("{} in {} on every rank, as on rank 0", fmt::join(settings.block_sizes, ","),
                  to_string(settings.type)),
      fmt::format("{} in {} on rank {}", fmt::join(sizes, ","), to_string(node.type), rank));
}

LinkMeasures measure_star(const Communicator& communicator, const std::vector<NodeReport>& nodes,
                          const PerWorker<WorkerSettings>& workers, const CorePlan& plan,
                          std::int64_t q, const NodeSettings& settings) {
  const std::vector<double> memory_bytes = memory_per_worker(nodes);
  const auto block_elements = static_cast<double>(q * q);
  ExecutionOptions options{
      .cores = plan.workers, .master_cores = plan.master, .kernel = settings.kernel};
  PerWorker<std::int64_t> largest_sides;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    options.threads.push_back(workers[static_cast<std::int64_t>(i)].threads);
    largest_sides.push_back(
        largest_chunk_side(memory_bytes[i] / (bytes_of(settings.type) * block_elements)));
  }
  const double seconds = settings.seconds * static_cast<double>(nodes.size());
  print_notice(
      fmt::format("measuring links and updates of all workers together, {:.2g} s", seconds),
      "starport-mpi");
  LinkMeasures measures =
      ChunkMeasurement(communicator, q, settings.type, options, largest_sides).measure(seconds);
  for (std::int64_t i = 0; i < std::ssize(workers); ++i) {
    for (UpdateSample& sample : measures.updates[i]) {
      sample.seconds *= workers[i].emulation.slowdown;
    }
  }
  return measures;
}

PerWorker<WorkerSettings> worker_settings(const CommandLine& line,
                                          const Communicator& communicator) {
  return parse_unequal_workers(static_cast<std::size_t>(communicator.size() - 1),
                               node_settings(line).threads, line.find("unequal").value_or(""));
}

}  // namespace

void measure_this_rank(const Communicator& communicator,
                       const std::vector<std::string>& arguments) {
  CommandLine line = command_line();
  line.parse(arguments);
  const WorkerSettings own = worker_settings(line, communicator)[communicator.rank() - 1];
  NodeSettings settings = node_settings(line);
  settings.threads = own.threads;
  settings.slowdown = own.emulation.slowdown;
  // Only for choosing a block size, with which all ranks measure again, together and for longer.
  settings.seconds *= 0.2 / static_cast<double>(settings.block_sizes.size());
  const std::string figures = to_text(measure_node(settings));
  PendingMessage message = communicator.send_text(kMasterRank, figures);
  constexpr double timeout_s = 60;
  if (poll_until(timeout_s, [&] { return message.is_complete(); })) return;
  throw SimulationError(fmt::format(
      "the master (rank 0) has not received the figures of this worker within {:g} s", timeout_s));
}

int calibrate_ranks_command(const Communicator& communicator,
                            const std::vector<std::string>& arguments) {
  CommandLine line = command_line();
  if (!line.parse(arguments)) return kSuccess;
  NodeSettings settings = node_settings(line);
  if (line.has("unequal") && !settings.speed_side) {
    throw InputError("--unequal",
                     "--speed-function with this option, since only distributed products can run "
                     "on workers that it makes unequal",
                     "none");
  }
  const std::optional<double> required = required_half_width(line);
  const std::string path = calibration_output(line);
  OutputFile output(path, "--output");
  if (communicator.size() < 2) {
    throw InputError("starport-mpi calibrate", "at least 2 ranks, the master and a worker", "1",
                     "mpirun -n 2 starport-mpi calibrate ...");
  }
  const PerWorker<WorkerSettings> workers = worker_settings(line, communicator);
  // Long enough to estimate how durations vary with time.
  constexpr double all_workers_s = 5;
  if (!line.has("seconds")) {
    settings.seconds += all_workers_s / static_cast<double>(communicator.size() - 1);
  }
  constexpr double timeout_s = 60;
  Ranks ranks(communicator, timeout_s);
  ranks.start();
  const CorePlan plan =
      ranks.plan_cores(workers, settings.speed_side ? Overlap::alternating : Overlap::overlapped);
  print_problems(plan.problems);
  WorkerMonitor monitor(communicator, kTimeout_s, 0, [](int, const WorkerEvent&) {});
  std::vector<NodeReport> nodes;
  for (int i = 0; i < communicator.size() - 1; ++i) {
    print_notice(fmt::format("measuring the dgemm of worker {} of {}", i + 1, std::ssize(workers)),
                 "starport-mpi");
    nodes.push_back(measure_worker(communicator, monitor, i));
    check_same_options(nodes.back(), settings, i + 1);
  }
  const std::size_t best = best_common_block_size(nodes);
  const std::int64_t q = nodes.front().dgemm[best].block_size;
  const LinkMeasures measures = measure_star(communicator, nodes, workers, plan, q, settings);
  const auto figures = estimate_figures(
      measures, settings.speed_side ? CalibratedUse::distributed : CalibratedUse::star);
  const auto [least_certain, half_width] = least_certain_figure(figures);
  const std::string warning =
      check_certainty(least_certain + " is known", half_width, required, plan.problems);
  PerWorker<std::vector<SpeedSample>> speeds;
  if (settings.speed_side) {
    print_notice("measuring the speed functions of all workers", "starport-mpi");
    speeds = measure_speeds(communicator, monitor, workers, memory_per_worker(nodes), q,
                            *settings.speed_side);
  }
  PlatformFile file = make_calibrated_file(nodes, best, measures, figures, speeds);
  file.path = path;
  file.name = line.find("name").value_or(fmt::format("calibrated from {}", host_name()));
  file.provenance = fmt::format(
      "starport-mpi calibrate, {}, master on {}; {}; links and updates of all workers together, "
      "{:.2g} s.{}",
      utc_timestamp(), host_name(), settings_text(settings), measures.lasted_s,
      line.has("unequal") ? " Unequal workers: " + line.text("unequal") + "." : "");
  std::string report = warning.empty() ? "" : warning + ".\n\n";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string description = fmt::format("P{}: {}", i + 1, nodes[i].description());
    file.provenance += " " + description + ".";
    report += description + "\n" + nodes[i].table();
    if (!speeds.empty()) report += speed_table(speeds[static_cast<std::int64_t>(i)]);
  }
  report += fmt::format("\nblocks of {} x {}, while all workers compute and communicate:\n{}", q, q,
                        figures_table(figures, q, settings.type));
  report += "\n" + calibrated_text(file, path);
  output.write(to_json(file));
  output.commit();
  print(report);
  ranks.shut_down();
  return kSuccess;
}

}  // namespace starport::mpi
