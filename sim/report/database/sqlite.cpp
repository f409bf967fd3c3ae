#include "sim/report/database/sqlite.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>

namespace starport {
namespace {

/// A fault that no input of the user's can bring about.
[[noreturn]] void fail(sqlite3* database, const std::string& sql) {
  if (sqlite3_errcode(database) == SQLITE_NOMEM) throw std::bad_alloc();
  throw std::logic_error(fmt::format("SQLite: {} in {}", sqlite3_errmsg(database), sql));
}

Cell cell_of(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_NULL:
      return std::monostate{};
    default: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
    }
  }
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

}  // namespace

Statement::Statement(sqlite3* database, const std::string& sql) : database_(database), sql_(sql) {
  if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) {
    fail(database, sql);
  }
}

bool Statement::step() {
  const int status = sqlite3_step(statement_);
  if (status != SQLITE_ROW && status != SQLITE_DONE) fail(database_, sql_);
  return status == SQLITE_ROW;
}

Cell Statement::cell(int column) const { return cell_of(statement_, column); }

void execute(sqlite3* database, const std::string& sql) { Statement(database, sql).step(); }

std::vector<Row> ask_restricted(sqlite3* database, const std::string& sql, std::size_t most,
                                const std::function<InputError(const std::string&)>& wrong) {
  const Restriction restriction(database);
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
  std::vector<Row> rows;
  for (;;) {
    if (rows.size() == most) return rows;
    const int stepped = sqlite3_step(prepared);
    if (stepped == SQLITE_DONE) return rows;
    if (stepped == SQLITE_INTERRUPT) throw wrong("one that takes too long");
    if (stepped != SQLITE_ROW) throw wrong(sqlite3_errmsg(database));
    Row& row = rows.emplace_back();
    for (int i = 0; i < sqlite3_column_count(prepared); ++i) row.push_back(cell_of(prepared, i));
  }
}

}  // namespace starport
