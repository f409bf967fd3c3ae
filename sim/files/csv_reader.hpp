// Reading of CSV text row by row (RFC 4180), by libcsv.
#pragma once

#include <csv.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// A CSV parser (RFC 4180, fields separated by commas) that calls a function with each row of a
/// text. Blank lines are skipped, and a byte order mark is ignored. Rows may differ in length.
class CsvReader {
 public:
  /// A function called with the fields of each row, the header row included, which it may move
  /// from, and the line, from 1, where the row starts. An exception that it throws leaves read().
  using Receive = std::function<void(std::vector<std::string>& fields, std::size_t line)>;

  /// Makes a reader that calls `receive` with each row. Throws std::bad_alloc without memory.
  explicit CsvReader(Receive receive);
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;
  ~CsvReader() { csv_free(&parser_); }

  /// Parses a whole text, calling the function for each row before it returns. Throws InputError,
  /// without a file name, naming the line, from 1, of a syntax error or control character; rows
  /// before it have been passed on by then. Call it once.
  void read(std::string_view text);

 private:
  static void on_field(void* data, std::size_t size, void* self) noexcept;
  static void on_row(int, void* self) noexcept;
  template <class Action>
  void guard(Action action);
  void check();

  Receive receive_;
  csv_parser parser_{};
  std::vector<std::string> fields_;
  std::size_t line_ = 1;
  std::size_t start_ = 1;  ///< line where the current row starts
  bool within_quotes_ = false;
  std::exception_ptr failure_;
};

}  // namespace starport
