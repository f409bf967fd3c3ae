#include "sim/mpi/calibration/calibrated_file.hpp"

#include "sim/files/numbers.hpp"
#include "sim/kernel/node_measures.hpp"
#include "sim/kernel/sample_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace starport::mpi {
namespace {

/// Returns the speed function of a worker: the mean duration for each size measured. Sizes that
/// take no longer than a smaller one are omitted. If the memory has space for larger chunks than
/// measured, up to `largest_side`, these have the speed of the largest one measured. Empty if there
/// is only one size.
std::vector<SpeedSample> make_speed_function(const std::vector<UpdateSample>& samples,
                                             std::int64_t q, std::int64_t largest_side) {
  std::map<std::int64_t, UpdateSample> shapes;
  for (const UpdateSample& sample : samples) shapes.emplace(sample.blocks(), sample);
  std::vector<SpeedSample> speeds;
  for (const auto& [blocks, shape] : shapes) {
    const std::vector<double> seconds = block_update_times_s(samples, blocks);
    const auto times = static_cast<double>(blocks);
    const auto [low, high] = mean_confidence_interval(seconds);
    const SpeedSample sample{
        .rows = shape.rows,
        .columns = shape.columns,
        .block_size = q,
        .seconds = times * sample_mean(seconds),
        .interval_s = MedianInterval{.low = times * low, .high = times * high}};
    if (speeds.empty() || sample.seconds > speeds.back().seconds) speeds.push_back(sample);
  }
  const SpeedSample& last = speeds.back();
  if (largest_side * largest_side > last.blocks()) {
    const double ratio =
        static_cast<double>(largest_side * largest_side) / static_cast<double>(last.blocks());
    speeds.push_back({.rows = largest_side,
                      .columns = largest_side,
                      .block_size = q,
                      .seconds = ratio * last.seconds});
  }
  return speeds.size() > 1 ? speeds : std::vector<SpeedSample>{};
}

/// Adds the durations measured alone to the links with messages of C of the same size.
void add_alone_times(const std::vector<Calibration::Link>& alone,
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

}  // namespace

std::size_t best_common_block_size(const std::vector<NodeReport>& nodes) {
  std::vector<Calibration::Dgemm> total = nodes.front().dgemm;
  for (std::size_t i = 0; i < total.size(); ++i) {
    double flops = 0;
    for (const NodeReport& node : nodes) flops += speed_flops(node.dgemm[i]);
    const auto q = static_cast<double>(total[i].block_size);
    total[i].update_s = {2 * q * q * q / flops};
  }
  return best_block_size_index(total);
}

std::vector<double> memory_per_worker(const std::vector<NodeReport>& nodes) {
  std::map<std::string, double> ranks_by_host;
  for (const NodeReport& node : nodes) ++ranks_by_host[node.host];
  std::vector<double> bytes;
  for (const NodeReport& node : nodes)
    bytes.push_back(node.memory_bytes / ranks_by_host[node.host]);
  return bytes;
}

PlatformFile make_calibrated_file(const std::vector<NodeReport>& nodes, std::size_t best,
                                  const StarMeasures& measures,
                                  const std::vector<WorkerFigures>& figures,
                                  const PerWorker<std::vector<SpeedSample>>& speeds) {
  const auto& [loaded, alone] = measures;
  const std::vector<double> memory_bytes = memory_per_worker(nodes);
  PlatformFile file;
  file.block_size = nodes.front().dgemm[best].block_size;
  const bool star = speeds.empty();
  file.samples = Calibration{.dgemm = {}, .links = star ? loaded.links : alone.links};
  if (star) {
    file.samples->lasted_s = loaded.lasted_s;
    add_alone_times(alone.links, file.samples->links);
  }
  const auto q = static_cast<double>(*file.block_size);
  const double block_bytes = static_cast<double>(bytes_of(nodes.front().type)) * q * q;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i + 1);
    for (Calibration::Dgemm series : nodes[i].dgemm) {
      series.worker = number;
      if (series.block_size == file.block_size) {
        series.alone_s =
            std::exchange(series.update_s, largest_update_times_s(loaded.updates[number - 1]));
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
         .speed_function =
             star ? make_speed_function(loaded.updates[number - 1], *file.block_size,
                                        largest_chunk_side(memory_bytes[i] / block_bytes))
                  : speeds[number - 1]});
    file.hosts.push_back(nodes[i].host);
  }
  file.element_type = nodes.front().type;
  return file;
}

std::optional<double> measured_peak_flops(const PlatformFile& file) {
  std::vector<double> highest;
  for (const auto& entry : file.entries) highest.resize(highest.size() + entry.count);
  for (const Calibration::Dgemm& series : file.samples.value_or(Calibration{}).dgemm) {
    if (series.worker > std::ssize(highest)) continue;
    const auto q = static_cast<double>(series.block_size);
    double& worker_flops = highest[static_cast<std::size_t>(series.worker - 1)];
    for (const auto* times_s : {&series.warm_s, &series.update_s, &series.alone_s}) {
      if (!times_s->empty())
        worker_flops = std::max(worker_flops, 2 * q * q * q / median_of(*times_s));
    }
  }
  if (std::ranges::find(highest, 0.0) != highest.end()) return std::nullopt;
  return std::accumulate(highest.begin(), highest.end(), 0.0);
}

}  // namespace starport::mpi
