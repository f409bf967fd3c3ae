#include "heuristics/star/chunks.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace starport {

Panel ColumnCounter::take_left(std::int64_t side) {
  Panel& first = left_.front();
  Panel taken = first;
  taken.columns.end = static_cast<std::int32_t>(
      std::min<std::int64_t>(first.columns.end, first.columns.begin + side));
  first.columns.begin = taken.columns.end;
  if (first.columns.empty()) left_.erase(left_.begin());
  return taken;
}

std::optional<Panel> ChunkWorker::leave(bool last_lost) {
  const bool chunk_lost = holds_chunk() || last_lost;
  const Panel panel{.columns = panel_, .first_row = chunk_lost ? chunk_.rows.begin : next_row_};
  const bool none = panel_over() && !chunk_lost;
  side_ = 0;
  panel_ = {};
  stage_ = Stage::none;
  return none ? std::nullopt : std::optional(panel);
}

bool ChunkWorker::start_chunk(ColumnCounter& columns) {
  if (over(columns)) return false;
  if (panel_over()) {
    const Panel panel = columns.take(side_);
    panel_ = panel.columns;
    next_row_ = panel.first_row;
  }
  const auto end =
      static_cast<std::int32_t>(std::min<std::int64_t>(problem_->r, next_row_ + side_));
  chunk_ = {.rows = {next_row_, end}, .columns = panel_};
  next_row_ = end;
  blocks_ = chunk_.size();
  edges_ = chunk_.rows.size() + chunk_.columns.size();
  stage_ = Stage::to_send;
  k_ = 0;
  return true;
}

Transfer ChunkWorker::transfer() const {
  Transfer transfer;
  transfer.worker = worker_;
  if (stage_ == Stage::none) {  // RecvC
    transfer.direction = Direction::to_master;
    transfer.c = chunk_;
    transfer.after_update = updates_;
  } else if (k_ == 0) {  // SendC
    transfer.c = chunk_;
  } else {  // SendAB
    const Range inner{static_cast<std::int32_t>((k_ - 1) / step_depth_ * step_depth_),
                      static_cast<std::int32_t>(k_)};
    transfer.a = {.rows = chunk_.rows, .columns = inner};
    transfer.b = {.rows = inner, .columns = chunk_.columns};
    transfer.after_update = std::max<std::int64_t>(0, updates_ - buffer_sets_);
    transfer.update = {.rows = chunk_.rows,
                       .columns = chunk_.columns,
                       .inner = inner,
                       .release_a = transfer.a,
                       .release_b = transfer.b};
  }
  return transfer;
}

std::vector<std::int64_t> chunk_sides(const Platform& platform, const Problem& problem,
                                      const MemoryLayout& layout) {
  std::vector<std::int64_t> sides;
  sides.reserve(platform.workers.size());
  std::int64_t largest_memory = 0;
  for (const Worker& worker : platform.workers) {
    sides.push_back(layout.side(worker.m_blocks));
    largest_memory = std::max(largest_memory, worker.m_blocks);
  }
  if (std::all_of(sides.begin(), sides.end(), [](std::int64_t side) { return side == 0; })) {
    const std::int64_t block_bytes = 8 * problem.block_size * problem.block_size;
    throw InputError(
        "/workers",
        fmt::format("a worker with memory for at least {} blocks of {} bytes ({} layout)",
                    layout.blocks(1), block_bytes, layout.name),
        fmt::format("at most {}", largest_memory));
  }
  return sides;
}

std::vector<ChunkWorker> chunk_workers(const Platform& platform, const Problem& problem,
                                       const MemoryLayout& layout) {
  std::vector<ChunkWorker> workers;
  workers.reserve(platform.workers.size());
  for (const std::int64_t side : chunk_sides(platform, problem, layout)) {
    workers.emplace_back(static_cast<int>(workers.size()), side, layout, problem);
  }
  return workers;
}

std::optional<Requests::Earliest> Requests::earliest(const MasterView& star) {
  if (home_) return earliest_of_two_ports(star);
  follow(star);
  if (outstanding_ == 0) return std::nullopt;
  if (earliest_ == after_update_.size()) return Earliest{.worker = 0, .date_s = kUnknown};
  return Earliest{.worker = static_cast<int>(earliest_), .date_s = date_s(earliest_)};
}

std::optional<Requests::Earliest> Requests::earliest_of_two_ports(const MasterView& star) {
  follow(star);
  const auto home = home_->earliest(star);
  if (!home && outstanding_ == 0) return std::nullopt;
  Earliest earliest{.worker = 0, .date_s = kUnknown};
  if (star.free(Direction::to_worker) && outstanding_ > 0 && earliest_ < after_update_.size()) {
    earliest = {.worker = static_cast<int>(earliest_), .date_s = date_s(earliest_)};
  }
  if (home && star.free(Direction::to_master)) {
    const bool tie = nearly_equal(home->date_s, earliest.date_s);
    if (tie ? home->worker < earliest.worker : home->date_s < earliest.date_s) return home;
  }
  return earliest;
}

void Requests::follow(const MasterView& star) {
  if (changes_seen_ && star.remembers_changes_since(*changes_seen_)) {
    for (std::int64_t n = *changes_seen_; n < star.changes(); ++n) {
      update_date(star, star.changed_worker(n));
    }
  } else {
    for (std::size_t i = 0; i < after_update_.size(); ++i) {
      if (after_update_[i] != kNone)
        set_date(i, star.request_date_s(static_cast<int>(i), after_update_[i]));
    }
    earliest_ = first_of_least();
  }
  changes_seen_ = star.changes();
}

void Requests::update_date(const MasterView& star, int worker) {
  const auto i = static_cast<std::size_t>(worker);
  if (after_update_[i] == kNone) return;
  const double new_s = star.request_date_s(worker, after_update_[i]);
  set_date(i, new_s);
  // One date more, far from the least of the others, decides at once.
  const double least_s = earliest_ < after_update_.size() ? date_s(earliest_) : kUnknown;
  const bool first = worker == std::exchange(served_, -1);
  if (first && new_s < least_s * (1 - 4 * kRelativeTolerance)) {
    earliest_ = i;
  } else if (!first || new_s <= least_s * (1 + 4 * kRelativeTolerance)) {
    earliest_ = first_of_least();
  }
}

}  // namespace starport
