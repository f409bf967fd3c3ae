#include "sim/report/database/result_table.hpp"

#include "sim/files/csv_reader.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/text.hpp"
#include "sim/report/database/sqlite.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>

namespace starport {
namespace {

using Fields = std::vector<std::string>;

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
