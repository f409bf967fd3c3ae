// A schedule: the ordered list of transfers through the master's port, and its messages without
// block indices. A transfer has all that an engine needs (it starts at max(port free, end of the
// update it waits for) and lasts latency + blocks * c_i) and all that the validator checks (the
// blocks it carries, the update it allows, the blocks that this update releases). Chunks, panels
// and buffers exist in heuristics only.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// Half-open range of block indices begin <= x < end, counted from 0. A range with end <= begin is
/// empty.
struct Range {
  /// First block index in the range, from 0.
  std::int32_t begin = 0;
  /// Block index after the last one in the range.
  std::int32_t end = 0;

  /// Returns the number of block indices in the range; 0 if it is empty.
  std::int64_t size() const { return empty() ? 0 : std::int64_t{end} - begin; }
  /// Returns whether the range contains no index.
  bool empty() const { return end <= begin; }
  bool operator==(const Range&) const = default;
};

/// A rectangle of blocks of one matrix, as half-open ranges of block indices from 0. In the product
/// C_ij += A_ik B_kj, the columns of A and the rows of B are values of k.
struct Rectangle {
  /// Block rows: values of i for A and C, of k for B.
  Range rows;
  /// Block columns: values of k for A, of j for B and C.
  Range columns;

  /// Returns the number of blocks in the rectangle; 0 if it is empty.
  std::int64_t size() const { return rows.size() * columns.size(); }
  /// Returns whether the rectangle contains no block.
  bool empty() const { return rows.empty() || columns.empty(); }
  bool operator==(const Rectangle&) const = default;
};

/// An update: the computation C_ij += A_ik B_kj for all (i, j, k) in rows x columns x inner, which
/// a worker does once the transfer that allows it (Transfer::update) has arrived and its earlier
/// updates have ended. A worker's updates are numbered from 1 in the order of their transfers.
/// Blocks of C that are not on the worker are accumulated there from zero. Ranges are half-open;
/// either all three are non-empty or none is.
struct Update {
  /// Values of i: block rows of A and C.
  Range rows;
  /// Values of j: block columns of B and C.
  Range columns;
  /// Values of k: block columns of A and block rows of B.
  Range inner;
  /// True if the blocks of C in the same transfer are added to those accumulated on the worker.
  /// Adding a block takes 1/q of the time of a block update, for blocks of q x q elements.
  bool add_c = false;
  /// Blocks of A that leave the memory of the worker when the update ends; may be empty.
  Rectangle release_a;
  /// Blocks of B that leave the memory of the worker when the update ends; may be empty.
  Rectangle release_b;

  /// Returns the number of block updates, the triples (i, j, k), in this update.
  std::int64_t block_updates() const { return rows.size() * columns.size() * inner.size(); }
  /// Returns whether there is nothing to compute: no block update and no block of C to add. A
  /// transfer with an empty update allows none.
  bool empty() const { return block_updates() == 0 && !add_c; }
  bool operator==(const Update&) const = default;
};

/// Direction of a transfer between the master and a worker. The values 0 (to_worker) and 1
/// (to_master) also index arrays of the two ports of a two-port master.
enum class Direction : std::uint8_t { to_worker, to_master };

/// One transfer between the master and a worker in a schedule: the blocks it carries and the update
/// that the worker may do once they have arrived. It starts when port and worker are free and the
/// update that it waits for has ended. A transfer to the master carries only blocks of C and allows
/// no update. Refers to no other object.
struct Transfer {
  /// Index of the worker on the platform, from 0.
  std::int32_t worker = 0;
  /// Whether the blocks go to the worker or to the master.
  Direction direction = Direction::to_worker;
  /// Blocks of A that are carried; may be empty.
  Rectangle a = {};
  /// Blocks of B that are carried; may be empty.
  Rectangle b = {};
  /// Blocks of C that are carried; may be empty.
  Rectangle c = {};
  /// Number, counted from 1 on this worker, of the update of the worker that must be complete
  /// before the transfer starts, one that an earlier transfer allows; 0: none.
  std::int64_t after_update = 0;
  /// The update that the worker may do once the transfer has arrived; Update::empty() if there is
  /// none.
  Update update = {};

  /// Returns the number of blocks of A, B and C that are carried.
  std::int64_t blocks() const { return a.size() + b.size() + c.size(); }
  bool operator==(const Transfer&) const = default;
};

/// Contents of a schedule file, as written by `starport plan` and read by `starport replay`:
/// transfers with the problem they solve and the platform they were planned for.
struct Schedule {
  /// Name of the heuristic that planned the schedule; may be empty.
  std::string heuristic;
  /// The matrix product, in blocks.
  Problem problem;
  /// The platform the schedule was planned for, with c_i, w_i (seconds) and m_i (blocks) for the
  /// block size of `problem`.
  Platform platform;
  /// Makespan of the schedule on that platform in simulated seconds, as its author states it;
  /// nullopt if the file does not state it.
  std::optional<double> makespan_s;
  /// The transfers in the order in which the master decides them.
  std::vector<Transfer> transfers;
};

/// Passes the JSON text of `schedule` to `sink` in pieces, about one call per transfer; a piece is
/// valid during the call. The pieces together are the file, with one transfer per line and a
/// newline at the end (format: sim/star/schedules.md). `sink` must not be null. Its exceptions pass
/// to the caller; the text is then incomplete. Does not check the schedule.
void write_json(const Schedule& schedule, const std::function<void(std::string_view)>& sink);

/// Reads a schedule file of any valid JSON layout, `path` relative to the working directory. Throws
/// InputError, naming the file, if it cannot be read, is malformed, has an unknown or a missing key
/// or a value of a wrong type or out of range, or names a worker that does not exist or a range
/// that is empty or outside the matrices. Does not check that the schedule obeys the model:
/// find_violation() in validator/validator.hpp does.
Schedule load_schedule(const std::string& path);
/// Reads a schedule file in one pass, about ten times as fast as through a JSON document. Supports
/// only regular files of at most 1 GiB in which the list of transfers comes last, integers have no
/// fraction, and keys have no escapes. Returns nullopt, and does not throw, for any other file and
/// on any error, also if memory runs out; load_schedule(), which tries this function first, then
/// reads the file or reports the error.
std::optional<Schedule> load_schedule_stream(const std::string& path);
/// Reads a schedule from a parsed JSON document. Throws InputError, with `path` as the name of the
/// file (which is not read), if a key is unknown or missing, a value has a wrong type or is out of
/// range, a worker does not exist, or a range is empty or outside the matrices. Does not check that
/// the schedule obeys the model.
Schedule parse_schedule(const nlohmann::json& document, const std::string& path);

/// A transfer reduced to what its dates depend on: block counts instead of block indices. Returned
/// by dispatchers and made from a Transfer by to_message(). Engines that need only dates and
/// metrics work on messages; Transfer has the blocks. Refers to no other object.
struct Message {
  /// Index of the worker on the platform, from 0.
  std::int32_t worker = 0;
  /// Whether the blocks go to the worker or to the master.
  Direction direction = Direction::to_worker;
  /// True if the worker may do an update once the transfer has arrived.
  bool allows_update = false;
  /// Number, counted from 1 on this worker, of the update of the worker that must be complete
  /// before the transfer starts, one that an earlier message allows; 0: none.
  std::int64_t after_update = 0;
  /// Number of blocks of A, B and C carried; at least 1 in a valid schedule.
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

/// Returns the message of a transfer, which counts its blocks and those of its update. Does not
/// check the transfer.
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
/// run: the result of an engine or of a clock for one message. If the worker stops (noise), an
/// activity under way ends at the date of the stop, and a later one starts and ends at that date.
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

/// Returns the nominal duration (without noise) of the update that `message` allows on `worker`,
/// the worker of the message, as a multiple of w_i (the seconds of one block update): the number of
/// block updates, corrected by the speed function of the worker if it has one, plus 1/q per added
/// block of C for blocks of q x q elements. Returns 0 if the message allows no update.
inline double update_cost(const Message& message, const Problem& problem, const Worker& worker) {
  auto cost = static_cast<double>(message.block_updates);
  if (worker.speeds) cost *= worker.block_update_s(message.updated_blocks) / worker.w_s;
  if (message.additions == 0) return cost;
  return cost + static_cast<double>(message.additions) / static_cast<double>(problem.block_size);
}

}  // namespace starport
