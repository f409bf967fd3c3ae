#include "sim/report/database/result_table.hpp"

#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"
#include "sim/report/database/sqlite.hpp"

#include <SQLiteCpp/Backup.h>
#include <boost/algorithm/string.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <locale>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace starport {
namespace {

using Fields = std::vector<std::string>;

/// Wall-clock time that a user's query may take: a constant, plus a time for each row of the table.
constexpr double kQueryTime_s = 30;
constexpr double kQueryTimePerRow_s = 20e-6;
/// Memory for the rows of a table, and for each sorting of them; more go to temporary files.
constexpr std::int64_t kCache_KiB = 64 * 1024;

/// Returns true for the columns of results that hold names and other text, which may look like
/// numbers.
bool holds_text(const std::string& column) {
  static const std::set<std::string> columns{"experiment", "platform",  "noise",
                                             "engine",     "heuristic", "status",
                                             "error",      "cause",     "details"};
  return columns.contains(column);
}

/// Converts a CSV field: empty to NULL, a finite number to a number, others to text, as a number
/// with superfluous zeros in front is, which is a name.
Cell parse_cell(std::string& field) {
  if (field.empty()) return std::monostate{};
  if (field.size() > 1 && field[0] == '0' && field[1] >= '0' && field[1] <= '9') {
    return std::move(field);
  }
  if (const auto integer = parse_number<std::int64_t>(field)) return *integer;
  if (const auto real = parse_number<double>(field)) return *real;
  return std::move(field);
}

/// Runs a statement with these values of its question marks, and makes it ready to run again.
void execute(SQLite::Statement& statement, const Row& row) {
  bind(statement, row);
  statement.exec();
  statement.reset();
}

}  // namespace

std::string to_text(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *integer);
  const auto* real = std::get_if<double>(&cell);
  return real == nullptr ? "" : fmt::format("{}", *real);
}

std::vector<std::string> to_texts(const Row& row) {
  std::vector<std::string> texts;
  std::ranges::transform(row, std::back_inserter(texts), to_text);
  return texts;
}

double to_real(const Cell& cell) {
  const auto* integer = std::get_if<std::int64_t>(&cell);
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(cell);
}

std::string sql_name(const std::string& name) {
  return '"' + boost::replace_all_copy(name, "\"", "\"\"") + '"';
}

// A database without a name is in memory until it exceeds its cache; then it goes on in a temporary
// file that has no name either.
ResultTable::ResultTable()
    : database_(
          std::make_unique<SQLite::Database>("", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)) {
  database_->exec(fmt::format("PRAGMA journal_mode = OFF; PRAGMA cache_size = -{}", kCache_KiB));
  // Without this, SQLite reads a misspelt "column" in double quotes as a text.
  sqlite3_db_config(database_->getHandle(), SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
}
ResultTable::ResultTable(ResultTable&&) noexcept = default;
ResultTable& ResultTable::operator=(ResultTable&&) noexcept = default;
ResultTable::~ResultTable() = default;

ResultTable ResultTable::read_csv(const std::string& path) {
  return read_csv(std::vector<std::string>{path});
}

ResultTable ResultTable::read_csv(const std::vector<std::string>& paths) {
  ResultTable table;
  std::set<std::filesystem::path> files;
  for (const std::string& path : paths) {
    std::error_code error;  // append_csv() reports files that do not exist
    const bool is_file = std::filesystem::is_regular_file(path, error);
    if (is_file && !files.insert(std::filesystem::canonical(path, error)).second) {
      throw InputError::with_problem("", "the file is given twice, and its rows would count twice",
                                     "Name each file once")
          .in_file(path);
    }
    table.append_csv(path);
  }
  return table;
}

ResultTable ResultTable::copy() const {
  ResultTable table;
  with_room([&] { SQLite::Backup(*table.database_, *database_).executeStep(); });
  table.paths_ = paths_;
  table.columns_ = columns_;
  return table;
}

void ResultTable::create(Fields columns) {
  std::set<std::string> seen{"_file", "_rowid_"};
  std::string sql = "CREATE TABLE results (_file";
  for (const std::string& column : columns) {
    if (column.empty()) throw InputError("line 1", "a name for each column", "an empty one");
    if (to_lower_ascii(column) == "_file" || to_lower_ascii(column) == "_rowid_") {
      throw InputError("line 1", "columns not called _file or _rowid_", "'" + column + "'");
    }
    if (!seen.insert(boost::to_lower_copy(column, std::locale::classic()))
             .second) {  // names in SQL are not case-sensitive
      throw InputError("line 1", "distinct column names", "'" + column + "' twice");
    }
    sql += ", " + sql_name(column) + (holds_text(column) ? " TEXT" : "");
  }
  const int most = sqlite3_limit(database_->getHandle(), SQLITE_LIMIT_COLUMN, -1) - 1;
  if (std::ssize(columns) > most) {
    throw InputError("line 1", fmt::format("at most {} columns", most),
                     fmt::format("{}", columns.size()));
  }
  database_->exec(sql + ")");
  columns_ = std::move(columns);
}

void ResultTable::append_csv(const std::string& path) {
  append(path, [&](CsvReader& reader) { reader.read_path(path); });
}

void ResultTable::append_text(const std::string& text, const std::string& path) {
  append(path, [&](CsvReader& reader) { reader.read(text); });
}

void ResultTable::append(const std::string& path, const std::function<void(CsvReader&)>& read) {
  paths_.push_back(path);
  std::optional<SQLite::Statement> insert;
  Row row{std::ssize(paths_)};
  std::vector<bool> is_text;  // by column
  const auto header = [&](Fields& fields) {
    if (columns_.empty()) {
      create(fields);
    } else if (fields != columns_) {
      throw InputError("line 1", "the columns of " + paths_.front(), "other columns",
                       "only files with the same columns can be read together");
    }
    std::ranges::transform(columns_, std::back_inserter(is_text), holds_text);
    std::string sql = "INSERT INTO results VALUES (?";
    for (std::size_t i = 0; i < columns_.size(); ++i) sql += ",?";
    insert.emplace(*database_, sql + ")");
  };
  CsvReader reader([&](Fields& fields, std::size_t line) {
    if (!insert) return header(fields);
    if (fields.size() != columns_.size()) {
      throw InputError(fmt::format("line {}", line),
                       fmt::format("{} fields, as in the header", columns_.size()),
                       fmt::format("{}", fields.size()));
    }
    row.resize(1);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const bool as_text = is_text[i] && !fields[i].empty();
      row.push_back(as_text ? Cell(std::move(fields[i])) : parse_cell(fields[i]));
    }
    execute(*insert, row);
  });
  SQLite::Transaction transaction(*database_);
  with_file_in_errors(path, [&] {
    with_room([&] {
      read(reader);
      if (insert) transaction.commit();
    });
    if (!insert) throw InputError("", "a header", "an empty file");
  });
}

std::int64_t ResultTable::count(const std::string& aggregate, const std::string& condition) const {
  const auto rows = query(fmt::format("SELECT {} FROM results WHERE {}", aggregate, condition));
  return std::get<std::int64_t>(rows.at(0).at(0));
}

bool ResultTable::has(const std::string& column) const {
  return std::ranges::find(columns_, column) != columns_.end();
}

void ResultTable::require(const std::vector<std::string>& columns) const {
  for (const std::string& column : columns) {
    if (has(column)) continue;
    if (has("start_s") && column == "status") {
      throw InputError("line 1", "results, as starport sweep and run --csv write them", "a trace",
                       "starport plot draws it with --figure gantt or memory")
          .in_file(path());
    }
    const std::string near = did_you_mean(column, columns_);
    throw InputError("line 1", "a column '" + column + "'", "none",
                     near.empty() ? fmt::format("there are {}", fmt::join(columns_, ", ")) : near)
        .in_file(path());
  }
}

double ResultTable::query_time_s() const {
  return kQueryTime_s + kQueryTimePerRow_s * static_cast<double>(count("count(*)"));
}

std::vector<Row> ResultTable::ask(const std::string& sql, std::size_t limit,
                                  const std::string& place,
                                  std::optional<double> time_limit_s) const {
  std::vector<Row> rows;
  query_restricted(
      *database_, sql, limit, time_limit_s ? *time_limit_s : query_time_s(),
      [&](const std::string& found) {
        return InputError(place, "one SELECT on the table 'results'", found);
      },
      [&](Row row) { rows.push_back(std::move(row)); });
  return rows;
}

void ResultTable::filter(const std::string& condition, const std::string& option) {
  const std::string without_end = condition.substr(0, condition.find_last_not_of("; \t\r\n") + 1);
  // The line break ends a comment in the condition before it swallows the parenthesis.
  const std::string sql = "SELECT _rowid_ FROM results WHERE (" + without_end + "\n) ORDER BY 1";
  std::vector<std::int64_t> kept;
  query_restricted(
      *database_, sql, SIZE_MAX, query_time_s(),
      [&](const std::string& found) {
        return InputError(option, "an SQL condition on the columns of the results", found,
                          "such as \"heuristic <> 'BMM' AND block_size = 80\"");
      },
      [&](const Row& row) { kept.push_back(std::get<std::int64_t>(row[0])); });
  with_room([&] {
    SQLite::Transaction transaction(*database_);
    SQLite::Statement remove(*database_, "DELETE FROM results WHERE _rowid_ > ? AND _rowid_ < ?");
    kept.push_back(std::numeric_limits<std::int64_t>::max());
    std::int64_t last = 0;
    for (const std::int64_t row : kept) {
      if (row > last + 1) execute(remove, {last, row});
      last = row;
    }
    transaction.commit();
  });
}

namespace {

/// A unit at the end of the name of a column, and the one in which labels show its values.
struct LabelUnit {
  std::string_view suffix;
  std::string_view shown;
  double size;
};
// The longest suffix first, because _bytes_per_s ends with _s.
constexpr std::array<LabelUnit, 4> kLabelUnits{{{"_bytes_per_s", "MB/s", 1e6},
                                                {"_bytes", "MiB", 1048576},
                                                {"_flops", "Gflop/s", 1e9},
                                                {"_s", "s", 1}}};

const LabelUnit* find_unit(std::string_view column) {
  const auto* const found = std::ranges::find_if(
      kLabelUnits, [&](const LabelUnit& unit) { return column.ends_with(unit.suffix); });
  return found == kLabelUnits.end() ? nullptr : found;
}

}  // namespace

std::string label_prefix(const std::string& column) {
  static const std::map<std::string, std::string, std::less<>> words{
      {"platform", ""},        {"experiment", ""},     {"engine", ""},           {"_file", ""},
      {"repetition", "draw "}, {"block_size", "q = "}, {"instance", "instance "}};
  if (const auto found = words.find(column); found != words.end()) return found->second;
  std::string_view name = column;
  if (const LabelUnit* unit = find_unit(column)) name.remove_suffix(unit->suffix.size());
  constexpr std::string_view factor = "_factor";
  const bool is_factor = name.ends_with(factor);
  if (is_factor) name.remove_suffix(factor.size());
  std::string text(name);
  std::ranges::replace(text, '_', ' ');
  return text + (is_factor ? " × " : " ");
}

std::string label_value_sql(const std::string& column) {
  const LabelUnit* unit = find_unit(column);
  if (unit == nullptr) return sql_name(column);
  return fmt::format(
      "CASE typeof({0}) WHEN 'integer' THEN printf('%.6g {1}', {0} / {2:.1f}) "
      "WHEN 'real' THEN printf('%.6g {1}', {0} / {2:.1f}) ELSE {0} END",
      sql_name(column), unit->shown, unit->size);
}

void ResultTable::name_rows_by(const std::string& column) {
  require({column});
  with_room([&] {
    SQLite::Statement update(*database_,
                             fmt::format("UPDATE results SET heuristic = CASE typeof({0}) WHEN "
                                         "'text' THEN {0} ELSE ? || {1} END",
                                         sql_name(column), label_value_sql(column)));
    execute(update, {label_prefix(column)});
  });
}

void ResultTable::add_table(const std::string& name, const Fields& columns,
                            const std::vector<Row>& rows) {
  Fields names;
  for (const std::string& column : columns) names.push_back(sql_name(column));
  const Fields marks(columns.size(), "?");
  with_room([&] {
    database_->exec("DROP TABLE IF EXISTS " + sql_name(name));
    database_->exec(fmt::format("CREATE TABLE {} ({})", sql_name(name), fmt::join(names, ",")));
    SQLite::Statement insert(*database_, fmt::format("INSERT INTO {} VALUES ({})", sql_name(name),
                                                     fmt::join(marks, ",")));
    for (const Row& row : rows) execute(insert, row);
  });
}

std::vector<Row> ResultTable::query(const std::string& sql, const Row& parameters) const {
  return with_room([&] {
    SQLite::Statement statement(*database_, sql);
    bind(statement, parameters);
    return fetch_rows(statement);
  });
}

void ResultTable::for_each_row(const std::string& sql,
                               const std::function<void(const Row&)>& visit) const {
  SQLite::Statement statement(*database_, sql);
  for (;;) {
    const std::vector<Row> row = with_room([&] { return fetch_rows(statement, 1); });
    if (row.empty()) return;
    visit(row.front());
  }
}

std::string ResultTable::query_csv(const std::string& sql) const {
  Fields names;
  {
    const SQLite::Statement statement(*database_, sql);
    for (int column = 0; column < statement.getColumnCount(); ++column) {
      names.push_back(quote_csv_field(statement.getColumnName(column)));
    }
  }
  std::string text = fmt::format("{}\r\n", fmt::join(names, ","));
  for_each_row(sql, [&](const Row& row) {
    Fields fields;
    for (const Cell& cell : row) fields.push_back(quote_csv_field(to_text(cell)));
    text += fmt::format("{}\r\n", fmt::join(fields, ","));
  });
  return text;
}

}  // namespace starport
