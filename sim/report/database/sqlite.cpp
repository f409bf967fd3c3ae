#include "sim/report/database/sqlite.hpp"

#include "sim/process/isolation.hpp"

#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>

namespace starport {
namespace {

Cell cell_of(const SQLite::Column& column) {
  if (column.isNull()) return std::monostate{};
  if (column.isInteger()) return std::int64_t{column.getInt64()};
  if (column.isFloat()) return column.getDouble();
  return column.getString();
}

/// A condition may read the table and call functions. Recursion is how SQL loops without end.
int may_only_read(void*, int action, const char*, const char*, const char*, const char*) {
  return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION
             ? SQLITE_OK
             : SQLITE_DENY;
}

/// What a user's SQL may not exceed: it reads, and takes no more than 256 MiB for that.
class Restriction {
 public:
  explicit Restriction(sqlite3* database)
      : database_(database),
        longest_(sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 1 << 24)),
        most_memory_(sqlite3_hard_heap_limit64(sqlite3_memory_used() + (1 << 28))) {
    sqlite3_set_authorizer(database, may_only_read, nullptr);
  }
  Restriction(const Restriction&) = delete;
  Restriction& operator=(const Restriction&) = delete;
  ~Restriction() {
    sqlite3_hard_heap_limit64(most_memory_);
    sqlite3_limit(database_, SQLITE_LIMIT_LENGTH, longest_);
    sqlite3_set_authorizer(database_, nullptr, nullptr);
  }

 private:
  sqlite3* database_;
  int longest_;
  sqlite3_int64 most_memory_;
};

/// What the library would not tell of: an end before the text's, or none at all.
void check_question(sqlite3* database, const std::string& sql,
                    const std::function<InputError(const std::string&)>& wrong) {
  const char* rest = nullptr;
  sqlite3_stmt* prepared = nullptr;
  const int status = sqlite3_prepare_v2(database, sql.c_str(), -1, &prepared, &rest);
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared, sqlite3_finalize);
  if (status == SQLITE_AUTH) throw wrong("one that does more than read them");
  if (status != SQLITE_OK) throw wrong(sqlite3_errmsg(database));
  if (prepared == nullptr) throw wrong("nothing");
  if (std::string_view(rest).find_first_not_of(" \t\r\n") != std::string_view::npos) {
    throw wrong("more than one statement");
  }
  if (sqlite3_bind_parameter_count(prepared) > 0) throw wrong("a parameter");
}

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

std::vector<Row> rows_of(SQLite::Statement& statement, std::size_t most) {
  std::vector<Row> rows;
  while (rows.size() < most && statement.executeStep()) {
    Row& row = rows.emplace_back();
    for (int i = 0; i < statement.getColumnCount(); ++i) {
      row.push_back(cell_of(statement.getColumn(i)));
    }
  }
  return rows;
}

std::vector<Row> ask_restricted(const SQLite::Database& database, const std::string& sql,
                                std::size_t most, double time_limit_s,
                                const std::function<InputError(const std::string&)>& wrong) {
  std::vector<Row> rows;
  std::string fault;
  // SQLite looks at a clock between its steps alone, and one call of a function may last for hours.
  const auto ask = [&](FrameWriter& out) {
    const Restriction restriction(database.getHandle());
    try {
      check_question(database.getHandle(), sql, wrong);
      SQLite::Statement statement(database, sql);
      // Many rows at a time: what takes long is the number of messages.
      constexpr std::size_t together = 4096;
      auto rows = nlohmann::json::array();
      for (const Row& row : rows_of(statement, most)) {
        rows.push_back(to_json(row));
        if (rows.size() < together) continue;
        send(rows, out);
        rows.clear();
      }
      send(rows, out);
    } catch (const InputError& error) {
      send(error.found, out);
    } catch (const SQLite::Exception& error) {
      send(error.what(), out);
    }
  };
  try {
    run_in_child(
        ask,
        [&](std::span<const std::byte> frame) {
          const auto told = nlohmann::json::from_cbor(frame);
          if (told.is_string()) {
            fault = told;
          } else {
            std::ranges::transform(told, std::back_inserter(rows), row_of);
          }
        },
        time_limit_s);
  } catch (const MachineError& error) {
    throw wrong(error.cause() == Cause::time ? "one that takes too long" : error.what());
  }
  if (!fault.empty()) throw wrong(fault);
  return rows;
}

}  // namespace starport
