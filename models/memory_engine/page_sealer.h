// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

namespace wafertlm {

/// Enciphers and authenticates with AES-256-GCM of OpenSSL. The key comes from a seed: it keeps simulated
/// providers out, nobody else.
class PageSealer {
 public:
  using Tag = std::array<unsigned char, 16>;
  /// What a page is bound to besides its contents. A number is used for one sealing only.
  struct Context {
    std::uint64_t place;    ///< the slot or node
    std::uint64_t version;  ///< of it, or 0 where versions are not known
    std::uint64_t number;   ///< of the sealing, over all: the nonce
  };

  explicit PageSealer(std::uint64_t seed);
  ~PageSealer();
  PageSealer(const PageSealer&) = delete;
  PageSealer& operator=(const PageSealer&) = delete;

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

/// Seals and opens the contents of slots. What is stored is the ciphertext, the number of the sealing (8 B)
/// and the tag. What never was written reads as zeros.
class SlotSealer {
 public:
  using Bytes = std::vector<unsigned char>;

  /// `checks_tags`: a wrong one is found.
  SlotSealer(std::uint64_t seed, std::uint64_t page_bytes, bool checks_tags)
      : sealer_(seed), page_bytes_(page_bytes), checks_tags_(checks_tags) {}

  /// `version`: of the integrity tree, 0 without one.
  void seal(std::uint64_t slot, std::uint64_t version, const unsigned char* page, Bytes& image);
  /// In place. False if it is not what was sealed there.
  bool open(std::uint64_t slot, std::uint64_t version, Bytes& image) const;

  void written(std::uint64_t slot) { written_.insert(slot); }
  /// These slots are another's or were: what is in them reads as zeros.
  void forget(std::uint64_t first_slot, std::uint64_t count) {
    for (std::uint64_t slot = first_slot; slot < first_slot + count; ++slot) written_.erase(slot);
  }
  const PageSealer& sealer() const { return sealer_; }

 private:
  PageSealer sealer_;
  const std::uint64_t page_bytes_;
  const bool checks_tags_;
  std::uint64_t sealings_ = 0;
  std::unordered_set<std::uint64_t> written_;
};

}  // namespace wafertlm
