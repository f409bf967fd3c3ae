// The program starport-calibrate, which `starport calibrate` starts: measures this machine and
// writes its platform file. A program of its own because a BLAS may start threads when it is
// loaded.
#include "sim/app/calibration_options.hpp"
#include "sim/app/command_line.hpp"
#include "sim/app/program.hpp"
#include "sim/cli/calibrate/refit.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/kernel/node_measures.hpp"
#include "sim/kernel/sample_statistics.hpp"
#include "sim/kernel/speed_measures.hpp"
#include "sim/process/machine.hpp"

#include <fmt/format.h>

namespace starport {
namespace {

/// Returns the link of --link and --latency. Without --link it measures a local socket and stores
/// the samples in `file`.
FittedLink link_of(const CommandLine& line, std::int64_t block_bytes, PlatformFile& file) {
  const auto bandwidth = quantity(line, "link", Dimension::bandwidth);
  FittedLink link{.bandwidth_bytes_per_s = bandwidth.value_or(0), .latency_s = 0};
  if (!bandwidth) {
    file.samples->links = measure_loopback(block_bytes);
    link = fit_link(file.samples->links, 1);
  }
  link.latency_s = quantity(line, "latency", Dimension::time).value_or(link.latency_s);
  return link;
}

/// Measures the speed function of one worker while no other runs.
std::vector<SpeedSample> measure_alone(std::int64_t block_size, double memory_bytes,
                                       std::int64_t most) {
  SpeedMeter meter(block_size, {}, memory_bytes);
  const auto measure = [&](std::int64_t side) {
    return PerWorker<std::optional<SpeedSample>>{meter.measure(side)};
  };
  return measure_speed_functions(largest_side(memory_bytes, block_size, most), measure).front();
}

/// Carries out --from-trace: fits the platform of --platform to a trace instead of measuring.
int refit(const CommandLine& line) {
  const std::string trace = line.text("from-trace");
  const PlatformFile known =
      load_platform(line.required("platform", "the platform file of the run that is in the trace"));
  const std::string path = calibration_output(line);
  OutputFile output(path, "--output");
  PlatformFile file = fit_to_trace(known, trace);
  file.path = path;
  file.name = line.find("name").value_or(known.name);
  file.provenance = fmt::format(
      "starport calibrate --from-trace {}, {}: c_i, w_i and latencies as "
      "real runs took them. {}",
      trace, utc_timestamp(), known.provenance);
  const std::string told = calibrated_text(file, path);
  output.write(to_json(file));
  output.commit();
  print(told);
  return kSuccess;
}

}  // namespace

int calibrate(const std::vector<std::string>& arguments) {
  CommandLine line(
      "calibrate", {},
      "Measures this machine and writes its platform file: the speed of its dgemm on blocks, as a "
      "worker\ncalls it, its memory, and its link to itself unless one is given. Medians of ten. "
      "For several machines:\nmpirun -n P starport-mpi calibrate -o platform.json",
      "starport calibrate --block-sizes 40,80,160,320 --link 125MBps -o platform.json");
  add_calibration_options(line);
  line.add("workers", "N", "number of workers like this machine, which share its memory", "1")
      .add("link", "BANDWIDTH",
           "bandwidth of a worker's link, such as 125MBps (default: measured through a local "
           "socket)")
      .add("latency", "TIME",
           "latency of that link, such as 50us (default: 0 with --link, else measured)")
      .add("from-trace", "FILE.csv",
           "measure nothing: fit the figures of --platform to the real runs in this trace of "
           "starport-mpi execute")
      .add("platform", "FILE", "with --from-trace: the platform file of these runs");
  if (!line.parse(arguments)) return kSuccess;
  if (line.has("from-trace")) return refit(line);

  const NodeSettings settings = node_settings(line);
  const std::int64_t workers = *line.integer("workers", 1, kMaxWorkers);
  const std::string path = calibration_output(line);
  OutputFile output(path, "--output");
  const NodeReport node = measure_node(settings);
  const Calibration::Dgemm& best = node.dgemm[best_block_size_index(node.dgemm)];

  PlatformFile file;
  file.path = path;
  file.name = line.find("name").value_or(node.host);
  file.block_size = best.block_size;
  file.samples = Calibration{.dgemm = node.dgemm};
  const FittedLink link =
      link_of(line, bytes_of(settings.type) * best.block_size * best.block_size, file);
  const double memory_bytes = node.memory_bytes / static_cast<double>(workers);
  file.provenance = fmt::format("starport calibrate, {}: {}; {}; link {}.", utc_timestamp(),
                                node.description(), settings_text(settings),
                                line.has("link") ? "as given" : "measured through a local socket");
  file.entries.push_back(
      {.worker = PlatformFile::Physical{.bandwidth_bytes_per_s = link.bandwidth_bytes_per_s,
                                        .speed_flops = speed_flops(best),
                                        .memory_bytes = memory_bytes,
                                        .latency_s = link.latency_s},
       .count = workers,
       .pointer = "/workers/0",
       .speed_function = {}});
  std::string told = node.table() + "\n";
  if (settings.speed_side) {
    auto& samples = file.entries.front().speed_function;
    samples = measure_alone(*file.block_size, memory_bytes, *settings.speed_side);
    told += speed_table(samples) + "\n";
  }
  file.element_type = settings.type;
  told += calibrated_text(file, path);
  output.write(to_json(file));
  output.commit();
  print(node.description() + "\n" + told);
  return kSuccess;
}

}  // namespace starport

int main(int argc, char** argv) { return starport::run_program(argc, argv, starport::calibrate); }
