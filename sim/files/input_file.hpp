// Reading of input files, also those that are installed with the programs, and of CSV text row by
// row (RFC 4180, by libcsv).
#pragma once

#include "sim/files/error.hpp"

#include <csv.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// Largest input file that read_file() accepts by default, and longest line that
/// CsvReader::read_path() accepts, in bytes (1 GiB); beyond it both throw InputError.
inline constexpr std::size_t kMaxInputBytes = std::size_t{1} << 30;

/// Returns the whole content of a file and registers it as an input, so that OutputFile refuses to
/// overwrite it. A relative path that does not exist is also looked up among the installed files
/// (resolve_installed_path). Blocks on a pipe until its writer closes it. Throws InputError naming
/// the file when it cannot be read, is a directory, has more than `max_bytes` bytes or does not fit
/// in memory. Not thread-safe.
std::string read_file(const std::string& path, std::size_t max_bytes = kMaxInputBytes);

/// Reads a file of any size and passes its content to the function `consume` (which must be set) in
/// consecutive pieces of at most 64 KiB, each valid during the call only; for an empty file not at
/// all. Exceptions of `consume` pass through. Registers the file as an input, so that OutputFile
/// refuses to overwrite it. A relative path that does not exist is also looked up among the
/// installed files. Blocks on a pipe until its writer closes it. Throws InputError naming the file
/// when it cannot be read or is a directory. Not thread-safe.
void read_file_in_pieces(const std::string& path,
                         const std::function<void(std::string_view)>& consume);

/// Returns, without throwing it, an InputError that names the file `path` and says why it could not
/// be opened; `error` is the errno. For ENOENT it suggests the installed platform file of that
/// name, else the file of the most similar name in the folder of `path`, if there is one.
InputError make_unreadable_error(const std::string& path, int error);

/// Returns `path` if it is absolute or exists, else the path of the installed file
/// share/starport/`path` (see find_installed()), or `path` when there is none. Does not throw
/// InputError.
std::string resolve_installed_path(const std::string& path);

/// A CSV parser (RFC 4180, fields separated by commas) that calls a function with each row of a
/// text: construct it, then call read() or read_path() once. Blank lines are skipped, and a byte
/// order mark is ignored. Rows may differ in length. Neither copyable nor movable.
class CsvReader {
 public:
  /// A function called with the fields of each row, the header row included, which it may move
  /// from, and the line, from 1, where the row starts. The fields are valid during the call. An
  /// exception that it throws ends the parsing and leaves read().
  using Receive = std::function<void(std::vector<std::string>& fields, std::size_t line)>;

  /// Makes a reader that calls `receive`, which must not be empty (read() would throw
  /// std::bad_function_call), with each row. Throws std::bad_alloc without memory.
  explicit CsvReader(Receive receive);
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;
  ~CsvReader() { csv_free(&parser_); }

  /// Parses a whole text and calls the function given to the constructor for each row; for an empty
  /// text not at all. Throws InputError, without a file name, naming the line, from 1, of a syntax
  /// error or of a control character other than a tab or line end (bytes that are not UTF-8 are
  /// accepted); std::bad_alloc without memory; and what the function throws. Rows before the fault
  /// have been passed on by then. Call it once: a reader cannot be used again, not even after an
  /// exception.
  void read(std::string_view text);
  /// Parses a file of any size and calls the function given to the constructor for each row, as
  /// read() does for a text; holds little more in memory than the longest row. Call it once. Opens
  /// the file as read_file_in_pieces() does: looks also among the installed files, registers it as
  /// an input, blocks on a pipe; not thread-safe. Throws InputError naming the file when it cannot
  /// be read; errors in its content, such as a line of more than 1 GiB, are thrown as by read(),
  /// without the file's name.
  void read_path(const std::string& path);

 private:
  void read_lines(std::string_view text);
  void finish();
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
