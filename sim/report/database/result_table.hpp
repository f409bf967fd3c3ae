// A table of results, read from CSV files and queried with SQL.
#pragma once

#include "sim/files/error.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace SQLite {
class Database;
}

namespace starport {

class CsvReader;

/// Exception for a folder in which SQLite cannot create or write temporary files, which large
/// tables and sorts need, e.g. because its disk is full. Its message names that folder's purpose,
/// SQLite's reason and the variable that chooses another folder; no file until in_file().
class NoRoomError : public InputError {
 public:
  using InputError::InputError;
};

/// A value of an SQL row: NULL (monostate), an integer, a real number or a text.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;
/// A row of an SQL answer or table: one value per column, in the order of the columns.
using Row = std::vector<Cell>;

/// An SQLite database, owned by this object, whose table `results` holds the rows of CSV files with
/// equal columns (RFC 4180, first row: header). Takes at most some 300 MB of memory; what exceeds
/// it goes to a temporary file without a name, in the folder that SQLITE_TMPDIR or TMPDIR names, or
/// in /var/tmp; without room there, any function throws InputError. A field that is a finite number
/// is stored as a number, an empty field as NULL, any other as text, also a number with superfluous
/// zeros in front ("007") and each field of a column of results that holds text, such as
/// `heuristic` or `experiment`; blank lines are skipped. Two more columns keep the order:
/// `_rowid_`, the number of the row from 1, and `_file`, the number of the file from 1. Without a
/// file that was read there is no table `results`, and queries of it throw SQLite::Exception. Not
/// copyable (see copy()); a moved-from table may only be assigned to or destroyed. For use by one
/// thread at a time.
class ResultTable {
 public:
  /// Makes an SQLite database without the table `results`; append_csv() or append_text()
  /// creates it.
  ResultTable();
  ResultTable(ResultTable&&) noexcept;
  ResultTable& operator=(ResultTable&&) noexcept;
  ~ResultTable();

  /// Reads the CSV file at `path` into a new table. Throws InputError, naming the file and the
  /// line, if it cannot be read, is malformed, has no header, has a row with another number of
  /// fields, more columns than SQLite allows (about 2000), or column names that are empty, equal
  /// but for case, `_file` or `_rowid_`.
  static ResultTable read_csv(const std::string& path);
  /// Reads several CSV files into one new table, in their order. Throws InputError, naming the file
  /// and the line, if one cannot be read or is malformed, if its columns differ from those of
  /// the first in name or order, or if a file is given twice. An empty list gives a table as the
  /// default constructor makes it.
  static ResultTable read_csv(const std::vector<std::string>& paths);
  /// Returns an independent copy of the whole database, added tables included. Throws InputError
  /// without room for temporary files.
  ResultTable copy() const;
  /// Appends the rows of the CSV file at `path` to the table `results`; the first file determines
  /// the columns. Throws InputError, naming the file and the line, if it cannot be read or is
  /// malformed, or if its columns differ in name or order.
  /// Discard the table after an exception.
  void append_csv(const std::string& path);
  /// Appends the rows of CSV text, whose first row is the header, to the table `results`; the first
  /// text determines the columns. `path` is a name for error messages and path(). Throws
  /// InputError, naming `path` and the line, if the text is malformed or its columns differ in name
  /// or order. Discard the table after an exception.
  void append_text(const std::string& text, const std::string& path);

  /// Returns the path of the first CSV file that was read, a reference that is valid until the next
  /// file is appended or this object is destroyed. Undefined behaviour if there is none.
  const std::string& path() const { return paths_.front(); }
  /// Returns the names of the columns of the CSV files in their order, without `_file` and
  /// `_rowid_`; empty before the first file. The reference is valid as long as this object.
  const std::vector<std::string>& columns() const { return columns_; }
  /// Returns the value of an SQL aggregate that is an integer, such as "count(*)", over the rows of
  /// the table `results` that meet an SQL condition. Both texts become part of the SQL and must be
  /// trusted. Throws SQLite::Exception if the SQL is wrong, std::bad_variant_access if the value is
  /// no integer.
  std::int64_t count(const std::string& aggregate, const std::string& condition = "TRUE") const;

  /// Returns true if the CSV files have a column of exactly this name (case matters); false for
  /// `_file` and `_rowid_`.
  bool has(const std::string& column) const;
  /// Throws InputError, naming the first CSV file and the first of these columns that it lacks;
  /// does nothing if all exist. Requires that a file was read (undefined behaviour otherwise).
  void require(const std::vector<std::string>& columns) const;

  /// Deletes the rows of the table `results` that do not meet an SQL condition written by a user; a
  /// condition that is NULL counts as not met. The other rows keep their `_rowid_`. The condition
  /// is evaluated in a forked child process; call it from a process with one thread. With the table
  /// unchanged, throws InputError naming `option`, such as "--where", if the condition is wrong,
  /// does more than read, or takes more than 256 MiB or a wall-clock time of 30 s plus 20 s for
  /// each million rows, and SimulationError if the child process crashes, is killed or cannot be
  /// created. Throws InputError that does not name `option` without room for temporary files;
  /// discard the table then.
  void filter(const std::string& condition, const std::string& option);

  /// Replaces the values of the column `heuristic` of the table `results`, by which plots tell rows
  /// apart, by those of another column: text as it is, numbers with words and units of
  /// label_prefix() and label_value_sql(), "q = 128"; NULL stays NULL. Throws InputError naming the
  /// first file if there is no such column, SQLite::Exception without a column `heuristic`.
  /// Requires that a file was read.
  void name_rows_by(const std::string& column);

  /// Runs one SELECT statement written by a user, in a forked child process that can only read, and
  /// returns at most its first `limit` rows; blocks until it has ended. Throws InputError located
  /// at `place` (an option or JSON pointer), without a file name, if it is wrong, is more than one
  /// statement, does more than read, is recursive or has parameters, or exceeds 256 MiB or
  /// `time_limit_s` wall-clock seconds (0: no limit; by default 30 s plus 20 s for each million
  /// rows); InputError without a place if temporary files have no room; MachineError if the child
  /// process is killed or cannot be created, SimulationError if it crashes. Call it from a process
  /// with one thread.
  std::vector<Row> ask(const std::string& sql, std::size_t limit, const std::string& place,
                       std::optional<double> time_limit_s = {}) const;

  /// Adds a table to the database, replacing one of the same name, even `results` (columns() and
  /// has() then still describe the CSV files). Throws SQLite::Exception if `columns` is empty or
  /// has two names that are equal but for case. Each row must have one value per column: more throw
  /// SQLite::Exception, fewer are not detected and repeat values of the previous row (NULL in the
  /// first).
  void add_table(const std::string& name, const std::vector<std::string>& columns,
                 const std::vector<Row>& rows);

  /// Runs one trusted SQL statement in this process, without limits, and returns all rows of its
  /// answer; text after the first statement is ignored. `parameters` are the values of its question
  /// marks, in their order; too few give NULL. Throws SQLite::Exception if the SQL is wrong or
  /// there are more parameters than question marks, InputError without room for temporary files.
  /// Never pass text written by a user: use ask().
  std::vector<Row> query(const std::string& sql, const Row& parameters = {}) const;
  /// Runs one trusted SQL statement without parameters in this process and calls `visit` (not
  /// empty) with each row of its answer, a reference that is valid during the call only. Only one
  /// row is in memory at a time. `visit` must not change the database; its exceptions pass through.
  /// Text after the first statement is ignored. Throws SQLite::Exception if the SQL is wrong,
  /// InputError without room for temporary files.
  void for_each_row(const std::string& sql, const std::function<void(const Row&)>& visit) const;
  /// Runs one trusted SQL statement without parameters in this process and returns its answer as
  /// CSV (RFC 4180, lines end in CR LF): a header, even without rows, then the rows, with numbers
  /// in full precision and NULL as an empty field. Text after the first statement is ignored.
  /// Throws SQLite::Exception if the SQL is wrong, InputError without room for temporary files.
  std::string query_csv(const std::string& sql) const;

 private:
  void create(std::vector<std::string> columns);
  void append(const std::string& path, const std::function<void(CsvReader&)>& read);
  double query_time_s() const;

  std::unique_ptr<SQLite::Database> database_;
  std::vector<std::string> paths_;
  std::vector<std::string> columns_;
};

/// Formats a value of an SQL row as text without quotes: numbers in full precision, NULL as an
/// empty string.
std::string to_text(const Cell& cell);
/// Formats each value of an SQL row as text without quotes: numbers in full precision, NULL as an
/// empty string.
std::vector<std::string> to_texts(const Row& row);
/// Returns the number in a value of an SQL row, an integer converted to double. Throws
/// std::bad_variant_access for text and NULL.
double to_real(const Cell& cell);

/// Quotes a column or table name for use in SQL: bandwidth factor becomes "bandwidth factor", with
/// the double quotes; double quotes in the name are doubled.
std::string sql_name(const std::string& name);

/// Returns the words to put before a value of this column of results in a label of a plot: the name
/// of the column without the unit at its end, with spaces for underscores, and a space, such as
/// "memory " for memory_bytes. Exceptions: "bandwidth × " for bandwidth_factor (any _factor),
/// "draw " for repetition, "q = " for block_size, "" for platform, experiment, engine and _file.
std::string label_prefix(const std::string& column);
/// Returns an SQL expression for the values of this column of results in a label of a plot: where
/// the name of the column ends with a unit, numbers become texts with six significant digits in
/// MB/s (_bytes_per_s), MiB (_bytes), Gflop/s (_flops) or s (_s), such as "132 MiB", and other
/// values stay as they are; else the column itself, quoted. Does not check that it exists.
std::string label_value_sql(const std::string& column);

}  // namespace starport
