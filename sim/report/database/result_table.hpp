// A table of results in memory, read from CSV files and queried with SQL.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace SQLite {
class Database;
}

namespace starport {

/// A value of an SQL row; monostate is NULL.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;
using Row = std::vector<Cell>;

/// An SQLite database in memory whose table `results` holds the rows of CSV files with equal
/// columns (RFC 4180, first row: header). A field that is a finite number is stored as a number, an
/// empty field as NULL, any other as text; blank lines are skipped. Two more columns keep the
/// order: `_rowid_`, the row from 1, and `_file`, the file from 1.
class ResultTable {
 public:
  ResultTable();
  ResultTable(ResultTable&&) noexcept;
  ResultTable& operator=(ResultTable&&) noexcept;
  ~ResultTable();

  /// Reads a CSV file. Throws InputError naming the file and the line.
  static ResultTable read_csv(const std::string& path);
  /// Reads several CSV files into one table. Throws InputError naming the file and the line, also
  /// if the columns of a file differ from those of the first in name or order.
  static ResultTable read_csv(const std::vector<std::string>& paths);
  /// Returns an independent copy.
  ResultTable copy() const;
  /// Appends the rows of a CSV file. Throws InputError as read_csv() does.
  void append_csv(const std::string& path);
  /// Appends the rows of CSV text. Throws InputError naming `path` and the line.
  void append_text(const std::string& text, const std::string& path);

  /// Returns the path of the first file; there must be one.
  const std::string& path() const { return paths_.front(); }
  /// Returns the names of the columns, without `_file` and `_rowid_`.
  const std::vector<std::string>& columns() const { return columns_; }
  /// Returns an integer aggregate, such as "count(*)", of the rows that meet an SQL condition. Both
  /// are trusted SQL.
  std::int64_t count(const std::string& aggregate, const std::string& condition = "TRUE") const;

  /// True if there is a column of this name.
  bool has(const std::string& column) const;
  /// Throws InputError naming the first file and the first of these columns that is missing.
  void require(const std::vector<std::string>& columns) const;

  /// Deletes the rows that do not meet an SQL condition written by a user. Throws InputError naming
  /// `option`, with the table unchanged, if the condition is wrong, does more than read, or takes
  /// more than 30 s.
  void filter(const std::string& condition, const std::string& option);

  /// Replaces the column `heuristic` by the values of another column, which then tell the rows of a
  /// figure apart: text as it is, numbers as "block_size 128". Throws InputError if there is no
  /// such column.
  void name_rows_by(const std::string& column);

  /// Runs one SELECT written by a user and returns its first `limit` rows. The query may only read
  /// and runs in a process of its own. Throws InputError about `place` if it is wrong or exceeds
  /// the time limit or 256 MiB.
  std::vector<Row> ask(const std::string& sql, std::size_t limit, const std::string& place,
                       double time_limit_s = 30) const;

  /// Adds a table beside `results`; replaces one of the same name.
  void add_table(const std::string& name, const std::vector<std::string>& columns,
                 const std::vector<Row>& rows);

  /// Runs trusted SQL; `parameters` are the values of its question marks. Throws SQLite::Exception
  /// if the SQL is wrong.
  std::vector<Row> query(const std::string& sql, const Row& parameters = {}) const;
  /// Runs trusted SQL and returns the answer as CSV (RFC 4180) with a header. Throws
  /// SQLite::Exception if the SQL is wrong.
  std::string query_csv(const std::string& sql, const Row& parameters = {}) const;

 private:
  void create(std::vector<std::string> columns);

  std::unique_ptr<SQLite::Database> database_;
  std::vector<std::string> paths_;
  std::vector<std::string> columns_;
};

/// Formats a cell without quotes; numbers in full precision, NULL as an empty string.
std::string to_text(const Cell& cell);
std::vector<std::string> to_texts(const Row& row);
/// Returns the number in a cell. Throws std::bad_variant_access for text and NULL.
double to_real(const Cell& cell);

/// Quotes a column or table name for SQL: "bandwidth factor", with its quotes.
std::string sql_name(const std::string& name);

}  // namespace starport
