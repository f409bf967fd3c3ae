// What several tests need: the program itself, files that go away.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace starport::test {

/// Of random instances, every one, or one in 23 where the sanitizers make them slow: no
/// divisor of the periods with which the tests vary what they draw.
#ifdef __SANITIZE_ADDRESS__
inline constexpr std::uint64_t kSeedStride = 23;
#else
inline constexpr std::uint64_t kSeedStride = 1;
#endif

/// A run of the program: exit status, standard output, standard error.
struct Outcome {
  int status;
  std::string out;
  std::string err;
};
/// Runs a shell command line in which "starport" is the program under test, with the checkout as
/// the working directory.
Outcome shell(const std::string& command);

// Compiled once: these libraries take compilers long.

nlohmann::json json_of(const std::string& text);
bool contains(const std::string& text, const std::string& regular_expression);
/// The first group of each match.
std::vector<std::string> matches(std::string_view text, const std::string& regular_expression);

/// A file that lasts as long as the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content, const std::string& extension = ".json");
  ~TemporaryFile();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A directory that lasts as long as the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace starport::test
