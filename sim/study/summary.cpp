#include "sim/study/summary.hpp"

#include "sim/files/plural.hpp"
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/platform/noise_text.hpp"
#include "sim/study/statistics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace starport {
namespace {

template <class Format>
std::vector<std::string> row_of(const char* name, const std::vector<double>& values,
                                Format format) {
  const auto [least, most] = std::ranges::minmax(values);
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(values.size()));
  return {name, format(least), format(most),
          fmt::format("{:.1f}%", mean > 0 ? 100 * deviation / mean : 0)};
}

/// Over the workers of all the platforms that the experiment draws, at its first block size.
std::string drawn_figures(const Specification& specification, const Experiment& experiment,
                          std::int64_t first_instance) {
  std::vector<double> c_s, w_s, m_blocks;
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
      c_s.push_back(worker.c_s);
      w_s.push_back(worker.w_s);
      m_blocks.push_back(static_cast<double>(worker.m_blocks));
    }
  }
  if (platforms == 0) return "";
  const auto blocks = [](double value) { return fmt::format("{:.0f} blocks", value); };
  return fmt::format("  {} drawn, blocks of {} x {}:\n", counted(platforms, "platform"), block_size,
                     block_size) +
         align({{"", "min", "max", "CV"},
                row_of("c_i", c_s, format_seconds),
                row_of("w_i", w_s, format_seconds),
                row_of("m_i", m_blocks, blocks)},
               4);
}

std::string axes(const Experiment& experiment) {
  std::vector<std::string> parts{counted(experiment.platforms.size(), "platform"),
                                 counted(experiment.problems.size(), "problem")};
  if (experiment.repetitions > 1)
    parts.push_back(fmt::format("{} repetitions", experiment.repetitions));
  if (experiment.block_sizes.size() > 1) {
    parts.push_back(counted(experiment.block_sizes.size(), "block size"));
  }
  if (!experiment.noise.none()) parts.push_back("noise " + to_text(experiment.noise));
  for (const Override& axis : experiment.overrides) {
    parts.push_back(counted(axis.values.size(), "value") + " of " + axis.column);
  }
  parts.push_back(counted(experiment.algorithms->size(), "heuristic"));
  return fmt::format("{}", fmt::join(parts, " x "));
}

}  // namespace

std::string summary(const Specification& specification, Shard shard) {
  std::string text =
      fmt::format("{}: {}, {}", specification.name, counted(specification.size(), "instance"),
                  counted(specification.rows(), "row"));
  if (shard.count > 1) {
    text += fmt::format("; shard {}/{} has {}", shard.index, shard.count,
                        counted(shard.size(specification.size()), "instance"));
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
