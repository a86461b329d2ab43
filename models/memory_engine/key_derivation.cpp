// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/key_derivation.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <stdexcept>
#include <string>

namespace wafertlm {
namespace {

void require(bool done, const char* what) {
  if (!done) throw std::runtime_error(std::string("OpenSSL refuses ") + what);
}

/// OpenSSL does not write through it.
OSSL_PARAM octets(const char* name, std::string_view bytes) {
  return OSSL_PARAM_construct_octet_string(name, const_cast<char*>(bytes.data()), bytes.size());
}

std::string little_endian(std::uint64_t value) {
  std::string bytes(8, '\0');
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> 8 * i & 0xFF);
  return bytes;
}

}  // namespace

void hkdf_sha256(std::string_view secret, std::string_view salt, std::string_view info, unsigned char* out,
                 std::size_t bytes) {
  const std::unique_ptr<EVP_KDF, void (*)(EVP_KDF*)> kdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr),
                                                         EVP_KDF_free);
  const std::unique_ptr<EVP_KDF_CTX, void (*)(EVP_KDF_CTX*)> context(EVP_KDF_CTX_new(kdf.get()),
                                                                     EVP_KDF_CTX_free);
  char digest[] = "SHA256";
  const std::array<OSSL_PARAM, 5> params = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0), octets(OSSL_KDF_PARAM_KEY, secret),
      octets(OSSL_KDF_PARAM_SALT, salt), octets(OSSL_KDF_PARAM_INFO, info), OSSL_PARAM_construct_end()};
  require(context && EVP_KDF_derive(context.get(), out, bytes, params.data()) == 1, "HKDF");
}

Key derive_key(const KeyOwner& owner, Purpose purpose, std::uint32_t provider) {
  const std::string info = little_endian(static_cast<std::uint64_t>(owner.tenant)) +
                           little_endian(static_cast<std::uint64_t>(purpose)) +
                           little_endian(provider | std::uint64_t{owner.epoch} << 32);
  Key key;
  hkdf_sha256(little_endian(owner.seed), "memory engine", info, key.data(), key.size());
  return key;
}

struct KeyedRandom::Stream {
  EVP_CIPHER_CTX* const cipher = EVP_CIPHER_CTX_new();
  std::array<unsigned char, 4096> bytes{};
  std::size_t used = bytes.size();
  ~Stream() { EVP_CIPHER_CTX_free(cipher); }
};

KeyedRandom::KeyedRandom(const Key& key) : stream_(std::make_unique<Stream>()) {
  const std::array<unsigned char, 16> counter_and_nonce{};  // a key has one stream
  require(
      EVP_EncryptInit_ex(stream_->cipher, EVP_chacha20(), nullptr, key.data(), counter_and_nonce.data()) == 1,
      "ChaCha20");
}

KeyedRandom::~KeyedRandom() = default;

std::uint64_t KeyedRandom::operator()() {
  Stream& s = *stream_;
  if (s.used == s.bytes.size()) {
    s.bytes.fill(0);
    int length = 0;
    require(EVP_EncryptUpdate(s.cipher, s.bytes.data(), &length, s.bytes.data(),
                              static_cast<int>(s.bytes.size())) == 1,
            "ChaCha20");
    s.used = 0;
  }
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value |= std::uint64_t{s.bytes[s.used++]} << 8 * i;
  return value;
}

}  // namespace wafertlm
