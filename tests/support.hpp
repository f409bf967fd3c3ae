// What several tests need: the program itself, files that go away.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
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

/// A number that any change of a run changes: the sum of what it was given, each number times a
/// weight that depends on its position.
class Checksum {
 public:
  void add(double number) {
    sum_ += static_cast<double>(1 + count_++ % 7) * std::log1p(std::abs(number));
  }
  double value() const { return sum_; }

 private:
  double sum_ = 0;
  std::int64_t count_ = 0;
};
/// Compares numbers, which are finite, with those of a golden file, a line for each name, which has
/// no spaces. The path of the file begins at the root of the checkout. With STARPORT_UPDATE_GOLDEN=1
/// the file is written instead.
void expect_golden(const std::string& file,
                   const std::map<std::string, std::vector<double>>& numbers);

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
