#include "sim/study/sha256.hpp"

#include "sim/study/row_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <array>
#include <new>
#include <span>

namespace starport {

struct Sha256::State {
  EVP_MD_CTX* context = ::EVP_MD_CTX_new();
};

void Sha256::Free::operator()(State* state) const {
  ::EVP_MD_CTX_free(state->context);
  delete state;
}

Sha256::Sha256() : state_(new State) {
  if (::EVP_DigestInit_ex(state_->context, ::EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
}

void Sha256::add(std::string_view bytes) {
  ::EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}

std::string Sha256::digest() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  ::EVP_DigestFinal_ex(state_->context, digest.data(), &size);
  return fmt::format("{:02x}", fmt::join(std::span(digest).first(size), ""));
}

std::string sha256(std::string_view bytes) {
  Sha256 fingerprint;
  fingerprint.add(bytes);
  return fingerprint.digest();
}

std::string sha256_of_file(const std::string& path) {
  Sha256 fingerprint;
  PieceReader file(path);
  for (std::string piece; !(piece = file.next()).empty();) fingerprint.add(piece);
  return fingerprint.digest();
}

}  // namespace starport
