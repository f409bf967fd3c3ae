// Results that are read back from CSV files, as a table that answers SQL.
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

using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;  ///< monostate: NULL
using Row = std::vector<Cell>;

/// The rows of one or more CSV files of the same columns (RFC 4180, the first row is the header),
/// in an SQLite table named `results` in memory. A field that is a finite number in full is stored
/// as a number, an empty one as NULL, any other as text. Two hidden columns keep the order:
/// `_rowid_`, and `_file`, which counts the files from 1. Blank lines are skipped.
class ResultTable {
 public:
  ResultTable();
  ResultTable(ResultTable&&) noexcept;
  ResultTable& operator=(ResultTable&&) noexcept;
  ~ResultTable();

  /// Throws InputError naming the file and the line.
  static ResultTable read_csv(const std::string& path);
  /// The same of several files; the columns must be those of the first, in the same order.
  static ResultTable read_csv(const std::vector<std::string>& paths);
  /// The same rows, to be changed apart from these.
  ResultTable copy() const;
  /// Adds the rows of another file.
  void append_csv(const std::string& path);
  /// The same of its text; the path is for errors.
  void append_text(const std::string& text, const std::string& path);

  /// The first file's path.
  const std::string& path() const { return paths_.front(); }
  const std::vector<std::string>& columns() const { return columns_; }
  /// An aggregate of the rows that meet a condition: "count(*)".
  std::int64_t count(const std::string& what, const std::string& condition = "TRUE") const;

  bool has(const std::string& column) const;
  /// Throws InputError naming the file and the first column that it lacks.
  void require(const std::vector<std::string>& columns) const;

  /// Keeps the rows for which a condition written by a user holds. It can read, and nothing else;
  /// throws InputError naming the option when it is wrong or takes more than 30 s.
  void keep(const std::string& condition, const std::string& option);

  /// Replaces the names of the heuristics by what another column says, so that it tells the rows
  /// apart: "Adonis", "block_size 128". Throws InputError when there is no such column.
  void name_rows_by(const std::string& column);

  /// Answers a question written by a user, with the first `most` rows: one SELECT, that can read
  /// and nothing else. Throws InputError naming the place.
  std::vector<Row> ask(const std::string& sql, std::size_t most, const std::string& place,
                       double time_limit_s = 30) const;

  /// Adds a table of our own beside `results`, replacing one of the same name.
  void add_table(const std::string& name, const std::vector<std::string>& columns,
                 const std::vector<Row>& rows);

  /// Answers one of our own questions; `parameters` stand for its question marks. Throws
  /// SQLite::Exception when the SQL is wrong.
  std::vector<Row> query(const std::string& sql, const Row& parameters = {}) const;
  /// The same as CSV (RFC 4180), with a header.
  std::string query_csv(const std::string& sql, const Row& parameters = {}) const;

 private:
  void create(std::vector<std::string> columns);

  std::unique_ptr<SQLite::Database> database_;
  std::vector<std::string> paths_;
  std::vector<std::string> columns_;
};

/// As CSV shows it, without its quotes.
std::string to_text(const Cell& cell);
std::vector<std::string> to_texts(const Row& row);
/// A number, whole or not.
double to_real(const Cell& cell);

/// A name as SQL quotes it: "bandwidth factor".
std::string sql_name(const std::string& name);

}  // namespace starport
