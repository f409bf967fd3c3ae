#include "sim/mpi/calibration/calibration_figures.hpp"

#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/kernel/samples.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport::mpi {
namespace {

std::string interval_text(const MedianInterval& interval, double middle) {
  return fmt::format("+-{:.1f}%", 50 * (interval.high - interval.low) / middle);
}

double share_changed(const Steadiness& one) { return one.high_s / one.low_s - 1; }

}  // namespace

std::vector<double> updates_s(const std::vector<UpdateSample>& samples, std::int64_t blocks) {
  std::vector<double> seconds;
  for (const UpdateSample& sample : samples) {
    if (sample.blocks() == blocks) seconds.push_back(sample.seconds);
  }
  return batch_means(seconds, kMostSamples);
}

std::vector<double> largest_updates_s(const std::vector<UpdateSample>& samples) {
  return updates_s(samples, std::ranges::max_element(samples, {}, &UpdateSample::blocks)->blocks());
}

MedianInterval mean_interval(const std::vector<double>& values) {
  return bootstrap_interval([&](const Redraw& redraw) { return sample_mean(redraw(values)); });
}

std::vector<WorkerFigures> figures_of(const StarMeasures& measures) {
  const LinkMeasures& loaded = measures.loaded;
  std::vector<WorkerFigures> figures;
  for (std::int64_t i = 0; i < std::ssize(loaded.updates); ++i) {
    const std::vector<double> updates = largest_updates_s(loaded.updates[i]);
    figures.push_back({.link = fit_link_by_means(loaded.links, i + 1),
                       .link_alone = fit_link_by_means(measures.alone.links, i + 1).link,
                       .update_s = sample_mean(updates),
                       .update_interval_s = mean_interval(updates),
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
    const WorkerFigures& one = figures[i];
    const double bandwidth = one.link.link.bandwidth_bytes_per_s;
    const double latency_s = one.link.link.latency_s;
    rows.push_back({fmt::format("P{}", i + 1), format_seconds(block_bytes / bandwidth),
                    interval_text(one.link.bandwidth_bytes_per_s, bandwidth),
                    format_seconds(block_bytes / one.link_alone.bandwidth_bytes_per_s),
                    format_seconds(one.update_s),
                    interval_text(one.update_interval_s, one.update_s),
                    format_seconds(sample_mean(alone[i].update_s)), format_seconds(latency_s),
                    latency_s > 0 ? interval_text(one.link.latency_s, latency_s) : "-",
                    format_seconds(one.link_alone.latency_s),
                    fmt::format("{:.4g}", 2 * side * side * side / one.update_s / 1e9)});
  }
  return align(rows, 1);
}

std::vector<FigureDoubt> doubts_about(const std::vector<WorkerFigures>& figures, int attempt,
                                      bool links) {
  constexpr double most = 0.05;
  std::vector<FigureDoubt> doubts;
  const auto check = [&](std::size_t worker, const char* what, const MedianInterval& interval,
                         double middle) {
    const double half = (interval.high - interval.low) / 2 / middle;
    if (half <= most) return;
    doubts.push_back({fmt::format("{}_{} is known to {:.0f}% only, with 95% confidence", what,
                                  worker + 1, 100 * half),
                      "--seconds, or an idle machine"});
  };
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const MeanLink& link = figures[i].link;
    if (links) check(i, "c", link.bandwidth_bytes_per_s, link.link.bandwidth_bytes_per_s);
    check(i, "w", figures[i].update_interval_s, figures[i].update_s);
    const Steadiness& one = figures[i].steadiness;
    if (attempt == 1 ? one.steady == one.spans : 2 * one.steady > one.spans) continue;
    doubts.push_back(
        {fmt::format("w_{} changed by {:.0f}% during the measurement, between {} and {}", i + 1,
                     100 * share_changed(one), format_seconds(one.low_s),
                     format_seconds(one.high_s)),
         "the machine has slow spells: measure again, on an idle machine"});
  }
  return doubts;
}

std::string left_out_text(const std::vector<WorkerFigures>& figures) {
  std::string text;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Steadiness& one = figures[i].steadiness;
    if (one.steady == one.spans) continue;
    text += fmt::format(
        "{}P{} had another speed than most of the time in {} of {} parts of it, which do not count "
        "(w_{} from {} to {})",
        text.empty() ? "" : "; ", i + 1, one.spans - one.steady, one.spans, i + 1,
        format_seconds(one.low_s), format_seconds(one.high_s));
  }
  return text;
}

}  // namespace starport::mpi
