// Where results go: standard output and files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace starport {

/// Writes all of it to a file descriptor; the errno of the failure, or 0.
[[nodiscard]] int write_all(int fd, std::string_view bytes);

/// Says that this program reads the file: an OutputFile does not replace it from then on.
void note_input(int fd);

/// Writes lines to standard output, without what would steer a terminal. A reader that has gone
/// away is no error; a full disk is one.
/// Whether there is still one to read on.
bool print(std::string_view text);
/// The same, with lines that stand out on a terminal which has colours, and whose user has nothing
/// against them (NO_COLOR, CLICOLOR=0).
enum class Emphasis : std::uint8_t { none, strong, faint };
bool print(std::string_view text, const std::function<Emphasis(std::string_view line)>& emphasis);
/// One line to standard error, after the program's name. If that fails, there is nobody to tell.
void tell(std::string_view text, const char* program = "starport");
/// The same with the name in red, on such a terminal.
void tell_error(std::string_view text, const char* program = "starport");

/// A file that appears under its name only once it is complete and on the disk. Opened at once, so
/// that a path that cannot be written is refused before the work starts. A file that is read by
/// this program, before or meanwhile, is not replaced, unless it is the program's own (no option
/// names it); nor is one that is read-only. Throws InputError naming the option.
class OutputFile {
 public:
  explicit OutputFile(std::string path, const char* option = "");
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view text);
  void commit();

 private:
  void flush();
  void refuse_input() const;
  [[noreturn]] void fail(int error) const;

  std::string path_;     ///< as it was given
  std::string target_;   ///< where it leads
  std::string partial_;  ///< the name it has until it is complete; empty for a device or a pipe
  const char* option_;
  std::string buffer_;
  int fd_ = -1;
};

}  // namespace starport
