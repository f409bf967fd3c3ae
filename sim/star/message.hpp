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
  /// Index of the worker on the platform, from 0.
  std::int32_t worker = 0;
  /// Whether the blocks go to the worker or to the master.
  Direction direction = Direction::to_worker;
  /// True if the worker may do an update once the transfer has arrived.
  bool allows_update = false;
  /// Number, counted from 1 on this worker, of the update of the worker that must be complete
  /// before the transfer starts; 0: none.
  std::int64_t after_update = 0;
  /// Number of blocks carried.
  std::int64_t blocks = 0;
  /// Number of block updates C_ij += A_ik B_kj in the update that the transfer allows; 0 if it
  /// allows none.
  std::int64_t block_updates = 0;
  /// Number of distinct blocks of C that this update changes by products; 0 if it allows none.
  std::int64_t updated_blocks = 0;
  /// Number of blocks of C in the transfer that this update adds to those accumulated on the
  /// worker; usually 0.
  std::int64_t additions = 0;

  bool operator==(const Message&) const = default;
};

/// Returns the message of a transfer, which counts its blocks and those of its update.
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

/// Outcome of a transfer and of the update it allows. Anything but complete occurs only when a
/// worker stops (noise).
enum class Fate : std::uint8_t {
  complete,     ///< both completed
  update_lost,  ///< the transfer completed, its update did not
  lost          ///< neither completed
};

/// Dates of one transfer and of the update it allows, in simulated seconds from the start of the
/// run. If the worker stops, an activity under way ends at the date of the stop, and a later one
/// starts and ends at that date.
struct Dates {
  /// Date in simulated seconds at which the transfer starts to use the link.
  double start_s = 0;
  /// Date in simulated seconds at which the transfer ends.
  double end_s = 0;
  /// Date in simulated seconds at which the update starts; equal to end_s if there is none.
  double update_start_s = 0;
  /// Date in simulated seconds at which the update ends; equal to end_s if there is none.
  double update_end_s = 0;
  /// Whether the transfer and its update completed.
  Fate fate = Fate::complete;
};

/// Returns the dates, in simulated seconds, of a completed transfer from `start_s` to `end_s` that
/// allows no update.
inline Dates make_transfer_dates(double start_s, double end_s) {
  return {.start_s = start_s,
          .end_s = end_s,
          .update_start_s = end_s,
          .update_end_s = end_s,
          .fate = Fate::complete};
}

/// Returns the nominal duration of the update that `message` allows on `worker`, as a multiple of
/// w_i (the seconds of one block update): the number of block updates, corrected by the speed
/// function of the worker if it has one, plus 1/q per added block of C for blocks of q x q
/// elements. Returns 0 if the message allows no update.
inline double update_cost(const Message& message, const Problem& problem, const Worker& worker) {
  auto cost = static_cast<double>(message.block_updates);
  if (worker.speeds) cost *= worker.block_update_s(message.updated_blocks) / worker.w_s;
  if (message.additions == 0) return cost;
  return cost + static_cast<double>(message.additions) / static_cast<double>(problem.block_size);
}

}  // namespace starport
