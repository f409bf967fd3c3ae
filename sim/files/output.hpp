// Writing to standard output, standard error and files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace starport {

/// Writes all of `bytes` to a file descriptor, retrying after signals and short writes; blocks
/// until done. Returns 0, or the errno of the failure (EPIPE for a closed pipe if SIGPIPE is
/// ignored), after which a part may have been written.
[[nodiscard]] int write_all(int fd, std::string_view bytes);

/// Registers the file that is open as `fd` as an input of this program: until the program ends, an
/// OutputFile with an option name refuses to replace that file by any path. The caller keeps `fd`
/// and may close it. Does nothing when fstat(2) fails. Not thread-safe.
void register_input_file(int fd);

/// Writes text to standard output, unbuffered and without adding a newline, with control characters
/// and bytes that are not UTF-8, other than line ends and tabs, replaced by spaces. Returns true,
/// or false when the reader has closed its end of the pipe (SIGPIPE must be ignored, otherwise it
/// ends the program). Throws InputError when writing fails otherwise, as on a full disk.
bool print(std::string_view text);
/// A style in which print() shows a line on a terminal: `none` (plain), `strong` (bold) or `faint`
/// (dimmed).
enum class Emphasis : std::uint8_t { none, strong, faint };
/// Writes text to standard output, unbuffered, with control characters and bytes that are not
/// UTF-8, other than line ends and tabs, replaced by spaces. On a terminal with colours (not if
/// NO_COLOR or CLICOLOR=0 is set) each line is shown in the style that `emphasis(line)` (not empty;
/// gets the line without its newline) returns, and a missing newline at the end is added; elsewhere
/// `emphasis` is not called. Returns true, or false when the reader has closed the pipe (SIGPIPE
/// must be ignored). Throws InputError when writing fails otherwise.
bool print(std::string_view text, const std::function<Emphasis(std::string_view line)>& emphasis);
/// Writes one line, `program: text`, to standard error, with control characters and line ends in
/// `text` replaced by spaces and a newline added. The name is not repeated when the text starts
/// with it. Failures to write are ignored.
void print_notice(std::string_view text, const char* program = "starport");
/// Writes one line, `program: text`, to standard error, with the program's name in red on a
/// terminal with colours, control characters and line ends replaced by spaces, and a newline added.
/// The name is not repeated when the text starts with it. Failures to write are ignored.
void print_error(std::string_view text, const char* program = "starport");

/// Returns true if two paths lead to the same file or folder, also if it does not exist yet; false
/// if one is empty or the system refuses it, such as a name that is too long.
bool are_same_file(const std::string& one, const std::string& other);

/// Returns the pattern for mkstemp(3) of a temporary file that is to become `target`: hidden, in
/// the same folder, and with this program's name in it, such as "dir/.x.csv.starport-XXXXXX".
/// Creates nothing; uses at most the first 230 bytes of the name of `target`.
std::string temporary_pattern(const std::string& target);
/// Returns true if `name`, without its folder, has the form of a temporary file
/// (temporary_pattern()) for the file `target`, also without its folder, such as this program
/// leaves behind when it is killed. Looks at the names only.
bool is_temporary_name(std::string_view name, std::string_view target);
/// Gives the open file `fd`, which has no name (O_TMPFILE) and stays the caller's, a temporary name
/// beside `target` (temporary_pattern()). Returns that name; "", with errno set, if that fails. The
/// caller renames or deletes it.
std::string link_beside(const std::string& target, int fd);

/// An output file that appears under its name only once it is complete: it is written to a file
/// without a name, or to a hidden one where the file system cannot create such files, which
/// commit() moves to its place. Without commit(), whatever ends the program, the target stays as it
/// was (a hidden file may be left behind if it is killed). Devices, pipes and the file that is this
/// program's standard output or standard error (/dev/stdout) are written to directly. All functions
/// throw InputError naming the file and the option when the file cannot be written, is read-only,
/// or, unless the name of the option is "", is an input of this program (register_input_file).
/// Neither copyable nor movable.
class OutputFile {
 public:
  /// Opens the file at once, so that a path that cannot be written, or is empty or a folder, is
  /// refused with InputError before any work is done; opening a pipe waits for its reader. `option`
  /// is the command line option that gave the path; the string, not null, must outlive this object.
  /// With "", for files of the program's own, input files may be replaced. Not thread-safe: sets
  /// the umask of the process for a moment.
  explicit OutputFile(std::string path, const char* option = "");
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Appends text as it is, through a buffer of 64 KiB. Throws InputError when the file cannot be
  /// written; a reader that has closed a pipe is no error (SIGPIPE must be ignored). After an
  /// exception nothing more is written, and commit() throws it again. Not allowed after commit().
  void write(std::string_view text);
  /// Writes what is buffered, moves the file to its name, replacing a file there (for a symbolic
  /// link, the file that it points to) and keeping the permissions of that one, and flushes the
  /// file and its folder to the disk; a file that is written to directly, such as a device or pipe,
  /// is only closed. Call it once, after the last write(). Throws InputError when this or an
  /// earlier write failed, or when the target has become an input since; a target to be replaced
  /// then stays as it was.
  void commit();

 private:
  void flush();
  void refuse_input() const;
  [[noreturn]] void fail(int error) const;

  std::string path_;      ///< as it was given
  std::string target_;    ///< the path with symbolic links resolved
  std::string partial_;   ///< name of the temporary file, if it has one
  bool replaces_ = true;  ///< false where it is written to directly
  const char* option_;
  std::string buffer_;
  int fd_ = -1;
  int error_ = 0;  ///< errno of the first write that failed
};

}  // namespace starport
