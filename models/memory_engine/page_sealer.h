// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

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

}  // namespace wafertlm
