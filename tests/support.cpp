#include "tests/support.hpp"

#include "tests/paths.hpp"

#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <system_error>

namespace starport::test {
namespace {

/// Tests send SIGINT and SIGHUP to programs, which therefore must not inherit from this one that
/// they are ignored: a shell that runs the tests with "&" ignores SIGINT, nohup SIGHUP.
[[maybe_unused]] const bool kSignalsAreDefault = [] {
  for (const int signal : {SIGINT, SIGHUP}) std::signal(signal, SIG_DFL);
  return true;
}();

std::string slurp(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

std::string temporary_path(const std::string& ending) {
  return (std::filesystem::temp_directory_path() / ("starport-test-XXXXXX" + ending)).string();
}

/// Creates an empty file under a name that no other process has used, and returns its path.
std::string create_file(const std::string& extension) {
  std::string path = temporary_path(extension);
  const int file = ::mkstemps(path.data(), static_cast<int>(extension.size()));
  if (file < 0) throw std::system_error(errno, std::generic_category(), path);
  ::close(file);
  return path;
}

}  // namespace

nlohmann::json json_of(const std::string& text) { return nlohmann::json::parse(text); }

bool contains(const std::string& text, const std::string& regular_expression) {
  return std::regex_search(text, std::regex(regular_expression));
}

std::vector<std::string> matches(std::string_view text, const std::string& regular_expression) {
  const std::string all(text);
  const std::regex regex(regular_expression);
  std::vector<std::string> found;
  for (std::sregex_iterator i(all.begin(), all.end(), regex), end; i != end; ++i) {
    found.push_back((*i)[1]);
  }
  return found;
}

Outcome shell(const std::string& command) {
  const std::string out = create_file(".out");
  const std::string err = create_file(".err");
  const std::string line = "cd '" STARPORT_SOURCE_DIR "' && starport() { '" STARPORT_PROGRAM
                           "' \"$@\"; }; starport_selftest() { '" STARPORT_SELFTEST
                           "' \"$@\"; }; { " +
                           command + "; } >" + out + " 2>" + err;
  const int status = std::system(("bash -c '" +
                                  [&] {
                                    std::string quoted;
                                    for (const char c : line) {
                                      quoted +=
                                          c == '\'' ? std::string("'\\''") : std::string(1, c);
                                    }
                                    return quoted;
                                  }() +
                                  "'")
                                     .c_str());
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(out), slurp(err)};
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  return outcome;
}

TemporaryFile::TemporaryFile(const std::string& content, const std::string& extension)
    : path_(create_file(extension)) {
  std::ofstream(path_, std::ios::binary) << content;
}

TemporaryFile::~TemporaryFile() { std::filesystem::remove(path_); }

TemporaryDirectory::TemporaryDirectory() {
  std::string path = temporary_path("");
  if (::mkdtemp(path.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), path);
  }
  path_ = path;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace starport::test
