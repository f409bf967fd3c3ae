// SQLite: rows in and out, and questions of a user's, which may only read.
#pragma once

#include "sim/files/error.hpp"
#include "sim/report/database/result_table.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace starport {

/// Gives a statement's question marks their values, which must outlive its steps.
void bind(SQLite::Statement& statement, const Row& values);
/// The rows that remain of a statement's answer, `most` of them.
std::vector<Row> rows_of(SQLite::Statement& statement, std::size_t most = SIZE_MAX);

/// The first `most` rows that answer a user's question, which only reads, within a time and 256
/// MiB. It is asked in a process of its own. `wrong` makes the error to throw from what was found
/// instead of a question.
std::vector<Row> ask_restricted(const SQLite::Database& database, const std::string& sql,
                                std::size_t most, double time_limit_s,
                                const std::function<InputError(const std::string&)>& wrong);

}  // namespace starport
