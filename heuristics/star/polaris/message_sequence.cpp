#include "heuristics/star/polaris/message_sequence.hpp"

#include <algorithm>

namespace starport::polaris {

std::vector<Rectangle> MessageSequence::unfinished() const {
  std::vector<Rectangle> rest;
  if (is_finished()) return rest;
  const std::int32_t first = active_.empty() ? column_ : active_.front().columns.begin;
  rest.push_back(c_rectangle(band_, {first, columns_.end}));
  for (const Range& columns : more_) rest.push_back(c_rectangle(band_, columns));
  if (band_.end < rows_.end) rest.push_back(c_rectangle({band_.end, rows_.end}, columns_));
  return rest;
}

std::vector<Range> MessageSequence::removable_columns() const {
  if (is_finished()) return {};
  const bool resident = mode_.kind == Mode::Kind::a_resident;
  std::int64_t begun = column_;
  if (resident && step_ > 0 && step_ < t_) begun += resident_.loading;
  if (resident && piece_ > 0) begun += resident_.group;
  std::vector<Range> removable{columns_};
  removable.front().begin = static_cast<std::int32_t>(std::min<std::int64_t>(columns_.end, begun));
  removable.insert(removable.end(), more_.begin(), more_.end());
  // One column is kept.
  const auto first =
      std::ranges::find_if(removable, [](const Range& columns) { return !columns.empty(); });
  if (first != removable.end()) ++first->begin;
  return removable;
}

std::int64_t MessageSequence::removable_blocks() const {
  std::int64_t blocks = std::int64_t{rows_.end - band_.end} * columns_.size();
  for (const Range& columns : removable_columns()) blocks += columns.size() * band_.size();
  return blocks;
}

Rectangle MessageSequence::removable() const {
  if (is_finished()) return {};
  if (band_.end < rows_.end) return c_rectangle({band_.end, rows_.end}, columns_);
  return c_rectangle(band_, removable_columns().back());
}

std::vector<Rectangle> MessageSequence::cut(std::int64_t blocks) {
  std::vector<Rectangle> removed;
  // Removes from the end of `range` as much of `removable` as `blocks` allow, lines of `size`
  // blocks.
  const auto shorten = [&](Range& range, const Range& removable, std::int64_t size) {
    const auto count = std::clamp<std::int64_t>(blocks / size, 0, removable.size());
    blocks -= count * size;
    range.end -= static_cast<std::int32_t>(count);
    return Range{range.end, static_cast<std::int32_t>(range.end + count)};
  };
  const auto add = [&](const Rectangle& rectangle) {
    if (!rectangle.empty()) removed.push_back(rectangle);
  };
  if (is_finished()) return removed;
  add(c_rectangle(shorten(rows_, {band_.end, rows_.end}, columns_.size()), columns_));
  if (rows_.end > band_.end) return removed;
  const std::vector<Range> removable = removable_columns();
  for (std::size_t i = more_.size(); i > 0; --i) {
    add(c_rectangle(band_, shorten(more_[i - 1], removable[i], band_.size())));
    if (!more_[i - 1].empty()) return removed;
    more_.pop_back();
  }
  add(c_rectangle(band_, shorten(columns_, removable.front(), band_.size())));
  if (step_ == 0) choose_sizes();
  return removed;
}

}  // namespace starport::polaris
