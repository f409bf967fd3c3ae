#include "sim/report/result_table.hpp"

#include "sim/model/error.hpp"
#include "sim/model/json_node.hpp"
#include "sim/report/csv_reader.hpp"
#include "sim/report/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string_view>

namespace starport {
namespace {

using Fields = std::vector<std::string>;

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

/// A prepared statement of ours.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& sql) : database_(database), sql_(sql) {
    if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) {
      fail(database, sql);
    }
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  /// `index` counts from 1. The text must outlive the step.
  void bind(int index, std::int64_t value) { sqlite3_bind_int64(statement_, index, value); }
  void bind(int index, double value) { sqlite3_bind_double(statement_, index, value); }
  void bind(int index, std::string_view text) {
    sqlite3_bind_text64(statement_, index, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  void bind(int index, std::monostate) { sqlite3_bind_null(statement_, index); }

  /// True as long as there is a row.
  bool step() {
    const int status = sqlite3_step(statement_);
    if (status != SQLITE_ROW && status != SQLITE_DONE) fail(database_, sql_);
    return status == SQLITE_ROW;
  }
  void reset() { sqlite3_reset(statement_); }

  int size() const { return sqlite3_column_count(statement_); }
  std::string name(int column) const { return sqlite3_column_name(statement_, column); }
  Cell cell(int column) const { return cell_of(statement_, column); }

 private:
  sqlite3* database_;
  std::string sql_;
  sqlite3_stmt* statement_ = nullptr;
};

void execute(sqlite3* database, const std::string& sql) { Statement(database, sql).step(); }

/// Binds a field as what it is: empty, an integer, a finite number, or text.
void bind_field(Statement& statement, int index, std::string_view field) {
  const char* end = field.data() + field.size();
  const auto whole = [&](std::from_chars_result result) {
    return result.ec == std::errc{} && result.ptr == end;
  };
  std::int64_t integer = 0;
  double real = 0;
  if (field.empty()) {
    statement.bind(index, std::monostate{});
  } else if (whole(std::from_chars(field.data(), end, integer))) {
    statement.bind(index, integer);
  } else if (whole(std::from_chars(field.data(), end, real)) && std::isfinite(real)) {
    statement.bind(index, real);
  } else {
    statement.bind(index, field);
  }
}

/// SQL's names know no case.
std::string folded(std::string name) {
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return name;
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

/// The first `most` rows that answer a user's question; `wrong` makes the error from what was
/// found.
template <class Wrong>
std::vector<Row> ask_restricted(sqlite3* database, const std::string& sql, std::size_t most,
                                const Wrong& wrong) {
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

std::string csv_cell(const Cell& cell) {
  struct {
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& text) const { return csv_field(text); }
  } const as_text;
  return std::visit(as_text, cell);
}

}  // namespace

std::string sql_name(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

void ResultTable::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

ResultTable::ResultTable() {
  sqlite3* database = nullptr;
  const int status =
      sqlite3_open_v2(":memory:", &database,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY, nullptr);
  database_.reset(database);
  if (status != SQLITE_OK) throw std::bad_alloc();
  // Without this, a misspelt "column" in double quotes is a text.
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
}

ResultTable ResultTable::read_csv(const std::string& path) {
  return read_csv(std::vector<std::string>{path});
}

ResultTable ResultTable::read_csv(const std::vector<std::string>& paths) {
  ResultTable table;
  for (const std::string& path : paths) table.append_csv(path);
  return table;
}

void ResultTable::create(Fields columns) {
  std::set<std::string> seen{"_file", "_rowid_"};
  std::string sql = "CREATE TABLE results (_file";
  for (const std::string& column : columns) {
    if (column.empty()) throw InputError("line 1", "a name for each column", "an empty one");
    if (column == "_file" || column == "_rowid_") {
      throw InputError("line 1", "columns not called _file or _rowid_", "'" + column + "'");
    }
    if (!seen.insert(folded(column)).second) {
      throw InputError("line 1", "each column once", "'" + column + "' again");
    }
    sql += ", " + sql_name(column);
  }
  const auto most =
      static_cast<std::size_t>(sqlite3_limit(database_.get(), SQLITE_LIMIT_COLUMN, -1) - 1);
  if (columns.size() > most) {
    throw InputError("line 1", fmt::format("at most {} columns", most),
                     fmt::format("{}", columns.size()));
  }
  execute(database_.get(), sql + ")");
  columns_ = std::move(columns);
}

void ResultTable::append_csv(const std::string& path) {
  const std::string text = read_file(path, SIZE_MAX);
  paths_.push_back(path);
  std::unique_ptr<Statement> insert;
  const auto header = [&](Fields& fields) {
    if (columns_.empty()) {
      create(fields);
    } else if (fields != columns_) {
      throw InputError("line 1", "the columns of " + paths_.front(), "others");
    }
    std::string sql = "INSERT INTO results VALUES (?";
    for (std::size_t i = 0; i < columns_.size(); ++i) sql += ",?";
    insert = std::make_unique<Statement>(database_.get(), sql + ")");
    insert->bind(1, static_cast<std::int64_t>(paths_.size()));
  };
  CsvReader reader([&](Fields& fields, std::size_t line) {
    if (!insert) return header(fields);
    if (fields.size() != columns_.size()) {
      throw InputError(fmt::format("line {}", line),
                       fmt::format("{} fields, as in the header", columns_.size()),
                       fmt::format("{}", fields.size()));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      bind_field(*insert, static_cast<int>(i) + 2, fields[i]);
    }
    insert->step();
    insert->reset();
  });
  execute(database_.get(), "BEGIN");
  try {
    reader.read(text);
    if (!insert) throw InputError("", "a header", "an empty file");
  } catch (const InputError& error) {
    throw error.in_file(path);
  }
  insert.reset();
  execute(database_.get(), "COMMIT");
}

std::int64_t ResultTable::row_count() const {
  return std::get<std::int64_t>(query("SELECT count(*) FROM results").at(0).at(0));
}

bool ResultTable::has(const std::string& column) const {
  return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
}

void ResultTable::require(const std::vector<std::string>& columns) const {
  for (const std::string& column : columns) {
    if (has(column)) continue;
    const std::string near = did_you_mean(column, columns_);
    throw InputError("line 1", "a column '" + column + "'", "none",
                     near.empty() ? fmt::format("there are {}", fmt::join(columns_, ", ")) : near)
        .in_file(path());
  }
}

std::vector<Row> ResultTable::ask(const std::string& sql, std::size_t most,
                                  const std::string& place) const {
  return ask_restricted(database_.get(), sql, most, [&](const std::string& found) {
    return InputError(place, "a question in SQL on the table 'results'", found);
  });
}

void ResultTable::keep(const std::string& condition, const std::string& option) {
  sqlite3* database = database_.get();
  // The line break ends a comment in the condition before it swallows the parenthesis.
  const std::string sql = "SELECT _rowid_ FROM results WHERE (" + condition + "\n) ORDER BY 1";
  const std::vector<Row> kept =
      ask_restricted(database, sql, SIZE_MAX, [&](const std::string& found) {
        return InputError(option, "a condition in SQL on the columns of the results", found,
                          "such as \"heuristic <> 'BMM' AND block_size = 80\"");
      });
  execute(database, "BEGIN");
  Statement remove(database, "DELETE FROM results WHERE _rowid_ = ?");
  auto next = kept.begin();
  for (const Row& row : query("SELECT _rowid_ FROM results ORDER BY 1")) {
    const auto id = std::get<std::int64_t>(row[0]);
    if (next != kept.end() && std::get<std::int64_t>(next->at(0)) == id) {
      ++next;
      continue;
    }
    remove.bind(1, id);
    remove.step();
    remove.reset();
  }
  execute(database, "COMMIT");
}

void ResultTable::add_table(const std::string& name, const Fields& columns,
                            const std::vector<Row>& rows) {
  Fields names;
  for (const std::string& column : columns) names.push_back(sql_name(column));
  const Fields marks(columns.size(), "?");
  execute(database_.get(), "DROP TABLE IF EXISTS " + sql_name(name));
  execute(database_.get(),
          fmt::format("CREATE TABLE {} ({})", sql_name(name), fmt::join(names, ",")));
  Statement insert(database_.get(), fmt::format("INSERT INTO {} VALUES ({})", sql_name(name),
                                                fmt::join(marks, ",")));
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::visit([&](const auto& value) { insert.bind(static_cast<int>(i) + 1, value); }, row[i]);
    }
    insert.step();
    insert.reset();
  }
}

std::vector<Row> ResultTable::query(const std::string& sql, const Row& parameters) const {
  Statement statement(database_.get(), sql);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    std::visit([&](const auto& value) { statement.bind(static_cast<int>(i) + 1, value); },
               parameters[i]);
  }
  std::vector<Row> rows;
  while (statement.step()) {
    Row& row = rows.emplace_back();
    for (int column = 0; column < statement.size(); ++column) row.push_back(statement.cell(column));
  }
  return rows;
}

std::string ResultTable::query_csv(const std::string& sql, const Row& parameters) const {
  Fields names;
  {
    const Statement statement(database_.get(), sql);
    for (int column = 0; column < statement.size(); ++column) {
      names.push_back(csv_field(statement.name(column)));
    }
  }
  std::string text = fmt::format("{}\r\n", fmt::join(names, ","));
  for (const Row& row : query(sql, parameters)) {
    Fields fields;
    for (const Cell& cell : row) fields.push_back(csv_cell(cell));
    text += fmt::format("{}\r\n", fmt::join(fields, ","));
  }
  return text;
}

}  // namespace starport
