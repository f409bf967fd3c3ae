// Writing to standard output, standard error and files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace starport {

/// Writes all of `bytes` to a file descriptor, retrying after signals and short writes; blocks
/// until done. Returns 0, or the errno of the failure, after which a part may have been written.
[[nodiscard]] int write_all(int fd, std::string_view bytes);

/// Registers the open file descriptor `fd` as an input of this program, so that OutputFile refuses
/// to replace that file by any name. Does nothing when it cannot be identified. Not thread-safe.
void register_input_file(int fd);

/// Writes text to standard output, unbuffered and without adding a newline, with control characters
/// other than line ends and tabs replaced by spaces. Returns false when the reader has closed its
/// end of the pipe (SIGPIPE must be ignored). Throws InputError when writing fails otherwise, as on
/// a full disk.
bool print(std::string_view text);
/// A style in which print() shows a line on a terminal: plain, bold, or dimmed.
enum class Emphasis : std::uint8_t { none, strong, faint };
/// Writes text to standard output, with control characters other than line ends and tabs replaced
/// by spaces. On a terminal with colours each line is shown in the style that `emphasis(line)`
/// returns, unless the user has set NO_COLOR or CLICOLOR=0, and a missing newline at the end is
/// added; elsewhere `emphasis` is not called. Returns false when the reader has closed its end of
/// the pipe. Throws InputError when writing fails otherwise.
bool print(std::string_view text, const std::function<Emphasis(std::string_view line)>& emphasis);
/// Writes one line, `program: text`, to standard error, with control characters and line ends in
/// `text` replaced by spaces. The name is not repeated when the text starts with it. Failures to
/// write are ignored.
void print_notice(std::string_view text, const char* program = "starport");
/// Writes one line, `program: text`, to standard error, with the program's name in red on a
/// terminal with colours and control characters replaced by spaces. Failures to write are ignored.
void print_error(std::string_view text, const char* program = "starport");

/// Returns the pattern of mkstemp(3) for a temporary file that becomes `target`: hidden, in the
/// same folder, and with a name that is ours beyond doubt, such as "dir/.x.csv.starport-XXXXXX".
std::string temporary_pattern(const std::string& target);
/// Returns true if `name`, without its folder, is that of a temporary file for the file `target`,
/// also without its folder, which this program has left behind because it was killed.
bool is_temporary_name(std::string_view name, std::string_view target);
/// Gives the open file `fd`, which has no name (O_TMPFILE), a temporary name beside `target`.
/// Returns it; empty, with errno set, if that fails.
std::string link_beside(const std::string& target, int fd);

/// An output file that appears under its name only once it is complete: it is written to a file
/// without a name, or a hidden one where the file system knows no other, which commit() moves to
/// its place. Without commit(), whatever ends the program, the target stays as it was. Devices and
/// pipes are written to directly. All functions throw InputError naming the file and the option
/// when the file cannot be written, is read-only, or is an input of this program
/// (register_input_file).
class OutputFile {
 public:
  /// Opens the file at once, so that a path that cannot be written is refused before any work is
  /// done; opening a pipe waits for its reader. `option` is the command line option that gave the
  /// path; the string must outlive this object. With "", for files of the program's own, input
  /// files may be replaced.
  explicit OutputFile(std::string path, const char* option = "");
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Appends text as it is, through a buffer of 64 KiB. Throws InputError when the file cannot be
  /// written; a reader that has closed a pipe is no error. Not allowed after commit().
  void write(std::string_view text);
  /// Writes what is buffered, flushes the file and its folder to the disk and moves it to its name,
  /// replacing a file there. Call it once, after the last write(). Throws InputError when that
  /// fails; the target then stays as it was.
  void commit();

 private:
  void flush();
  void refuse_input() const;
  [[noreturn]] void fail(int error) const;

  std::string path_;      ///< as it was given
  std::string target_;    ///< the path with symbolic links resolved
  std::string partial_;   ///< name of the temporary file, if it has one
  bool replaces_ = true;  ///< false for a device or a pipe
  const char* option_;
  std::string buffer_;
  int fd_ = -1;
};

}  // namespace starport
