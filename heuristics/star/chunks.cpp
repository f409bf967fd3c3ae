#include "heuristics/star/chunks.hpp"

#include "sim/files/numbers.hpp"

namespace starport {

Panel ColumnCounter::extract_returned_panel(std::int64_t side) {
  Panel& first = returned_.front();
  Panel taken = first;
  taken.columns.end = static_cast<std::int32_t>(
      std::min<std::int64_t>(first.columns.end, first.columns.begin + side));
  first.columns.begin = taken.columns.end;
  if (first.columns.empty()) returned_.erase(returned_.begin());
  return taken;
}

std::optional<Panel> ChunkWorker::stop(bool is_last_transfer_lost) {
  const bool chunk_lost = has_chunk() || is_last_transfer_lost;
  const Panel panel{.columns = panel_, .first_row = chunk_lost ? chunk_.rows.begin : next_row_};
  const bool is_nothing_left = is_panel_finished() && !chunk_lost;
  updates_ = updates();
  full_steps_left_ = 0;
  side_ = 0;
  panel_ = {};
  stage_ = Stage::none;
  return is_nothing_left ? std::nullopt : std::optional(panel);
}

bool ChunkWorker::start_chunk(ColumnCounter& columns) {
  if (is_finished(columns)) return false;
  if (is_panel_finished()) {
    const Panel panel = columns.extract_panel(side_);
    panel_ = panel.columns;
    next_row_ = panel.first_row;
    last_row_ = static_cast<std::int32_t>(problem_->r);
  }
  const auto end = static_cast<std::int32_t>(std::min<std::int64_t>(last_row_, next_row_ + side_));
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
    transfer.after_update = updates();
  } else if (k() == 0) {  // SendC
    transfer.c = chunk_;
  } else {  // SendAB
    const Range inner{static_cast<std::int32_t>((k() - 1) / step_depth_ * step_depth_),
                      static_cast<std::int32_t>(k())};
    transfer.a = {.rows = chunk_.rows, .columns = inner};
    transfer.b = {.rows = inner, .columns = chunk_.columns};
    transfer.after_update = std::max<std::int64_t>(0, updates() - buffer_sets_);
    transfer.update = {.rows = chunk_.rows,
                       .columns = chunk_.columns,
                       .inner = inner,
                       .release_a = transfer.a,
                       .release_b = transfer.b};
  }
  return transfer;
}

PerWorker<ChunkWorker> make_chunk_workers(const Platform& platform, const Problem& problem,
                                          const MemoryLayout& layout) {
  PerWorker<ChunkWorker> workers;
  workers.reserve(platform.workers.size());
  for (const Worker& worker : platform.workers) {
    workers.emplace_back(static_cast<int>(workers.size()), chunk_side(worker, layout), layout,
                         problem);
  }
  return workers;
}

Platform with_even_panels(const Platform& platform, const Problem& problem,
                          const MemoryLayout& layout) {
  Platform even = platform;
  for (Worker& worker : even.workers) {
    const std::int64_t side = chunk_side(worker, layout);
    if (side == 0) continue;
    const std::int64_t even_side = ceil_div(problem.s, ceil_div(problem.s, side));
    worker.m_blocks = layout.blocks(even_side);
    if (!worker.speeds) continue;
    // The speed of that side, since a smaller side may be faster.
    worker.w_s = worker.block_update_s(even_side * even_side);
    worker.speeds.reset();
  }
  return even;
}

}  // namespace starport
