#include "sim/cli/calibration_options.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/kernel/loopback.hpp"
#include "sim/kernel/node_measures.hpp"
#include "sim/kernel/samples.hpp"
#include "sim/kernel/speed_measures.hpp"
#include "sim/mpi/clock.hpp"
#include "sim/mpi/link_calibration.hpp"
#include "sim/mpi/master.hpp"
#include "sim/mpi/news.hpp"
#include "sim/mpi/rank_commands.hpp"
#include "sim/mpi/ranks.hpp"
#include "sim/mpi/speed_calibration.hpp"
#include "sim/process/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace starport::mpi {
namespace {

constexpr double kTimeOut_s = 600;

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

/// What each worker has for its blocks, of what its machine has.
std::vector<double> memory_of(const std::vector<NodeReport>& nodes) {
  std::map<std::string, double> ranks_of;
  for (const NodeReport& node : nodes) ++ranks_of[node.host];
  std::vector<double> bytes;
  for (const NodeReport& node : nodes) bytes.push_back(node.memory_bytes / ranks_of[node.host]);
  return bytes;
}

/// Of a block update in chunks of that many blocks: means over some time.
std::vector<double> updates_s(const std::vector<UpdateSample>& samples, std::int64_t blocks) {
  constexpr std::size_t most_samples = 40;
  std::vector<double> seconds;
  for (const UpdateSample& sample : samples) {
    if (sample.blocks() == blocks) seconds.push_back(sample.seconds);
  }
  return batch_means(seconds, most_samples);
}

std::vector<double> largest_updates_s(const std::vector<UpdateSample>& samples) {
  return updates_s(samples, std::ranges::max_element(samples, {}, &UpdateSample::blocks)->blocks());
}

MedianInterval mean_interval(const std::vector<double>& values) {
  return bootstrap_interval([&](const Redraw& redraw) { return sample_mean(redraw(values)); });
}

/// The speed by size; what contradicts a smaller size, by taking no longer, is left out. Chunks
/// that were not measured, since memory has room for larger ones, are as fast as the largest
/// measured. Empty where there is only one size.
std::vector<SpeedSample> speeds_by_size(const std::vector<UpdateSample>& samples, std::int64_t q,
                                        std::int64_t largest_side) {
  std::map<std::int64_t, UpdateSample> shapes;
  for (const UpdateSample& sample : samples) shapes.emplace(sample.blocks(), sample);
  std::vector<SpeedSample> speeds;
  for (const auto& [blocks, shape] : shapes) {
    const std::vector<double> seconds = updates_s(samples, blocks);
    const auto times = static_cast<double>(blocks);
    const auto [low, high] = mean_interval(seconds);
    const SpeedSample one{.rows = shape.rows,
                          .columns = shape.columns,
                          .block_size = q,
                          .seconds = times * sample_mean(seconds),
                          .interval_s = MedianInterval{.low = times * low, .high = times * high}};
    if (speeds.empty() || one.seconds > speeds.back().seconds) speeds.push_back(one);
  }
  const SpeedSample& last = speeds.back();
  if (largest_side * largest_side > last.blocks()) {
    const double more =
        static_cast<double>(largest_side * largest_side) / static_cast<double>(last.blocks());
    speeds.push_back({.rows = largest_side,
                      .columns = largest_side,
                      .block_size = q,
                      .seconds = more * last.seconds});
  }
  return speeds.size() > 1 ? speeds : std::vector<SpeedSample>{};
}

/// What was measured of one worker.
struct WorkerFigures {
  MeanLink link;
  FittedLink link_alone;
  double update_s = 0;  ///< mean
  MedianInterval update_interval_s{};
  MedianInterval update_spells_s{};
  double update_alone_s = 0;
};

std::vector<WorkerFigures> figures_of(const std::vector<NodeReport>& nodes, std::size_t best,
                                      const LinkMeasures& loaded, const LinkMeasures& alone) {
  std::vector<WorkerFigures> figures;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i + 1);
    const std::vector<double> updates = largest_updates_s(loaded.updates[number - 1]);
    figures.push_back({.link = fit_link_by_means(loaded.links, number),
                       .link_alone = fit_link_by_means(alone.links, number).link,
                       .update_s = sample_mean(updates),
                       .update_interval_s = mean_interval(updates),
                       .update_spells_s = spells(updates),
                       .update_alone_s = sample_mean(nodes[i].dgemm[best].update_s)});
  }
  return figures;
}

std::string interval_text(const MedianInterval& interval, double middle) {
  return fmt::format("+-{:.1f}%", 50 * (interval.high - interval.low) / middle);
}

/// Of each worker, in the order of the model's letters, and the same while nothing else went on.
std::string figures_table(const std::vector<WorkerFigures>& figures, std::int64_t q,
                          ElementType type) {
  std::vector<std::vector<std::string>> rows{{"worker", "c_i", "95%", "alone", "w_i", "95%",
                                              "alone", "latency", "95%", "alone", "Gflop/s"}};
  const auto side = static_cast<double>(q);
  const double block_bytes = static_cast<double>(bytes_of(type)) * side * side;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const WorkerFigures& one = figures[i];
    const double bandwidth = one.link.link.bandwidth_bytes_per_s;
    const double latency_s = one.link.link.latency_s;
    rows.push_back({fmt::format("P{}", i + 1), format_seconds(block_bytes / bandwidth),
                    interval_text(one.link.bandwidth_bytes_per_s, bandwidth),
                    format_seconds(block_bytes / one.link_alone.bandwidth_bytes_per_s),
                    format_seconds(one.update_s),
                    interval_text(one.update_interval_s, one.update_s),
                    format_seconds(one.update_alone_s), format_seconds(latency_s),
                    latency_s > 0 ? interval_text(one.link.latency_s, latency_s) : "-",
                    format_seconds(one.link_alone.latency_s),
                    fmt::format("{:.4g}", 2 * side * side * side / one.update_s / 1e9)});
  }
  return align(rows, 1);
}

/// Which figures would not be the same if they were measured again; links under load are of stars.
std::vector<std::string> doubts_about(const std::vector<WorkerFigures>& figures, bool star) {
  constexpr double most = 0.05;
  std::vector<std::string> doubts;
  const auto check = [&](std::size_t worker, const char* what, const MedianInterval& interval,
                         double middle) {
    const double half = (interval.high - interval.low) / 2 / middle;
    if (half <= most) return;
    doubts.push_back(
        fmt::format("{}_{} is known to {:.0f}% only, with 95% confidence (--seconds, or "
                    "an idle machine)",
                    what, worker + 1, 100 * half));
  };
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const MeanLink& link = figures[i].link;
    if (star) check(i, "c", link.bandwidth_bytes_per_s, link.link.bandwidth_bytes_per_s);
    check(i, "w", figures[i].update_interval_s, figures[i].update_s);
    const auto [low, high] = figures[i].update_spells_s;
    if (low < (1 - most) * figures[i].update_s || high > (1 + most) * figures[i].update_s) {
      doubts.push_back(fmt::format(
          "w_{} changed while it was measured, between {} and {}: the machine has slow spells "
          "(measure again, on an idle machine)",
          i + 1, format_seconds(low), format_seconds(high)));
    }
  }
  return doubts;
}

/// Beside messages of C of the same size.
void note_alone(const std::vector<Calibration::Link>& alone,
                std::vector<Calibration::Link>& links) {
  for (Calibration::Link& link : links) {
    const auto same = std::ranges::find_if(alone, [&](const Calibration::Link& other) {
      return other.worker == link.worker && other.bytes == link.bytes && !link.to_master_s.empty();
    });
    if (same == alone.end()) continue;
    link.alone_s = same->to_worker_s;
    link.alone_s.insert(link.alone_s.end(), same->to_master_s.begin(), same->to_master_s.end());
  }
}

/// With `speeds`, for distributed products: their ranks communicate while none of them computes.
PlatformFile platform_file(const std::vector<NodeReport>& nodes, std::size_t best,
                           const LinkMeasures& loaded, const LinkMeasures& alone,
                           const std::vector<WorkerFigures>& figures,
                           const PerWorker<std::vector<SpeedSample>>& speeds) {
  const std::vector<double> memory_bytes = memory_of(nodes);
  PlatformFile file;
  file.block_size = nodes.front().dgemm[best].block_size;
  const bool star = speeds.empty();
  file.samples = Calibration{.dgemm = {}, .links = star ? loaded.links : alone.links};
  if (star) note_alone(alone.links, file.samples->links);
  const auto q = static_cast<double>(*file.block_size);
  const double block_bytes = static_cast<double>(bytes_of(nodes.front().type)) * q * q;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i + 1);
    for (Calibration::Dgemm series : nodes[i].dgemm) {
      series.worker = number;
      if (series.block_size == file.block_size) {
        series.alone_s =
            std::exchange(series.update_s, largest_updates_s(loaded.updates[number - 1]));
      }
      file.samples->dgemm.push_back(std::move(series));
    }
    const FittedLink& link = star ? figures[i].link.link : figures[i].link_alone;
    file.entries.push_back(
        {.worker = PlatformFile::Physical{.bandwidth_bytes_per_s = link.bandwidth_bytes_per_s,
                                          .speed_flops = 2 * q * q * q / figures[i].update_s,
                                          .memory_bytes = memory_bytes[i],
                                          .latency_s = link.latency_s},
         .count = 1,
         .pointer = fmt::format("/workers/{}", i),
         .speed_function = star ? speeds_by_size(loaded.updates[number - 1], *file.block_size,
                                                 largest_chunk(memory_bytes[i] / block_bytes))
                                : speeds[number - 1]});
    file.hosts.push_back(nodes[i].host);
  }
  file.element_type = nodes.front().type;
  return file;
}

/// The links and the computing of all workers at once, and then the links alone.
struct StarMeasures {
  LinkMeasures loaded;
  LinkMeasures alone;
};

StarMeasures measure_star(const Communicator& communicator, const std::vector<NodeReport>& nodes,
                          const PerWorker<WorkerSettings>& workers, const CoreUse& use,
                          std::int64_t q, const NodeSettings& settings) {
  const std::vector<double> memory_bytes = memory_of(nodes);
  const ElementType type = settings.type;
  const auto block_elements = static_cast<double>(q * q);
  ExecutionOptions options{
      .cores = use.workers, .master_cores = use.master, .kernel = settings.kernel};
  StarMeasures measures;
  // Beside the figures, and not for as long.
  measures.alone = measure_links(communicator, q, type, settings.seconds / 4, options);
  PerWorker<std::int64_t> largest_sides;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    options.threads.push_back(workers[static_cast<std::int64_t>(i)].threads);
    largest_sides.push_back(largest_chunk(memory_bytes[i] / (bytes_of(type) * block_elements)));
  }
  measures.loaded = measure_chunks(communicator, q, type, settings.seconds, options, largest_sides);
  for (std::int64_t i = 0; i < std::ssize(workers); ++i) {
    for (UpdateSample& sample : measures.loaded.updates[i]) {
      sample.seconds *= workers[i].emulation.slow;
    }
  }
  return measures;
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
  const CoreUse use = ranks.check_cores(
      workers, settings.speed_side ? Communication::between : Communication::beside,
      line.has("force"));
  Watch watch(communicator, kTimeOut_s, 0, [](int, const News&) {});
  std::vector<NodeReport> nodes;
  for (int i = 0; i < communicator.size() - 1; ++i) {
    nodes.push_back(measure_worker(communicator, watch, i));
  }
  const std::size_t best = common_block_size(nodes);
  const std::int64_t q = nodes.front().dgemm[best].block_size;
  const StarMeasures star = measure_star(communicator, nodes, workers, use, q, settings);
  const std::vector<WorkerFigures> figures = figures_of(nodes, best, star.loaded, star.alone);
  refuse_doubts(doubts_about(figures, !settings.speed_side), line.has("force"));
  PerWorker<std::vector<SpeedSample>> speeds;
  if (settings.speed_side) {
    speeds =
        measure_speeds(communicator, watch, workers, memory_of(nodes), q, *settings.speed_side);
  }
  PlatformFile file = platform_file(nodes, best, star.loaded, star.alone, figures, speeds);
  ranks.finish();

  file.path = path;
  file.name = line.find("name").value_or(fmt::format("calibrated from {}", host_name()));
  file.provenance = fmt::format(
      "starport-mpi calibrate, {}, master on {}; {}; links while {} computed, computing "
      "while messages arrived, {:g} s each.{}",
      current_date(), host_name(), settings_text(settings),
      settings.speed_side ? "nobody" : "all workers", settings.seconds,
      line.has("unequal") ? " Unequal workers: " + line.text("unequal") + "." : "");
  std::string told;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string description = fmt::format("P{}: {}", i + 1, nodes[i].description());
    file.provenance += " " + description + ".";
    told += description + "\n" + nodes[i].table();
    if (!speeds.empty()) told += speed_table(speeds[static_cast<std::int64_t>(i)]);
  }
  told += fmt::format("\nblocks of {} x {}, while all compute and communicate, and alone:\n{}", q,
                      q, figures_table(figures, q, settings.type));
  told += "\n" + calibrated_text(file, path);
  output.write(to_json(file));
  output.commit();
  print(told);
  return kSuccess;
}

}  // namespace starport::mpi
