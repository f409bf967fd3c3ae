#include "sim/mpi/calibration/calibrated_file.hpp"

#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/kernel/node_measures.hpp"
#include "sim/kernel/sample_statistics.hpp"
#include "sim/platform/time_variation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace starport::mpi {
namespace {

std::string interval_text(double half_width) { return fmt::format("+-{:.1f}%", 100 * half_width); }

double half_width_of(const std::vector<double>& durations) {
  const auto variation = estimate_time_variation(durations);
  return variation ? level_half_width(*variation) : std::numeric_limits<double>::infinity();
}

/// Returns the speed function of a worker: the mean duration for each size measured. Sizes that
/// take no longer than a smaller one are omitted. If the memory has space for larger chunks than
/// measured, up to `largest_side`, these have the speed of the largest one measured. Empty if there
/// is only one size. The last samples are those of the tallest column and of the largest square by
/// several steps at once, as far as they were measured.
std::vector<SpeedSample> make_speed_function(const std::vector<UpdateSample>& samples,
                                             std::int64_t q, std::int64_t largest_side) {
  std::map<std::int64_t, UpdateSample> shapes;
  UpdateSample column{};
  UpdateSample square{};
  for (const UpdateSample& sample : samples) {
    if (sample.inner == 1) shapes.emplace(sample.blocks(), sample);
    UpdateSample& tallest = sample.columns == 1 ? column : square;
    if (sample.inner > 1 && sample.rows > tallest.rows) tallest = sample;
  }
  std::vector<SpeedSample> speeds;
  for (const auto& [blocks, shape] : shapes) {
    const std::vector<double> seconds = block_update_times_s(samples, blocks);
    const auto times = static_cast<double>(blocks);
    const SpeedSample sample{.rows = shape.rows,
                             .columns = shape.columns,
                             .block_size = q,
                             .seconds = times * sample_mean(seconds)};
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
  if (speeds.size() < 2) return {};
  for (const UpdateSample& several : {column, square}) {
    if (several.rows == 0) continue;
    const auto times = static_cast<double>(several.blocks() * several.inner);
    speeds.push_back({.rows = several.rows,
                      .columns = several.columns,
                      .inner = several.inner,
                      .block_size = q,
                      .seconds = times * sample_mean(block_update_times_s(samples, several.blocks(),
                                                                          several.inner))});
  }
  return speeds;
}

}  // namespace

std::vector<double> block_update_times_s(const std::vector<UpdateSample>& samples,
                                         std::int64_t blocks, std::int64_t inner) {
  std::vector<double> seconds;
  for (const UpdateSample& sample : samples) {
    if (sample.blocks() == blocks && sample.inner == inner) seconds.push_back(sample.seconds);
  }
  return batch_means(seconds, kMaxSamples);
}

std::vector<double> largest_update_times_s(const std::vector<UpdateSample>& samples) {
  std::map<std::int64_t, double> means_s;
  for (const UpdateSample& sample : samples) {
    if (sample.inner == 1) means_s.try_emplace(sample.blocks());
  }
  for (auto& [blocks, mean_s] : means_s) {
    mean_s = sample_mean(block_update_times_s(samples, blocks));
  }
  std::vector<double> seconds;
  for (const UpdateSample& sample : samples) {
    if (sample.inner > 1) continue;
    seconds.push_back(sample.seconds / means_s.at(sample.blocks()) * means_s.rbegin()->second);
  }
  return batch_means(seconds, kMaxSamples);
}

std::vector<Calibration::Link> links_for(const LinkMeasures& measures, CalibratedUse use) {
  if (use == CalibratedUse::star) return measures.links;
  std::vector<Calibration::Link> links;
  for (const Calibration::Link& link : measures.links) {
    const auto sizes_of_c = std::ranges::count_if(measures.links, [&](const auto& other) {
      return other.worker == link.worker && !other.to_master_s.empty();
    });
    // A worker whose memory holds no larger chunk than one block has a single size of C.
    if (!link.to_master_s.empty() || sizes_of_c < 2) links.push_back(link);
  }
  return links;
}

std::vector<WorkerFigures> estimate_figures(const LinkMeasures& measures, CalibratedUse use) {
  const std::vector<Calibration::Link> links = links_for(measures, use);
  std::vector<WorkerFigures> figures;
  for (std::int64_t i = 0; i < std::ssize(measures.updates); ++i) {
    const std::vector<double> updates = largest_update_times_s(measures.updates[i]);
    figures.push_back(
        {.link = fit_mean_link(links, i + 1),
         .link_half_width = half_width_of(relative_transfers({.dgemm = {}, .links = links}, i + 1)),
         .update_s = sample_mean(updates),
         .update_half_width = half_width_of(updates)});
  }
  return figures;
}

std::string figures_table(const std::vector<WorkerFigures>& figures, std::int64_t q,
                          ElementType type) {
  std::vector<std::vector<std::string>> rows{
      {"worker", "c_i", "95%", "w_i", "95%", "latency", "Gflop/s"}};
  const auto side = static_cast<double>(q);
  const double block_bytes = static_cast<double>(bytes_of(type)) * side * side;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const auto& [link, link_half_width, update_s, update_half_width] = figures[i];
    rows.push_back({fmt::format("P{}", i + 1),
                    format_seconds(block_bytes / link.bandwidth_bytes_per_s),
                    interval_text(link_half_width), format_seconds(update_s),
                    interval_text(update_half_width), format_seconds(link.latency_s),
                    fmt::format("{:.4g}", 2 * side * side * side / update_s / 1e9)});
  }
  return align(rows, 1);
}

UncertainFigure least_certain_figure(const std::vector<WorkerFigures>& figures) {
  UncertainFigure widest;
  const auto compare = [&](const char* name, std::size_t worker, double half_width) {
    if (half_width < widest.half_width) return;
    widest = {.name = fmt::format("{}_{}", name, worker + 1), .half_width = half_width};
  };
  for (std::size_t i = 0; i < figures.size(); ++i) {
    compare("c", i, figures[i].link_half_width);
    compare("w", i, figures[i].update_half_width);
  }
  return widest;
}

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
                                  const LinkMeasures& measures,
                                  const std::vector<WorkerFigures>& figures,
                                  const PerWorker<std::vector<SpeedSample>>& speeds) {
  const std::vector<double> memory_bytes = memory_per_worker(nodes);
  PlatformFile file;
  file.block_size = nodes.front().dgemm[best].block_size;
  const bool star = speeds.empty();
  file.samples = Calibration{
      .dgemm = {},
      .links = links_for(measures, star ? CalibratedUse::star : CalibratedUse::distributed),
      .lasted_s = measures.lasted_s};
  const auto q = static_cast<double>(*file.block_size);
  const double block_bytes = static_cast<double>(bytes_of(nodes.front().type)) * q * q;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i + 1);
    for (Calibration::Dgemm series : nodes[i].dgemm) {
      series.worker = number;
      if (series.block_size == file.block_size) {
        series.alone_s =
            std::exchange(series.update_s, largest_update_times_s(measures.updates[number - 1]));
      }
      file.samples->dgemm.push_back(std::move(series));
    }
    const FittedLink& link = figures[i].link;
    file.entries.push_back(
        {.worker = PlatformFile::Physical{.bandwidth_bytes_per_s = link.bandwidth_bytes_per_s,
                                          .speed_flops = 2 * q * q * q / figures[i].update_s,
                                          .memory_bytes = memory_bytes[i],
                                          .latency_s = link.latency_s},
         .count = 1,
         .pointer = fmt::format("/workers/{}", i),
         .speed_function =
             star ? make_speed_function(measures.updates[number - 1], *file.block_size,
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
