// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "models/memory_engine/key_derivation.h"

namespace wafertlm {

/// Enciphers and authenticates with AES-256-GCM of OpenSSL.
class PageSealer {
 public:
  using Tag = std::array<unsigned char, 16>;
  /// What a page is bound to besides its contents. A number is used for one sealing only.
  struct Context {
    std::uint64_t slot;
    std::uint64_t page;     ///< that lies in the slot
    std::uint64_t version;  ///< how often that was written, or 0 where nobody counts
    std::uint64_t number;   ///< of the sealing, over all with this key: the nonce
  };

  explicit PageSealer(const Key& key);
  ~PageSealer();
  PageSealer(PageSealer&&) noexcept;
  PageSealer& operator=(PageSealer&&) = delete;

  /// Writes `bytes` to `out`, enciphered; may be in place.
  Tag seal(const Context& context, const unsigned char* plain, std::size_t bytes, unsigned char* out) const;
  /// Writes `bytes` to `out`, deciphered; returns whether the tag is right.
  bool open(const Context& context, const unsigned char* sealed, std::size_t bytes, const Tag& tag,
            unsigned char* out) const;
  /// Of data that stays readable and is written to `place` (level << 56 | index
  /// below 2^40) once in each version (below 2^48).
  Tag authenticate(std::uint64_t place, std::uint64_t version, const unsigned char* data,
                   std::size_t bytes) const;

 private:
  struct Cipher;
  std::unique_ptr<Cipher> cipher_;
};

/// A key for each provider.
using Sealers = std::vector<PageSealer>;
Sealers make_sealers(const KeyOwner& owner, Purpose purpose, std::uint32_t providers);

/// Seals and opens the contents of slots. What is stored is the ciphertext, the number of the sealing (8 B)
/// and the tag. What never was sealed reads as zeros.
class SlotSealer {
 public:
  using Bytes = std::vector<unsigned char>;
  /// What a slot holds.
  struct Content {
    std::uint32_t provider;
    std::uint64_t slot, page, version;
  };

  /// `checks_tags`: a wrong one is found.
  SlotSealer(Sealers sealers, std::uint64_t page_bytes, bool checks_tags)
      : sealers_(std::move(sealers)), page_bytes_(page_bytes), checks_tags_(checks_tags) {}

  void seal(const Content& content, const unsigned char* page, Bytes& image);
  /// In place. False if it is not what was sealed there.
  bool open(const Content& content, Bytes& image) const;

  /// These slots are another's or were: what is in them reads as zeros.
  void forget(std::uint64_t first_slot, std::uint64_t count) {
    for (std::uint64_t slot = first_slot; slot < first_slot + count; ++slot) written_.erase(slot);
  }

 private:
  const Sealers sealers_;
  const std::uint64_t page_bytes_;
  const bool checks_tags_;
  std::uint64_t sealings_ = 0;
  std::unordered_set<std::uint64_t> written_;
};

}  // namespace wafertlm
