#include "sim/sweep/sha256.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <new>

namespace starport {

void Sha256::Free::operator()(evp_md_ctx_st* context) const { ::EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(::EVP_MD_CTX_new()) {
  // Fetched once, because ::EVP_sha256() searches the providers on every use.
  static const EVP_MD* const kind = ::EVP_MD_fetch(nullptr, "SHA256", nullptr);
  if (!context_ || ::EVP_DigestInit_ex(context_.get(), kind, nullptr) != 1) throw std::bad_alloc();
}

void Sha256::add(std::string_view bytes) {
  ::EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
}

std::array<unsigned char, 32> Sha256::bytes() {
  std::array<unsigned char, 32> bytes{};
  ::EVP_DigestFinal_ex(context_.get(), bytes.data(), nullptr);
  return bytes;
}

std::string Sha256::digest() { return fmt::format("{:02x}", fmt::join(bytes(), "")); }

std::uint64_t Sha256::first_bytes() {
  std::uint64_t number = 0;
  const auto checksum = bytes();
  for (std::size_t i = 0; i < sizeof(number); ++i) number = number << 8 | checksum[i];
  return number;
}

std::string sha256(std::string_view bytes) {
  Sha256 checksum;
  checksum.add(bytes);
  return checksum.digest();
}

}  // namespace starport
