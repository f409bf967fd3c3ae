#include "heuristics/star/polaris/worker_execution.hpp"

#include "sim/files/numbers.hpp"
#include "sim/platform/ties.hpp"

namespace starport::polaris {

WorkerExecution::WorkerExecution(int worker, const Platform& platform, const Problem& problem,
                                 const ServingOptions& options)
    : worker_(worker),
      figures_(&platform.workers[worker]),
      problem_(&problem),
      options_(&options),
      update_s_(figures_->w_s) {
  // An idle worker's share, to estimate what its updates cost the port.
  const std::int64_t columns = ceil_div(problem.s, std::ssize(platform.workers));
  const Mode mode = find_mode(problem.r, columns);
  is_usable_ = mode.kind != Mode::Kind::none;
  port_s_ = port_time_s(mode) / static_cast<double>(problem.r * columns * problem.t);
}

Mode WorkerExecution::find_mode(std::int64_t rows, std::int64_t columns) const {
  ModeOptions modes = options_->modes;
  const Mode mode = find_cheapest_mode(*figures_, *problem_, rows, columns, modes);
  if (mode.kind != Mode::Kind::none) return mode;
  modes.prefetch = Prefetch::none;
  return find_cheapest_mode(*figures_, *problem_, rows, columns, modes);
}

void WorkerExecution::start(const RectangleTask& task) {
  sequence_.emplace(worker_, *figures_, *problem_, task.c, task.mode, options_->message_options);
  const auto updates = static_cast<double>(task.c.size() * problem_->t);
  update_s_ = typical_update_s(*figures_, task.mode);
  port_s_ = port_time_s(task.mode) / updates;
  if (task.mode.kind == Mode::Kind::a_resident) {  // what one column more costs
    const auto h = static_cast<double>(task.mode.height);
    port_s_ = figures_->c_s * (1 / h + 2 / static_cast<double>(problem_->t));
  }
  port_left_s_ += port_time_s(task.mode);
  unsent_s_ = updates * update_s_;
  prepare();
}

std::vector<Rectangle> WorkerExecution::stop() {
  std::vector<Rectangle> left;
  for (const Finished& finished : finished_) left.push_back(finished.c);
  if (sequence_) {
    for (const Rectangle& c : sequence_->unfinished()) left.push_back(c);
  }
  *this = WorkerExecution(*this, Stopped{});
  return left;
}

double WorkerExecution::transfer_s(bool returns) const {
  const std::int64_t blocks = returns ? return_transfer().c.size() : next_->blocks();
  return transfer_slowdown_.value() * figures_->transfer_time_s(blocks);
}

Transfer WorkerExecution::message_transfer() const {
  Transfer transfer = sequence_->to_transfer(*next_);
  transfer.after_update = awaited_update_;
  return transfer;
}

Transfer WorkerExecution::return_transfer() const {
  const Finished& oldest = finished_.front();
  Rectangle c = oldest.c;
  Range& columns = oldest.transposed ? c.rows : c.columns;
  columns.end = static_cast<std::int32_t>(
      std::min<std::int64_t>(columns.end, columns.begin + options_->return_columns));
  return {
      .worker = worker_, .direction = Direction::to_master, .c = c, .after_update = oldest.update};
}

void WorkerExecution::end_transfer(const Message& message, double start_s, double end_s) {
  const double nominal_s = figures_->transfer_time_s(message.blocks);
  transfer_slowdown_.add(end_s - start_s, nominal_s);
  port_left_s_ = std::max(0.0, port_left_s_ - nominal_s);
  if (message.direction == Direction::to_master) {
    end_return(message.blocks);
  } else {
    end_send(message, end_s);
  }
  prepare();
}

void WorkerExecution::observe(const MasterView& star) {
  while (!computing_.empty() && has_ended(star, computing_.front().number)) {
    const Computing update = computing_.front();
    computing_.pop_front();
    double end_s = star.ready_after_update_s(worker_, update.number);
    const bool forgotten = end_s <= 0;  // ended during the last transfer
    if (forgotten) end_s = std::min(update.end_s, star.now_s());
    const double start_s = std::max(update.arrived_s, update_end_s_);
    // The end of the update before may be an estimate that is too late.
    if (!forgotten && start_s < end_s) update_slowdown_.add(end_s - start_s, update.nominal_s);
    update_end_s_ = end_s;
    if (!nearly_equal(end_s, update.end_s)) forecast();
  }
}

double WorkerExecution::loading_s(const Rectangle& c) const {
  if (!extension_in(c).empty()) return 0;
  const auto blocks = static_cast<double>(std::min(c.rows.size(), c.columns.size()) * problem_->t);
  return blocks * figures_->c_s * transfer_slowdown_.value();
}

std::vector<Rectangle> WorkerExecution::cut(std::int64_t blocks) {
  std::vector<Rectangle> removed;
  if (sequence_) removed = sequence_->cut(blocks);
  for (const Rectangle& c : removed) add_unsent(-c.size());
  if (!removed.empty()) prepare();
  return removed;
}

Rectangle WorkerExecution::extension_in(Rectangle c) const {
  if (!next_ || !sequence_->can_extend()) return {};
  Range& rows = is_transposed() ? c.columns : c.rows;
  const Range& band = sequence_->band();
  if (rows.begin > band.begin || rows.end < band.end) return {};
  rows = band;
  return c;
}

void WorkerExecution::extend(const Rectangle& c) {
  sequence_->extend(is_transposed() ? c.rows : c.columns);
  add_unsent(c.size());
  prepare();
}

double WorkerExecution::update_end_s(std::int64_t update, double now_s) const {
  if (computing_.empty() || update < computing_.front().number) return now_s;
  const auto index = static_cast<std::size_t>(update - computing_.front().number);
  return computing_[index].end_s + late_s(now_s);
}

void WorkerExecution::forecast() {
  busy_until_s_ = update_end_s_;
  for (Computing& update : computing_) {
    busy_until_s_ =
        std::max(busy_until_s_, update.arrived_s) + update.nominal_s * update_slowdown_.value();
    update.end_s = busy_until_s_;
  }
}

void WorkerExecution::add_unsent(std::int64_t blocks) {
  const auto updates = static_cast<double>(blocks * problem_->t);
  unsent_s_ += updates * update_s_;
  port_left_s_ += updates * port_s_;
}

void WorkerExecution::end_send(const Message& message, double end_s) {
  const PlannedMessage sent = sequence_->next();
  const double nominal_s = update_cost(message, *problem_, *figures_) * figures_->w_s;
  busy_until_s_ = std::max(busy_until_s_, end_s) + nominal_s * update_slowdown_.value();
  computing_.push_back({++updates_, end_s, nominal_s, busy_until_s_});
  unsent_s_ -= static_cast<double>(sent.block_updates()) * update_s_;
  held_ += sent.occupied_blocks();
  awaited_update_ = 0;
  releases_.push_back({updates_, sent.released_blocks()});
  if (!sent.finished.empty()) {
    finished_.push_back(
        {updates_, sequence_->c_rectangle(sent.band, sent.finished), is_transposed()});
  }
}

void WorkerExecution::end_return(std::int64_t blocks) {
  Finished& oldest = finished_.front();
  const Rectangle returned = return_transfer().c;
  (oldest.transposed ? oldest.c.rows.begin : oldest.c.columns.begin) =
      oldest.transposed ? returned.rows.end : returned.columns.end;
  if (oldest.c.empty()) finished_.pop_front();
  held_ -= blocks;
}

void WorkerExecution::prepare() {
  next_.reset();
  if (!sequence_ || sequence_->is_finished()) return;
  next_ = MessageSequence(*sequence_).next();
  fits_ = true;
  while (held_ + next_->occupied_blocks() > figures_->m_blocks) {
    if (releases_.empty()) {
      fits_ = false;
      return;
    }
    held_ -= releases_.front().blocks;
    awaited_update_ = releases_.front().update;
    releases_.pop_front();
  }
}

}  // namespace starport::polaris
