// A schedule: the ordered list of transfers through the master's port.
//
// A transfer has all that an engine needs (it starts at max(port free, end of the update it waits
// for) and lasts latency + blocks * c_i) and all that the validator checks (the blocks it carries,
// the update it allows, the blocks that this update releases). Chunks, panels and buffers exist in
// heuristics only.
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

/// Range of block indices begin <= x < end, from 0.
struct Range {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  std::int64_t size() const { return empty() ? 0 : std::int64_t{end} - begin; }
  bool empty() const { return end <= begin; }
  bool operator==(const Range&) const = default;
};

/// A rectangle of blocks of one matrix. For A, columns are values of k; for B, rows are values of
/// k.
struct Rectangle {
  Range rows;
  Range columns;

  std::int64_t size() const { return rows.size() * columns.size(); }
  bool empty() const { return rows.empty() || columns.empty(); }
  bool operator==(const Rectangle&) const = default;
};

/// An update: the computation C_ij += A_ik B_kj for (i, j, k) in rows x columns x inner that a
/// worker does once a transfer has arrived. Blocks of C that are not on the worker are accumulated
/// from zero. With add_c, the blocks of C in the same transfer are added to their accumulators;
/// adding a block costs 1/q of a block update.
struct Update {
  Range rows;
  Range columns;
  Range inner;
  bool add_c = false;
  Rectangle release_a;  ///< blocks of A that leave memory when the update ends
  Rectangle release_b;  ///< blocks of B that leave memory when the update ends

  std::int64_t block_updates() const { return rows.size() * columns.size() * inner.size(); }
  bool empty() const { return block_updates() == 0 && !add_c; }
  bool operator==(const Update&) const = default;
};

/// Direction of a transfer. Its values also index arrays of two ports.
enum class Direction : std::uint8_t { to_worker, to_master };

/// One transfer between the master and a worker: the blocks it carries and the update it allows.
struct Transfer {
  std::int32_t worker = 0;  ///< index, from 0
  Direction direction = Direction::to_worker;
  Rectangle a = {};
  Rectangle b = {};
  Rectangle c = {};
  /// Number, from 1, of the worker's own update that must be complete before the transfer starts;
  /// 0: none.
  std::int64_t after_update = 0;
  Update update = {};  ///< empty if the transfer allows none

  std::int64_t blocks() const { return a.size() + b.size() + c.size(); }
  bool operator==(const Transfer&) const = default;
};

/// Contents of a schedule file, as written by `starport plan` and read by `starport replay`:
/// transfers with the problem they solve and the platform they were planned for.
struct Schedule {
  std::string heuristic;  ///< name of the heuristic that planned it; may be empty
  Problem problem;
  Platform platform;                 ///< with c_i, w_i and m_i for the block size of `problem`
  std::optional<double> makespan_s;  ///< on that platform
  std::vector<Transfer> transfers;
};

/// Passes the JSON text of `schedule` to `sink` piece by piece, one transfer per line (format:
/// sim/star/schedules.md).
void write_json(const Schedule& schedule, const std::function<void(std::string_view)>& sink);

/// Reads a schedule file. Throws InputError if it is malformed, has an unknown key, names a worker
/// that does not exist or a range outside the matrices. Whether the schedule obeys the model is
/// checked by validator/validator.hpp.
Schedule load_schedule(const std::string& path);
/// Reads a schedule file in one pass, ten times as fast as load_schedule() without it. Requires
/// that the list of transfers comes last, that integers are written without a fraction, and that
/// keys have no escapes. Returns nullopt for any other file and on any error.
std::optional<Schedule> load_schedule_stream(const std::string& path);
/// Reads a schedule from a parsed document; `path` is the file named in errors. Throws InputError.
Schedule parse_schedule(const nlohmann::json& document, const std::string& path);

}  // namespace starport
