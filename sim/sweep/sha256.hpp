// Fingerprints (FIPS 180-4), in hexadecimal.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace starport {

/// Of bytes that come piece by piece.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  // One of these, once, at the end.
  std::string digest();
  std::uint64_t first_bytes();  ///< its first 16 digits, as a number

 private:
  std::array<unsigned char, 32> bytes();

  struct State;
  struct Free {
    void operator()(State* state) const;
  };
  std::unique_ptr<State, Free> state_;
};

std::string sha256(std::string_view bytes);
/// Of a whole file, in the memory of a piece of it. Throws InputError.
std::string sha256_of_file(const std::string& path);

}  // namespace starport
