// Helpers around SQLiteCpp: rows in and out, and queries written by users, restricted to reading.
#pragma once

#include "sim/files/error.hpp"
#include "sim/report/database/result_table.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace starport {

/// Binds values to the question marks of an SQL statement, the first value to the first one. Texts
/// are not copied: `values` must outlive the execution of the statement. Question marks without a
/// value keep their last one, at first NULL. Throws SQLite::Exception if there are more values than
/// question marks, or if the statement has been executed and not reset() since.
void bind(SQLite::Statement& statement, const Row& values);
/// Returns true if `error` says that SQLite could not create or write a file, as for lack of room
/// for a temporary one: its code is SQLITE_FULL, SQLITE_IOERR or SQLITE_CANTOPEN.
bool lacks_room(const SQLite::Exception& error);
/// Returns the error for a folder in which SQLite cannot create or write temporary files, without a
/// file name; `found` is SQLite's message.
NoRoomError no_room(const std::string& found);
/// Calls `action`, which uses a database, and returns its result. Throws NoRoomError if SQLite
/// cannot create or write a temporary file; other exceptions pass through.
template <class Action>
auto with_room(const Action& action) {
  try {
    return action();
  } catch (const SQLite::Exception& error) {
    if (!lacks_room(error)) throw;
    throw no_room(error.what());
  }
}

/// Executes an SQL statement from where it stands and returns the next rows of its answer, at most
/// `limit`; fewer if it ends, none for a limit of 0. Afterwards the statement stands behind the
/// last row returned. Throws SQLite::Exception if the statement fails, or if an earlier call
/// reached its end and it has not been reset() since.
std::vector<Row> fetch_rows(SQLite::Statement& statement, std::size_t limit = SIZE_MAX);

/// Runs one SELECT statement written by a user in a forked child process and passes at most its
/// first `limit` rows to `consume` in this process; blocks until the child has ended. Exceptions of
/// `consume` pass through. The statement may only read, without recursion and parameters, within
/// `time_limit_s` wall-clock seconds (0: no limit) and 256 MiB.
///
/// If it breaks these rules or is wrong, throws the error that `make_error` returns for a
/// description of what was found, such as "more than one statement". `make_error` must put this
/// description into InputError::found, and is called in the child too. Throws NoRoomError
/// without room for temporary files, MachineError if the child is killed or cannot be created,
/// SimulationError if it crashes. Rows may have been passed to `consume` before an exception. Call
/// it from a process with one thread.
void query_restricted(const SQLite::Database& database, const std::string& sql, std::size_t limit,
                      double time_limit_s,
                      const std::function<InputError(const std::string&)>& make_error,
                      const std::function<void(Row)>& consume);

}  // namespace starport
