#include "sim/report/database/sqlite.hpp"

#include "sim/process/isolation.hpp"

#include <sqlite3.h>

#include <cstring>
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

constexpr char kRow = 'r';
constexpr char kFault = 'f';

template <class Number>
void append(std::string& frame, Number value) {
  frame.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A letter, then of each cell what it is and its bytes; those of a text after their number.
void send(const Row& row, FrameWriter& out, char what = kRow) {
  std::string frame(1, what);
  for (const Cell& cell : row) {
    frame += static_cast<char>(cell.index());
    struct {
      std::string& frame;
      void operator()(std::monostate) const {}
      void operator()(std::int64_t value) const { append(frame, value); }
      void operator()(double value) const { append(frame, value); }
      void operator()(const std::string& text) const {
        append(frame, text.size());
        frame += text;
      }
    } const to_frame{frame};
    std::visit(to_frame, cell);
  }
  out.write(std::as_bytes(std::span(frame)));
}

template <class Number>
Number take(std::span<const std::byte>& frame) {
  Number value{};
  std::memcpy(&value, frame.data(), sizeof value);
  frame = frame.subspan(sizeof value);
  return value;
}

Row received(std::span<const std::byte> frame) {
  Row row;
  while (!frame.empty()) {
    switch (static_cast<std::size_t>(take<char>(frame))) {
      case 0:
        row.emplace_back();
        break;
      case 1:
        row.emplace_back(take<std::int64_t>(frame));
        break;
      case 2:
        row.emplace_back(take<double>(frame));
        break;
      default: {
        const auto size = take<std::size_t>(frame);
        row.emplace_back(std::string(reinterpret_cast<const char*>(frame.data()), size));
        frame = frame.subspan(size);
      }
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
      for (const Row& row : rows_of(statement, most)) send(row, out);
    } catch (const InputError& error) {
      send({error.found}, out, kFault);
    } catch (const SQLite::Exception& error) {
      send({error.what()}, out, kFault);
    }
  };
  try {
    run_in_child(
        ask,
        [&](std::span<const std::byte> frame) {
          Row row = received(frame.subspan(1));
          if (static_cast<char>(frame.front()) == kFault) {
            fault = std::get<std::string>(row.at(0));
          } else {
            rows.push_back(std::move(row));
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
