// Writing to standard output, standard error and files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace starport {

/// Writes all of `bytes` to a file descriptor, retrying after signals. Returns 0, or the errno of
/// the failure.
[[nodiscard]] int write_all(int fd, std::string_view bytes);

/// Registers an open file as input of this program, so that OutputFile refuses to replace it.
void register_input_file(int fd);

/// Writes text to standard output, with control characters other than line ends and tabs replaced
/// by spaces. Returns false when the reader has closed its end of the pipe. Throws InputError when
/// writing fails otherwise, as on a full disk.
bool print(std::string_view text);
/// A style in which print() shows a line on a terminal: plain, bold, or dimmed.
enum class Emphasis : std::uint8_t { none, strong, faint };
/// Writes text as print(text) does. On a terminal with colours each line is shown as `emphasis`
/// says, unless the user has set NO_COLOR or CLICOLOR=0.
bool print(std::string_view text, const std::function<Emphasis(std::string_view line)>& emphasis);
/// Writes one line, `program: text`, to standard error. Failures to write are ignored.
void print_notice(std::string_view text, const char* program = "starport");
/// Writes one line as print_notice() does, with the program's name in red on a terminal with
/// colours.
void print_error(std::string_view text, const char* program = "starport");

/// An output file that appears under its name only once it is complete: it is written to a
/// temporary file beside it, which commit() renames. Without commit() the target stays as it was.
/// Devices and pipes are written to directly. All functions throw InputError naming the option when
/// the file cannot be written, is read-only, or is an input of this program (register_input_file).
class OutputFile {
 public:
  /// Opens the file at once, so that a path that cannot be written is refused before any work is
  /// done. `option` is the command line option that gave the path; it must outlive this object.
  /// With
  /// "", for files of the program's own, input files may be replaced.
  explicit OutputFile(std::string path, const char* option = "");
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Appends text, through a buffer of 64 KiB.
  void write(std::string_view text);
  /// Flushes the file to the disk and moves it to its name. Call it once, after the last write().
  void commit();

 private:
  void flush();
  void refuse_input() const;
  [[noreturn]] void fail(int error) const;

  std::string path_;     ///< as it was given
  std::string target_;   ///< the path with symbolic links resolved
  std::string partial_;  ///< the temporary file; empty for a device or a pipe
  const char* option_;
  std::string buffer_;
  int fd_ = -1;
};

}  // namespace starport
