#include "sim/study/summary.hpp"

#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/platform/noise_text.hpp"

#include <boost/accumulators/accumulators.hpp>
#include <boost/accumulators/statistics/max.hpp>
#include <boost/accumulators/statistics/mean.hpp>
#include <boost/accumulators/statistics/min.hpp>
#include <boost/accumulators/statistics/stats.hpp>
#include <boost/accumulators/statistics/variance.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace starport {
namespace {

namespace acc = boost::accumulators;
using Figures =
    acc::accumulator_set<double, acc::stats<acc::tag::min, acc::tag::max, acc::tag::mean,
                                            acc::tag::variance(acc::lazy)>>;

template <class Format>
std::vector<std::string> row_of(const char* name, const Figures& figures, Format format) {
  const double mean = acc::mean(figures);
  const double deviation = std::sqrt(std::max(0.0, acc::variance(figures)));
  return {name, format(acc::min(figures)), format(acc::max(figures)),
          fmt::format("{:.1f}%", mean > 0 ? 100 * deviation / mean : 0)};
}

/// Over the workers of all the platforms that the experiment draws, at its first block size.
std::string drawn_figures(const Specification& specification, const Experiment& experiment,
                          std::int64_t first_instance) {
  Figures c;
  Figures w;
  Figures m;
  std::int64_t platforms = 0;
  std::int64_t block_size = 0;
  const auto stride = experiment.size() / static_cast<std::int64_t>(experiment.platforms.size()) /
                      experiment.repetitions;
  for (std::int64_t offset = 0; offset < experiment.size(); offset += stride) {
    const SweepInstance instance = specification.instance(first_instance + offset);
    if (!instance.seed) continue;
    ++platforms;
    block_size = instance.block_size;
    for (const Worker& worker : instance.file.at_block_size(block_size).workers) {
      c(worker.c_s);
      w(worker.w_s);
      m(static_cast<double>(worker.m_blocks));
    }
  }
  if (platforms == 0) return "";
  const auto blocks = [](double value) { return fmt::format("{:.0f} blocks", value); };
  return fmt::format("  {} platforms drawn, blocks of {} x {}:\n", platforms, block_size,
                     block_size) +
         align({{"", "min", "max", "CV"},
                row_of("c_i", c, format_seconds),
                row_of("w_i", w, format_seconds),
                row_of("m_i", m, blocks)},
               4);
}

std::string plural(std::size_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string axes(const Experiment& experiment) {
  std::vector<std::string> parts{plural(experiment.platforms.size(), "platform"),
                                 plural(experiment.problems.size(), "problem")};
  if (experiment.repetitions > 1)
    parts.push_back(fmt::format("{} repetitions", experiment.repetitions));
  if (experiment.block_sizes.size() > 1) {
    parts.push_back(plural(experiment.block_sizes.size(), "block size"));
  }
  if (!experiment.noise.none()) parts.push_back("noise " + to_text(experiment.noise));
  for (const Override& axis : experiment.overrides) {
    parts.push_back(plural(axis.values.size(), "value") + " of " + axis.column);
  }
  parts.push_back(plural(experiment.algorithms->size(), "heuristic"));
  return fmt::format("{}", fmt::join(parts, " x "));
}

}  // namespace

std::string summary(const Specification& specification, Shard shard) {
  std::string text = fmt::format("{}: {} instances, {} rows", specification.name,
                                 specification.size(), specification.rows());
  if (shard.count > 1) {
    text += fmt::format("; shard {}/{} has {} instances", shard.index, shard.count,
                        shard.size(specification.size()));
  }
  text += "\n";
  std::int64_t first = 1;
  for (const Experiment& experiment : specification.experiments) {
    text += fmt::format("{}: {}\n", experiment.name, axes(experiment));
    text += drawn_figures(specification, experiment, first);
    first += experiment.size();
  }
  return text;
}

std::string instance_list(const Specification& specification, Shard shard) {
  std::vector<std::vector<std::string>> rows{
      {"instance", "experiment", "platform", "workers", "repetition", "problem", "q"}};
  const std::vector<std::string> columns = specification.override_columns();
  rows.front().insert(rows.front().end(), columns.begin(), columns.end());
  for (std::int64_t number = shard.index; number <= specification.size(); number += shard.count) {
    const SweepInstance instance = specification.instance(number);
    rows.push_back({fmt::format("{}", number), instance.experiment->name, instance.file.name,
                    fmt::format("{}", instance.file.size()), fmt::format("{}", instance.repetition),
                    instance.problem_text, fmt::format("{}", instance.block_size)});
    for (const std::string& column : columns) {
      rows.back().push_back(instance.override_text(column));
    }
  }
  return align(rows);
}

}  // namespace starport
