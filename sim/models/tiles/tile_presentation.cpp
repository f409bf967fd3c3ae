// Presentation of tile tasks: comparison table, node, notes and division of C.
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/models/tiles/tile_model.hpp"
#include "sim/results/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace starport::tiles {
namespace {

/// Returns whether the workers have the same speed and equal links.
bool are_alike(const Platform& platform, const Worker& a, const Worker& b) {
  if ((a.node == kHub) != (b.node == kHub) || a.update_s != b.update_s) return false;
  return a.node == kHub || platform.link(a.node) == platform.link(b.node);
}

/// Returns what has a memory of its own: "GPU" beside workers in main memory, else "worker".
const char* memory_holder(const Platform& platform) {
  const bool main_memory_computes = std::ranges::any_of(
      platform.workers, [](const Worker& worker) { return worker.node == kHub; });
  return main_memory_computes ? "GPU" : "worker";
}

/// Returns the speed, the link and the memory of a worker as text.
std::string describe_worker(const Platform& platform, const Worker& worker) {
  const std::string text = format_seconds(worker.update_s) + " per task";
  if (worker.node == kHub) return text + ", in main memory";
  const Link& link = platform.link(worker.node);
  return text + fmt::format(", link {} per tile in, {} out{}{}", format_seconds(link.in_s),
                            format_seconds(link.out_s),
                            link.latency_s > 0 ? ", latency " + format_seconds(link.latency_s) : "",
                            link.memory_tiles
                                ? ", memory " + format_count(*link.memory_tiles, "tile")
                                : "");
}

/// Returns the tiles of C that each memory node computes: runs of tiles in a row, joined with equal
/// runs in the rows below. A node is identified by its first worker.
Division division_of(const Platform& platform, const Allocation& allocation,
                     const WorkerNames& names) {
  std::vector<std::int64_t> first_worker(static_cast<std::size_t>(platform.nodes()));
  std::vector<std::int64_t> tiles(first_worker.size());
  for (std::size_t w = platform.workers.size(); w-- > 0;) {
    const Worker& worker = platform.workers[w];
    first_worker[static_cast<std::size_t>(worker.node)] = worker.number;
  }
  Division division;
  const auto& [rows, columns, inner] = allocation.size;
  std::map<std::array<std::int32_t, 3>, std::size_t> above;  // node, left, right: its part
  for (std::int32_t row = 0; row < rows; ++row) {
    std::map<std::array<std::int32_t, 3>, std::size_t> runs;
    for (std::int32_t left = 0, right = 0; left < columns; left = right) {
      const int node = allocation.node(row * columns + left, 0);
      while (right < columns && allocation.node(row * columns + right, 0) == node) ++right;
      const auto same = above.find({node, left, right});
      const std::size_t part = same == above.end() ? division.parts.size() : same->second;
      if (same == above.end()) {
        division.parts.push_back({.worker = first_worker[static_cast<std::size_t>(node)],
                                  .left = static_cast<double>(left) / columns,
                                  .right = static_cast<double>(right) / columns,
                                  .top = static_cast<double>(row) / rows,
                                  .bottom = 0});
      }
      division.parts[part].bottom = static_cast<double>(row + 1) / rows;
      tiles[static_cast<std::size_t>(node)] += right - left;
      runs[{node, left, right}] = part;
    }
    above = std::move(runs);
  }
  for (std::size_t m = 0; m < tiles.size(); ++m) {
    division.about +=
        fmt::format("{}{} {}", m > 0 ? ", " : "", tiles[m],
                    m > 0 ? names[static_cast<std::size_t>(first_worker[m])] : "main memory");
  }
  division.about += fmt::format(" of {} tiles", allocation.size.cells());
  return division;
}

class TilePresentation final : public Presentation {
 public:
  std::vector<Column> columns(const Case& instance) const override;
  std::string heading(const Case& instance, const Figures& bounds) const override;
  std::string caveat(const Case& instance) const override;
  std::string bound_distance(const Record& record, const Figures& bounds) const override;
  const Figure* work_figure() const override { return &kTasks; }
  Division divide(const NamedAlgorithm& algorithm, const Case& instance) const override;
};

std::vector<Column> TilePresentation::columns(const Case&) const {
  return {{"makespan (s)", {&kMakespan}, Form::date},
          {"rel. cost", {&kRelativeCost}, Form::ratio},
          {"volume (GiB)", {&kVolume}, Form::mean, true},
          {"rel. volume", {&kRelativeVolume}, Form::ratio, true},
          {"x bound", {&kTimesAnyRun}, Form::ratio, false, true},
          {"x volume", {&kTimesVolume}, Form::ratio, true, true},
          {"thefts", {&kThefts}, Form::count},
          {"busy", {&kBusyShare}, Form::share},
          {"decision", {&kDecision}, Form::duration}};
}

std::string TilePresentation::heading(const Case& instance, const Figures& bounds) const {
  const Problem& problem = instance.problem;
  const Platform platform = make_platform(instance.file, problem.block_size);
  std::string text = fmt::format(
      "{}: main memory and {}{}\n", platform.name,
      format_count(std::ssize(platform.links), memory_holder(platform)),
      platform.start_up_s > 0 ? ", " + format_seconds(platform.start_up_s) + " of start-up" : "");
  for (std::size_t first = 0; first < platform.workers.size();) {
    const Worker& worker = platform.workers[first];
    std::size_t end = first + 1;
    while (end < platform.workers.size() && are_alike(platform, worker, platform.workers[end]))
      ++end;
    text += fmt::format("  {} x {}\n", end - first, describe_worker(platform, worker));
    first = end;
  }
  for (const SharedLine& line : platform.shared_lines) {
    text += fmt::format("  bus {}: shared, {} per tile\n", line.name, format_seconds(line.tile_s));
  }
  const bool is_square = problem.r == problem.s && problem.r == problem.t;
  text += fmt::format(
      "C += A.B with {} tiles of {} x {}: {}\n",
      is_square ? fmt::format("{} x {}", problem.r, problem.r)
                : fmt::format("{} x {} by {} x {}", problem.r, problem.t, problem.t, problem.s),
      problem.block_size, problem.block_size, format_count(problem.updates(), "task"));
  if (is_none(bounds[kAreaBound])) {
    return text + "no lower bounds: there is noise, or they could not be computed\n";
  }
  return text + fmt::format(
                    "lower bounds: {} s at full speed (area bound), {} s for any run; volume {} "
                    "GiB when tasks are shared by speed\n",
                    format_value(Form::date, bounds[kAreaBound]),
                    format_value(Form::date, bounds[kAnyRunBound]),
                    format_value(Form::mean, bounds[kVolumeBound]));
}

std::string TilePresentation::caveat(const Case& instance) const {
  const bool size_matters = std::ranges::any_of(instance.file.entries, [](const auto& entry) {
    return !entry.devices.empty() ||
           std::ranges::any_of(entry.speed_function, [](const SpeedSample& sample) {
             return sample.rows > 1 || sample.columns > 1;
           });
  });
  return fmt::format(
      "a link transfers one tile at a time in each direction, whatever the master's port; {}s keep "
      "the tiles they receive as long as their memory allows, and copy from each other{}{}",
      memory_holder(make_platform(instance.file, instance.problem.block_size)),
      size_matters
          ? "; workers compute at full speed, whatever their devices, buses, paging or the "
            "size of an update"
          : "",
      instance.file.start_up_s > 0
          ? "; a start-up time of " + format_seconds(instance.file.start_up_s) + " is counted"
          : "");
}

std::string TilePresentation::bound_distance(const Record& record, const Figures& bounds) const {
  const double times = record.figures.real(kTimesAnyRun);
  if (std::isnan(times)) return "";
  return fmt::format("{:.1f}% above the lower bound for any run ({} s)", 100 * (times - 1),
                     format_value(Form::date, bounds[kAnyRunBound]));
}

Division TilePresentation::divide(const NamedAlgorithm& algorithm, const Case& instance) const {
  const TilePlan plan = make_plan(algorithm, instance, {});
  const Allocation* allocation = plan.work.allocation();
  if (allocation == nullptr) return Presentation::divide(algorithm, instance);
  if (allocation->is_3d()) {
    throw NotApplicable("it divides the tasks, not C: starport partition --method NRRP3D");
  }
  return division_of(plan.platform, *allocation, instance.file.names);
}

}  // namespace

const Presentation& tile_presentation() {
  static const TilePresentation presentation;
  return presentation;
}

}  // namespace starport::tiles
