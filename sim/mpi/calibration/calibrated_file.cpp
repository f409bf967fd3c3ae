#include "sim/mpi/calibration/calibrated_file.hpp"

#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/kernel/node_measures.hpp"
#include "sim/kernel/sample_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace starport::mpi {
namespace {

std::string interval_text(const MedianInterval& interval, double middle) {
  return fmt::format("+-{:.1f}%", 50 * (interval.high - interval.low) / middle);
}

double relative_change(const Steadiness& steadiness) {
  return steadiness.high_s / steadiness.low_s - 1;
}

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

std::vector<double> block_update_times_s(const std::vector<UpdateSample>& samples,
                                         std::int64_t blocks) {
  std::vector<double> seconds;
  for (const UpdateSample& sample : samples) {
    if (sample.blocks() == blocks) seconds.push_back(sample.seconds);
  }
  return batch_means(seconds, kMaxSamples);
}

std::vector<double> largest_update_times_s(const std::vector<UpdateSample>& samples) {
  return block_update_times_s(
      samples, std::ranges::max_element(samples, {}, &UpdateSample::blocks)->blocks());
}

MedianInterval mean_confidence_interval(const std::vector<double>& values) {
  return bootstrap_interval([&](const Resample& redraw) { return sample_mean(redraw(values)); });
}

std::vector<WorkerFigures> estimate_figures(const StarMeasures& measures) {
  const LinkMeasures& loaded = measures.loaded;
  std::vector<WorkerFigures> figures;
  for (std::int64_t i = 0; i < std::ssize(loaded.updates); ++i) {
    const std::vector<double> updates = largest_update_times_s(loaded.updates[i]);
    figures.push_back({.link = fit_mean_link(loaded.links, i + 1),
                       .link_alone = fit_mean_link(measures.alone.links, i + 1).link,
                       .update_s = sample_mean(updates),
                       .update_interval_s = mean_confidence_interval(updates),
                       .steadiness = loaded.steadiness[i]});
  }
  return figures;
}

std::string figures_table(const std::vector<WorkerFigures>& figures,
                          const std::vector<Calibration::Dgemm>& alone, ElementType type) {
  std::vector<std::vector<std::string>> rows{{"worker", "c_i", "95%", "alone", "w_i", "95%",
                                              "alone", "latency", "95%", "alone", "Gflop/s"}};
  const auto side = static_cast<double>(alone.front().block_size);
  const double block_bytes = static_cast<double>(bytes_of(type)) * side * side;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const WorkerFigures& worker = figures[i];
    const double bandwidth = worker.link.link.bandwidth_bytes_per_s;
    const double latency_s = worker.link.link.latency_s;
    rows.push_back({fmt::format("P{}", i + 1), format_seconds(block_bytes / bandwidth),
                    interval_text(worker.link.bandwidth_bytes_per_s, bandwidth),
                    format_seconds(block_bytes / worker.link_alone.bandwidth_bytes_per_s),
                    format_seconds(worker.update_s),
                    interval_text(worker.update_interval_s, worker.update_s),
                    format_seconds(sample_mean(alone[i].update_s)), format_seconds(latency_s),
                    latency_s > 0 ? interval_text(worker.link.latency_s, latency_s) : "-",
                    format_seconds(worker.link_alone.latency_s),
                    fmt::format("{:.4g}", 2 * side * side * side / worker.update_s / 1e9)});
  }
  return align(rows, 1);
}

std::vector<UnreliableFigure> find_unreliable_figures(const std::vector<WorkerFigures>& figures,
                                                      int attempt, CheckedFigures checked) {
  constexpr double tolerance = 0.05;
  std::vector<UnreliableFigure> unreliable;
  const auto check = [&](std::size_t worker, const char* what, const MedianInterval& interval,
                         double middle) {
    const double half = (interval.high - interval.low) / 2 / middle;
    if (half <= tolerance) return;
    unreliable.push_back({fmt::format("{}_{} is known to only +-{:.0f}%, with 95% confidence", what,
                                      worker + 1, 100 * half),
                          "Measure on an idle machine, or longer with --seconds"});
  };
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const MeanLink& link = figures[i].link;
    if (checked == CheckedFigures::links_and_updates) {
      check(i, "c", link.bandwidth_bytes_per_s, link.link.bandwidth_bytes_per_s);
    }
    check(i, "w", figures[i].update_interval_s, figures[i].update_s);
    const Steadiness& worker = figures[i].steadiness;
    const bool is_steady =
        attempt == 1 ? worker.steady_spans == worker.spans : 2 * worker.steady_spans > worker.spans;
    if (is_steady) continue;
    unreliable.push_back(
        {fmt::format("w_{} changed by {:.0f}% during the measurement, between {} and {}", i + 1,
                     100 * relative_change(worker), format_seconds(worker.low_s),
                     format_seconds(worker.high_s)),
         "The speed of the machine varies. Measure again on an idle machine"});
  }
  return unreliable;
}

std::string describe_excluded_spans(const std::vector<WorkerFigures>& figures) {
  std::string text;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Steadiness& worker = figures[i].steadiness;
    if (worker.steady_spans == worker.spans) continue;
    text += fmt::format(
        "{}{} of {} time spans of P{} do not count, since its speed then differed from that of "
        "most spans (w_{} from {} to {})",
        text.empty() ? "" : "; ", worker.spans - worker.steady_spans, worker.spans, i + 1, i + 1,
        format_seconds(worker.low_s), format_seconds(worker.high_s));
  }
  return text;
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
