// Reading CSV files row by row (RFC 4180), through libcsv.
#pragma once

#include <csv.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// Hands the rows of a CSV text to a function, each with the line where it starts. Blank lines are
/// skipped.
class CsvReader {
 public:
  using Receive = std::function<void(std::vector<std::string>& fields, std::size_t line)>;

  explicit CsvReader(Receive receive);
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;
  ~CsvReader() { csv_free(&parser_); }

  /// Throws InputError naming the line.
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
  std::size_t start_ = 1;  ///< where the row starts
  bool within_quotes_ = false;
  std::exception_ptr failure_;
};

}  // namespace starport
