// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "models/memory_engine/engine_params.h"

namespace wafertlm {

using Key = std::array<unsigned char, 32>;

/// HKDF-SHA-256 (RFC 5869) of OpenSSL; fills `out`.
void hkdf_sha256(std::string_view secret, std::string_view salt, std::string_view info, unsigned char* out,
                 std::size_t bytes);

/// What a key is for.
enum class Purpose : std::uint8_t {
  pages,     ///< AES-256-GCM of pages with a provider
  nodes,     ///< MACs of the integrity tree's nodes with a provider
  hiding,    ///< random choices of a way of hiding
  contents,  ///< made-up bytes of a host that has none
};

/// The owner's key for one purpose (and one provider). From none of them follows another. The secret they
/// all come from is the simulation's seed: it keeps simulated attackers out, nobody else.
Key derive_key(const KeyOwner& owner, Purpose purpose, std::uint32_t provider = 0);

/// Random numbers that cannot be told from those seen before: the key stream of ChaCha20 (RFC 8439) of
/// OpenSSL.
class KeyedRandom {
 public:
  explicit KeyedRandom(const Key& key);
  ~KeyedRandom();
  KeyedRandom(const KeyedRandom&) = delete;
  KeyedRandom& operator=(const KeyedRandom&) = delete;

  /// The next 8 bytes of the stream, the lowest first.
  std::uint64_t operator()();
  /// From 0 to `count` - 1; one is likelier than another by at most count / 2^64.
  std::uint64_t below(std::uint64_t count) { return (*this)() % count; }

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace wafertlm
