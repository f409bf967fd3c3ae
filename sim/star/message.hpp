// What goes through the master's port when one does not look at which blocks they are.
#pragma once

#include "sim/platform/problem.hpp"
#include "sim/star/schedule.hpp"

#include <cstdint>

namespace starport {

/// All that the dates of a transfer depend on. Schedules are dated message by message; their
/// transfers are made for those who look at the blocks.
struct Message {
  std::int32_t worker = 0;  ///< from 0
  Direction direction = Direction::to_worker;
  bool allows_update = false;
  std::int64_t after_update = 0;   ///< as in Transfer
  std::int64_t blocks = 0;         ///< that it carries
  std::int64_t block_updates = 0;  ///< in the update that it allows
  std::int64_t additions = 0;      ///< of blocks of C, in that update

  bool operator==(const Message&) const = default;
};

inline Message message_of(const Transfer& transfer) {
  return {.worker = transfer.worker,
          .direction = transfer.direction,
          .allows_update = !transfer.update.empty(),
          .after_update = transfer.after_update,
          .blocks = transfer.blocks(),
          .block_updates = transfer.update.block_updates(),
          .additions = transfer.update.add_c ? transfer.c.size() : 0};
}

/// How long the update that a message allows lasts, in block updates.
inline double update_cost(const Message& message, const Problem& problem) {
  const auto cost = static_cast<double>(message.block_updates);
  if (message.additions == 0) return cost;
  return cost + static_cast<double>(message.additions) / static_cast<double>(problem.block_size);
}

}  // namespace starport
