// Numbers that stay as they are: of what the program does, written down once.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace starport::test {

/// A number that nearly any change of a run changes: the sum of the logarithms of what it was
/// given, without signs, each times a weight that depends on its position.
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

/// Adds the digits of a message, which say what is at fault, but not its words.
inline void add_digits(std::string_view message, Checksum& sum) {
  for (const char letter : message) {
    if (letter >= '0' && letter <= '9') sum.add(letter - '0');
  }
}

/// Compares numbers, which are finite, with those of a golden file, a line for each name, which has
/// no spaces. The path of the file begins at the root of the checkout. With
/// STARPORT_UPDATE_GOLDEN=1 the file is written instead.
void expect_golden(const std::string& file,
                   const std::map<std::string, std::vector<double>>& numbers);

}  // namespace starport::test
