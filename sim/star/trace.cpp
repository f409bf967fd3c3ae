#include "sim/star/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace starport {

std::string find_difference(const Trace& ours, const Trace& reference) {
  constexpr double tolerance = 1e-9;
  double makespan_s = 0;
  for (const TracedTransfer& event : reference) {
    if (std::isfinite(event.dates.end_s)) makespan_s = std::max(makespan_s, event.dates.end_s);
  }
  const std::size_t common = std::min(ours.size(), reference.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (!(ours[i].transfer == reference[i].transfer)) {
      return fmt::format("transfer {} is another one", i + 1);
    }
    const Dates& x = ours[i].dates;
    const Dates& y = reference[i].dates;
    if (x.fate != y.fate) return fmt::format("transfer {} is lost in one of the two", i + 1);
    for (const auto& [date, other, name] :
         {std::tuple(x.start_s, y.start_s, "starts"), std::tuple(x.end_s, y.end_s, "ends"),
          std::tuple(x.update_start_s, y.update_start_s, "has its update start"),
          std::tuple(x.update_end_s, y.update_end_s, "has its update end")}) {
      if (date != other && !(std::abs(date - other) <= tolerance * makespan_s)) {
        return fmt::format("transfer {} {} at {} s instead of {} s", i + 1, name, date, other);
      }
    }
  }
  if (ours.size() == reference.size()) return "";
  return fmt::format("{} transfers instead of {}", ours.size(), reference.size());
}

namespace {

bool contains(const Range& outer, const Range& inner) {
  return inner.empty() || (outer.begin <= inner.begin && inner.end <= outer.end);
}

}  // namespace

void CStationaryCheck::add(const Transfer& transfer) {
  if (!valid_so_far_) return;
  WorkerRectangle& rectangle = rectangles_[transfer.worker];
  valid_so_far_ = transfer.direction == Direction::to_master ? send_back(transfer, rectangle)
                                                             : receive(transfer, rectangle);
}

bool CStationaryCheck::receive(const Transfer& transfer, WorkerRectangle& rectangle) const {
  if (!transfer.c.empty()) {
    if (rectangle.returned_blocks < rectangle.blocks.size()) return false;
    rectangle = {.blocks = transfer.c};
  }
  rectangle.a_blocks += transfer.a.size();
  rectangle.b_blocks += transfer.b.size();
  rectangle.block_updates += transfer.update.block_updates();
  return contains(rectangle.blocks.rows, transfer.update.rows) &&
         contains(rectangle.blocks.columns, transfer.update.columns);
}

bool CStationaryCheck::send_back(const Transfer& transfer, WorkerRectangle& rectangle) const {
  const Rectangle& blocks = rectangle.blocks;
  rectangle.returned_blocks += transfer.c.size();
  return rectangle.block_updates == blocks.size() * problem_.t &&
         rectangle.a_blocks >= blocks.rows.size() * problem_.t &&
         rectangle.b_blocks >= blocks.columns.size() * problem_.t &&
         rectangle.returned_blocks <= blocks.size();
}

bool CStationaryCheck::holds() const {
  return valid_so_far_ && std::ranges::all_of(rectangles_, [](const WorkerRectangle& rectangle) {
           return rectangle.returned_blocks == rectangle.blocks.size();
         });
}

}  // namespace starport
