#include "sim/report/plots/memory_plot.hpp"

#include "sim/files/error.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/ties.hpp"
#include "sim/report/plots/trace_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace starport {
namespace {

/// A change of the number of blocks that a group holds.
struct Step {
  double date_s;
  std::int64_t held_blocks;  ///< from this date on
};

/// The changes of a group's memory by transfers and by updates, each ordered by date.
struct Steps {
  std::vector<Step> transfers;
  std::vector<Step> updates;
};

/// Merges both by date. At equal dates (up to rounding) updates come first: their end frees the
/// blocks that a transfer then takes.
std::vector<Step> merge_steps(const Steps& steps) {
  std::vector<Step> merged;
  auto update = steps.updates.begin();
  for (const Step& transfer : steps.transfers) {
    while (update != steps.updates.end() && !clearly_less(transfer.date_s, update->date_s)) {
      merged.push_back(*update++);
    }
    merged.push_back(transfer);
  }
  merged.insert(merged.end(), update, steps.updates.end());
  return merged;
}

/// Cuts the steps to the window and joins those that are too short to be drawn.
std::vector<MemoryPiece> join_short_steps(const std::vector<Step>& steps, const TimeWindow& window,
                                          double resolution_s) {
  std::vector<MemoryPiece> pieces;
  bool open = false;  // whether the last piece consists of short steps and may grow
  const auto add = [&](double start_s, double end_s, std::int64_t held) {
    start_s = std::max(start_s, window.from_s);
    end_s = std::min(end_s, window.to_s);
    if (start_s >= end_s) return;
    const bool alone = end_s - start_s >= resolution_s;
    if (open && !alone && start_s - pieces.back().start_s < resolution_s) {
      pieces.back().least_blocks = std::min(pieces.back().least_blocks, held);
      pieces.back().most_blocks = std::max(pieces.back().most_blocks, held);
    } else {
      pieces.push_back({start_s, held, held});
    }
    open = !alone;
  };
  add(0, steps.empty() ? window.to_s : steps.front().date_s, 0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    add(steps[i].date_s, i + 1 < steps.size() ? steps[i + 1].date_s : window.to_s,
        steps[i].held_blocks);
  }
  return pieces;
}

Drawing draw_memory(const PlotRequest& request) {
  const TraceView view = read_trace_view("memory", request);
  if (view.traces.size() > 1) {
    throw InputError("--heuristics", "one heuristic for --figure memory",
                     fmt::format("{}", view.traces.size()));
  }
  const Timeline& trace = view.traces.front();
  const auto strips =
      draw_at_finest_resolution(
          view, request.width_cm,
          [&](double resolution_s) { return memory_strips(trace, view.window, resolution_s); },
          [](const MemoryStrip& strip) { return strip.pieces.size(); })
          .first;
  if (strips.empty()) {
    throw InputError(request.files.front(),
                     "held_blocks of workers whose memory is limited (not tile tasks with "
                     "memory=unlimited)",
                     "none");
  }
  std::string data = "group,m_blocks,start_s,least_blocks,most_blocks\n";
  for (const MemoryStrip& strip : strips) {
    const std::string name = quote_csv_field(trace.groups[strip.group].name);
    for (const MemoryPiece& piece : strip.pieces) {
      data += fmt::format("{},{},{:.15g},{},{}\n", name, strip.m_blocks, piece.start_s,
                          piece.least_blocks, piece.most_blocks);
    }
  }
  return request.make_drawing(
      "memory", std::move(data),
      {{"title", view.title}, {"from_s", view.window.from_s}, {"to_s", view.window.to_s}});
}

}  // namespace

std::vector<MemoryStrip> memory_strips(const Timeline& timeline, const TimeWindow& window,
                                       double resolution_s) {
  std::vector<Steps> steps(timeline.groups.size());
  visit_by_date(timeline, [&](const Slice& slice) {
    if (!slice.held) return;
    const bool transfer = timeline.kind_of(slice).direction != TransferDirection::none;
    Steps& own = steps[timeline.lanes[slice.lane].group];
    (transfer ? own.transfers : own.updates)
        .push_back({slice.held->from == MemoryLevel::From::start ? slice.start_s : slice.end_s,
                    slice.held->blocks});
  });
  std::vector<MemoryStrip> strips;
  for (std::size_t group = 0; group < steps.size(); ++group) {
    if (steps[group].transfers.empty() && steps[group].updates.empty()) continue;
    strips.push_back({.group = group,
                      .m_blocks = timeline.groups[group].memory_blocks.value(),
                      .pieces = join_short_steps(merge_steps(steps[group]), window, resolution_s)});
  }
  return strips;
}

PlotKind memory_plot() {
  return {"memory",
          "the blocks in each worker's memory over time, against its size",
          PlotInput::trace,
          {"heuristics", "from", "to"},
          draw_memory};
}

}  // namespace starport
