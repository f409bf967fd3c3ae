#include "sim/cli/calibration_options.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/kernel/node_measures.hpp"
#include "sim/kernel/speed_measures.hpp"
#include "sim/mpi/calibration/calibrated_file.hpp"
#include "sim/mpi/calibration/measurements.hpp"
#include "sim/mpi/execution/master.hpp"
#include "sim/mpi/transport/clock.hpp"
#include "sim/mpi/transport/worker_events.hpp"
#include "sim/mpi/rank_commands.hpp"
#include "sim/mpi/transport/ranks.hpp"
#include "sim/process/machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace starport::mpi {
namespace {

constexpr double kTimeout_s = 600;
constexpr const char* kForced =
    "with --force the file is written all the same, and runs may take another time than predicted "
    "from it";

CommandLine command_line() {
  CommandLine line(
      "calibrate", {},
      "Measures the machines that the ranks run on and writes their platform file: rank "
      "0 is the master,\neach other rank a worker. Speed of the dgemm on blocks, and memory; then "
      "links and updates as runs\nhave them, by chunks that come, are updated and go home on all "
      "workers at once; and each link alone.",
      "mpirun -n 3 starport-mpi calibrate --block-sizes 40,80,160 -o platform.json",
      "starport-mpi");
  add_calibration_options(line);
  add_unequal(line);
  line.add_flag(
      "force",
      "write the file where there are too few cores, or busy ones, or ranks are bound badly, "
      "or the BLAS is not for the processor, or the figures are not stable");
  return line;
}

/// The worker's own measures, of which it tells by a text.
NodeReport measure_worker(const Communicator& communicator, WorkerMonitor& monitor, int worker) {
  const Setup setup{.kind = Setup::Kind::measure};
  PendingMessage telling = communicator.send(worker + 1, Tag::setup, setup);
  std::optional<std::string> text;
  monitor.wait_until(worker, "measures", [&] {
    if (!text) text = communicator.receive_text(worker + 1);
    return text && telling.is_complete();
  });
  return node_report(*text);
}

/// Of all the workers, and why that may not be what they do.
struct Measured {
  StarMeasures measures;
  std::vector<WorkerFigures> figures;
  std::vector<std::string> doubts;
};

/// What is not steady, or not known well, is measured again, some times, and told.
bool accept_or_report(const std::vector<FigureDoubt>& doubts, int attempt) {
  if (doubts.empty() || attempt == kMaxAttempts) return true;
  std::vector<std::string> what;
  for (const FigureDoubt& doubt : doubts) what.push_back(doubt.what);
  tell(fmt::format("{}; measuring again, {} of {}", fmt::join(what, "; "), attempt + 1,
                   kMaxAttempts),
       "starport-mpi");
  return false;
}

Measured measure_star(const Communicator& communicator, const std::vector<NodeReport>& nodes,
                      const PerWorker<WorkerSettings>& workers, const CorePlan& use, std::int64_t q,
                      const NodeSettings& settings) {
  const std::vector<double> memory_bytes = memory_per_worker(nodes);
  const ElementType type = settings.type;
  const auto block_elements = static_cast<double>(q * q);
  ExecutionOptions options{
      .cores = use.workers, .master_cores = use.master, .kernel = settings.kernel};
  Measured star;
  StarMeasures& measures = star.measures;
  // Beside the figures, and not for as long.
  measures.alone = measure_links(communicator, q, type, settings.seconds / 4, options);
  PerWorker<std::int64_t> largest_sides;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    options.threads.push_back(workers[static_cast<std::int64_t>(i)].threads);
    largest_sides.push_back(largest_chunk(memory_bytes[i] / (bytes_of(type) * block_elements)));
  }
  std::vector<FigureDoubt> doubts;
  const auto is_sufficient = [&](const LinkMeasures& loaded, int attempt) {
    measures.loaded = loaded;
    doubts = find_doubts(estimate_figures(measures), attempt, !settings.speed_side);
    return accept_or_report(doubts, attempt);
  };
  ChunkMeasurement(communicator, q, type, options, largest_sides)
      .measure({.seconds = settings.seconds, .is_sufficient = is_sufficient});
  for (std::int64_t i = 0; i < std::ssize(workers); ++i) {
    for (UpdateSample& sample : measures.loaded.updates[i]) {
      sample.seconds *= workers[i].emulation.slow;
    }
  }
  star.figures = estimate_figures(measures);
  for (const FigureDoubt& doubt : doubts) {
    star.doubts.push_back(fmt::format("{} ({})", doubt.what, doubt.remedy));
  }
  return star;
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
  NodeSettings settings = node_settings(line);
  const std::string path = calibration_output(line);
  OutputFile output(path, "--output");
  if (communicator.size() < 2) {
    throw InputError("starport-mpi calibrate", "at least 2 ranks, the master and a worker", "1",
                     "mpirun -n 2 starport-mpi calibrate ...");
  }
  const PerWorker<WorkerSettings> workers = worker_settings(line, communicator);
  // Long is_sufficient to tell how its parts differ, as runs will from what is measured here.
  constexpr double all_workers_s = 4;
  if (!line.has("seconds")) {
    settings.seconds =
        std::max(settings.seconds, all_workers_s / static_cast<double>(communicator.size() - 1));
  }
  constexpr double timeout_s = 60;
  Ranks ranks(communicator, timeout_s);
  ranks.start();
  const CorePlan use = ranks.check_cores(
      workers, settings.speed_side ? Overlap::between : Overlap::beside,
      line.has("force"), kForced);
  WorkerMonitor monitor(communicator, kTimeout_s, 0, [](int, const WorkerEvent&) {});
  std::vector<NodeReport> nodes;
  for (int i = 0; i < communicator.size() - 1; ++i) {
    nodes.push_back(measure_worker(communicator, monitor, i));
  }
  const std::size_t best = best_common_block_size(nodes);
  const std::int64_t q = nodes.front().dgemm[best].block_size;
  const Measured star = measure_star(communicator, nodes, workers, use, q, settings);
  refuse_unless_forced(star.doubts, line.has("force"), kForced);
  PerWorker<std::vector<SpeedSample>> speeds;
  if (settings.speed_side) {
    speeds =
        measure_speeds(communicator, monitor, workers, memory_per_worker(nodes), q, *settings.speed_side);
  }
  PlatformFile file = calibrated_file(nodes, best, star.measures, star.figures, speeds);
  ranks.finish();

  file.path = path;
  file.name = line.find("name").value_or(fmt::format("calibrated from {}", host_name()));
  file.provenance = fmt::format(
      "starport-mpi calibrate, {}, master on {}; {}; links while {} computed, computing "
      "while messages arrived, {:g} s each.{}",
      current_date(), host_name(), settings_text(settings),
      settings.speed_side ? "nobody" : "all workers", settings.seconds,
      line.has("unequal") ? " Unequal workers: " + line.text("unequal") + "." : "");
  const std::string left_out = describe_excluded_spans(star.figures);
  if (!left_out.empty()) file.provenance += " " + left_out + ".";
  std::string told;
  std::vector<Calibration::Dgemm> alone;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string description = fmt::format("P{}: {}", i + 1, nodes[i].description());
    file.provenance += " " + description + ".";
    told += description + "\n" + nodes[i].table();
    alone.push_back(nodes[i].dgemm[best]);
    if (!speeds.empty()) told += speed_table(speeds[static_cast<std::int64_t>(i)]);
  }
  told += fmt::format("\nblocks of {} x {}, while all compute and communicate, and alone:\n{}", q,
                      q, figures_table(star.figures, alone, settings.type));
  if (!left_out.empty()) told += left_out + "\n";
  told += "\n" + calibrated_text(file, path);
  output.write(to_json(file));
  output.commit();
  print(told);
  return kSuccess;
}

}  // namespace starport::mpi
