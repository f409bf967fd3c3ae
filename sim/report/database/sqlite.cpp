#include "sim/report/database/sqlite.hpp"

#include <sqlite3.h>

#include <chrono>
#include <memory>
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

/// What a user's SQL may not exceed: it reads, for some tens of seconds at most, and takes no more
/// than 256 MiB for that.
class Restriction {
 public:
  explicit Restriction(sqlite3* database)
      : database_(database),
        longest_(sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 1 << 24)),
        most_memory_(sqlite3_hard_heap_limit64(sqlite3_memory_used() + (1 << 28))) {
    constexpr int steps_between_checks = 1'000;  // a step may be a function of a long text
    sqlite3_set_authorizer(database, may_only_read, nullptr);
    sqlite3_progress_handler(database, steps_between_checks, too_long, this);
  }
  Restriction(const Restriction&) = delete;
  Restriction& operator=(const Restriction&) = delete;
  ~Restriction() {
    sqlite3_hard_heap_limit64(most_memory_);
    sqlite3_limit(database_, SQLITE_LIMIT_LENGTH, longest_);
    sqlite3_set_authorizer(database_, nullptr, nullptr);
    sqlite3_progress_handler(database_, 0, nullptr, nullptr);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static int too_long(void* self) {
    constexpr int most_checks = 2'000'000;
    auto& restriction = *static_cast<Restriction*>(self);
    return ++restriction.checks_ > most_checks || Clock::now() > restriction.deadline_ ? 1 : 0;
  }

  sqlite3* database_;
  int longest_;
  sqlite3_int64 most_memory_;
  int checks_ = 0;
  Clock::time_point deadline_ = Clock::now() + std::chrono::seconds(30);
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
                                std::size_t most,
                                const std::function<InputError(const std::string&)>& wrong) {
  const Restriction restriction(database.getHandle());
  check_question(database.getHandle(), sql, wrong);
  try {
    SQLite::Statement statement(database, sql);
    return rows_of(statement, most);
  } catch (const SQLite::Exception& error) {
    throw wrong(error.getErrorCode() == SQLITE_INTERRUPT ? "one that takes too long"
                                                         : error.what());
  }
}

}  // namespace starport
