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

/// Binds values to the question marks of a statement. Texts are not copied: `values` must outlive
/// the execution of the statement.
void bind(SQLite::Statement& statement, const Row& values);
/// Steps through a statement and returns its next rows, at most `limit`.
std::vector<Row> fetch_rows(SQLite::Statement& statement, std::size_t limit = SIZE_MAX);

/// Runs one SELECT written by a user in a child process and returns its first `limit` rows. It may
/// only read, within `time_limit_s` seconds and 256 MiB. On failure throws the error that
/// `make_error` returns for a description of what was found, such as "more than one statement".
std::vector<Row> query_restricted(const SQLite::Database& database, const std::string& sql,
                                  std::size_t limit, double time_limit_s,
                                  const std::function<InputError(const std::string&)>& make_error);

}  // namespace starport
