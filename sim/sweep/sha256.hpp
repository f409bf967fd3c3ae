// SHA-256 checksums (FIPS 180-4), computed with OpenSSL.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace starport {

/// Computes the SHA-256 of bytes that arrive in several pieces. Call either digest() or
/// first_bytes(), once, after the last add().
class Sha256 {
 public:
  /// Throws std::bad_alloc when OpenSSL cannot create a context.
  Sha256();
  void add(std::string_view bytes);
  /// Returns the checksum as 64 hexadecimal digits in lower case.
  std::string digest();
  /// Returns the first 8 bytes of the checksum (16 hexadecimal digits) as a number.
  std::uint64_t first_bytes();

 private:
  std::array<unsigned char, 32> bytes();

  struct State;
  struct Free {
    void operator()(State* state) const;
  };
  std::unique_ptr<State, Free> state_;
};

/// Returns the SHA-256 of `bytes` as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace starport
