#include "sim/report/database/sqlite.hpp"

#include "sim/process/isolation.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <span>

namespace starport {
namespace {

Cell cell_of(const SQLite::Column& column) {
  if (column.isNull()) return std::monostate{};
  if (column.isInteger()) return std::int64_t{column.getInt64()};
  if (column.isFloat()) return column.getDouble();
  return column.getString();
}

/// Allows reading tables and calling functions, for sqlite3_set_authorizer(). Recursive queries are
/// denied, since they can loop without end.
int may_only_read(void*, int action, const char*, const char*, const char*, const char*) {
  return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION
             ? SQLITE_OK
             : SQLITE_DENY;
}

/// Restricts a database connection to reading with at most 256 MiB, for the rest of this process.
void restrict(sqlite3* database) {
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 1 << 24);
  sqlite3_hard_heap_limit64(sqlite3_memory_used() + (1 << 28));
  sqlite3_set_authorizer(database, may_only_read, nullptr);
}

/// Throws the error of `make_error` unless `sql` is one complete statement that only reads and has
/// no parameters; empty ones may follow. SQLite itself ignores text after the first statement.
void check_query(sqlite3* database, const std::string& sql,
                 const std::function<InputError(const std::string&)>& make_error) {
  const char* rest = nullptr;
  sqlite3_stmt* prepared = nullptr;
  const int status = sqlite3_prepare_v2(database, sql.c_str(), -1, &prepared, &rest);
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared, sqlite3_finalize);
  if (status == SQLITE_AUTH) throw make_error("a statement that does more than read");
  if (status != SQLITE_OK) throw make_error(sqlite3_errmsg(database));
  if (prepared == nullptr) throw make_error("no statement");
  // Empty statements and comments may follow.
  sqlite3_stmt* second = nullptr;
  const int status_of_rest = sqlite3_prepare_v2(database, rest, -1, &second, nullptr);
  sqlite3_finalize(second);
  if (status_of_rest != SQLITE_OK || second != nullptr) {
    throw make_error("more than one statement");
  }
  if (sqlite3_bind_parameter_count(prepared) > 0) throw make_error("a parameter");
}

/// Sends a message to the parent process.
void send(const nlohmann::json& message, FrameWriter& out) {
  const auto bytes = nlohmann::json::to_cbor(message);
  out.write(std::as_bytes(std::span(bytes)));
}

nlohmann::json to_json(const Row& row) {
  auto cells = nlohmann::json::array();
  const auto add = [&](const auto& value) {
    if constexpr (std::is_same_v<decltype(value), const std::monostate&>) {
      cells.push_back(nullptr);
    } else {
      cells.push_back(value);
    }
  };
  for (const Cell& cell : row) std::visit(add, cell);
  return cells;
}

Row row_of(const nlohmann::json& cells) {
  Row row;
  for (const nlohmann::json& cell : cells) {
    if (cell.is_null()) {
      row.emplace_back();
    } else if (cell.is_number_integer()) {
      row.emplace_back(cell.get<std::int64_t>());
    } else if (cell.is_number()) {
      row.emplace_back(cell.get<double>());
    } else {
      row.emplace_back(cell.get<std::string>());
    }
  }
  return row;
}

}  // namespace

bool lacks_room(const SQLite::Exception& error) {
  const int code = error.getErrorCode() & 0xff;  // some functions give extended codes
  return code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_CANTOPEN;
}

NoRoomError no_room(const std::string& found) {
  return {"", "room for rows in the folder of temporary files", found,
          "set SQLITE_TMPDIR to a folder on another disk"};
}

void bind(SQLite::Statement& statement, const Row& values) {
  for (int i = 0; i < std::ssize(values); ++i) {
    struct {
      SQLite::Statement& statement;
      int index;
      void operator()(std::monostate) const { statement.bind(index); }
      void operator()(std::int64_t value) const { statement.bind(index, value); }
      void operator()(double value) const { statement.bind(index, value); }
      void operator()(const std::string& text) const { statement.bindNoCopy(index, text); }
    } const to_statement{statement, i + 1};
    std::visit(to_statement, values[i]);
  }
}

std::vector<Row> fetch_rows(SQLite::Statement& statement, std::size_t limit) {
  std::vector<Row> rows;
  while (rows.size() < limit && statement.executeStep()) {
    Row& row = rows.emplace_back();
    for (int i = 0; i < statement.getColumnCount(); ++i) {
      row.push_back(cell_of(statement.getColumn(i)));
    }
  }
  return rows;
}

void query_restricted(const SQLite::Database& database, const std::string& sql, std::size_t limit,
                      double time_limit_s,
                      const std::function<InputError(const std::string&)>& make_error,
                      const std::function<void(Row)>& consume) {
  std::string fault;
  // A process of its own can be killed: SQLite could only be interrupted between its steps, and one
  // call of a function may last for hours.
  const auto run_query = [&](FrameWriter& out) {
    restrict(database.getHandle());
    try {
      check_query(database.getHandle(), sql, make_error);
      SQLite::Statement statement(database, sql);
      // The time depends on the number of messages: each holds many rows.
      constexpr std::size_t rows_per_message = 4096;
      for (std::size_t sent = 0; sent < limit;) {
        const auto rows = fetch_rows(statement, std::min(rows_per_message, limit - sent));
        if (rows.empty()) break;
        auto batch = nlohmann::json::array();
        for (const Row& row : rows) batch.push_back(to_json(row));
        send(batch, out);
        sent += rows.size();
        if (rows.size() < rows_per_message) break;
      }
    } catch (const InputError& error) {
      send(error.found, out);
    } catch (const SQLite::Exception& error) {
      const nlohmann::json what = error.what();
      send(lacks_room(error) ? nlohmann::json::object({{"no_room", what}}) : what, out);
    }
  };
  try {
    run_in_single_child(
        run_query,
        [&](std::span<const std::byte> frame) {
          const auto message = nlohmann::json::from_cbor(frame);
          if (message.is_object()) throw no_room(message.at("no_room"));
          if (message.is_string()) {
            fault = message;
          } else {
            for (const nlohmann::json& cells : message) consume(row_of(cells));
          }
        },
        time_limit_s);
  } catch (const MachineError& error) {
    if (error.cause() != FailureCause::time || time_limit_s == 0) throw;
    throw make_error(fmt::format("a query that takes longer than {:g} s", time_limit_s));
  }
  if (!fault.empty()) throw make_error(fault);
}

}  // namespace starport
