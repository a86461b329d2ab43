// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/page_sealer.h"

#include <openssl/evp.h>
#include <algorithm>
#include <stdexcept>

#include "models/memory_engine/region_layout.h"

namespace wafertlm {
namespace {

void require(int done) {
  if (done != 1) throw std::runtime_error("OpenSSL refuses AES-256-GCM");
}

using Bytes = std::array<unsigned char, 24>;

/// Little-endian: what is authenticated and not sent.
Bytes bound(std::uint64_t slot, std::uint64_t page, std::uint64_t version) {
  Bytes bytes;
  for (unsigned i = 0; i < 8; ++i) {
    bytes[i] = static_cast<unsigned char>(slot >> 8 * i);
    bytes[8 + i] = static_cast<unsigned char>(page >> 8 * i);
    bytes[16 + i] = static_cast<unsigned char>(version >> 8 * i);
  }
  return bytes;
}

}  // namespace

struct PageSealer::Cipher {
  EVP_CIPHER_CTX* sealing = EVP_CIPHER_CTX_new();
  EVP_CIPHER_CTX* opening = EVP_CIPHER_CTX_new();
  ~Cipher() {
    EVP_CIPHER_CTX_free(sealing);
    EVP_CIPHER_CTX_free(opening);
  }
  using Nonce = std::array<unsigned char, 12>;
  static Nonce nonce(const Context& context) {
    Nonce bytes{};
    for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<unsigned char>(context.number >> 8 * i);
    return bytes;
  }
  /// 48 bits of version, 40 bits of index, level; the highest bit tells it from a page's.
  static Nonce nonce(std::uint64_t place, std::uint64_t version) {
    Nonce bytes{};
    for (unsigned i = 0; i < 6; ++i) bytes[i] = static_cast<unsigned char>(version >> 8 * i);
    for (unsigned i = 0; i < 5; ++i) bytes[6 + i] = static_cast<unsigned char>(place >> 8 * i);
    bytes[11] = static_cast<unsigned char>(0x80 | place >> 56);
    return bytes;
  }
  /// `out`: where the enciphered bytes go; null: they are only authenticated.
  Tag seal(const Nonce& nonce, const Bytes& also, const unsigned char* plain, std::size_t bytes,
           unsigned char* out) const {
    int length = 0;
    unsigned char none;
    Tag tag;
    require(EVP_EncryptInit_ex(sealing, nullptr, nullptr, nullptr, nonce.data()));
    require(EVP_EncryptUpdate(sealing, nullptr, &length, also.data(), static_cast<int>(also.size())));
    require(EVP_EncryptUpdate(sealing, out, &length, plain, static_cast<int>(bytes)));
    require(EVP_EncryptFinal_ex(sealing, &none, &length));
    require(EVP_CIPHER_CTX_ctrl(sealing, EVP_CTRL_GCM_GET_TAG, static_cast<int>(tag.size()), tag.data()));
    return tag;
  }
};

PageSealer::PageSealer(const Key& key) : cipher_(std::make_unique<Cipher>()) {
  require(EVP_EncryptInit_ex(cipher_->sealing, EVP_aes_256_gcm(), nullptr, key.data(), nullptr));
  require(EVP_DecryptInit_ex(cipher_->opening, EVP_aes_256_gcm(), nullptr, key.data(), nullptr));
}

PageSealer::~PageSealer() = default;
PageSealer::PageSealer(PageSealer&&) noexcept = default;

PageSealer::Tag PageSealer::seal(const Context& context, const unsigned char* plain, std::size_t bytes,
                                 unsigned char* out) const {
  return cipher_->seal(Cipher::nonce(context), bound(context.slot, context.page, context.version), plain,
                       bytes, out);
}

bool PageSealer::open(const Context& context, const unsigned char* sealed, std::size_t bytes, const Tag& tag,
                      unsigned char* out) const {
  EVP_CIPHER_CTX* const c = cipher_->opening;
  const auto nonce = Cipher::nonce(context);
  const Bytes also = bound(context.slot, context.page, context.version);
  Tag expected = tag;
  int length = 0;
  require(EVP_DecryptInit_ex(c, nullptr, nullptr, nullptr, nonce.data()));
  require(EVP_DecryptUpdate(c, nullptr, &length, also.data(), static_cast<int>(also.size())));
  require(EVP_DecryptUpdate(c, out, &length, sealed, static_cast<int>(bytes)));
  require(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_SET_TAG, static_cast<int>(expected.size()), expected.data()));
  return EVP_DecryptFinal_ex(c, out, &length) == 1;
}

PageSealer::Tag PageSealer::authenticate(std::uint64_t place, std::uint64_t version,
                                         const unsigned char* data, std::size_t bytes) const {
  return cipher_->seal(Cipher::nonce(place, version), bound(place, place, version), data, bytes, nullptr);
}

Sealers make_sealers(const KeyOwner& owner, Purpose purpose, std::uint32_t providers) {
  Sealers sealers;
  for (std::uint32_t provider = 0; provider < providers; ++provider)
    sealers.emplace_back(derive_key(owner, purpose, provider));
  return sealers;
}

void SlotSealer::seal(const Content& content, const unsigned char* page, Bytes& image) {
  written_.insert(content.slot);
  image.assign(page_bytes_ + kTagBytes, 0);
  const PageSealer::Context context{content.slot, content.page, content.version, ++sealings_};
  const PageSealer::Tag tag = sealers_[content.provider].seal(context, page, page_bytes_, image.data());
  unsigned char* record = image.data() + page_bytes_;
  for (unsigned i = 0; i < 8; ++i) record[i] = static_cast<unsigned char>(context.number >> 8 * i);
  std::copy(tag.begin(), tag.end(), record + 8);
}

bool SlotSealer::open(const Content& content, Bytes& image) const {
  if (written_.count(content.slot) == 0) {
    image.assign(page_bytes_, 0);
    return true;
  }
  PageSealer::Context context{content.slot, content.page, content.version, 0};
  const unsigned char* record = image.data() + page_bytes_;
  PageSealer::Tag tag;
  for (unsigned i = 0; i < 8; ++i) context.number |= std::uint64_t{record[i]} << 8 * i;
  std::copy_n(record + 8, tag.size(), tag.begin());
  const bool right = sealers_[content.provider].open(context, image.data(), page_bytes_, tag, image.data());
  image.resize(page_bytes_);
  return right || !checks_tags_;
}

}  // namespace wafertlm
