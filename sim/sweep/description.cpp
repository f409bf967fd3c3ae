#include "sim/sweep/description.hpp"

#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/platform/noise/noise_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace starport {
namespace {

/// Minimum, maximum and standard deviation of a stream of values (Welford 1962).
struct Spread {
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();
  double mean = 0;
  double squares = 0;  ///< sum of the squared distances from the mean
  std::int64_t count = 0;

  void add(double value) {
    minimum = std::min(minimum, value);
    maximum = std::max(maximum, value);
    const double before = value - mean;
    mean += before / static_cast<double>(++count);
    squares += before * (value - mean);
  }

  template <class Format>
  std::vector<std::string> row(const char* name, Format format) const {
    const double deviation = std::sqrt(squares / static_cast<double>(count));
    return {name, format(minimum), format(maximum),
            fmt::format("{:.1f}%", mean > 0 ? 100 * deviation / mean : 0)};
  }
};

/// Returns a table of c, w and m over the workers of all platforms that the experiment draws, at
/// its first block size; empty when it draws none.
std::string drawn_figures(const Specification& specification, const Experiment& experiment,
                          std::int64_t first_instance) {
  Spread c_s, w_s, m_blocks;
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
      c_s.add(worker.c_s);
      w_s.add(worker.w_s);
      m_blocks.add(static_cast<double>(worker.m_blocks));
    }
  }
  if (platforms == 0) return "";
  const auto blocks = [](double value) { return fmt::format("{:.0f} blocks", value); };
  return fmt::format("  {} drawn, blocks of {} x {}:\n", format_count(platforms, "platform"),
                     block_size, block_size) +
         align({{"", "min", "max", "CV"},
                c_s.row("c_i", format_seconds),
                w_s.row("w_i", format_seconds),
                m_blocks.row("m_i", blocks)},
               4);
}

std::string describe_axes(const Experiment& experiment) {
  std::vector<std::string> parts{format_count(experiment.platforms.size(), "platform"),
                                 format_count(experiment.problems.size(), "problem")};
  if (experiment.repetitions > 1)
    parts.push_back(fmt::format("{} repetitions", experiment.repetitions));
  if (experiment.block_sizes.size() > 1) {
    parts.push_back(format_count(experiment.block_sizes.size(), "block size"));
  }
  if (!experiment.noise.is_none()) parts.push_back("noise " + to_text(experiment.noise));
  for (const Override& axis : experiment.overrides) {
    parts.push_back(format_count(axis.values.size(), "value") + " of " + axis.column);
  }
  parts.push_back(format_count(experiment.algorithms->size(), "heuristic"));
  return fmt::format("{}", fmt::join(parts, " x "));
}

std::vector<std::string> list_header(const std::vector<std::string>& overrides) {
  std::vector<std::string> cells{"instance",   "experiment", "platform", "workers",
                                 "repetition", "problem",    "q"};
  cells.insert(cells.end(), overrides.begin(), overrides.end());
  return cells;
}

/// Returns the widths of the columns of the list, from the values of the axes, so that no instance
/// has to be made.
std::vector<std::size_t> list_widths(const Specification& specification,
                                     const std::vector<std::string>& overrides) {
  std::vector<std::size_t> widths;
  for (const std::string& name : list_header(overrides)) widths.push_back(name.size());
  const auto fit = [&](std::size_t column, const std::string& cell) {
    widths[column] = std::max(widths[column], cell.size());
  };
  const auto number = [](std::int64_t value) { return fmt::format("{}", value); };
  const auto fit_override = [&](const std::string& name, const std::string& cell) {
    const auto place = std::ranges::find(overrides, name) - overrides.begin();
    fit(7 + static_cast<std::size_t>(place), cell);
  };
  fit(0, number(specification.size()));
  for (const Experiment& experiment : specification.experiments) {
    fit(1, experiment.name);
    fit(4, number(experiment.repetitions));
    for (const PlatformSource& platform : experiment.platforms) {
      fit(2, platform.name());
      fit(3, number(platform.workers()));
      for (const auto& requested : experiment.block_sizes) {
        fit(6, number(platform.block_size(requested)));
      }
      for (const auto& [name, cell] : platform.parameters()) fit_override(name, cell);
    }
    for (const std::string& problem : experiment.problems) fit(5, problem);
    for (const Override& axis : experiment.overrides) {
      for (std::size_t i = 0; i < axis.values.size(); ++i) {
        fit_override(axis.column, axis.value_text(i));
      }
    }
  }
  return widths;
}

}  // namespace

std::string describe_specification(const Specification& specification, Shard shard) {
  std::string text =
      fmt::format("{}: {}, {}", specification.name, format_count(specification.size(), "instance"),
                  format_count(specification.rows(), "row"));
  if (shard.count > 1) {
    text += fmt::format("; shard {}/{} has {}", shard.index, shard.count,
                        format_count(shard.size(specification.size()), "instance"));
  }
  text += "\n";
  std::int64_t first = 1;
  for (const Experiment& experiment : specification.experiments) {
    text += fmt::format("{}: {}\n", experiment.name, describe_axes(experiment));
    text += drawn_figures(specification, experiment, first);
    first += experiment.size();
  }
  return text;
}

void list_instances(const Specification& specification, Shard shard,
                    const std::function<bool(std::string_view line)>& on_line) {
  const std::vector<std::string> columns = specification.override_columns();
  const std::vector<std::size_t> widths = list_widths(specification, columns);
  std::vector<std::string> cells = list_header(columns);
  for (std::int64_t number = shard.index;; number += shard.count) {
    if (!on_line(align_row(cells, widths))) return;
    if (number > specification.size()) return;
    const SweepInstance instance = specification.instance(number);
    cells = {fmt::format("{}", number),
             instance.experiment->name,
             instance.file.name,
             fmt::format("{}", instance.file.size()),
             fmt::format("{}", instance.repetition),
             instance.problem_text,
             fmt::format("{}", instance.block_size)};
    for (const std::string& column : columns) cells.push_back(instance.override_text(column));
  }
}

}  // namespace starport
