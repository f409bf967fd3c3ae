// Messages of a schedule without their block indices, and the dates of transfers and updates.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/schedule.hpp"

#include <cstdint>

namespace starport {

/// A transfer reduced to what its dates depend on: block counts instead of block indices. Engines
/// that need only dates and metrics work on messages; Transfer (schedule.hpp) has the blocks.
struct Message {
  std::int32_t worker = 0;  ///< index, from 0
  Direction direction = Direction::to_worker;
  bool allows_update = false;
  /// Number, from 1, of the worker's own update that must be complete before the transfer starts;
  /// 0: none.
  std::int64_t after_update = 0;
  std::int64_t blocks = 0;          ///< blocks carried
  std::int64_t block_updates = 0;   ///< block updates in the update that it allows
  std::int64_t updated_blocks = 0;  ///< distinct blocks of C in that update
  std::int64_t additions = 0;       ///< blocks of C added to their accumulators in that update

  bool operator==(const Message&) const = default;
};

/// Returns the message of a transfer.
inline Message to_message(const Transfer& transfer) {
  return {.worker = transfer.worker,
          .direction = transfer.direction,
          .allows_update = !transfer.update.empty(),
          .after_update = transfer.after_update,
          .blocks = transfer.blocks(),
          .block_updates = transfer.update.block_updates(),
          .updated_blocks = transfer.update.rows.size() * transfer.update.columns.size(),
          .additions = transfer.update.add_c ? transfer.c.size() : 0};
}

/// Outcome of a transfer and of the update it allows. Only workers that stop (noise) lose any.
enum class Fate : std::uint8_t {
  complete,     ///< both completed
  update_lost,  ///< the transfer completed, its update did not
  lost          ///< neither completed
};

/// Dates of one transfer and of the update it allows, in seconds from the start of the run. A
/// transfer that allows no update has update_start_s = update_end_s = end_s. If the worker stops,
/// an activity under way ends at the date of the stop, and a later one starts and ends at that
/// date.
struct Dates {
  double start_s = 0;
  double end_s = 0;
  double update_start_s = 0;
  double update_end_s = 0;
  Fate fate = Fate::complete;
};

/// Returns the dates of a completed transfer that allows no update.
inline Dates make_transfer_dates(double start_s, double end_s) {
  return {.start_s = start_s,
          .end_s = end_s,
          .update_start_s = end_s,
          .update_end_s = end_s,
          .fate = Fate::complete};
}

/// Returns the nominal duration of the update that `message` allows on `worker`, as a multiple of
/// w_i: the number of block updates, corrected by the worker's speed function at the number of
/// updated blocks of C, plus 1/q per added block of C for blocks of q x q elements.
inline double update_cost(const Message& message, const Problem& problem, const Worker& worker) {
  auto cost = static_cast<double>(message.block_updates);
  if (worker.speeds) cost *= worker.block_update_s(message.updated_blocks) / worker.w_s;
  if (message.additions == 0) return cost;
  return cost + static_cast<double>(message.additions) / static_cast<double>(problem.block_size);
}

}  // namespace starport
