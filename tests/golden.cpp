#include "tests/golden.hpp"

#include "tests/paths.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

namespace starport::test {

void expect_golden(const std::string& file,
                   const std::map<std::string, std::vector<double>>& numbers) {
  SCOPED_TRACE(
      file + ": if numbers are meant to change, write them anew: tests/README.md, Golden numbers");
  const std::string path = STARPORT_SOURCE_DIR "/" + file;
  if (std::getenv("STARPORT_UPDATE_GOLDEN") != nullptr) {
    std::ofstream golden(path);
    for (const auto& [name, values] : numbers) {
      golden << name;
      for (const double value : values) golden << fmt::format(" {:.10g}", value);
      golden << "\n";
    }
    EXPECT_TRUE(golden.flush()) << "cannot write " << path;
    return;
  }
  std::ifstream golden(path);
  std::string line;
  for (const auto& [name, values] : numbers) {
    std::getline(golden, line);
    std::istringstream words(line);
    std::string word;
    words >> word;
    EXPECT_EQ(word, name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      double expected = std::numeric_limits<double>::quiet_NaN();
      words >> expected;
      EXPECT_NEAR(values[i], expected, 1e-8 * std::abs(values[i])) << name << ", number " << i + 1;
    }
    EXPECT_FALSE(words >> word) << name;
  }
  EXPECT_FALSE(std::getline(golden, line)) << line;
}

}  // namespace starport::test
