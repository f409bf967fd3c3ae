// What goes through the master's port when one does not look at which blocks they are, and when.
#pragma once

#include "sim/platform/platform.hpp"
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
  std::int64_t after_update = 0;    ///< as in Transfer
  std::int64_t blocks = 0;          ///< that it carries
  std::int64_t block_updates = 0;   ///< in the update that it allows
  std::int64_t updated_blocks = 0;  ///< of C, in that update
  std::int64_t additions = 0;       ///< of blocks of C, in that update

  bool operator==(const Message&) const = default;
};

inline Message message_of(const Transfer& transfer) {
  return {.worker = transfer.worker,
          .direction = transfer.direction,
          .allows_update = !transfer.update.empty(),
          .after_update = transfer.after_update,
          .blocks = transfer.blocks(),
          .block_updates = transfer.update.block_updates(),
          .updated_blocks = transfer.update.rows.size() * transfer.update.columns.size(),
          .additions = transfer.update.add_c ? transfer.c.size() : 0};
}

/// What became of a transfer and of the update it allows, when its worker stops.
enum class Fate : std::uint8_t {
  complete,
  update_lost,  ///< the transfer ended before, its update did not
  lost          ///< neither did
};

/// The dates of one transfer and of the update it allows, in seconds. A transfer that allows no
/// update has update_start_s = update_end_s = end_s. What a stop of the worker cuts off ends there;
/// what it prevents starts and ends there.
struct Dates {
  double start_s = 0;
  double end_s = 0;
  double update_start_s = 0;
  double update_end_s = 0;
  Fate fate = Fate::complete;
};

/// Those of a transfer that allows no update.
inline Dates dates_of_transfer(double start_s, double end_s) {
  return {.start_s = start_s,
          .end_s = end_s,
          .update_start_s = end_s,
          .update_end_s = end_s,
          .fate = Fate::complete};
}

/// How long the update that a message allows lasts on its worker, in times of w_i. One that is k
/// blocks deep takes k times as long as one of the same blocks of C that is one block deep.
inline double update_cost(const Message& message, const Problem& problem, const Worker& worker) {
  auto cost = static_cast<double>(message.block_updates);
  if (worker.speeds) cost *= worker.block_update_s(message.updated_blocks) / worker.w_s;
  if (message.additions == 0) return cost;
  return cost + static_cast<double>(message.additions) / static_cast<double>(problem.block_size);
}

}  // namespace starport
