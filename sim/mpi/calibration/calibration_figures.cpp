#include "sim/mpi/calibration/calibration_figures.hpp"

#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/kernel/sample_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport::mpi {
namespace {

std::string interval_text(const MedianInterval& interval, double middle) {
  return fmt::format("+-{:.1f}%", 50 * (interval.high - interval.low) / middle);
}

double relative_change(const Steadiness& steadiness) {
  return steadiness.high_s / steadiness.low_s - 1;
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

}  // namespace starport::mpi
