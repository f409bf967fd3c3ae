// A schedule: the transfers through the master's port, in order.
//
// A transfer says all that an engine needs (it starts at max(port free, end of the update it
// names) and lasts blocks * c_i) and all that the validator checks (which blocks it carries, which
// computation it allows, which blocks that computation lets go of). Chunks, panels and buffer sets
// belong to the heuristics that think in them.
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

/// Block indices begin <= x < end, from 0.
struct Range {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  std::int64_t size() const { return empty() ? 0 : std::int64_t{end} - begin; }
  bool empty() const { return end <= begin; }
  bool operator==(const Range&) const = default;
};

/// A rectangle of blocks of one matrix. For A the rows are those of C and the columns are values
/// of k; for B the rows are values of k and the columns those of C.
struct Rectangle {
  Range rows;
  Range columns;

  std::int64_t size() const { return rows.size() * columns.size(); }
  bool empty() const { return rows.empty() || columns.empty(); }
  bool operator==(const Rectangle&) const = default;
};

/// What a worker computes once a transfer has arrived: C_ij += A_ik B_kj for (i, j, k) in
/// rows x columns x inner. A C block that is not on the worker is accumulated from zero.
/// With add_c, the C blocks that the same transfer carries are added to their accumulators: one
/// addition of a block costs 1/q of a block update.
struct Update {
  Range rows;
  Range columns;
  Range inner;
  bool add_c = false;
  Rectangle release_a;  ///< blocks of A let go of when the update ends
  Rectangle release_b;  ///< blocks of B let go of when the update ends

  std::int64_t block_updates() const { return rows.size() * columns.size() * inner.size(); }
  bool empty() const { return block_updates() == 0 && !add_c; }
  bool operator==(const Update&) const = default;
};

enum class Direction : std::uint8_t { to_worker, to_master };

/// One message between the master and a worker: which blocks it carries, and what for.
struct Transfer {
  std::int32_t worker = 0;  ///< from 0
  Direction direction = Direction::to_worker;
  Rectangle a = {};
  Rectangle b = {};
  Rectangle c = {};
  /// The number, from 1, of the worker's own update that must be complete before this transfer
  /// starts; 0 when there is none.
  std::int64_t after_update = 0;
  Update update = {};  ///< empty when the transfer allows none

  std::int64_t blocks() const { return a.size() + b.size() + c.size(); }
  bool operator==(const Transfer&) const = default;
};

/// Transfers with the problem they solve and the platform they were planned for: what
/// `starport plan` saves and `starport replay` reads.
struct Schedule {
  std::string heuristic;  ///< who planned it; may be empty
  Problem problem;
  Platform platform;                 ///< the effective figures it was planned for
  std::optional<double> makespan_s;  ///< on that platform
  std::vector<Transfer> transfers;
};

/// The schedule as JSON text, piece by piece (format: README, "Schedule files").
void write_json(const Schedule& schedule, const std::function<void(std::string_view)>& sink);

/// Reads a schedule file. Its form is checked (ranges inside the matrices, known workers, keys),
/// not yet whether it obeys the model: see validator/validator.hpp. Throws InputError.
Schedule load_schedule(const std::string& path);
/// The same in a tenth of the time, of a file that is read from its beginning to its end: the key
/// of the transfers comes last, integers are written as such, and keys without escapes. nullopt for
/// any other one, whatever it is, and where something is wrong.
std::optional<Schedule> load_schedule_stream(const std::string& path);
Schedule parse_schedule(const nlohmann::json& document, const std::string& path);

}  // namespace starport
