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

/// Half-open range begin <= x < end of indices from 0 of block rows or block columns of a matrix. A
/// range with end <= begin is empty.
struct Range {
  /// First index of a block row or column in the range, from 0.
  std::int32_t begin = 0;
  /// Index of the block row or column after the last one in the range.
  std::int32_t end = 0;

  /// Returns the number of block rows or columns in the range; 0 if it is empty.
  std::int64_t size() const { return empty() ? 0 : std::int64_t{end} - begin; }
  /// Returns whether the range contains no block row or column: end <= begin.
  bool empty() const { return end <= begin; }
  bool operator==(const Range&) const = default;
};

/// A rectangle of blocks of one of the matrices A, B and C, as half-open ranges of block rows and
/// columns from 0. In the product C_ij += A_ik B_kj, the columns of A and the rows of B are values
/// of k.
struct Rectangle {
  /// Block rows of the matrix: values of i for A and C, of k for B, in C_ij += A_ik B_kj.
  Range rows;
  /// Block columns of the matrix: values of k for A, of j for B and C, in C_ij += A_ik B_kj.
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
/// Blocks of C that are not in the worker's memory are accumulated there from zero. Ranges are
/// half-open; either all three are non-empty or none is: then the update only adds blocks of C that
/// the transfer carries (`add_c`) or, if `add_c` is false, stands for no update.
struct Update {
  /// Block rows of A and C, from 0, that the update covers: the values of i in C_ij += A_ik B_kj.
  /// Range{} if it computes no products A_ik B_kj.
  Range rows;
  /// Block columns of B and C, from 0, that the update covers: the values of j in C_ij += A_ik
  /// B_kj. Range{} if it computes no products A_ik B_kj.
  Range columns;
  /// Block columns of A and block rows of B, from 0, that the update covers: the values of k in
  /// C_ij += A_ik B_kj. Range{} if it computes no products A_ik B_kj.
  Range inner;
  /// True if the update also adds the blocks of C in the same transfer to those accumulated on the
  /// worker. The transfer must then carry blocks of C, all of which earlier updates have
  /// accumulated there, each added only once (the validator checks it). Without noise, adding a
  /// block of q x q elements takes w_s / q seconds (Worker::w_s, seconds per block update).
  bool add_c = false;
  /// Blocks of A that leave the memory of the worker when the update ends; Rectangle{} if none.
  Rectangle release_a;
  /// Blocks of B that leave the memory of the worker when the update ends; Rectangle{} if none.
  Rectangle release_b;

  /// Returns the number of block updates C_ij += A_ik B_kj in this update, i.e. of triples (i, j,
  /// k); blocks of C that are only added do not count.
  std::int64_t block_updates() const { return rows.size() * columns.size() * inner.size(); }
  /// Returns whether the update has nothing to compute: block_updates() is 0 and `add_c` is false.
  /// A transfer with an empty update allows none.
  bool empty() const { return block_updates() == 0 && !add_c; }
  bool operator==(const Update&) const = default;
};

/// Direction of a transfer between the master and a worker. The values 0 (to_worker) and 1
/// (to_master) also index arrays of the two ports of a two-port master.
enum class Direction : std::uint8_t { to_worker, to_master };

/// One transfer between the master and a worker in a schedule: the blocks it carries and the update
/// that the worker may do once they have arrived. It starts when the master's port and the worker
/// are free and the update that it waits for has ended, or later if the master waits first. A
/// transfer to the master carries only blocks of C and allows no update. Refers to no other object.
///
/// If the updates C_ij += A_ik B_kj of a block of C are split by k between workers, each of these
/// accumulates a partial sum of the block, and the master adds up the partial sums that it receives
/// (sim/star/split_k.md).
struct Transfer {
  /// Index on the platform, from 0, of the worker that sends or receives the blocks.
  std::int32_t worker = 0;
  /// Direction of the transfer: the blocks go from the master to the worker or from the worker to
  /// the master.
  Direction direction = Direction::to_worker;
  /// True if the transfer returns partial sums of blocks of C, whose other updates other workers
  /// do, and which the master adds up. False if it returns blocks with all their updates, or goes
  /// to the worker.
  bool partial_sums = false;
  /// Blocks of A that the transfer carries; Rectangle{} if none, as in a transfer to the master.
  Rectangle a = {};
  /// Blocks of B that the transfer carries; Rectangle{} if none, as in a transfer to the master.
  Rectangle b = {};
  /// Blocks of C that the transfer carries; Rectangle{} if none. In a transfer to the master, which
  /// carries nothing else, there must be some.
  Rectangle c = {};
  /// Number, from 1, of the update that the worker must have completed before the transfer starts,
  /// counted over the updates that transfers to this worker allow, in order; 0: none.
  std::int64_t after_update = 0;
  /// The update of blocks of C that the worker may do once the transfer has arrived;
  /// Update::empty() if there is none.
  Update update = {};

  /// Returns the number of blocks of A, B and C that the transfer carries, all three together.
  std::int64_t blocks() const { return a.size() + b.size() + c.size(); }
  bool operator==(const Transfer&) const = default;
};

/// Contents of a schedule file, as written by `starport plan` and read by `starport replay`:
/// transfers with the matrix product that they compute and the platform they were planned for. Owns
/// all its data.
struct Schedule {
  /// Name of the heuristic that planned the schedule, such as "Het"; may be empty.
  std::string heuristic;
  /// Sizes of the matrix product that the schedule computes, in blocks, and of the blocks, in
  /// elements.
  Problem problem;
  /// Type of the matrix elements that the schedule was planned for; nullopt: that of the platform
  /// file it runs on.
  std::optional<ElementType> element_type{};
  /// The platform the schedule was planned for, with the seconds per block sent and per block
  /// update and the memory in blocks of each worker for the block size of `problem`.
  Platform platform;
  /// Makespan (end of the last return of C) in simulated seconds of the schedule on `platform`, as
  /// the file states it; nullopt if it does not. load_schedule() checks only that it is not
  /// negative.
  std::optional<double> makespan_s;
  /// The transfers between master and workers, in the order in which the master decides them. They
  /// have no dates, which follow from this order and the platform.
  std::vector<Transfer> transfers;
};

/// Writes a schedule file: passes the JSON text of `schedule` to `sink` in pieces, about one call
/// per transfer; a piece is valid during the call. The pieces together are the file, with one
/// transfer per line and a newline at the end (format: sim/star/schedules.md). `sink` must not be
/// null. Its exceptions pass to the caller; the text is then incomplete. Does not check the
/// schedule: numbers that are not finite are written as null, bytes that are not UTF-8 as U+FFFD.
void write_json(const Schedule& schedule, const std::function<void(std::string_view)>& sink);

/// Reads a schedule file (format: sim/star/schedules.md) of any valid JSON layout, `path` relative
/// to the working directory or, if there is no such file, to the installed files, and registers it
/// as an input, which OutputFile refuses to overwrite. Throws InputError, naming the file, if it
/// cannot be read, has more than 1 GiB, is malformed, has an unknown or a missing key, a wrong
/// type, a value out of range, a worker that does not exist, a range that is empty or outside the
/// matrices, or an update with nothing to compute. Does not check the rules of the model (memory,
/// ports, order): find_violation() in validator/validator.hpp does.
Schedule load_schedule(const std::string& path);
/// Reads a schedule file in one pass, about ten times as fast as through a JSON document, and on
/// success registers it as an input, which OutputFile refuses to overwrite. A relative `path` is
/// not looked up among the installed files. Supports only regular files of at most 1 GiB in which
/// the list of transfers comes last, integers have no fraction, and keys have no escapes. Returns
/// nullopt, and does not throw, for any other file and on any error, also if the file does not
/// exist or memory runs out; load_schedule(), which tries this function first, then reads the file
/// or reports the error.
std::optional<Schedule> load_schedule_stream(const std::string& path);
/// Reads a schedule from the JSON object of a schedule file (format: sim/star/schedules.md), parsed
/// before. Throws InputError, with `path` as the name of the file (which is not read), for an
/// unknown or a missing key, a wrong type, a value out of range, a worker that does not exist, a
/// range that is empty or outside the matrices, or an update with nothing to compute. Does not
/// check that the transfers obey the rules of the model (memory, ports, order).
Schedule parse_schedule(const nlohmann::json& document, const std::string& path);

/// A transfer between master and worker reduced to what its dates and the metrics of a run depend
/// on: numbers of blocks instead of their indices, which a Transfer has. Returned by a Dispatcher,
/// which decides the transfers of a run, and made from a Transfer by to_message(). Refers to no
/// other object.
struct Message {
  /// Index on the platform, from 0, of the worker that sends or receives the blocks.
  std::int32_t worker = 0;
  /// Direction of the transfer: the blocks go from the master to the worker or from the worker to
  /// the master.
  Direction direction = Direction::to_worker;
  /// True if the transfer allows an update, which the worker may do once the blocks have arrived;
  /// also if that only adds blocks of C (`additions`).
  bool allows_update = false;
  /// True if the transfer returns partial sums of blocks of C, which the master adds up.
  bool partial_sums = false;
  /// Number, from 1, of the update that the worker must have completed before the transfer starts,
  /// counted over the updates that messages to this worker allow, in order; 0: none.
  std::int64_t after_update = 0;
  /// Number of blocks of A, B and C, all together, that the transfer carries; at least 1 in a valid
  /// schedule.
  std::int64_t blocks = 0;
  /// Number of block updates C_ij += A_ik B_kj in the update that the transfer allows; 0 if it
  /// allows none, or one that only adds blocks of C (`additions`).
  std::int64_t block_updates = 0;
  /// Number of different blocks C_ij to which the update that the transfer allows adds products
  /// A_ik B_kj; 0 if it allows none, or one that only adds blocks of C (`additions`).
  std::int64_t updated_blocks = 0;
  /// Number of blocks of C carried by the transfer that the update it allows adds to those
  /// accumulated on the worker; usually 0.
  std::int64_t additions = 0;

  bool operator==(const Message&) const = default;
};

/// Returns the message of a transfer, which has the numbers of its blocks and of the block updates
/// that it allows instead of their indices. Does not check the transfer.
inline Message to_message(const Transfer& transfer) {
  return {.worker = transfer.worker,
          .direction = transfer.direction,
          .allows_update = !transfer.update.empty(),
          .partial_sums = transfer.partial_sums,
          .after_update = transfer.after_update,
          .blocks = transfer.blocks(),
          .block_updates = transfer.update.block_updates(),
          .updated_blocks = transfer.update.rows.size() * transfer.update.columns.size(),
          .additions = transfer.update.add_c ? transfer.c.size() : 0};
}

/// Outcome of a transfer between master and worker and of the update it allows: both completed
/// (`complete`), only the transfer did (`update_lost`), or neither (`lost`). The last two occur
/// only if a worker stops for good (noise).
enum class Fate : std::uint8_t {
  complete,     ///< the transfer and its update, if any, completed
  update_lost,  ///< the transfer completed, its update did not
  lost          ///< neither the transfer nor its update completed
};

/// Dates of one transfer between master and worker and of the update it allows, in simulated
/// seconds (real ones for a run under MPI) from the start of the run: the result of an engine, a
/// clock or a real run for one message. If the worker stops (noise), an activity under way ends at
/// the date of the stop, and a later one starts and ends at that date.
struct Dates {
  /// Date in simulated seconds since the start of the run at which the transfer, its latency
  /// included, starts; if it was lost before it started, the date at which the worker stopped.
  double start_s = 0;
  /// Date in simulated seconds since the start of the run at which the transfer ends or is lost
  /// because its worker stops.
  double end_s = 0;
  /// Date in simulated seconds since the start of the run at which the update that the transfer
  /// allows starts, or is lost before it starts because the worker stops; equal to end_s if there
  /// is none.
  double update_start_s = 0;
  /// Date in simulated seconds since the start of the run at which the update that the transfer
  /// allows ends or is lost because the worker stops; equal to end_s if there is none.
  double update_end_s = 0;
  /// Whether the transfer and its update completed (`complete`), only the transfer did
  /// (`update_lost`) or neither (`lost`); the last two only if the worker stops (noise): what was
  /// under way then ends, and what was to follow starts and ends, at the date of the stop.
  Fate fate = Fate::complete;
};

/// Returns the dates, in simulated seconds, of a completed transfer from `start_s` to `end_s` that
/// allows no update: both dates of the update are `end_s`.
inline Dates make_transfer_dates(double start_s, double end_s) {
  return {.start_s = start_s,
          .end_s = end_s,
          .update_start_s = end_s,
          .update_end_s = end_s,
          .fate = Fate::complete};
}

/// Returns the nominal duration (without noise) of the update that `message` allows on `worker`,
/// the worker of the message, in units of worker.w_s seconds: the number of block updates, times
/// worker.block_update_s(message.updated_blocks) / worker.w_s if the worker has a speed function,
/// plus 1/q per added block of C for blocks of q x q elements. Returns 0 if the message allows no
/// update.
inline double update_cost(const Message& message, const Problem& problem, const Worker& worker) {
  auto cost = static_cast<double>(message.block_updates);
  if (worker.speeds) cost *= worker.block_update_s(message.updated_blocks) / worker.w_s;
  if (message.additions == 0) return cost;
  return cost + static_cast<double>(message.additions) / static_cast<double>(problem.block_size);
}

}  // namespace starport
