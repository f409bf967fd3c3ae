// SHA-256 checksums (FIPS 180-4), computed with OpenSSL.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace starport {

/// Calculator of the SHA-256 checksum of bytes that arrive in several pieces. Call add() for each
/// piece, then either digest() or first_bytes(), once; the object is of no use afterwards, nor
/// after it has been moved from.
class Sha256 {
 public:
  /// Starts the SHA-256 checksum of an empty text. Throws std::bad_alloc when OpenSSL cannot create
  /// a context.
  Sha256();
  /// Appends bytes to the text whose SHA-256 checksum is computed; they need not stay valid. Must
  /// not be called after digest() or first_bytes() (not checked).
  void add(std::string_view bytes);
  /// Returns the SHA-256 checksum of all bytes added so far as 64 hexadecimal digits in lower case.
  /// Call it once, and not after first_bytes(): a second result is meaningless.
  std::string digest();
  /// Returns the first 8 bytes of the SHA-256 checksum of all bytes added so far as a big-endian
  /// number, whose 16 hexadecimal digits are the first ones of digest(). Call it once, and not
  /// after digest(): a second result is meaningless.
  std::uint64_t first_bytes();

 private:
  std::array<unsigned char, 32> bytes();

  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

/// Returns the SHA-256 of `bytes` as 64 hexadecimal digits in lower case.
std::string sha256(std::string_view bytes);

}  // namespace starport
