#include "sim/report/figures/memory_strips.hpp"

#include "sim/platform/ties.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

namespace starport {
namespace {

/// From this date on, a worker holds so many blocks.
struct Step {
  double date_s;
  std::int64_t held_blocks;
};

/// The steps of one worker's memory. Its transfers come in their order, and so do its updates; of
/// two dates that coincide up to rounding, the end of an update comes first, as where the trace was
/// made.
std::vector<Step> steps_of(const std::vector<const TraceRow*>& rows) {
  std::vector<Step> transfers;
  std::vector<Step> updates;
  for (const TraceRow* row : rows) {
    switch (row->kind) {
      case TraceRow::Kind::to_worker:
        transfers.push_back({row->start_s, row->held_blocks});
        break;
      case TraceRow::Kind::to_master:
        transfers.push_back({row->end_s, row->held_blocks});
        break;
      case TraceRow::Kind::update:
        updates.push_back({row->end_s, row->held_blocks});
        break;
    }
  }
  std::vector<Step> steps;
  steps.reserve(rows.size());
  std::size_t update = 0;
  for (const Step& transfer : transfers) {
    while (update < updates.size() && !clearly_less(transfer.date_s, updates[update].date_s)) {
      steps.push_back(updates[update++]);
    }
    steps.push_back(transfer);
  }
  steps.insert(steps.end(), updates.begin() + static_cast<std::ptrdiff_t>(update), updates.end());
  return steps;
}

/// The steps within the window, those that are too short to be drawn put together.
std::vector<MemoryPiece> condense(const std::vector<Step>& steps, const TimeWindow& window,
                                  double resolution_s) {
  std::vector<MemoryPiece> pieces;
  bool open = false;  // the last piece takes in short steps
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

}  // namespace

std::vector<MemoryStrip> memory_strips(const TraceFile& trace, const TimeWindow& window,
                                       double resolution_s) {
  std::map<std::int64_t, std::vector<const TraceRow*>> rows;
  for (const TraceRow& row : trace.rows) rows[row.worker].push_back(&row);
  std::vector<MemoryStrip> strips;
  for (const auto& [worker, own] : rows) {
    MemoryStrip strip{.worker = worker,
                      .m_blocks = trace.m_blocks.at(worker),
                      .most_blocks = 0,
                      .pieces = condense(steps_of(own), window, resolution_s)};
    for (const MemoryPiece& piece : strip.pieces) {
      strip.most_blocks = std::max(strip.most_blocks, piece.most_blocks);
    }
    strips.push_back(std::move(strip));
  }
  return strips;
}

}  // namespace starport
